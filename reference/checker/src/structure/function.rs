//! Functions of the model: their signatures, their bodies, and recursion.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use onnx_model::{Function, Node};

use super::names::{Definition, Names, cycles};
use super::{Frame, Structure};
use crate::place::function_place;
use crate::problem::Problem;
use crate::resolve::identity;

impl<'m> Structure<'m, '_> {
    pub(super) fn function(&mut self, index: usize, function: &'m Function) {
        let place = function_place(function);
        if function.name.is_empty() {
            self.sink.push("", None, Problem::FunctionName { index });
        }
        let mut declared = HashSet::new();
        let defaults = function.attribute_defaults.iter().map(|default| &default.name);
        for name in function.attributes.iter().chain(defaults) {
            if !declared.insert(name.as_str()) {
                self.sink.push(
                    &place,
                    None,
                    Problem::FunctionAttributeTwice { name: name.clone() },
                );
            }
        }
        self.imports(&place, &function.opset_imports);
        let frame = Frame {
            place: &place,
            imports: &function.opset_imports,
            declared: Some(&declared),
            depth: 0,
        };
        let mut names = Names::new(&function.nodes, None);
        for (index, input) in function.inputs.iter().enumerate() {
            self.define(frame, &mut names, ("input", index), input, Definition::Input);
        }
        self.nodes(&function.nodes, frame, &mut names);
        let mut listed = HashMap::with_capacity(function.outputs.len());
        for (index, output) in function.outputs.iter().enumerate() {
            self.output(frame, &names, index, output);
            if let Some(first) = listed.insert(output.as_str(), index) {
                let name = output.clone();
                let problem = Problem::FunctionOutputTwice { name, first, index };
                self.sink.push(&place, None, problem);
            }
        }
        names.finish(&place, self.sink);
    }

    /// Reports functions with the same name, and recursive functions.
    pub(super) fn recursion(&mut self) {
        let functions: &'m [Arc<Function>] = &self.model.functions;
        let mut positions = HashMap::with_capacity(functions.len());
        for (position, function) in functions.iter().enumerate() {
            if positions.insert(identity(function), position).is_some() {
                let function = function_name(function);
                self.sink.push("", None, Problem::FunctionTwice { function });
            }
        }
        let mut edges = Vec::new();
        for (caller, function) in functions.iter().enumerate() {
            self.visit(&function.nodes, 0, &mut |callee| {
                edges.extend(
                    positions
                        .get(&identity(callee))
                        .map(|&position| (caller, position)),
                );
            });
        }
        for cycle in cycles(functions.len(), &edges) {
            let members = cycle.iter().filter_map(|&position| functions.get(position));
            let functions = members.map(|function| function_name(function)).collect();
            self.sink.push("", None, Problem::FunctionRecursion { functions });
        }
    }

    /// Visits every call among nodes and in their bodies, up to the depth limit.
    fn visit(&self, nodes: &'m [Node], depth: usize, call: &mut dyn FnMut(&'m Function)) {
        if depth > self.limits.depth {
            return;
        }
        for node in nodes {
            if let Some(function) = self.functions.called_by(node) {
                call(function);
            }
            for body in node.bodies() {
                self.visit(&body.nodes, depth + 1, call);
            }
        }
    }
}

fn function_name(function: &Function) -> String {
    let place = function_place(function);
    place.strip_prefix("function ").unwrap_or(&place).to_owned()
}
