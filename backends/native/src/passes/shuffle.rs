//! Replaces a Reshape that splits the channels, a Transpose that exchanges the two parts, and a Reshape back
//! by one channel shuffle.

use std::sync::Arc;

use super::Report;
use super::formula::{Found, call, named, once, value};
use super::pattern::Links;
use super::transpose::order;
use crate::error::NodeError;
use crate::ir::{Fused, Graph, Node, Op, ValueId, dtype};
use onnx_tensor::DType;

/// Replaces the last Reshape of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let split = named("split", once(call("Reshape", [value("x")])));
    let formula = call("Reshape", [named("turned", once(call("Transpose", [split])))]);
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        let around = links.around(graph);
        let found = formula.of_node(&around, node);
        let Some((x, sources)) = found.and_then(|found| shuffled(graph, node, &found)) else {
            continue;
        };
        report.push(format!(
            "`{}` and the nodes before it become a channel shuffle",
            node.name
        ));
        let shuffle = Node {
            op: Op::Fused(Fused::Rearrange(sources)),
            inputs: vec![Some(x)],
            ..node.clone()
        };
        links.replace(graph, at, shuffle);
    }
    Ok(report)
}

/// Returns the shuffled value, and the source of each channel.
fn shuffled(graph: &Graph, last: &Node, found: &Found) -> Option<(ValueId, Arc<[usize]>)> {
    let x = found.value("x")?;
    let order = found.node("turned").and_then(|turn| order(&turn.op))?;
    let (whole, split) = (found.shape("x")?, found.shape("split")?);
    let exchanged = order.iter().enumerate().all(|(place, &axis)| {
        let expected = match place {
            1 => 2,
            2 => 1,
            other => other as i64,
        };
        axis == expected
    });
    let (&[batch, channels, ref pixels @ ..], &[b, rows, columns, ref rest @ ..]) = (&whole[..], &split[..])
    else {
        return None;
    };
    let fits =
        exchanged && b == batch && rows.checked_mul(columns) == Some(channels) && pixels == rest && rows > 0;
    let back = graph.shape_of(last.output(0)?)? == whole;
    // Channel `c` of the result is row `c % rows`, column `c / rows` of the matrix.
    let sources = || (0..channels).map(|channel| channel % rows * columns + channel / rows);
    (fits && back && dtype(graph.known(x)) == Some(DType::Float)).then(|| (x, sources().collect()))
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::Ints;
    use onnx_tensor::Tensor;

    use super::super::dead;
    use super::run;
    use crate::fixture::{Fixture, node};

    #[test]
    fn a_decomposed_shuffle_is_fused() {
        let nodes = vec![
            node("Reshape", "x split", "a", &[]),
            node("Transpose", "a", "b", &[("perm", Ints(vec![0, 2, 1, 3, 4]))]),
            node("Reshape", "b whole", "y", &[]),
        ];
        let fixture =
            Fixture::new(&[1, 6, 2, 2], nodes).constant("split", Tensor::vector(vec![1_i64, 3, 2, 2, 2]));
        let fixture = fixture.constant("whole", Tensor::vector(vec![1_i64, 6, 2, 2]));
        fixture.check(&[run, dead::run], &["Rearrange to 6 channels"]);
    }
}
