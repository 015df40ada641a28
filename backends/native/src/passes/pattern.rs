//! Looking around in a graph: who defines a value, who reads it, what constant it is.

use onnx_tensor::{DType, Tensor};

use super::Report;
use crate::ir::{Fused, Graph, Node, Op, Operator, ValueId, dtype};
use crate::ops::numbers::floats;

/// Who defines each value of a graph, and how often it is read. A pass keeps it up as it replaces nodes, so that one walk
/// over the graph is all that it takes.
#[derive(Default)]
pub struct Links {
    definitions: Vec<Option<usize>>,
    uses: Vec<u32>,
}

impl Links {
    /// As the graph is now.
    pub fn new(graph: &Graph) -> Links {
        Links {
            definitions: graph.definitions(),
            uses: graph.uses(),
        }
    }

    /// The graph with what patterns ask about.
    pub fn around<'g>(&'g self, graph: &'g Graph) -> Around<'g> {
        Around { graph, links: self }
    }

    /// How often a value is read, outputs of the graph counted.
    pub fn uses(&self, id: ValueId) -> u32 {
        self.uses.get(id.index()).copied().unwrap_or(0)
    }

    /// Puts a node in the place of another, which is given back.
    pub fn replace(&mut self, graph: &mut Graph, at: usize, node: Node) -> Node {
        let old = std::mem::replace(&mut graph.nodes[at], node);
        self.forget(&old);
        self.reads(graph, at);
        self.defines(graph, at);
        old
    }

    /// Adds a node behind all others; what it reads is counted already.
    pub fn push(&mut self, graph: &mut Graph, node: Node) {
        graph.nodes.push(node);
        self.defines(graph, graph.nodes.len() - 1);
    }

    /// Adds a node behind all others, of which nothing is counted yet.
    pub fn push_new(&mut self, graph: &mut Graph, node: Node) {
        self.push(graph, node);
        self.reads(graph, graph.nodes.len() - 1);
    }

    /// Counts off what a node reads that is no longer there.
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

/// A graph with what patterns ask about.
pub struct Around<'g> {
    pub graph: &'g Graph,
    links: &'g Links,
}

impl<'g> Around<'g> {
    /// The node that defines a value, with its position.
    pub fn producer(&self, id: ValueId) -> Option<(usize, &'g Node)> {
        let at = self.links.definitions.get(id.index()).copied().flatten()?;
        Some((at, self.graph.nodes.get(at)?))
    }

    /// The node that defines a value which is read once.
    pub fn sole_producer(&self, id: ValueId) -> Option<(usize, &'g Node)> {
        (self.links.uses(id) == 1).then(|| self.producer(id)).flatten()
    }

    /// The only element of a constant.
    pub fn scalar(&self, id: ValueId) -> Option<f64> {
        let tensor = self.graph.constant(id)?;
        match tensor.len() {
            1 => floats(tensor).ok()?.first().copied(),
            _ => None,
        }
    }

    /// The only element of a constant which adds no axes to what it is combined with.
    pub fn scalar_beside(&self, id: ValueId, other: ValueId) -> Option<f64> {
        let rank = self.graph.constant(id)?.rank();
        let least = crate::ir::shape(self.graph.known(other)).map_or(0, <[_]>::len);
        self.scalar(id).filter(|_| rank <= least)
    }

    /// The operand of a node of this name whose second input is the number `value`, up to the rounding of an f32, and adds no
    /// axes; either way round where `commutes`.
    pub fn with_number(&self, node: &Node, name: &str, value: f64, commutes: bool) -> Option<ValueId> {
        node.op.plain(name)?;
        let (a, b) = (node.input(0)?, node.input(1)?);
        let near = |id: ValueId, other: ValueId| {
            self.scalar_beside(id, other)
                .is_some_and(|found| (found - value).abs() <= 1e-6 * value.abs())
        };
        match () {
            () if near(b, a) => Some(a),
            () if commutes && near(a, b) => Some(b),
            () => None,
        }
    }

    /// Whether two values have the same settled extents.
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

/// The operator of `ai.onnx` of a plain node.
pub fn operator(node: &Node) -> Option<&Operator> {
    match &node.op {
        Op::Plain(operator) if operator.schema.domain.is_empty() => Some(operator),
        _ => None,
    }
}

/// Gives a fused operator to every node of `ai.onnx` for which there is one, and says so.
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

/// Whether two operands and a bias are of f32, and the bias constant, or none.
pub fn is_float_with_bias(graph: &Graph, node: &Node) -> bool {
    let is_float = |position: usize| {
        node.input(position)
            .is_none_or(|id| dtype(graph.known(id)) == Some(DType::Float))
    };
    (0..3).all(is_float) && node.input(2).is_none_or(|id| graph.constant(id).is_some())
}

/// A constant with one value for each channel, and no other extent: its values.
pub fn per_channel(tensor: &Tensor, channels: usize, rank: usize) -> Option<Vec<f32>> {
    let shape = tensor.shape();
    let at = shape.len().checked_sub(rank.checked_sub(1)?);
    let fits = match at {
        // The second axis of `rank`, counted from the end.
        Some(place) => shape
            .iter()
            .enumerate()
            .all(|(axis, &extent)| axis == place || extent == 1),
        None => tensor.len() == 1,
    };
    if !fits || shape.len() > rank {
        return None;
    }
    let values = tensor.to_vec::<f32>().ok()?;
    match values.len() {
        1 => Some(vec![values[0]; channels]),
        length if length == channels => Some(values),
        _ => None,
    }
}
