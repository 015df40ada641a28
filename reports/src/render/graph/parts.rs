//! The graph views of a page: the main graph, each body and each function, laid out.

use std::collections::{BTreeMap, HashMap};

use super::layout::{HEIGHT, place};
use run_record::graph::ModelGraph;
use run_record::profile::ModelNode;
use run_record::text::clip;

/// A part of the model with more nodes has no graph view.
const MOST_NODES: usize = 6000;

/// The maximum number of characters of a label.
const CHARACTERS: usize = 24;

/// The width of a character, and the padding of a box, in pixels.
const CHARACTER: f64 = 7.0;
const PADDING: f64 = 20.0;

/// The main graph, a body or a function.
pub(super) struct Part {
    pub title: String,
    pub width: i64,
    pub height: i64,
    pub boxes: Vec<Shape>,
    /// The paths of the edges in SVG syntax.
    pub edges: Vec<String>,
    /// The number of nodes, if they are too many for a graph view.
    pub too_many: Option<usize>,
}

/// One box.
pub(super) struct Shape {
    /// The upper left corner.
    pub x: i64,
    pub y: i64,
    pub width: i64,
    pub height: i64,
    /// The middle of the label.
    pub middle: i64,
    pub label: String,
    /// The number of the node; `None` for an input or output of the model.
    pub node: Option<usize>,
    pub colour: u8,
}

/// The main graph first, then bodies and functions in the order of the model.
pub(super) fn parts(graph: &ModelGraph, colours: &[u8]) -> Vec<Part> {
    let mut groups: BTreeMap<(usize, String), Vec<usize>> = BTreeMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        // Bodies in functions belong to the graph view of the function.
        let place = match (node.parent, node.function.is_empty()) {
            (None, true) => (0, String::new()),
            (Some(parent), true) => (parent + 1, node.body.clone()),
            (_, false) => (usize::MAX, node.function.clone()),
        };
        groups.entry(place).or_default().push(at);
    }
    groups.entry((0, String::new())).or_default();
    groups
        .into_iter()
        .map(|((place, name), nodes)| {
            let title = match place {
                0 => "main graph".to_owned(),
                usize::MAX => format!("function {name}"),
                parent => format!("{name} of {}", label_of(&graph.nodes[parent - 1])),
            };
            part(title, graph, &nodes, place == 0, colours)
        })
        .collect()
}

fn label_of(node: &ModelNode) -> String {
    format!("{} ({})", node.name, node.operator)
}

fn part(title: String, graph: &ModelGraph, nodes: &[usize], is_main: bool, colours: &[u8]) -> Part {
    let mut part = Part {
        title,
        width: 0,
        height: 0,
        boxes: Vec::new(),
        edges: Vec::new(),
        too_many: (nodes.len() > MOST_NODES).then_some(nodes.len()),
    };
    if part.too_many.is_some() {
        return part;
    }
    let outer = |names: &[String]| if is_main { names.to_vec() } else { Vec::new() };
    let (labels, edges) = boxes(graph, nodes, &outer(&graph.inputs), &outer(&graph.outputs));
    let widths: Vec<f64> = labels
        .iter()
        .map(|(label, _)| label.chars().count() as f64 * CHARACTER + PADDING)
        .collect();
    let placed = place(&widths, &edges);
    (part.width, part.height) = (placed.width.ceil() as i64, placed.height.ceil() as i64);
    part.edges = placed.edges;
    part.boxes = labels
        .into_iter()
        .zip(widths)
        .zip(placed.centres)
        .map(|(((label, node), width), (x, y))| Shape {
            x: (x - width / 2.0).round() as i64,
            y: (y - HEIGHT / 2.0).round() as i64,
            width: width.round() as i64,
            height: HEIGHT as i64,
            middle: x.round() as i64,
            label,
            colour: node
                .and_then(|node| colours.get(node).copied())
                .unwrap_or_default(),
            node,
        })
        .collect();
    part
}

/// A label, and the number of the node if the box is one.
type Labelled = (String, Option<usize>);

/// The boxes with their labels, and the edges between them. Constants are parts of the nodes that read them.
fn boxes(
    graph: &ModelGraph,
    nodes: &[usize],
    inputs: &[String],
    outputs: &[String],
) -> (Vec<Labelled>, Vec<(usize, usize)>) {
    let (mut labels, mut edges): (Vec<Labelled>, _) = (Vec::new(), Vec::new());
    let mut makers: HashMap<&str, usize> = HashMap::new();
    for name in inputs {
        makers.insert(name, labels.len());
        labels.push((clip(name, CHARACTERS), None));
    }
    for &at in nodes {
        let node = &graph.nodes[at];
        if node.operator == "Constant" {
            continue;
        }
        let own = labels.len();
        labels.push((clip(&node.operator, CHARACTERS), Some(at)));
        let read = node.inputs.iter().filter_map(|name| makers.get(name.as_str()));
        edges.extend(read.map(|&maker| (maker, own)));
        let made = node.outputs.iter().filter(|name| !name.is_empty());
        makers.extend(made.map(|name| (name.as_str(), own)));
    }
    for name in outputs {
        if let Some(&maker) = makers.get(name.as_str()) {
            edges.push((maker, labels.len()));
            labels.push((clip(name, CHARACTERS), None));
        }
    }
    (labels, edges)
}
