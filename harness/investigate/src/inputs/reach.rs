//! The nodes that an input reaches, through operators that keep its elements or some of them, through factors
//! and terms that are constants, and into the bodies of nodes.

use std::collections::HashMap;

use onnx_model::{AttributeValue, Graph, Node};
use onnx_tensor::{DType, Real, Tensor, dispatch};

use super::roles::constant;

/// Operators that do not change an element.
const PASSING: [&str; 19] = [
    "Cast",
    "Compress",
    "DepthToSpace",
    "Expand",
    "Flatten",
    "Gather",
    "GatherElements",
    "GatherND",
    "Identity",
    "Pad",
    "Reshape",
    "ReverseSequence",
    "Slice",
    "SpaceToDepth",
    "Split",
    "Squeeze",
    "Tile",
    "Transpose",
    "Unsqueeze",
];

/// Operators that do not change some of the elements of their first operand: those in a range, or the
/// greatest.
const SELECTING: [&str; 12] = [
    "Abs",
    "Clip",
    "Elu",
    "GlobalMaxPool",
    "LeakyRelu",
    "MaxPool",
    "PRelu",
    "ReduceMax",
    "ReduceMin",
    "Relu",
    "ThresholdedRelu",
    "Trilu",
];

/// Operators that give booleans.
const CONDITIONS: [&str; 9] = [
    "And",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "Not",
    "Or",
    "Xor",
];

/// Whether a node only passes on the elements of an operand, as they are.
pub(super) fn passes(node: &Node, place: usize) -> bool {
    let name = node.operator.as_str();
    (name == "Concat" || place == 0 && PASSING.contains(&name)) && !is_cast_to_bool(node)
}

/// Whether a node makes booleans of its operand.
pub(super) fn is_cast_to_bool(node: &Node) -> bool {
    let to = node.attribute("to");
    node.operator == "Cast"
        && matches!(to, Some(AttributeValue::Int(to)) if DType::from_onnx(*to) == Ok(DType::Bool))
}

/// Whether a node reads only the extents of its operand.
pub(super) fn reads_shape(node: &Node) -> bool {
    matches!(node.operator.as_str(), "Shape" | "Size")
}

/// Of which elements something is made.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub(super) enum Share {
    All,
    /// Of those that a condition of the model chooses, as the negative ones of indices.
    Chosen,
    /// Of some, which the values decide.
    Some,
}

/// What constants make of an element x: factor · x + term.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Line {
    pub factor: f64,
    pub term: f64,
    pub share: Share,
}

/// The most ways to a value that are followed.
const WAYS: usize = 4;

impl Line {
    /// The element itself.
    pub const SAME: Line = Line {
        factor: 1.0,
        term: 0.0,
        share: Share::All,
    };

    /// The element of which this is made.
    pub fn of(self, value: f64) -> f64 {
        (value - self.term) / self.factor
    }

    /// Whether no element that passes has changed.
    pub fn keeps(self) -> bool {
        self.of_some() == Line::SAME.of_some()
    }

    /// Whether all elements pass unchanged, or those that a condition chooses.
    pub fn keeps_chosen(self) -> bool {
        self.keeps() && self.share <= Share::Chosen
    }

    /// Whether [`Line::of`] and the way back are exact for small numbers: a factor that is a power of two.
    pub fn is_exact(self) -> bool {
        self.term == 0.0 && self.factor.abs().log2().fract() == 0.0
    }

