//! Checks the structure of a model, without types: names, order, operators, arity, attributes.

mod bodies;
mod function;
mod graph;
mod model;
mod names;
mod node;
mod values;

pub(crate) use node::omitted;
use std::collections::HashSet;

use onnx_model::Model;

use crate::finding::Sink;
use crate::limits::Limits;
use crate::resolve::{Functions, Imports};

/// The context of nodes.
#[derive(Clone, Copy)]
struct Frame<'a, 'm> {
    /// The name of the graph or function in findings.
    place: &'a str,
    imports: &'m Imports,
    /// The attributes that the enclosing function declares; `None` outside of functions.
    declared: Option<&'a HashSet<&'m str>>,
    /// Nesting depth.
    depth: usize,
}

/// A traversal of a model.
struct Structure<'m, 's> {
    model: &'m Model,
    functions: Functions<'m>,
    limits: Limits,
    sink: &'s mut Sink,
}

/// Traverses the model, its main graph and each of its functions, called or not.
pub(crate) fn walk(model: &Model, limits: Limits, sink: &mut Sink) {
    let mut structure = Structure {
        model,
        functions: Functions::new(model),
        limits,
        sink,
    };
    structure.header();
    structure.main_graph();
    for (index, function) in model.functions.iter().enumerate() {
        structure.function(index, function);
    }
    structure.recursion();
}
