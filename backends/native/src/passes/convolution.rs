//! Replaces a Conv over f32 with constant filters by a fused convolution, which has kernels and an epilogue.

use onnx_tensor::Tensor;

use super::Report;
use super::pattern::{give_kernels, is_float_with_bias};
use crate::error::NodeError;
use crate::ir::{Epilogued, Fused, Graph, Node, Operator};
use crate::kernels::{is_convolution, is_finite};
use crate::ops::check_filters;
use crate::ops::fast::Fast;
use crate::ops::numbers::slice;

/// Replaces every Conv that has a kernel.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    Ok(give_kernels(graph, kernel))
}

fn kernel(graph: &Graph, node: &Node, operator: &Operator) -> Option<Fused> {
    let weights = graph.constant(node.input(1)?)?;
    let x = graph.shape_of(node.input(0)?)?;
    let bias = node.input(2).and_then(|id| graph.constant(id)).map(Tensor::shape);
    let fits = matches!(operator.row.fast, Some(Fast::Convolution { transposed: false }))
        && check_filters(&operator.attributes, &x, weights.shape(), bias).is_ok()
        && is_convolution(weights.shape())
        && is_float_with_bias(graph, node)
        && slice::<f32>(weights).is_ok_and(is_finite);
    fits.then(|| Fused::Convolution(Epilogued::plain(operator)))
}

#[cfg(test)]
mod tests {
    use super::super::epilogue;
    use super::run;
    use crate::fixture::{Fixture, node};

    #[test]
    fn bias_residual_and_activation_are_merged() {
        let nodes = vec![
            node("Conv", "x w", "a", &[]),
            node("Add", "a b", "c", &[]),
            node("Conv", "x v", "d", &[]),
            node("Add", "c d", "e", &[]),
            node("Relu", "e", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes);
        let fixture = fixture
            .varied("w", &[3, 2, 1, 1])
            .varied("v", &[3, 2, 1, 1])
            .varied("b", &[1, 3, 1, 1]);
        fixture.check(
            &[run, epilogue::run],
            &["Conv-11 then Identity", "Conv-11 then Relu"],
        );
    }

    #[test]
    fn a_value_with_other_readers_is_not_merged() {
        let nodes = vec![
            node("Conv", "x w", "a", &[]),
            node("Relu", "a", "b", &[]),
            node("Add", "a b", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes).varied("w", &[2, 2, 3, 3]);
        fixture.check(
            &[run, epilogue::run],
            &["Conv-11 then Identity", "Relu-14", "Add-14"],
        );
    }
}
