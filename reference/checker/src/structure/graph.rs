//! Graphs: definitions, their order, and outputs.

use std::collections::{HashMap, HashSet};

use onnx_model::{Graph, Node, ValueInfo};
use onnx_tensor::{Dim, Value, ValueType};

use super::names::{Definition, Names};
use super::{Frame, Structure};
use crate::finding::NodePlace;
use crate::place::body_place;
use crate::problem::Problem;
use crate::resolve::since;

/// The first IR version in which an initializer need not be an input.
const FREE_INITIALIZERS: i64 = 4;

impl<'m> Structure<'m, '_> {
    pub(super) fn main_graph(&mut self) {
        let frame = Frame {
            place: "main graph",
            imports: &self.model.opset_imports,
            declared: None,
            depth: 0,
        };
        let graph: &'m Graph = &self.model.graph;
        for (what, infos) in [("input", &graph.inputs), ("output", &graph.outputs)] {
            infos
                .iter()
                .filter_map(|info| untyped(what, info))
                .for_each(|problem| {
                    self.sink.push(frame.place, None, problem);
                });
        }
        self.graph(graph, frame, None);
    }

    pub(super) fn graph<'s>(
        &mut self,
        graph: &'m Graph,
        frame: Frame<'_, 'm>,
        outer: Option<&'s Names<'m, 's>>,
    ) {
        if graph.name.is_empty() {
            self.sink.push(frame.place, None, Problem::GraphName);
        }
        let mut names = Names::new(&graph.nodes, outer);
        for (index, input) in graph.inputs.iter().enumerate() {
            self.define(
                frame,
                &mut names,
                ("input", index),
                &input.name,
                Definition::Input,
            );
        }
        self.initializers(graph, frame, &mut names);
        self.nodes(&graph.nodes, frame, &mut names);
        for (index, output) in graph.outputs.iter().enumerate() {
            self.output(frame, &names, index, &output.name);
        }
        names.finish(frame.place, self.sink);
    }

    /// An input of a graph or function.
    pub(super) fn define(
        &mut self,
        frame: Frame,
        names: &mut Names<'m, '_>,
        (what, index): (&'static str, usize),
        name: &'m str,
        definition: Definition,
    ) {
        if name.is_empty() {
            self.sink
                .push(frame.place, None, Problem::ValueName { what, index });
        } else if let Some(first) = names.define(name, definition) {
            self.sink.push(frame.place, None, twice(name, first, definition));
        }
    }

    /// An output of a graph or function, which reads a value that this graph defines.
    pub(super) fn output(&mut self, frame: Frame, names: &Names, index: usize, name: &str) {
        if name.is_empty() {
            self.sink.push(
                frame.place,
                None,
                Problem::ValueName {
                    what: "output",
                    index,
                },
            );
        } else if !names.defines(name) {
            let enclosing = names.enclosing(name);
            let name = name.to_owned();
            self.sink
                .push(frame.place, None, Problem::OutputUndefined { name, enclosing });
        }
    }

    fn initializers(&mut self, graph: &'m Graph, frame: Frame, names: &mut Names<'m, '_>) {
        let ir_version = self.model.ir_version;
        let mut seen = HashSet::with_capacity(graph.initializers.len());
        let inputs: HashMap<&str, &ValueInfo> = graph
            .inputs
            .iter()
            .map(|input| (input.name.as_str(), input))
            .collect();
        for (index, (name, value)) in graph.initializers.iter().enumerate() {
            let input = inputs.get(name.as_str());
            let owned = || name.clone();
            let problem = if name.is_empty() {
                Some(Problem::ValueName {
                    what: "initializer",
                    index,
                })
            } else if !seen.insert(name.as_str()) {
                Some(Problem::InitializerTwice { name: owned() })
            } else if input.is_none() && ir_version < FREE_INITIALIZERS {
                Some(Problem::InitializerNotInput {
                    name: owned(),
                    ir_version,
                })
            } else if input.is_some() && frame.depth > 0 && ir_version >= FREE_INITIALIZERS {
                Some(Problem::InitializerIsBodyInput { name: owned() })
            } else if input.is_none() && names.enclosing(name) {
                Some(Problem::ValueShadowed { name: owned() })
            } else {
                input.and_then(|input| misfit(name, value, input))
            };
            if let Some(problem) = problem {
                self.sink.push(frame.place, None, problem);
            }
            if !name.is_empty() {
                names.define(name, Definition::Initializer);
            }
        }
    }

    pub(super) fn nodes(&mut self, nodes: &'m [Node], frame: Frame<'_, 'm>, names: &mut Names<'m, '_>) {
        let mut called = HashSet::new();
        for (index, node) in nodes.iter().enumerate() {
            names.current.set(index);
            let place = || NodePlace::new(index, node, since(&self.functions, frame.imports, node));
            let mut problems = Vec::new();
            if !node.name.is_empty() && !called.insert(node.name.as_str()) {
                problems.push(Problem::NodeNameTwice {
                    name: node.name.clone(),
                });
            }
            let reads = node
                .inputs
                .iter()
                .enumerate()
                .filter(|(_, name)| !name.is_empty());
            problems.extend(reads.filter_map(|(input, name)| names.read(input, name, frame.place, place)));
            problems.extend(self.node(node, frame));
            for problem in problems {
                let place = NodePlace::new(index, node, since(&self.functions, frame.imports, node));
                self.sink.push(frame.place, Some(place), problem);
            }
            self.bodies(index, node, frame, names);
            self.outputs(index, node, frame, names);
        }
    }

    fn outputs(&mut self, index: usize, node: &'m Node, frame: Frame<'_, 'm>, names: &mut Names<'m, '_>) {
        for name in node.outputs.iter().filter(|name| !name.is_empty()) {
            let definition = Definition::Node(index);
            let problem = match names.define(name, definition) {
                Some(first) => twice(name, first, definition),
                None if names.enclosing(name) => Problem::ValueShadowed { name: name.clone() },
                None => continue,
            };
            let place = NodePlace::new(index, node, since(&self.functions, frame.imports, node));
            self.sink.push(frame.place, Some(place), problem);
        }
    }

    /// Checks the bodies of a node.
    fn bodies(&mut self, index: usize, node: &'m Node, frame: Frame<'_, 'm>, names: &Names<'m, '_>) {
        for attribute in &node.attributes {
            let graphs = attribute.value.graphs();
            if !graphs.is_empty() && frame.depth >= self.limits.depth {
                let place = NodePlace::new(index, node, None);
                let limit = self.limits.depth;
                self.sink
                    .push(frame.place, Some(place), Problem::TooDeep { limit });
                return;
            }
            for graph in graphs {
                let place = body_place(frame.place, node, &attribute.name);
                let inside = Frame {
                    place: &place,
                    depth: frame.depth + 1,
                    ..frame
                };
                self.graph(graph, inside, Some(names));
            }
        }
    }
}

