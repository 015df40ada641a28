//! Runs graphs, nodes and functions.

mod host;
mod operator;

use std::borrow::Cow;
use std::collections::BTreeMap;

use onnx_arithmetic::threads;
use onnx_bounds::Radius;
use onnx_checker::Functions;
use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node};
use onnx_operators::frame::Outputs;
use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, Value};

use crate::bind::{self, Binding};
use crate::body;
use crate::conform;
use crate::error::{InterpretError, NodeProblem};
use crate::feed::{declared, elements, feed, set_initial};
use crate::last_use::last_uses;
use crate::limits::Budget;
use crate::noise::Arithmetic;
use crate::origin::Origin;
use crate::scope::Scope;
use crate::wide;

use operator::Place;

/// Runs the main graph of a checked model. Returns the outputs in the order of the graph, each with its
/// error bound if the budget requests bounds.
pub(crate) fn execute(
    model: &Model,
    inputs: &[(String, Value)],
    budget: &Budget,
) -> Result<Vec<(String, Value, Radius)>, InterpretError> {
    threads::with(budget.limits.threads, || run(model, inputs, budget))
}

fn run(
    model: &Model,
    inputs: &[(String, Value)],
    budget: &Budget,
) -> Result<Vec<(String, Value, Radius)>, InterpretError> {
    let graph = &*model.graph;
    let mut scope = Scope::new(None, budget);
    feed(graph, inputs, &mut scope, budget)?;
    let functions = Functions::new(model);
    let frame = Frame {
        functions: &functions,
        graph: Some(graph),
        imports: &model.opset_imports,
        attributes: None,
        omitted: &[],
        budget,
        bounded: budget.bounded,
        depth: 0,
    };
    let last_uses = last_uses(graph);
    frame.nodes(&graph.nodes, &mut scope, |index, scope| {
        for name in last_uses.get(&index).into_iter().flatten() {
            scope.drop_value(name);
        }
    })?;
    let output = |info: &onnx_model::ValueInfo| {
        let value = scope
            .get(&info.name)
            .ok_or_else(|| InterpretError::MissingOutput(info.name.clone()))?;
        let mut value = declared(elements(&info.name, value)?, info.value_type.as_ref());
        if budget.limits.is_wide() {
            value = wide::narrowed(value, info.value_type.as_ref());
        }
        Ok((info.name.clone(), value, scope.radius(&info.name)))
    };
    graph.outputs.iter().map(output).collect()
}

/// The context of a node: the functions of the model; the graph, or the imports and attributes of the
/// enclosing function; the budget.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a> {
    pub(crate) functions: &'a Functions<'a>,
    /// `None` for the nodes of a function.
    pub(crate) graph: Option<&'a Graph>,
    pub(crate) imports: &'a BTreeMap<String, i64>,
    pub(crate) attributes: Option<&'a [Attribute]>,
    /// Inputs of the enclosing function that its caller omitted. For a node that reads one, the input is
    /// omitted too.
    pub(crate) omitted: &'a [String],
    pub(crate) budget: &'a Budget,
    /// Whether radii are requested.
    pub(crate) bounded: bool,
    pub(crate) depth: usize,
}

