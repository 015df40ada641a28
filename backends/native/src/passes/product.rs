//! Replaces MatMul and Gemm over f32 by fused products, which have kernels and an epilogue.

use super::Report;
use super::pattern::{give_kernels, is_float_with_bias, operator};
use crate::error::NodeError;
use crate::ir::{Epilogued, Fused, Graph, Node, Op, Operator};
use crate::ops::fast::Fast;

/// Replaces every product that has a kernel.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(give_kernels(graph, kernel))
}

/// Returns a product that has a kernel as a fused one, and any other node as it is.
pub fn with_kernel(graph: &Graph, node: Node) -> Node {
    match operator(&node).and_then(|found| kernel(graph, &node, found)) {
        Some(fused) => Node {
            op: Op::Fused(fused),
            ..node
        },
        None => node,
    }
}

fn kernel(graph: &Graph, node: &Node, operator: &Operator) -> Option<Fused> {
    let fits = matches!(operator.row.fast, Some(Fast::Product(_))) && is_float_with_bias(graph, node);
    fits.then(|| Fused::Product(Epilogued::plain(operator)))
}

#[cfg(test)]
mod tests {
    use super::super::epilogue;
    use super::super::gelu;
    use super::run;
    use crate::fixture::{Fixture, node};

    #[test]
    fn bias_and_gelu_are_merged() {
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
    fn a_column_is_not_a_bias_of_columns() {
        let nodes = vec![node("Gemm", "x w c", "a", &[]), node("Add", "a b", "y", &[])];
        let fixture = Fixture::new(&[3, 4], nodes)
            .varied("w", &[4, 3])
            .varied("c", &[3, 1])
            .varied("b", &[3]);
        let expected = ["Gemm-13 then Identity", "Add-14"];
        fixture.check(&[run, epilogue::run], &expected);
    }

    #[test]
    fn a_residual_is_merged_into_gemm() {
        let nodes = vec![node("Gemm", "x w b", "a", &[]), node("Add", "x a", "y", &[])];
        let fixture = Fixture::new(&[3, 4], nodes)
            .varied("w", &[4, 4])
            .varied("b", &[4]);
        fixture.check(&[run, epilogue::run], &["Gemm-13 then Identity"]);
    }
}
