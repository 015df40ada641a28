//! The nodes that an input reaches, through operators that keep its elements, and through factors and terms
//! that are constants.

use std::collections::{HashMap, HashSet};

use onnx_model::{Graph, Node};
use onnx_tensor::{DType, Real, Tensor, dispatch};

use super::roles::constant;

/// Operators that do not change an element.
const PASSING: [&str; 12] = [
    "Cast",
    "Gather",
    "Reshape",
    "Unsqueeze",
    "Squeeze",
    "Identity",
    "Transpose",
    "Flatten",
    "Slice",
    "Expand",
    "Tile",
    "Concat",
];

/// What constants make of an element x: factor · x + term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Line {
    pub factor: f64,
    pub term: f64,
}

impl Line {
    /// The element itself.
    pub const SAME: Line = Line {
        factor: 1.0,
        term: 0.0,
    };

    /// The element of which this is made.
    pub fn of(self, value: f64) -> f64 {
        (value - self.term) / self.factor
    }

    /// Whether [`Line::of`] and the way back are exact for small numbers: a factor that is a power of two.
    pub fn is_exact(self) -> bool {
        self.term == 0.0 && self.factor.abs().log2().fract() == 0.0
    }

    /// The line behind a node that reads it at a place; `None` for other nodes.
    fn behind(self, graph: &Graph, node: &Node, place: usize) -> Option<Line> {
        let other = || scalar(graph, node.inputs.get(1 - place.min(1))?);
        let line = match (node.operator.as_str(), place) {
            (name, 0) if PASSING.contains(&name) => self,
            ("Mul", _) => self.times(other()?),
            ("Div", 0) => self.times(1.0 / other()?),
            ("Add", _) => self.plus(other()?),
            ("Sub", 0) => self.plus(-other()?),
            ("Neg", 0) => self.times(-1.0),
            _ => return None,
        };
        let is_useful = line.factor != 0.0 && line.factor.is_finite() && line.term.is_finite();
        is_useful.then_some(line)
    }

    fn times(self, factor: f64) -> Line {
        Line {
            factor: self.factor * factor,
            term: self.term * factor,
        }
    }

    fn plus(self, term: f64) -> Line {
        Line {
            term: self.term + term,
            ..self
        }
    }
}

/// The nodes that read an input, with the place of their operand and what constants have made of the elements
/// on the way.
pub(super) fn reached<'g>(graph: &'g Graph, input: &'g str) -> Vec<(&'g Node, usize, Line)> {
    let mut by_name: HashMap<&str, Vec<(&Node, usize)>> = HashMap::new();
    for node in &graph.nodes {
        for (position, name) in node.inputs.iter().enumerate() {
            by_name.entry(name).or_default().push((node, position));
        }
    }
    let (mut open, mut seen, mut found) = (vec![(input, Line::SAME)], HashSet::new(), Vec::new());
    while let Some((name, line)) = open.pop() {
        if !seen.insert(name) {
            continue;
        }
        for &(node, position) in by_name.get(name).into_iter().flatten() {
            if let Some(line) = line.behind(graph, node, position) {
                open.extend(node.outputs.iter().map(|output| (output.as_str(), line)));
            }
            found.push((node, position, line));
        }
    }
    found
}

/// The nodes that read the elements of an input as they are, with the place of their operand.
pub(super) fn readers<'g>(graph: &'g Graph, input: &'g str) -> Vec<(&'g Node, usize)> {
    let all = reached(graph, input).into_iter();
    all.filter(|(.., line)| *line == Line::SAME)
        .map(|(node, place, _)| (node, place))
        .collect()
}

/// The only element of a constant of floats or integers.
pub(super) fn scalar(graph: &Graph, name: &str) -> Option<f64> {
    let tensor = constant(graph, name).filter(|tensor| tensor.len() == 1)?;
    number(tensor)
}

fn number(tensor: &Tensor) -> Option<f64> {
    let first: Option<f64> = dispatch!(real, tensor.dtype(), T => {
        let elements = tensor.to_vec::<T>();
        elements.map(|elements| elements.first().map(|element| Real::to_f64(*element)))
    })
    .ok()
    .flatten();
    first.filter(|_| tensor.dtype() != DType::Bool)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(operator: &str, inputs: &[&str], output: &str) -> Node {
        Node {
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|name| (*name).to_owned()).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        }
    }

    #[test]
    fn factors_and_terms_are_known_behind_nodes() {
        let graph = Graph {
            nodes: vec![
                node("Mul", &["four", "x"], "a"),
                node("Sub", &["a", "one"], "b"),
                node("Round", &["b"], "y"),
                node("Round", &["x"], "z"),
            ],
            initializers: vec![
                ("four".to_owned(), Tensor::scalar(4.0_f32).into()),
                ("one".to_owned(), Tensor::scalar(1.0_f32).into()),
            ],
            ..Graph::default()
        };
        let found = reached(&graph, "x");
        let rounds: Vec<Line> = (found.iter())
            .filter(|(node, ..)| node.operator == "Round")
            .map(|(.., line)| *line)
            .collect();
        assert_eq!(rounds.len(), 2);
        let line = rounds.iter().find(|line| **line != Line::SAME).expect("a line");
        assert_eq!((line.factor, line.term, line.of(1.0)), (4.0, -1.0, 0.5));
        assert_eq!(readers(&graph, "x").len(), 2, "Mul and one Round");
    }
}
