//! Converts a model: first the bodies of each node, then the node, step by step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use onnx_checker::{Functions, Imports, Resolved, resolve};
use onnx_model::{Function, Graph, Model, Node};
use onnx_schema::{CONTRIB_DOMAIN, canonical_domain, newest_opset, releases};
use onnx_tensor::Value;

use crate::facts::{InputTypes, Scope};
use crate::names::Names;
use crate::site::{Place, Shared};
use crate::walk::walk;
use crate::{Refusal, UpgradeError};

/// The target opset of each domain; `""` is ai.onnx. Other domains are not converted.
pub type Targets = BTreeMap<String, u32>;

/// A node that was rewritten.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// The graph or function that contains it.
    pub graph: String,
    /// The name of the node, or its first output if it has no name.
    pub node: String,
    /// The operator with its version: `Squeeze-11`.
    pub operator: String,
    /// The version of the step.
    pub to: u32,
    /// The change that the adapter makes.
    pub what: &'static str,
}

/// A converted model.
#[derive(Clone, Debug)]
pub struct Upgraded {
    /// The model.
    pub model: Model,
    /// The nodes that were rewritten, in order.
    pub changes: Vec<Change>,
    /// The number of nodes that have a newer version of their operator without a change.
    pub unchanged: usize,
}

/// Converts a model.
///
/// # Errors
/// Invalid targets, and all nodes without an exact adapter.
pub fn upgrade(model: &Model, targets: &Targets) -> Result<Upgraded, UpgradeError> {
    admit(model, targets)?;
    let mut converter = Converter {
        targets,
        functions: &Functions::new(model),
        types: InputTypes::of(model),
        names: Names::of(model),
        next: 0,
        has_constants: false,
        changes: Vec::new(),
        refusals: Vec::new(),
        unchanged: 0,
    };
    let mut converted = model.clone();
    let place = Around {
        name: "main graph",
        imports: &model.opset_imports,
    };
    converted.graph = Arc::new(converter.graph(&model.graph, None, &place));
    converted.functions = model
        .functions
        .iter()
        .map(|function| Arc::new(converter.function(function)))
        .collect();
    let Converter {
        changes,
        refusals,
        unchanged,
        has_constants,
        ..
    } = converter;
    if !refusals.is_empty() {
        return Err(UpgradeError::NoAdapter(refusals));
    }
    raise(&mut converted.opset_imports, targets);
    converted.ir_version = format_version(&converted, model.ir_version, has_constants);
    no_new_finding(model, &converted)?;
    Ok(Upgraded {
        model: converted,
        changes,
        unchanged,
    })
}

/// Checks that the targets exist and are not older than the imports of the model and its functions.
fn admit(model: &Model, targets: &Targets) -> Result<(), UpgradeError> {
    for (domain, &to) in targets {
        let shown = shown(domain);
        let of_onnx = |_: &u32| domain != CONTRIB_DOMAIN;
        let Some(newest) = newest_opset(domain).filter(of_onnx) else {
            return Err(UpgradeError::UnknownDomain { domain: shown });
        };
        if to == 0 || to > newest {
            return Err(UpgradeError::UnknownOpset {
                domain: shown,
                to,
                newest,
            });
        }
        if !model.opset_imports.contains_key(domain) {
            return Err(UpgradeError::NotImported { domain: shown });
        }
        let functions = model.functions.iter().map(|function| {
            let place = format!("function `{}`", function.name);
            (place, &function.opset_imports)
        });
        for (place, imports) in
            std::iter::once(("the model".to_owned(), &model.opset_imports)).chain(functions)
        {
            if let Some(&from) = imports.get(domain).filter(|&&from| from > i64::from(to)) {
                return Err(UpgradeError::Downgrade {
                    place,
                    domain: shown,
                    from,
                    to,
                });
            }
        }
    }
    Ok(())
}

fn shown(domain: &str) -> String {
    if domain.is_empty() { "ai.onnx" } else { domain }.to_owned()
}

fn raise(imports: &mut Imports, targets: &Targets) {
    for (domain, to) in targets {
        if let Some(opset) = imports.get_mut(domain) {
            *opset = i64::from(*to);
        }
    }
}

/// Returns the oldest IR version with the opset of ai.onnx, but at least that of the model. An
/// initializer that is not an input needs version 4.
fn format_version(model: &Model, present: i64, has_constants: bool) -> i64 {
    const PLAIN_INITIALIZERS: i64 = 4;
    let opset = model.opset_imports.get("").copied().unwrap_or(1);
    let release = releases()
        .iter()
        .find(|release| i64::from(release.opset) >= opset);
    let needed = release.map_or(present, |release| i64::from(release.ir_version));
    needed
        .max(present)
        .max(if has_constants { PLAIN_INITIALIZERS } else { 0 })
}

