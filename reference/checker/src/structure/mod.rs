//! What a model is made of, types left aside: names, order, operators, arity, attributes.

mod bodies;
mod function;
mod graph;
mod model;
mod names;
mod node;

use std::collections::HashSet;

use onnx_model::Model;

use crate::finding::Sink;
use crate::limits::Limits;
use crate::meaning::{Functions, Imports};

pub(crate) use node::kind_problem;

/// What nodes stand in.
#[derive(Clone, Copy)]
struct Frame<'a, 'm> {
    /// How findings name the graph or function.
    place: &'a str,
    imports: &'m Imports,
    /// The attributes that the function around declares; `None` outside of functions.
    declared: Option<&'a HashSet<&'m str>>,
    /// Graphs around.
    depth: usize,
}

/// A walk over a model.
struct Structure<'m, 's> {
    model: &'m Model,
    functions: Functions<'m>,
    limits: Limits,
    sink: &'s mut Sink,
}

/// Walks the model, its main graph and each of its functions, called or not.
pub(crate) fn walk(model: &Model, limits: Limits, sink: &mut Sink) {
    let mut structure = Structure {
        model,
        functions: Functions::new(model),
        limits,
        sink,
    };
    structure.header();
    structure.main_graph();
    for function in &model.functions {
        structure.function(function);
    }
    structure.recursion();
}
