//! `graph.html`: a model as a graph, coloured by a figure of its nodes.

mod layout;
mod parts;

use std::collections::HashMap;

use askama::Template;
use serde::Serialize;

use self::parts::{Part, parts};
use super::RenderError;
use super::html::{COMMON_SCRIPT, STYLE, plain};
use run_record::graph::{Layer, Mark, ModelGraph};
use run_record::text::counted;

/// The number of colours.
const COLOURS: f64 = 6.0;

#[derive(Template)]
#[template(path = "graph.html", whitespace = "minimize")]
struct Page {
    title: String,
    lead: String,
    styles: [&'static str; 2],
    scripts: [&'static str; 2],
    layers: Vec<String>,
    about: String,
    parts: Vec<Part>,
    data: String,
}

/// What the script needs.
#[derive(Serialize)]
struct Data<'g> {
    nodes: Vec<NodeData<'g>>,
    names: Vec<&'g str>,
    layers: Vec<LayerData<'g>>,
}

/// Name, operator, type of the result, inputs and outputs as indexes into the names.
type NodeData<'g> = (&'g str, &'g str, &'g str, Vec<usize>, Vec<usize>);

#[derive(Serialize)]
struct LayerData<'g> {
    about: &'g str,
    /// The colour of each node, 0 for none.
    colours: Vec<u8>,
    texts: Vec<&'g str>,
}

/// The page as one HTML document, without network access, external fonts or scripts.
pub fn graph_html(graph: &ModelGraph) -> Result<String, RenderError> {
    let first = graph.layers.first();
    let colours: Vec<u8> = (0..graph.nodes.len())
        .map(|at| first.map_or(0, |layer| colour(layer.marks.get(at))))
        .collect();
    let page = Page {
        title: format!("Graph of {}", graph.model),
        lead: counted(graph.nodes.len(), "node"),
        styles: [STYLE, include_str!("../../../templates/graph.css")],
        scripts: [COMMON_SCRIPT, include_str!("../../../templates/graph.js")],
        layers: graph.layers.iter().map(|layer| layer.name.clone()).collect(),
        about: first.map(|layer| layer.about.clone()).unwrap_or_default(),
        parts: parts(graph, &colours),
        data: data(graph)?,
    };
    Ok(page.render()?)
}

/// The colour of a node, from 1 to [`COLOURS`]; 0 for a node without a figure.
fn colour(mark: Option<&Option<Mark>>) -> u8 {
    match mark {
        Some(Some(mark)) => 1 + (mark.strength.clamp(0.0, 1.0) * (COLOURS - 1.0)).round() as u8,
        _ => 0,
    }
}

fn data(graph: &ModelGraph) -> Result<String, RenderError> {
    let mut names = Names::default();
    let nodes = graph.nodes.iter().map(|node| {
        let (inputs, outputs) = (names.numbers(&node.inputs), names.numbers(&node.outputs));
        (
            node.name.as_str(),
            node.operator.as_str(),
            node.result.as_str(),
            inputs,
            outputs,
        )
    });
    let nodes = nodes.collect();
    let count = graph.nodes.len();
    let layers = graph.layers.iter().map(|layer| LayerData {
        about: &layer.about,
        colours: (0..count).map(|at| colour(layer.marks.get(at))).collect(),
        texts: (0..count).map(|at| text(layer, at)).collect(),
    });
    plain(&Data {
        nodes,
        names: names.list,
        layers: layers.collect(),
    })
}

fn text(layer: &Layer, at: usize) -> &str {
    match layer.marks.get(at) {
        Some(Some(mark)) => &mark.text,
        _ => "",
    }
}

/// The names of values, each once.
#[derive(Default)]
struct Names<'g> {
    list: Vec<&'g str>,
    places: HashMap<&'g str, usize>,
}

impl<'g> Names<'g> {
    /// The numbers of names; an omitted input has none.
    fn numbers(&mut self, names: &'g [String]) -> Vec<usize> {
        let given = names.iter().filter(|name| !name.is_empty());
        let number = |name: &'g String| {
            *self.places.entry(name).or_insert_with(|| {
                self.list.push(name);
                self.list.len() - 1
            })
        };
        given.map(number).collect()
    }
}
