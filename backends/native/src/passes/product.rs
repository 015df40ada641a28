//! MatMul and Gemm over f32 become fused products, which have kernels and can take in what follows them.

use native_kernels::Activation;

use super::Report;
use super::pattern::{is_constant, is_float, operator};
use crate::error::NodeError;
use crate::ir::{Epilogued, Fused, Graph, Op};

/// Marks all that has a kernel.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        let Some(operator) =
            operator(node).filter(|operator| matches!(operator.schema.name, "MatMul" | "Gemm"))
        else {
            continue;
        };
        if (0..3).all(|position| is_float(graph, node, position)) && is_constant(graph, node, 2) {
            let operator = operator.clone();
            report.push(format!("`{}` has a kernel", node.name));
            graph.nodes[at].op = Op::Fused(Fused::Product(Epilogued {
                operator,
                activation: Activation::Identity,
            }));
        }
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::super::epilogue;
    use super::super::fixture::{Fixture, node};
    use super::super::gelu;
    use super::run;

    #[test]
    fn bias_and_gelu_go_in() {
        let nodes = vec![
            node("MatMul", "x w", "a", &[]),
            node("Add", "b a", "c", &[]),
            node("Div", "c root", "d", &[]),
            node("Erf", "d", "e", &[]),
            node("Add", "e one", "f", &[]),
            node("Mul", "c f", "g", &[]),
            node("Mul", "g half", "y", &[]),
        ];
        let number = onnx_tensor::Tensor::scalar::<f32>;
        let fixture = Fixture::new(&[2, 3, 4], nodes)
            .varied("w", &[4, 5])
            .varied("b", &[5]);
        let fixture = fixture
            .constant("root", number(std::f32::consts::SQRT_2))
            .constant("one", number(1.0));
        let passes = [gelu::run, super::super::dead::run, run, epilogue::run];
        fixture
            .constant("half", number(0.5))
            .check(&passes, &["MatMul-13 then Gelu"]);
    }

    #[test]
    fn gemm_takes_a_residual() {
        let nodes = vec![node("Gemm", "x w b", "a", &[]), node("Add", "x a", "y", &[])];
        let fixture = Fixture::new(&[3, 4], nodes)
            .varied("w", &[4, 4])
            .varied("b", &[4]);
        fixture.check(&[run, epilogue::run], &["Gemm-13 then Identity"]);
    }
}
