//! MatMul and Gemm over f32 become fused products, which take in what follows them.

use native_kernels::Activation;
use onnx_tensor::DType;

use super::pattern::operator;
use super::{Report, epilogue};
use crate::error::NodeError;
use crate::ir::{Epilogued, Fused, Graph, Op, dtype};

/// Fuses all that can be fused.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        let Some(operator) =
            operator(node).filter(|operator| matches!(operator.schema.name, "MatMul" | "Gemm"))
        else {
            continue;
        };
        let float = |position: usize| {
            node.input(position)
                .is_none_or(|id| dtype(graph.known(id)) == Some(DType::Float))
        };
        let bias = node.input(2).is_none_or(|id| graph.constant(id).is_some());
        if (0..3).all(float) && bias {
            let operator = operator.clone();
            graph.nodes[at].op = Op::Fused(Fused::Product(Epilogued {
                operator,
                activation: Activation::Identity,
            }));
        }
    }
    epilogue::merge(graph, &mut report);
    Ok(report)
}