impl Frame<'_> {
    fn nodes(
        &self,
        nodes: &[Node],
        scope: &mut Scope<'_>,
        mut after: impl FnMut(usize, &mut Scope<'_>),
    ) -> Result<(), InterpretError> {
        for (index, node) in nodes.iter().enumerate() {
            let start = self.budget.watched.start();
            let results = self.node(index, node, scope);
            if let Ok(results) = &results {
                let operator = || bind::label(self.imports, node);
                self.budget.watched.ran(start, node, operator, &results.outputs);
            }
            results
                .and_then(|results| bind_outputs(node, results, scope))
                .map_err(|problem| InterpretError::Node {
                    node: node.label().to_owned(),
                    operator: bind::label(self.imports, node),
                    problem: Box::new(problem),
                })?;
            after(index, scope);
        }
        Ok(())
    }

    fn node(&self, index: usize, node: &Node, scope: &Scope<'_>) -> Result<Results, NodeProblem> {
        self.budget.step()?;
        let inputs = self.inputs(node, scope)?;
        let mut attributes = self.resolve(&node.attributes);
        let mut kept = wide::Kept::Nothing;
        if self.budget.limits.is_wide() {
            let reads = |name: &str| scope.is_kept(name) || scope.get(name).is_some_and(wide::is_of_halves);
            kept = wide::kept(node, &attributes, reads);
            attributes = wide::attributes(attributes);
        }
        match bind::bind(self.functions, self.imports, node)? {
            Binding::Operator { schema, version } => {
                conform::types(schema, &inputs)?;
                if let Some(body) = self.body_of(schema, &inputs) {
                    let given = body::with_defaults(schema, &attributes);
                    match self.function(body, node, scope, inputs.clone(), &given) {
                        // A body that names float does not type-check in 16 bits.
                        Err(_) if !self.budget.limits.function_bodies => {}
                        ran => return ran,
                    }
                }
                let at = Place {
                    frame: self,
                    index,
                    node,
                    scope,
                    kept,
                };
                at.operator(schema, version, &inputs, &attributes)
            }
            Binding::Function(function) => self.function(&function, node, scope, inputs, &attributes),
        }
    }

    /// The values that a node reads.
    fn inputs(&self, node: &Node, scope: &Scope<'_>) -> Result<Vec<Option<Value>>, NodeProblem> {
        let is_wide = self.budget.limits.is_wide();
        let value = |name: &String| match scope.get(name) {
            _ if name.is_empty() => Ok(None),
            Some(value) if is_wide => Ok(Some(wide::widened(elements(name, value)?))),
            Some(value) => Ok(Some(elements(name, value)?)),
            None if self.omitted.contains(name) => Ok(None),
            None => Err(NodeProblem::UnknownValue(name.clone())),
        };
        node.inputs.iter().map(value).collect()
    }

    /// The error radii of the inputs of a node; empty if not requested.
    fn radii(&self, node: &Node, scope: &Scope<'_>) -> Vec<Radius> {
        let names = node.inputs.iter().filter(|_| self.bounded);
        names.map(|name| scope.radius(name)).collect()
    }

    /// The body by which an operator is evaluated, if it is. Float16 is computed in its own type step by
    /// step.
    fn body_of(&self, schema: &OperatorSchema, inputs: &[Option<Value>]) -> Option<&'static Function> {
        let opset = self.imports.get(schema.domain).copied()?;
        let limits = &self.budget.limits;
        let by_steps = || {
            let first = inputs.first().and_then(Option::as_ref).and_then(Value::as_tensor);
            let half = first.is_some_and(|tensor| tensor.dtype() == DType::Float16);
            half && limits.noise.is_some() && limits.arithmetic >= Arithmetic::Narrow
        };
        if !limits.function_bodies && !by_steps() {
            return None;
        }
        Some(body::static_body(schema, opset)?)
    }

    /// Replaces references to attributes of the enclosing function. A reference to a missing attribute
    /// without a default is removed.
    fn resolve<'n>(&self, attributes: &'n [Attribute]) -> Cow<'n, [Attribute]> {
        let is_reference = |attribute: &Attribute| matches!(attribute.value, AttributeValue::Reference(_, _));
        if !attributes.iter().any(is_reference) {
            return Cow::Borrowed(attributes);
        }
        let given = |name: &str| {
            let found = self.attributes?.iter().find(|candidate| candidate.name == name)?;
            Some(found.value.clone())
        };
        let resolved = |attribute: &Attribute| {
            let value = match &attribute.value {
                AttributeValue::Reference(name, _) => given(name)?,
                value => value.clone(),
            };
            Some(Attribute {
                name: attribute.name.clone(),
                value,
            })
        };
        Cow::Owned(attributes.iter().filter_map(resolved).collect())
    }

    fn function(
        &self,
        function: &Function,
        node: &Node,
        outer: &Scope<'_>,
        inputs: Vec<Option<Value>>,
        attributes: &[Attribute],
    ) -> Result<Results, NodeProblem> {
        self.budget.step()?;
        let inside = |source| NodeProblem::Function {
            name: function.name.clone(),
            source: Box::new(source),
        };
        let limit = self.budget.limits.function_depth;
        if self.depth >= limit {
            return Err(inside(InterpretError::Recursion(limit)));
        }
        let mut given = attributes.to_vec();
        for default in &function.attribute_defaults {
            if given.iter().all(|attribute| attribute.name != default.name) {
                given.push(default.clone());
            }
        }
        let mut scope = Scope::new(None, self.budget);
        let mut omitted = Vec::new();
        let (mut inputs, mut radii) = (inputs.into_iter(), self.radii(node, outer).into_iter());
        for (index, name) in function.inputs.iter().enumerate() {
            let radius = radii.next().unwrap_or(Radius::Exact);
            match inputs.next().flatten() {
                Some(value) => {
                    scope.set(name, value)?;
                    scope.set_radius(name, radius);
                    if let Some(given) = node.inputs.get(index) {
                        scope.set_origin(name, outer.origin(given));
                        scope.set_kept(name, outer.is_kept(given));
                    }
                }
                None => omitted.push(name.clone()),
            }
        }
        let frame = Frame {
            graph: None,
            imports: &function.opset_imports,
            attributes: Some(&given),
            omitted: &omitted,
            depth: self.depth + 1,
            ..*self
        };
        frame
            .nodes(&function.nodes, &mut scope, |_, _| {})
            .map_err(inside)?;
        let outputs = function.outputs.iter();
        Ok(Results {
            radii: outputs.clone().map(|name| scope.radius(name)).collect(),
            origins: outputs.clone().map(|name| scope.origin(name)).collect(),
            kept: outputs.clone().map(|name| scope.is_kept(name)).collect(),
            outputs: outputs.map(|name| scope.get(name).cloned()).collect(),
        })
    }

    pub(crate) fn body(
        &self,
        body: &Graph,
        inputs: Vec<Option<Value>>,
        radii: Vec<Radius>,
        kept: wide::Kept,
        outer: &Scope<'_>,
    ) -> Result<Results, InterpretError> {
        self.budget.step()?;
        // Before IR version 4, the constants of a body are among its inputs, after the inputs that are
        // passed.
        let listed = body.inputs.len();
        if !(listed.saturating_sub(body.initializers.len())..=listed).contains(&inputs.len()) {
            return Err(InterpretError::BodyArity {
                listed,
                given: inputs.len(),
            });
        }
        let mut scope = Scope::new(Some(outer), self.budget);
        for (name, value) in &body.initializers {
            set_initial(name, value, &mut scope, self.budget)?;
        }
        let mut radii = radii.into_iter();
        for (info, value) in body.inputs.iter().zip(inputs) {
            let radius = radii.next().unwrap_or(Radius::Exact);
            if let Some(value) = value {
                scope.set(&info.name, declared(value, info.value_type.as_ref()))?;
                scope.set_radius(&info.name, radius);
                scope.set_kept(&info.name, kept != wide::Kept::Nothing);
            }
        }
        let frame = Frame {
            graph: Some(body),
            ..*self
        };
        frame.nodes(&body.nodes, &mut scope, |_, _| {})?;
        let output = |info: &onnx_model::ValueInfo| {
            let value = scope
                .get(&info.name)
                .ok_or_else(|| InterpretError::MissingOutput(info.name.clone()))?;
            Ok(Some(declared(
                elements(&info.name, value)?,
                info.value_type.as_ref(),
            )))
        };
        Ok(Results {
            outputs: body
                .outputs
                .iter()
                .map(output)
                .collect::<Result<_, InterpretError>>()?,
            radii: body.outputs.iter().map(|info| scope.radius(&info.name)).collect(),
            origins: Vec::new(),
            kept: Vec::new(),
        })
    }
}

