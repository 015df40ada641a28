//! Queries about a graph: the producer, the readers and the constant value of a value.

use onnx_tensor::{DType, Tensor};

use super::Report;
use crate::ir::{Fused, Graph, Node, Op, Operator, ValueId, dtype};
use crate::ops::numbers::{floats, rounded};

/// The producer of each value of a graph, and the number of its readers. A pass updates it as it replaces
/// nodes, so it walks over the graph only once.
#[derive(Default)]
pub struct Links {
    definitions: Vec<Option<usize>>,
    uses: Vec<u32>,
}

impl Links {
    /// Collects the links of a graph.
    pub fn new(graph: &Graph) -> Links {
        Links {
            definitions: graph.definitions(),
            uses: graph.uses(),
        }
    }

    /// Returns the graph with these links.
    pub fn around<'g>(&'g self, graph: &'g Graph) -> Around<'g> {
        Around { graph, links: self }
    }

    /// Returns the number of reads of a value, including outputs of the graph.
    pub fn uses(&self, id: ValueId) -> u32 {
        self.uses.get(id.index()).copied().unwrap_or(0)
    }

    /// Replaces a node; returns the old one.
    pub fn replace(&mut self, graph: &mut Graph, at: usize, node: Node) -> Node {
        let old = std::mem::replace(&mut graph.nodes[at], node);
        self.forget(&old);
        self.reads(graph, at);
        self.defines(graph, at);
        old
    }

    /// Appends a node whose reads are already counted.
    pub fn push(&mut self, graph: &mut Graph, node: Node) {
        graph.nodes.push(node);
        self.defines(graph, graph.nodes.len() - 1);
    }

    /// Appends a node whose reads are not counted yet.
    pub fn push_new(&mut self, graph: &mut Graph, node: Node) {
        self.push(graph, node);
        self.reads(graph, graph.nodes.len() - 1);
    }

    /// Subtracts the reads of a removed node.
    pub fn forget(&mut self, node: &Node) {
        for id in node.inputs.iter().flatten() {
            self.uses[id.index()] -= 1;
        }
    }

    fn reads(&mut self, graph: &Graph, at: usize) {
        self.uses.resize(graph.values.len(), 0);
        for id in graph.nodes[at].inputs.iter().flatten() {
            self.uses[id.index()] += 1;
        }
    }

    fn defines(&mut self, graph: &Graph, at: usize) {
        self.definitions.resize(graph.values.len(), None);
        for id in graph.nodes[at].outputs.iter().flatten() {
            self.definitions[id.index()] = Some(at);
        }
    }
}

/// A graph with its links.
pub struct Around<'g> {
    pub graph: &'g Graph,
    links: &'g Links,
}

impl<'g> Around<'g> {
    /// Returns the node that defines a value, with its position.
    pub fn producer(&self, id: ValueId) -> Option<(usize, &'g Node)> {
        let at = self.links.definitions.get(id.index()).copied().flatten()?;
        Some((at, self.graph.nodes.get(at)?))
    }

    /// Returns the node that defines a value with exactly one reader.
    pub fn sole_producer(&self, id: ValueId) -> Option<(usize, &'g Node)> {
        (self.links.uses(id) == 1).then(|| self.producer(id)).flatten()
    }

    /// Returns the number of reads of a value, including outputs of the graph.
    pub fn uses(&self, id: ValueId) -> u32 {
        self.links.uses(id)
    }

    /// Returns the only element of a constant.
    pub fn scalar(&self, id: ValueId) -> Option<f64> {
        let tensor = self.graph.constant(id)?;
        match tensor.len() {
            1 => floats(tensor).ok()?.first().copied(),
            _ => None,
        }
    }

    /// Whether a value is a constant of one element with at most `axes` axes. It must be the one of its type
    /// nearest to `number`, if there is one.
    pub fn is_scalar(&self, id: ValueId, axes: usize, number: Option<f64>) -> bool {
        let fits = self
            .graph
            .constant(id)
            .is_some_and(|constant| constant.rank() <= axes);
        let found = fits.then(|| self.scalar(id)).flatten();
        found.is_some() && number.is_none_or(|number| found == self.nearest(id, number))
    }

    /// Returns the number nearest to `value` in the type of a constant; for an integer type `value` itself.
    fn nearest(&self, id: ValueId, value: f64) -> Option<f64> {
        let dtype = self.graph.constant(id)?.dtype();
        if dtype.is_integer() {
            Some(value)
        } else {
            rounded(dtype, vec![value]).ok()?.first().copied()
        }
    }

    /// Whether two values have the same known extents.
    pub fn same_shape(&self, a: ValueId, b: ValueId) -> bool {
        let (a, b) = (
            crate::ir::shape(self.graph.known(a)),
            crate::ir::shape(self.graph.known(b)),
        );
        a.is_some()
            && a == b
            && a.is_some_and(|shape| shape.iter().all(|dim| *dim != onnx_tensor::Dim::Unknown))
    }
}

/// Returns the operator of a plain node of `ai.onnx`.
pub fn operator(node: &Node) -> Option<&Operator> {
    match &node.op {
        Op::Plain(operator) if operator.schema.domain.is_empty() => Some(operator),
        _ => None,
    }
}

/// Replaces every node of `ai.onnx` for which `kernel` returns a fused operator, and reports it.
pub fn give_kernels(graph: &mut Graph, kernel: impl Fn(&Graph, &Node, &Operator) -> Option<Fused>) -> Report {
    let mut report = Report::new();
    for at in 0..graph.nodes.len() {
        let node = &graph.nodes[at];
        let found = operator(node).and_then(|operator| kernel(graph, node, operator));
        if let Some(fused) = found {
            report.push(format!("`{}` has a kernel", node.name));
            graph.nodes[at].op = Op::Fused(fused);
        }
    }
    report
}

/// Whether the two operands and the bias are f32, and the bias is constant or absent.
pub fn is_float_with_bias(graph: &Graph, node: &Node) -> bool {
    let is_float = |position: usize| {
        node.input(position)
            .is_none_or(|id| dtype(graph.known(id)) == Some(DType::Float))
    };
    (0..3).all(is_float) && node.input(2).is_none_or(|id| graph.constant(id).is_some())
}

/// Returns the values of a constant with one value for each channel, on axis 1, and no other extent.
pub fn per_channel(tensor: &Tensor, channels: usize, rank: usize) -> Option<Vec<f32>> {
    along(tensor, channels, 1, rank)
}

/// Returns the values of a constant with one value for each index of an axis of `extent`, and no other
/// extent, when it is broadcast to `rank` axes.
pub fn along(tensor: &Tensor, extent: usize, axis: usize, rank: usize) -> Option<Vec<f32>> {
    let shape = tensor.shape();
    let added = rank.checked_sub(shape.len())?;
    let fits = |(at, &extent): (usize, &usize)| added + at == axis || extent == 1;
    if axis >= rank || !shape.iter().enumerate().all(fits) {
        return None;
    }
    let values = tensor.to_vec::<f32>().ok()?;
    match values.len() {
        1 => Some(vec![values[0]; extent]),
        length if length == extent => Some(values),
        _ => None,
    }
}