    /// The line behind a node that reads it at a place; `None` for other nodes.
    fn behind(self, graph: &Graph, node: &Node, place: usize) -> Option<Line> {
        let other = || scalar(graph, node.inputs.get(1 - place.min(1))?);
        let line = match (node.operator.as_str(), place) {
            ("Concat", _) => self,
            // Booleans say nothing of other elements than 0.
            _ if is_cast_to_bool(node) => return None,
            (name, 0) if PASSING.contains(&name) => self,
            (name, 0) if SELECTING.contains(&name) => self.of_some(),
            ("Where", 1 | 2) => self.made_of(Share::Chosen),
            ("Max" | "Min", _) => self.of_some(),
            ("Mul", _) if switched(graph, node).any(|switch| switch != place) => self.made_of(Share::Chosen),
            ("Mul", _) => self.times(other()?),
            ("Div", 0) => self.times(1.0 / other()?),
            ("Add", _) if is_choice(graph, node) => self.made_of(Share::Chosen),
            ("Add", _) => self.plus(other()?),
            ("Sub", 0) => self.plus(-other()?),
            ("Neg", 0) => self.times(-1.0),
            _ => return None,
        };
        let is_useful = line.factor != 0.0 && line.factor.is_finite() && line.term.is_finite();
        is_useful.then_some(line)
    }

    fn of_some(self) -> Line {
        self.made_of(Share::Some)
    }

    fn made_of(self, share: Share) -> Line {
        let share = if self.share > share { self.share } else { share };
        Line { share, ..self }
    }

    fn times(self, factor: f64) -> Line {
        Line {
            factor: self.factor * factor,
            term: self.term * factor,
            ..self
        }
    }

    fn plus(self, term: f64) -> Line {
        Line {
            term: self.term + term,
            ..self
        }
    }
}

/// What reads each value of a graph.
pub(super) struct Reach<'g> {
    pub graph: &'g Graph,
    /// The nodes, with the place of their operand.
    nodes: HashMap<&'g str, Vec<(&'g Node, usize)>>,
    /// The outputs of an If of which the value is one in a branch.
    chosen: HashMap<&'g str, Vec<&'g str>>,
}

impl<'g> Reach<'g> {
    pub fn new(graph: &'g Graph) -> Reach<'g> {
        let mut reach = Reach {
            graph,
            nodes: HashMap::new(),
            chosen: HashMap::new(),
        };
        reach.add(graph);
        reach
    }

    /// Adds a graph and all bodies.
    fn add(&mut self, graph: &'g Graph) {
        for node in &graph.nodes {
            for (position, name) in node.inputs.iter().enumerate() {
                self.nodes.entry(name).or_default().push((node, position));
            }
            for body in node.bodies() {
                self.add(body);
                let outputs = body.outputs.iter().zip(&node.outputs);
                for (inner, output) in outputs.filter(|_| node.operator == "If") {
                    self.chosen.entry(&inner.name).or_default().push(output);
                }
            }
        }
    }

    /// The nodes that read an input, with the place of their operand and what constants have made of the
    /// elements on the way.
    pub fn reached(&self, input: &str) -> Vec<(&'g Node, usize, Line)> {
        let (mut open, mut found) = (vec![(input, Line::SAME)], Vec::new());
        let mut seen: HashMap<&str, Vec<Line>> = HashMap::new();
        while let Some((name, line)) = open.pop() {
            let ways = seen.entry(name).or_default();
            if ways.contains(&line) || ways.len() >= WAYS {
                continue;
            }
            ways.push(line);
            for &(node, position) in self.nodes.get(name).into_iter().flatten() {
                if let Some(line) = line.behind(self.graph, node, position) {
                    open.extend(node.outputs.iter().map(|output| (output.as_str(), line)));
                }
                found.push((node, position, line));
            }
            let chosen = self.chosen.get(name).into_iter().flatten();
            open.extend(chosen.map(|output| (*output, line.of_some())));
        }
        found
    }

    /// Whether every node that reads the elements of an input first makes integers of them.
    pub fn is_cast_to_integers(&self, input: &str) -> bool {
        let casts = |node: &Node| {
            let to = node.attribute("to");
            node.operator == "Cast"
                && matches!(to, Some(AttributeValue::Int(to)) if DType::from_onnx(*to).is_ok_and(DType::is_integer))
        };
        let mut readers = self.nodes.get(input).into_iter().flatten().peekable();
        readers.peek().is_some() && readers.all(|(node, _)| casts(node) || reads_shape(node))
    }

    /// The nodes that read the elements of an input as they are, with the place of their operand.
    pub fn readers(&self, input: &str) -> Vec<(&'g Node, usize)> {
        let all = self.reached(input).into_iter();
        all.filter(|(.., line)| *line == Line::SAME)
            .map(|(node, place, _)| (node, place))
            .collect()
    }
}

/// The node of the main graph that computes a value.
fn producer<'g>(graph: &'g Graph, name: &str) -> Option<&'g Node> {
    graph
        .nodes
        .iter()
        .find(|node| node.outputs.iter().any(|output| output == name))
}

