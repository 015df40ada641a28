//! Writes the mean and the maximum over all pixels of an image, as ReduceMean and ReduceMax give them, as
//! global poolings, which read the blocked layout.

use onnx_tensor::DType;

use super::Report;
use super::chain::{Chain, replace};
use super::pattern::{Links, operator};
use crate::error::NodeError;
use crate::ir::{Graph, Node, ValueId, dtype};
use crate::ops::call::{axes, int64s};
use crate::ops::fast::Fast;

/// Replaces every such node over the result of a convolution, also after functions of its elements.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let links = Links::new(graph);
    let nodes = graph.nodes.iter();
    let found: Vec<Option<Reduced>> = nodes.map(|node| Reduced::find(graph, &links, node)).collect();
    let mut found = found.into_iter();
    replace(graph, "is a global pooling", |graph, node| {
        Some(found.next().flatten()?.write(graph, &node.name))
    })
}

struct Reduced {
    pooling: &'static str,
    x: ValueId,
    result: ValueId,
    /// The extents of the result.
    extents: Vec<usize>,
}

impl Reduced {
    fn find(graph: &Graph, links: &Links, node: &Node) -> Option<Reduced> {
        let found = operator(node)?;
        let pooling = match found.schema.name {
            "ReduceMean" => "GlobalAveragePool",
            "ReduceMax" => "GlobalMaxPool",
            _ => return None,
        };
        let (x, result) = (node.input(0)?, node.only_output()?);
        let shape = graph.shape_of(x)?;
        let listed = match node.input(1) {
            Some(id) => int64s(graph.constant(id)?).ok()?,
            None => found.attributes.ints("axes").ok()??.to_vec(),
        };
        let spatial = (3..=5).contains(&shape.len())
            && !shape.contains(&0)
            && axes(&listed, shape.len()).ok()? == (2..shape.len()).collect::<Vec<usize>>();
        let floats = dtype(graph.known(x)) == Some(DType::Float);
        (spatial && floats && is_image(graph, links, x)).then_some(Reduced {
            pooling,
            x,
            result,
            extents: graph.shape_of(result)?,
        })
    }

    /// Returns the nodes in order.
    fn write(self, graph: &mut Graph, name: &str) -> Vec<Node> {
        let rank = graph.shape_of(self.x).map_or(0, |shape| shape.len());
        let mut chain = Chain::new(graph, name);
        let mut last = chain.add(self.pooling, 1, None, vec![Some(self.x)]);
        if self.extents.len() < rank {
            last = chain.reshaped(last, &self.extents);
        }
        chain.ending(last, self.result)
    }
}

/// Whether a value is the result of a convolution, after functions of its elements.
fn is_image(graph: &Graph, links: &Links, mut id: ValueId) -> bool {
    let around = links.around(graph);
    let producer = |id: ValueId| {
        let (_, node) = around.producer(id)?;
        Some((operator(node)?.row.fast?, node.input(0)?))
    };
    while let Some((fast, input)) = producer(id) {
        match fast {
            Fast::Convolution { .. } => return true,
            Fast::Activation(_) | Fast::Clip | Fast::Unary(_) | Fast::Binary(_) => id = input,
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{Int, Ints};
    use onnx_model::Node;

    use super::run;
    use crate::fixture::{Fixture, node};

    #[track_caller]
    fn check(nodes: Vec<Node>, expected: &[&str]) {
        Fixture::new(&[2, 3, 4, 5], nodes)
            .opset(13)
            .varied("w", &[6, 3, 1, 1])
            .check(&[run], expected);
    }

    fn reduced(name: &str, from: &str, axes: &[i64], keep: i64) -> Node {
        node(
            name,
            from,
            "y",
            &[("axes", Ints(axes.to_vec())), ("keepdims", Int(keep))],
        )
    }

    #[test]
    fn reductions_over_all_pixels_are_poolings() {
        let conv = || node("Conv", "x w", "c", &[]);
        let pool = ["Conv-11", "GlobalAveragePool-1"];
        check(vec![conv(), reduced("ReduceMean", "c", &[2, 3], 1)], &pool);
        let relu = vec![
            conv(),
            node("Relu", "c", "r", &[]),
            reduced("ReduceMax", "r", &[-1, -2], 0),
        ];
        check(relu, &["Conv-11", "Relu-13", "GlobalMaxPool-1", "Reshape-14"]);
    }

    #[test]
    fn other_axes_and_values_are_unchanged() {
        let conv = || node("Conv", "x w", "c", &[]);
        check(vec![reduced("ReduceMax", "x", &[2, 3], 1)], &["ReduceMax-13"]);
        check(
            vec![conv(), reduced("ReduceMax", "c", &[3], 1)],
            &["Conv-11", "ReduceMax-13"],
        );
        check(
            vec![conv(), reduced("ReduceMean", "c", &[1, 2], 1)],
            &["Conv-11", "ReduceMean-13"],
        );
    }
}
