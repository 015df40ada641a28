//! Replaces a Reshape that splits the channels, a Transpose that exchanges the two parts, and a Reshape back
//! by one channel shuffle.

use std::sync::Arc;

use super::Report;
use super::pattern::{Around, Links};
use crate::error::NodeError;
use crate::ir::{Fused, Graph, Node, Op, ValueId, dtype};
use onnx_tensor::DType;

/// Replaces the last Reshape of each match; the other nodes are then dead.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        if node.op.plain("Reshape").is_none() {
            continue;
        }
        let Some((x, sources)) = find(&links.around(graph), node) else {
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
fn find(around: &Around, last: &Node) -> Option<(ValueId, Arc<[usize]>)> {
    let (_, transpose) = around.sole_producer(last.input(0)?)?;
    let order = transpose.op.plain("Transpose")?.attributes.ints("perm").ok()??;
    let (_, first) = around.sole_producer(transpose.input(0)?)?;
    first.op.plain("Reshape")?;
    let x = first.input(0)?;
    let (whole, split) = (
        around.graph.shape_of(x)?,
        around.graph.shape_of(transpose.input(0)?)?,
    );
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
    let back = around.graph.shape_of(last.output(0)?)? == whole;
    // Channel `c` of the result is row `c % rows`, column `c / rows` of the matrix.
    let sources = || (0..channels).map(|channel| channel % rows * columns + channel / rows);
    (fits && back && dtype(around.graph.known(x)) == Some(DType::Float)).then(|| (x, sources().collect()))
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
