//! Divides the operands of an Attention with three axes into heads, `[batch, heads, tokens, size]`, as its
//! kernel reads them.
//!
//! The elements are moved by a Reshape and a Transpose, which cost nothing for a single token. Present keys
//! and values without a past are the divided operands.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use super::Report;
use super::chain::replace;
use super::pattern::operator;
use crate::error::NodeError;
use crate::ir::{Graph, Node, Op, Operator, ValueId, dtype};

/// Replaces every Attention over f32 with three axes of known extents.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    replace(graph, "reads heads", |graph, node| {
        Some(Flat::find(graph, node)?.write(graph, node))
    })
}

/// An Attention with three axes.
struct Flat {
    /// The operator without numbers of heads.
    attention: Operator,
    /// `[batch, tokens, heads, size]` of queries, keys and values.
    extents: [[usize; 4]; 3],
    reshape: Operator,
    transpose: Operator,
    identity: Operator,
}

impl Flat {
    fn find(graph: &Graph, node: &Node) -> Option<Flat> {
        let found = operator(node).filter(|found| found.schema.name == "Attention")?;
        let attributes = &found.attributes;
        let heads = |name: &str| usize::try_from(attributes.find_int(name).ok()??).ok();
        let (queries, others) = (heads("q_num_heads")?, heads("kv_num_heads")?);
        let divided = |position: usize, heads: usize| {
            let id = node.input(position)?;
            let shape = graph.shape_of(id)?;
            let &[batch, tokens, all] = &shape[..] else {
                return None;
            };
            let whole = heads > 0 && all.is_multiple_of(heads) && !shape.contains(&0);
            let float = dtype(graph.known(id)) == Some(DType::Float);
            (whole && float).then(|| [batch, tokens, heads, all / heads])
        };
        let extents = [divided(0, queries)?, divided(1, others)?, divided(2, others)?];
        node.output(0)?;
        if node.outputs.get(3).is_some_and(Option::is_some) {
            return None;
        }
        let kept = attributes
            .iter()
            .filter(|(name, _)| !name.ends_with("_num_heads"));
        let kept = kept.map(|(name, value)| (name, value.clone()));
        let order = ("perm", AttributeValue::Ints(vec![0, 2, 1, 3]));
        Some(Flat {
            attention: Operator::make(found.schema.name, found.schema.since, kept)?,
            extents,
            reshape: Operator::make("Reshape", 14, [])?,
            transpose: Operator::make("Transpose", 13, [order])?,
            identity: Operator::make("Identity", 16, [])?,
        })
    }

    /// Returns the nodes in order.
    fn write(self, graph: &mut Graph, node: &Node) -> Vec<Node> {
        let mut made = Vec::new();
        let mut add = |operator: &Operator, inputs: Vec<Option<ValueId>>, outputs: Vec<Option<ValueId>>| {
            made.push(Node {
                name: node.name.clone(),
                op: Op::Plain(operator.clone()),
                inputs,
                outputs,
            });
        };
        let mut value = |part: &str| graph.add(format!("{}.{part}", node.name), None, None);
        let parts = ["queries", "keys", "values"];
        let apart = parts.map(|part| Some(value(&format!("{part}.apart"))));
        let heads = parts.map(|part| Some(value(part)));
        let [result, turned] = ["result", "turned"].map(|part| Some(value(part)));
        let shapes = self.extents.map(|extents| Some(shape(graph, extents.as_slice())));
        for at in 0..parts.len() {
            add(&self.reshape, vec![node.inputs[at], shapes[at]], vec![apart[at]]);
            add(&self.transpose, vec![apart[at]], vec![heads[at]]);
        }
        let mut inputs = node.inputs.clone();
        inputs[..heads.len()].copy_from_slice(&heads);
        let mut outputs = node.outputs.clone();
        outputs[0] = result;
        if node.input(4).is_none() {
            let present = outputs.drain(1..).take(2).collect::<Vec<_>>();
            for (at, output) in present
                .into_iter()
                .enumerate()
                .filter(|(_, output)| output.is_some())
            {
                add(&self.identity, vec![heads[at + 1]], vec![output]);
            }
        }
        add(&self.attention, inputs, outputs);
        add(&self.transpose, vec![result], vec![turned]);
        let [[batch, tokens, count, _], _, [.., size]] = self.extents;
        let merged = Some(shape(graph, &[batch, tokens, count * size]));
        add(&self.reshape, vec![turned, merged], vec![node.outputs[0]]);
        made
    }
}

fn shape(graph: &mut Graph, extents: &[usize]) -> ValueId {
    let extents = extents.iter().map(|&extent| extent as i64).collect();
    graph.add_constant("extents", Tensor::vector(extents))
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::Int;
    use onnx_model::Node as FileNode;

    use super::run;
    use crate::fixture::{Fixture, node};

    /// Checks the nodes for queries of four heads, and keys and values of two.
    #[track_caller]
    fn check(
        x: &[usize],
        inputs: &str,
        attributes: &[(&str, onnx_model::AttributeValue)],
        expected: &[&str],
    ) {
        let mut all = vec![("q_num_heads", Int(4)), ("kv_num_heads", Int(2))];
        all.extend_from_slice(attributes);
        let nodes: Vec<FileNode> = vec![node("Attention", inputs, "y", &all)];
        let fixture = Fixture::new(x, nodes)
            .opset(23)
            .varied("k", &[2, 3, 6])
            .varied("v", &[2, 3, 10])
            .varied("mask", &[5, 3]);
        fixture.check(&[run], expected);
    }

    const PARTS: [&str; 9] = [
        "Reshape-14",
        "Transpose-13",
        "Reshape-14",
        "Transpose-13",
        "Reshape-14",
        "Transpose-13",
        "Attention-23",
        "Transpose-13",
        "Reshape-14",
    ];

    #[test]
    fn operands_are_divided_into_heads() {
        check(&[2, 5, 12], "x k v", &[], &PARTS);
        check(&[2, 5, 12], "x k v mask", &[("is_causal", Int(1))], &PARTS);
    }

    #[test]
    fn operands_with_four_axes_are_unchanged() {
        let nodes = vec![node("Attention", "x x x", "y", &[])];
        Fixture::new(&[1, 2, 5, 4], nodes)
            .opset(23)
            .check(&[run], &["Attention-23"]);
    }
}
