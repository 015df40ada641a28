//! The graph of a small model as boxes and curves, with the layout of `layout-rs`.
//!
//! If a value is used far after its node, the cost of the layout grows fast. A graph beyond
//! [`MOST_NODES`] or [`MOST_CROSSED`] has no graph view: its nodes are listed.

use std::collections::HashMap;

use layout::core::base::Orientation;
use layout::core::format::{ClipHandle, RenderBackend};
use layout::core::geometry::Point;
use layout::core::style::StyleAttr;
use layout::std_shapes::shapes::{Arrow, Element, ShapeKind};
use layout::topo::layout::VisualGraph;
use serde::Serialize;

use run_record::CaseDetail;
use run_record::text::clip;

/// The maximum number of boxes of a graph view.
const MOST_NODES: usize = 60;

/// The maximum number of rows that all edges cross together.
const MOST_CROSSED: usize = 150;

/// The maximum number of characters of a label.
const CHARACTERS: usize = 28;

/// The width of a character, and the padding of a box, in pixels of the graph view.
const CHARACTER: f64 = 7.2;
const PADDING: f64 = 18.0;
const HEIGHT: f64 = 26.0;

/// A laid-out graph; lengths in pixels.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct GraphView {
    pub width: i32,
    pub height: i32,
    pub boxes: Vec<Shape>,
    /// The path of each edge in SVG syntax.
    pub edges: Vec<String>,
}

/// One box.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Shape {
    /// Its upper left corner.
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
    pub label: String,
    pub kind: Kind,
}

/// The kind of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    Input,
    Node,
    Output,
}

/// The boxes and the edges between them, before the layout.
struct Graph {
    boxes: Vec<(String, Kind)>,
    /// From an earlier box to a later one.
    edges: Vec<(usize, usize)>,
}

/// The graph view of a case's model; `None` if it is too large, or if a part of it is not in the log.
pub(super) fn graph_view(detail: &CaseDetail) -> Option<GraphView> {
    let whole = detail.nodes.count == detail.nodes.first.len() as u64;
    let graph = graph(detail);
    let fits = whole && (2..=MOST_NODES).contains(&graph.boxes.len()) && !graph.edges.is_empty();
    (fits && crossed(&graph) <= MOST_CROSSED).then(|| lay_out(&graph))
}

/// Inputs, nodes and outputs in this order; an edge for each use of a value. Constants are parts of the
/// nodes that use them.
fn graph(detail: &CaseDetail) -> Graph {
    let mut found = Graph {
        boxes: Vec::new(),
        edges: Vec::new(),
    };
    let mut makers: HashMap<&str, usize> = HashMap::new();
    for input in &detail.inputs.first {
        makers.insert(&input.name, found.boxes.len());
        found.boxes.push((input.name.clone(), Kind::Input));
    }
    for node in &detail.nodes.first {
        if node.operator.starts_with("Constant-") {
            continue;
        }
        let own = found.boxes.len();
        found.boxes.push((node.operator.clone(), Kind::Node));
        let uses = node.inputs.first.iter();
        let uses = uses.filter_map(|name| makers.get(name.as_str()));
        found.edges.extend(uses.map(|&maker| (maker, own)));
        let named = node.outputs.first.iter().filter(|name| !name.is_empty());
        makers.extend(named.map(|name| (name.as_str(), own)));
    }
    for output in &detail.outputs.first {
        if let Some(&maker) = makers.get(output.name.as_str()) {
            found.edges.push((maker, found.boxes.len()));
            found.boxes.push((output.name.clone(), Kind::Output));
        }
    }
    found.edges.sort_unstable();
    found.edges.dedup();
    found
}

/// The number of rows that the edges cross, if each box is in the first row after those that it needs.
fn crossed(graph: &Graph) -> usize {
    let mut rows = vec![0_usize; graph.boxes.len()];
    let mut by_end = graph.edges.clone();
    by_end.sort_unstable_by_key(|&(_, to)| to);
    let row = |rows: &[usize], at: usize| rows.get(at).copied().unwrap_or_default();
    for &(from, to) in &by_end {
        let behind = row(&rows, from) + 1;
        if let Some(own) = rows.get_mut(to) {
            *own = behind.max(*own);
        }
    }
    let lengths = by_end.iter().map(|&(from, to)| row(&rows, to) - row(&rows, from));
    lengths.sum()
}

fn lay_out(graph: &Graph) -> GraphView {
    let mut visual = VisualGraph::new(Orientation::TopToBottom);
    let width = |label: &str| label.chars().count() as f64 * CHARACTER + PADDING;
    let labels: Vec<String> = graph
        .boxes
        .iter()
        .map(|(label, _)| clip(label, CHARACTERS))
        .collect();
    let handles: Vec<_> = labels
        .iter()
        .enumerate()
        .map(|(number, label)| {
            // The number identifies the box when it is drawn.
            let shape = ShapeKind::new_box(&number.to_string());
            let size = Point::new(width(label), HEIGHT);
            visual.add_node(Element::create(
                shape,
                StyleAttr::simple(),
                Orientation::TopToBottom,
                size,
            ))
        })
        .collect();
    for &(from, to) in &graph.edges {
        if let (Some(&from), Some(&to)) = (handles.get(from), handles.get(to)) {
            visual.add_edge(Arrow::simple(""), from, to);
        }
    }
    let mut canvas = Canvas::default();
    visual.do_it(false, false, false, &mut canvas);
    let shape = |drawn: &Drawn| {
        Some(Shape {
            x: drawn.at.x.round() as i32,
            y: drawn.at.y.round() as i32,
            width: drawn.size.x.round() as i32,
            height: drawn.size.y.round() as i32,
            label: labels.get(drawn.number)?.clone(),
            kind: graph.boxes.get(drawn.number)?.1,
        })
    };
    GraphView {
        boxes: canvas.boxes.iter().filter_map(shape).collect(),
        edges: canvas.paths,
        width: canvas.corner.0.ceil() as i32,
        height: canvas.corner.1.ceil() as i32,
    }
}

