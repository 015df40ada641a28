//! Replaces a decomposed `x / √(mean of squares + ε) · scale` over the last axis by one RMSNormalization.

use super::Report;
use super::formula::{Fusion, fuse, square, value};
use super::layer_norm::{mean, normalization, normalized};
use crate::error::NodeError;
use crate::ir::Graph;

/// Replaces the last node of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(fuse(graph, &fusions()))
}

/// RMSNormalization.
pub fn fusions() -> [Fusion; 1] {
    [Fusion {
        formula: normalized(value("x"), mean(square(value("x")))),
        make: |around, found| normalization(around, found, "RMSNormalization", 23, &["scale"]),
    }]
}

#[cfg(test)]
mod tests {
    use onnx_model::Node as FileNode;
    use onnx_tensor::Tensor;

    use super::super::dead;
    use super::run;
    use crate::fixture::{Fixture, node};

    /// Checks the nodes after fusion of the mean of squares `m` and what follows.
    #[track_caller]
    fn check(shape: &[usize], after: Vec<FileNode>, scale: usize, expected: &[&str]) {
        let mut nodes = vec![
            node("Pow", "x two", "p", &[]),
            node("ReduceMean", "p axes", "m", &[]),
            node("Add", "m epsilon", "e", &[]),
            node("Sqrt", "e", "s", &[]),
        ];
        nodes.extend(after);
        Fixture::new(shape, nodes)
            .varied("scale", &[scale])
            .constant("two", Tensor::scalar(2.0_f32))
            .constant("one", Tensor::scalar(1.0_f32))
            .constant("epsilon", Tensor::scalar(1e-5_f32))
            .constant("axes", Tensor::vector(vec![-1_i64]))
            .check(&[run, dead::run], expected);
    }

    #[test]
    fn a_decomposed_normalization_is_fused() {
        let fused = ["RMSNormalization-23"];
        let divided = || vec![node("Div", "x s", "n", &[]), node("Mul", "n scale", "y", &[])];
        check(&[2, 3, 8], divided(), 8, &fused);
        check(&[2, 3, 8], divided(), 1, &fused);
        let inverse = |form: FileNode| {
            vec![
                form,
                node("Mul", "x r", "n", &[]),
                node("Mul", "scale n", "y", &[]),
            ]
        };
        check(&[2, 3, 8], inverse(node("Reciprocal", "s", "r", &[])), 8, &fused);
        check(&[2, 3, 8], inverse(node("Div", "one s", "r", &[])), 8, &fused);
    }

    #[test]
    fn a_scale_longer_than_the_rows_is_not_fused() {
        let divided = vec![node("Div", "x s", "n", &[]), node("Mul", "n scale", "y", &[])];
        let expected = ["Pow-15", "ReduceMean-18", "Add-14", "Sqrt-13", "Div-14", "Mul-14"];
        check(&[2, 3, 1], divided, 8, &expected);
    }
}