fn twice(name: &str, first: Definition, second: Definition) -> Problem {
    Problem::ValueTwice {
        name: name.to_owned(),
        first: first.text(),
        second: second.text(),
    }
}

/// A missing type or shape of an input or output of the main graph.
fn untyped(what: &'static str, info: &ValueInfo) -> Option<Problem> {
    let name = info.name.clone();
    match &info.value_type {
        None => Some(Problem::ValueTypeMissing { what, name }),
        Some(ValueType::Tensor { shape: None, .. } | ValueType::Sparse { shape: None, .. }) => {
            Some(Problem::ValueShapeMissing { what, name })
        }
        Some(_) => None,
    }
}

/// An initializer whose type or shape differs from the input of the same name.
fn misfit(name: &str, value: &Value, input: &ValueInfo) -> Option<Problem> {
    let declared = input.value_type.as_ref()?;
    let found = match (value.value_type(), declared) {
        // Sparse is a storage format of the initializer, not its type.
        (ValueType::Sparse { dtype, shape }, ValueType::Tensor { .. }) => ValueType::Tensor { dtype, shape },
        (found, _) => found,
    };
    let fits = found.same_kind(declared)
        && match (shape(&found), shape(declared)) {
            (Some(found), Some(declared)) => {
                found.len() == declared.len() && found.iter().zip(declared).all(agree)
            }
            _ => true,
        };
    (!fits).then(|| Problem::InitializerType {
        name: name.to_owned(),
        found: shaped(&found),
        declared: shaped(declared),
    })
}

fn agree((found, declared): (&Dim, &Dim)) -> bool {
    match (found, declared) {
        (Dim::Fixed(found), Dim::Fixed(declared)) => found == declared,
        _ => true,
    }
}

fn shape(value_type: &ValueType) -> Option<&[Dim]> {
    match value_type {
        ValueType::Tensor { shape, .. } | ValueType::Sparse { shape, .. } => shape.as_deref(),
        _ => None,
    }
}

/// A type with its shape: `tensor(float) [2, n, ?]`.
fn shaped(value_type: &ValueType) -> String {
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => extent.to_string(),
        Dim::Named(name) => name.clone(),
        Dim::Unknown => "?".to_owned(),
    };
    match shape(value_type) {
        Some(shape) => format!(
            "{value_type} [{}]",
            shape.iter().map(extent).collect::<Vec<_>>().join(", ")
        ),
        None => value_type.to_string(),
    }
}