/// Records the positions of boxes and edges in the layout.
#[derive(Default)]
struct Canvas {
    boxes: Vec<Drawn>,
    /// The last drawn box: its number follows as its text.
    last: Option<(Point, Point)>,
    paths: Vec<String>,
    corner: (f64, f64),
}

/// A placed box.
struct Drawn {
    number: usize,
    at: Point,
    size: Point,
}

impl Canvas {
    fn reach(&mut self, x: f64, y: f64) {
        self.corner = (self.corner.0.max(x), self.corner.1.max(y));
    }
}

impl RenderBackend for Canvas {
    fn draw_rect(&mut self, xy: Point, size: Point, _: &StyleAttr, _: Option<String>, _: Option<ClipHandle>) {
        self.reach(xy.x + size.x + 4.0, xy.y + size.y + 4.0);
        self.last = Some((xy, size));
    }

    fn draw_line(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_circle(&mut self, _: Point, _: Point, _: &StyleAttr, _: Option<String>) {}

    fn draw_text(&mut self, _: Point, text: &str, _: &StyleAttr) {
        let drawn = self.last.take().zip(text.parse().ok());
        self.boxes
            .extend(drawn.map(|((at, size), number)| Drawn { number, at, size }));
    }

    fn draw_arrow(
        &mut self,
        path: &[(Point, Point)],
        _: bool,
        _: (bool, bool),
        _: &StyleAttr,
        _: Option<String>,
        _: &str,
    ) {
        let Some(((start, leaving), rest)) = path.split_first() else {
            return;
        };
        let at = |point: &Point| format!("{:.0} {:.0}", point.x, point.y);
        let mut text = format!("M{}", at(start));
        let mut leaving = Some(leaving);
        for (point, control) in rest {
            self.reach(point.x, point.y);
            let curve = match leaving.take() {
                Some(leaving) => format!("C{} {} {}", at(leaving), at(control), at(point)),
                None => format!("S{} {}", at(control), at(point)),
            };
            text.push_str(&curve);
        }
        self.paths.push(text);
    }

    fn create_clip(&mut self, _: Point, _: Point, _: usize) -> ClipHandle {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use run_record::{NodeDetail, Part, Typed};

    fn part<T>(first: Vec<T>) -> Part<T> {
        Part {
            count: first.len() as u64,
            first,
        }
    }

    /// A model of `nodes` in a row, each of which also reads the output of the node `back` before it.
    fn model(nodes: usize, back: usize) -> CaseDetail {
        let typed = |name: String| Typed {
            name,
            ..Typed::default()
        };
        let name = |number: usize| format!("v{number}");
        let node = |number: usize| NodeDetail {
            operator: "Add-14".to_owned(),
            inputs: part(vec![name(number), name(number.saturating_sub(back))]),
            outputs: part(vec![name(number + 1)]),
            ..NodeDetail::default()
        };
        CaseDetail {
            inputs: part(vec![typed(name(0))]),
            outputs: part(vec![typed(name(nodes))]),
            nodes: part((0..nodes).map(node).collect()),
            ..CaseDetail::default()
        }
    }

    #[test]
    fn a_small_graph_has_a_picture_of_all_its_boxes() {
        let view = graph_view(&model(5, 2)).unwrap();
        assert_eq!(view.boxes.len(), 7);
        assert_eq!(view.boxes[0].kind, Kind::Input);
        assert_eq!(view.boxes[6].kind, Kind::Output);
        let inside = |shape: &Shape| {
            shape.x - shape.width / 2 >= 0 && shape.x + shape.width / 2 <= view.width && shape.y < view.height
        };
        assert!(view.boxes.iter().all(inside), "{view:?}");
        assert!(
            view.boxes.windows(2).all(|pair| pair[0].y < pair[1].y),
            "{view:?}"
        );
        assert!(
            view.edges
                .iter()
                .all(|edge| edge.starts_with('M') && edge.contains('C'))
        );
    }

    #[test]
    fn a_graph_that_is_too_large_or_incomplete_has_none() {
        assert_eq!(graph_view(&model(MOST_NODES, 0)), None);
        assert_eq!(graph_view(&model(50, 40)), None, "edges cross too many rows");
        let mut cut = model(5, 0);
        cut.nodes.count = 6;
        assert_eq!(graph_view(&cut), None);
        assert_eq!(graph_view(&CaseDetail::default()), None);
    }

    #[test]
    fn hostile_graphs_are_laid_out_in_bounded_time() {
        // Names that are used twice, by a node itself, or before their node.
        let mut hostile = model(20, 3);
        for node in &mut hostile.nodes.first {
            node.inputs
                .first
                .extend(["v20".to_owned(), "v1".to_owned(), String::new()]);
            node.outputs.first.push("v1".to_owned());
        }
        hostile.outputs.first.push(Typed {
            name: "v1".to_owned(),
            value_type: String::new(),
        });
        let began = std::time::Instant::now();
        let _ = graph_view(&hostile);
        assert!(began.elapsed().as_secs() < 5);
    }
}
