//! Replaces a decomposed `x / √(mean of squares + ε) · scale` over the last axis by one RMSNormalization.

use onnx_tensor::DType;

use super::Report;
use super::layer_norm::{fits_last, mean_over_last, over_last_axis, squared, with_row};
use super::pattern::{Around, replace_matches};
use crate::error::NodeError;
use crate::ir::{Graph, Node, Operator, ValueId, dtype};

/// Replaces the last node of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(replace_matches(graph, find))
}

/// Returns the RMSNormalization with its operands, if the node is the last product of one.
fn find(around: &Around, node: &Node) -> Option<(Operator, Vec<ValueId>)> {
    node.op.plain("Mul")?;
    let (normal, scale) = with_row(around, node)?;
    let (_, division) = around.sole_producer(normal)?;
    let (x, root) = divided(around, division)?;
    let (_, root) = around.producer(root)?;
    root.op.plain("Sqrt")?;
    let (_, sum) = around.producer(root.input(0)?)?;
    sum.op.plain("Add")?;
    let (a, b) = (sum.input(0)?, sum.input(1)?);
    let epsilon = |number: ValueId, mean: ValueId| {
        let epsilon = around.scalar_without_axes(number, mean)?;
        let square = mean_over_last(around, mean)?;
        (squared(around, square)? == x).then_some(epsilon)
    };
    let epsilon = epsilon(b, a).or_else(|| epsilon(a, b))?;
    let float = dtype(around.graph.known(x)) == Some(DType::Float);
    let found = float && fits_last(around, scale, x);
    let operator = found.then(|| Operator::make("RMSNormalization", 23, over_last_axis(epsilon)))??;
    Some((operator, vec![x, scale]))
}

/// Returns the dividend and the divisor of `x / r`, `x · (1 / r)` or `x · Reciprocal(r)`.
fn divided(around: &Around, node: &Node) -> Option<(ValueId, ValueId)> {
    let (a, b) = (node.input(0)?, node.input(1)?);
    if node.op.plain("Div").is_some() {
        return Some((a, b));
    }
    node.op.plain("Mul")?;
    let inverse = |id: ValueId| {
        let (_, node) = around.producer(id)?;
        if node.op.plain("Reciprocal").is_some() {
            return node.input(0);
        }
        node.op.plain("Div")?;
        let (one, root) = (node.input(0)?, node.input(1)?);
        (around.scalar_without_axes(one, root)? == 1.0).then_some(root)
    };
    let of_b = inverse(b).map(|root| (a, root));
    of_b.or_else(|| Some((b, inverse(a)?)))
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