/// Checks that the converted model violates no rule that the original satisfies.
fn no_new_finding(original: &Model, converted: &Model) -> Result<(), UpgradeError> {
    let rules = |model: &Model| -> Vec<_> { onnx_checker::check(model).list };
    let known: BTreeSet<&str> = rules(original)
        .iter()
        .map(|finding| finding.rule().name())
        .collect();
    let found = rules(converted)
        .into_iter()
        .find(|finding| !known.contains(finding.rule().name()));
    match found {
        Some(finding) => Err(UpgradeError::Broken(finding.to_string())),
        None => Ok(()),
    }
}

/// The graph or function that contains nodes.
struct Around<'a> {
    name: &'a str,
    imports: &'a Imports,
}

struct Converter<'m> {
    targets: &'m Targets,
    functions: &'m Functions<'m>,
    types: InputTypes,
    names: Names,
    /// The number of the next node of the original.
    next: usize,
    /// Whether initializers were added.
    has_constants: bool,
    changes: Vec<Change>,
    refusals: Vec<Refusal>,
    unchanged: usize,
}

impl Converter<'_> {
    fn graph(&mut self, graph: &Graph, outer: Option<&Scope>, around: &Around) -> Graph {
        let scope = Scope::of_graph(graph, outer);
        let (nodes, initializers) = self.nodes(&graph.nodes, Place::Graph, &scope, around);
        let mut converted = graph.clone();
        self.has_constants |= !initializers.is_empty();
        converted.initializers.extend(initializers);
        converted.nodes = nodes;
        converted
    }

    fn function(&mut self, function: &Function) -> Function {
        let defaults = function
            .attribute_defaults
            .iter()
            .map(|attribute| attribute.name.clone())
            .collect();
        let around = Around {
            name: &format!("function {}", function.name),
            imports: &function.opset_imports,
        };
        let (nodes, _) = self.nodes(
            &function.nodes,
            Place::Function(&defaults),
            &Scope::of_function(),
            &around,
        );
        let mut converted = Function {
            nodes,
            ..function.clone()
        };
        raise(&mut converted.opset_imports, self.targets);
        converted
    }

    fn nodes(
        &mut self,
        nodes: &[Node],
        place: Place,
        scope: &Scope,
        around: &Around,
    ) -> (Vec<Node>, Vec<(String, Value)>) {
        let (mut converted, mut initializers) = (Vec::with_capacity(nodes.len()), Vec::new());
        for node in nodes {
            let number = self.next;
            self.next += 1;
            let node = self.with_bodies(node, scope, around);
            let before = initializers.len();
            match self.node(&node, number, (place, scope, around), &mut initializers) {
                Ok(new) => converted.extend(new),
                Err(refusal) => {
                    initializers.truncate(before);
                    self.refusals.push(refusal);
                    converted.push(node);
                }
            }
        }
        (converted, initializers)
    }

    /// Returns the node with converted bodies.
    fn with_bodies(&mut self, node: &Node, scope: &Scope, around: &Around) -> Node {
        let mut converted = node.clone();
        let name = format!("{}, body of node \"{}\"", around.name, node.label());
        let inside = Around {
            name: &name,
            ..*around
        };
        for body in converted.bodies_mut() {
            *body = Arc::new(self.graph(body, Some(scope), &inside));
        }
        converted
    }

    /// Returns the nodes that replace a node.
    fn node(
        &mut self,
        node: &Node,
        number: usize,
        (place, scope, around): (Place, &Scope, &Around),
        initializers: &mut Vec<(String, Value)>,
    ) -> Result<Vec<Node>, Refusal> {
        let domain = canonical_domain(&node.domain);
        let Some(&target) = self.targets.get(domain) else {
            return Ok(vec![node.clone()]);
        };
        let schema = match resolve(self.functions, around.imports, node) {
            Ok(Resolved::Operator(schema)) => schema,
            Ok(Resolved::Function(_) | Resolved::Foreign) => return Ok(vec![node.clone()]),
            Err(problem) => {
                return Err(Refusal {
                    graph: around.name.to_owned(),
                    node: node.label().to_owned(),
                    operator: node.operator.clone(),
                    to: target,
                    reason: problem.to_string(),
                });
            }
        };
        let types = self.types.of_node(number).iter().cloned();
        let types = node.inputs.iter().cloned().zip(types);
        let shared = Shared {
            names: &mut self.names,
            initializers,
            place,
            scope,
            target,
            types: types.filter_map(|(name, of)| Some((name, of?))).collect(),
        };
        let walked = walk(shared, around.name, node, schema)?;
        self.unchanged += usize::from(walked.changes.is_empty() && walked.is_newer);
        self.changes.extend(walked.changes);
        Ok(walked.nodes)
    }
}