/// The operands of a product that are 0 or 1 by a condition: booleans that are cast to numbers.
fn switched<'g>(graph: &'g Graph, node: &'g Node) -> impl Iterator<Item = usize> + 'g {
    let is_condition = |name: &String| {
        let cast = producer(graph, name).filter(|cast| cast.operator == "Cast")?;
        let made = producer(graph, cast.inputs.first()?)?;
        Some(CONDITIONS.contains(&made.operator.as_str()))
    };
    let operands = node.inputs.iter().enumerate();
    operands.filter_map(move |(place, name)| is_condition(name)?.then_some(place))
}

/// Whether a sum is one of two values by a condition, c · a + (1 − c) · b, as exporters write a choice.
fn is_choice(graph: &Graph, sum: &Node) -> bool {
    let is_switched = |name: &String| {
        let product = producer(graph, name).filter(|product| product.operator == "Mul");
        product.is_some_and(|product| switched(graph, product).next().is_some())
    };
    sum.inputs.iter().all(is_switched)
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
                node("Relu", &["x"], "r"),
                node("Floor", &["r"], "f"),
            ],
            initializers: vec![
                ("four".to_owned(), Tensor::scalar(4.0_f32).into()),
                ("one".to_owned(), Tensor::scalar(1.0_f32).into()),
            ],
            ..Graph::default()
        };
        let found = Reach::new(&graph).reached("x");
        let rounds: Vec<Line> = (found.iter())
            .filter(|(node, ..)| node.operator == "Round")
            .map(|(.., line)| *line)
            .collect();
        assert_eq!(rounds.len(), 2);
        let line = rounds.iter().find(|line| **line != Line::SAME).expect("a line");
        assert_eq!((line.factor, line.term, line.of(1.0)), (4.0, -1.0, 0.5));
        assert_eq!(
            Reach::new(&graph).readers("x").len(),
            3,
            "Mul, one Round and Relu"
        );
        let floor = found.iter().find(|(node, ..)| node.operator == "Floor");
        assert_eq!(floor.map(|(.., line)| *line), Some(Line::SAME.of_some()));
    }

    /// A branch of an If reads values of the graph around it, and gives what it reads.
    #[test]
    fn branches_read_values_of_the_graph() {
        let branch = |nodes: Vec<Node>, output: &str| {
            let body = Graph {
                nodes,
                outputs: vec![onnx_model::ValueInfo {
                    name: output.to_owned(),
                    value_type: None,
                }],
                ..Graph::default()
            };
            onnx_model::AttributeValue::Graph(std::sync::Arc::new(body))
        };
        let attribute = |(name, value): (&str, onnx_model::AttributeValue)| onnx_model::Attribute {
            name: name.to_owned(),
            value,
        };
        let given = branch(vec![node("Identity", &["x"], "i")], "i");
        let rounded = branch(vec![node("Floor", &["x"], "f")], "f");
        let choice = Node {
            attributes: [("then_branch", given), ("else_branch", rounded)]
                .map(attribute)
                .into(),
            ..node("If", &["c"], "y")
        };
        let graph = Graph {
            nodes: vec![choice, node("Round", &["y"], "z")],
            ..Graph::default()
        };
        let found = Reach::new(&graph).reached("x");
        let mut names: Vec<&str> = found.iter().map(|(node, ..)| node.operator.as_str()).collect();
        names.sort_unstable();
        assert_eq!(names, ["Floor", "Identity", "Round"]);
    }
}
