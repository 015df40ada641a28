//! Conv over f32 with constant filters becomes a fused convolution, which has kernels and can take in what follows it.

use native_kernels::Activation;

use super::Report;
use super::pattern::{is_constant, is_float, operator};
use crate::error::NodeError;
use crate::ir::{Epilogued, Fused, Graph, Op};
use crate::kernels::is_convolution;

/// Marks all that has a kernel.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        let Some(operator) = operator(node).filter(|operator| operator.schema.name == "Conv") else {
            continue;
        };
        let weights = node.input(1).and_then(|id| graph.constant(id));
        let fits = weights.is_some_and(|weights| is_convolution(weights.shape()));
        if fits && (0..3).all(|position| is_float(graph, node, position)) && is_constant(graph, node, 2) {
            let operator = operator.clone();
            report.push(format!("`{}` has a kernel", node.name));
            graph.nodes[at].op = Op::Fused(Fused::Convolution(Epilogued {
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
    use super::run;

    #[test]
    fn bias_residual_and_activation_go_in() {
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
    fn a_value_that_others_read_keeps_its_sums() {
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