/// Binds the outputs that a node names.
fn bind_outputs(node: &Node, results: Results, scope: &mut Scope<'_>) -> Result<(), NodeProblem> {
    let Results {
        outputs,
        radii,
        origins,
        kept,
    } = results;
    let (mut radii, mut origins, mut kept) = (radii.into_iter(), origins.into_iter(), kept.into_iter());
    for (name, value) in node.outputs.iter().zip(outputs) {
        let radius = radii.next().unwrap_or(Radius::Exact);
        let origin = origins.next().unwrap_or(Origin::Rounded);
        let is_kept = kept.next().unwrap_or(false);
        if let Some(value) = value.filter(|_| !name.is_empty()) {
            scope.set(name, value)?;
            scope.set_radius(name, radius);
            scope.set_origin(name, origin);
            scope.set_kept(name, is_kept);
        }
    }
    Ok(())
}

/// The results of a node.
pub(crate) struct Results {
    pub(crate) outputs: Outputs,
    /// The error radius of each output; empty if not requested.
    pub(crate) radii: Vec<Radius>,
    /// What random rounding did to each output; empty if it changed all.
    pub(crate) origins: Vec<Origin>,
    /// Whether each output is of a 16-bit type and stays in float; empty if none is.
    pub(crate) kept: Vec<bool>,
}
