//! Running graphs, nodes and functions.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;

use onnx_bounds::{Bodies, Query, Radius};
use onnx_checker::Functions;
use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node};
use onnx_operators::frame::{Call, Enclosing, Host, OpError, Outputs};
use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, Value};

use crate::bind::{self, Binding};
use crate::body;
use crate::conform;
use crate::error::{InterpretError, NodeProblem};
use crate::feed::{declared, feed, initial};
use crate::last_use::last_uses;
use crate::limits::Budget;
use crate::noise::Noise;
use crate::scope::Scope;

/// Runs the main graph of a model that was checked; gives the outputs in the order of the graph, each with the bound of its
/// error where the budget asks for bounds.
pub(crate) fn execute(
    model: &Model,
    inputs: &[(String, Value)],
    budget: &Budget,
) -> Result<Vec<(String, Value, Radius)>, InterpretError> {
    let graph = &*model.graph;
    let mut scope = Scope::new(None);
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
        let value = declared(value.clone(), info.value_type.as_ref());
        Ok((info.name.clone(), value, scope.radius(&info.name)))
    };
    graph.outputs.iter().map(output).collect()
}

/// What nodes run under: the functions of the model, the graph, or the imports and attributes of the function they stand in, the budget.
#[derive(Clone, Copy)]
struct Frame<'a> {
    functions: &'a Functions<'a>,
    /// `None` among the nodes of a function itself.
    graph: Option<&'a Graph>,
    imports: &'a BTreeMap<String, i64>,
    attributes: Option<&'a [Attribute]>,
    /// Inputs of the function around that its caller left out: who reads one has it left out too.
    omitted: &'a [String],
    budget: &'a Budget,
    /// Whether radii are asked for.
    bounded: bool,
    depth: usize,
}

impl Frame<'_> {
    fn nodes(
        &self,
        nodes: &[Node],
        scope: &mut Scope<'_>,
        mut after: impl FnMut(usize, &mut Scope<'_>),
    ) -> Result<(), InterpretError> {
        for (index, node) in nodes.iter().enumerate() {
            let outputs = self
                .node(index, node, scope)
                .map_err(|problem| InterpretError::Node {
                    node: node.label().to_owned(),
                    operator: bind::label(self.imports, node),
                    problem: Box::new(problem),
                })?;
            let Results { outputs, radii } = outputs;
            let mut radii = radii.into_iter();
            for (name, value) in node.outputs.iter().zip(outputs) {
                let radius = radii.next().unwrap_or(Radius::Exact);
                if let Some(value) = value.filter(|_| !name.is_empty()) {
                    scope.set(name, value);
                    scope.set_radius(name, radius);
                }
            }
            after(index, scope);
        }
        Ok(())
    }

    fn node(&self, index: usize, node: &Node, scope: &Scope<'_>) -> Result<Results, NodeProblem> {
        let inputs = node
            .inputs
            .iter()
            .map(|name| match name.as_str() {
                "" => Ok(None),
                name => match scope.get(name) {
                    Some(value) => Ok(Some(value.clone())),
                    None if self.omitted.iter().any(|omitted| omitted == name) => Ok(None),
                    None => Err(NodeProblem::UnknownValue(name.to_owned())),
                },
            })
            .collect::<Result<Vec<_>, _>>()?;
        let attributes = self.resolve(&node.attributes);
        match bind::bind(self.functions, self.imports, node)? {
            Binding::Operator { schema, version } => {
                conform::types(schema, &inputs)?;
                if let Some(body) = self.body_of(schema) {
                    let attributes = body::with_defaults(schema, &attributes);
                    return self.function(body, inputs, self.radii(node, scope), &attributes);
                }
                let noise = self.noise(schema);
                let inputs = disturbed(noise, inputs);
                let wanted: Vec<bool> = node.outputs.iter().map(|name| !name.is_empty()).collect();
                let host = BodyHost {
                    frame: self,
                    scope,
                    index,
                    branches: schema.name == "If",
                    ran: RefCell::default(),
                    radii: RefCell::default(),
                };
                let call = Call::new(schema, &inputs, &attributes, &wanted, &host);
                let outputs = (version.eval)(&call)?;
                let missing = (0..wanted.len())
                    .find(|&index| wanted[index] && !matches!(outputs.get(index), Some(Some(_))));
                if let Some(index) = missing {
                    return Err(NodeProblem::MissingOutput(index));
                }
                let radii = match self.bounded {
                    // What an If gives is what its branch gave.
                    true if host.branches => host.radii.take(),
                    true => onnx_bounds::bound(&Query {
                        call: &call,
                        eval: version.eval,
                        bodies: &host,
                        outputs: &outputs,
                        errors: &self.radii(node, scope),
                    }),
                    false => Vec::new(),
                };
                let outputs = disturbed(noise, outputs);
                Ok(Results { outputs, radii })
            }
            Binding::Function(function) => {
                self.function(&function, inputs, self.radii(node, scope), &attributes)
            }
        }
    }

    /// The source of random rounding for an operator, if the run has one and the operator rounds.
    fn noise(&self, schema: &OperatorSchema) -> Option<&Noise> {
        let rounds = onnx_bounds::rules::rounds(schema.domain, schema.name);
        self.budget.noise.as_ref().filter(|_| rounds)
    }

    /// How far the inputs of a node may be off; empty where nobody asks.
    fn radii(&self, node: &Node, scope: &Scope<'_>) -> Vec<Radius> {
        let names = node.inputs.iter().filter(|_| self.bounded);
        names.map(|name| scope.radius(name)).collect()
    }

    /// The static body of an operator, if the run asks for bodies.
    fn body_of(&self, schema: &OperatorSchema) -> Option<&'static Function> {
        let opset = self.imports.get(schema.domain).copied()?;
        let body = body::static_body(schema, opset).filter(|_| self.budget.limits.function_bodies)?;
        Some(body)
    }

    /// Replaces references to attributes of the function around; one that was not given and has no default is left out.
    fn resolve<'n>(&self, attributes: &'n [Attribute]) -> Cow<'n, [Attribute]> {
        let is_reference = |attribute: &Attribute| matches!(attribute.value, AttributeValue::Reference(_));
        if !attributes.iter().any(is_reference) {
            return Cow::Borrowed(attributes);
        }
        let given = |name: &str| {
            let found = self.attributes?.iter().find(|candidate| candidate.name == name)?;
            Some(found.value.clone())
        };
        let resolved = |attribute: &Attribute| {
            let value = match &attribute.value {
                AttributeValue::Reference(name) => given(name)?,
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
        inputs: Vec<Option<Value>>,
        radii: Vec<Radius>,
        attributes: &[Attribute],
    ) -> Result<Results, NodeProblem> {
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
        let mut scope = Scope::new(None);
        let mut omitted = Vec::new();
        let (mut inputs, mut radii) = (inputs.into_iter(), radii.into_iter());
        for name in &function.inputs {
            let radius = radii.next().unwrap_or(Radius::Exact);
            match inputs.next().flatten() {
                Some(value) => {
                    scope.set(name, value);
                    scope.set_radius(name, radius);
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
            outputs: outputs.map(|name| scope.get(name).cloned()).collect(),
        })
    }

    fn body(
        &self,
        body: &Graph,
        inputs: Vec<Option<Value>>,
        radii: Vec<Radius>,
        outer: &Scope<'_>,
    ) -> Result<Results, InterpretError> {
        // Before IR version 4 the constants of a body stand among its inputs, after those that are given.
        let listed = body.inputs.len();
        if !(listed.saturating_sub(body.initializers.len())..=listed).contains(&inputs.len()) {
            return Err(InterpretError::BodyArity {
                listed,
                given: inputs.len(),
            });
        }
        let mut scope = Scope::new(Some(outer));
        for (name, value) in &body.initializers {
            scope.set(name, initial(name, value, self.budget)?);
        }
        let mut radii = radii.into_iter();
        for (info, value) in body.inputs.iter().zip(inputs) {
            let radius = radii.next().unwrap_or(Radius::Exact);
            if let Some(value) = value {
                scope.set(&info.name, declared(value, info.value_type.as_ref()));
                scope.set_radius(&info.name, radius);
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
            Ok(Some(declared(value.clone(), info.value_type.as_ref())))
        };
        Ok(Results {
            outputs: body.outputs.iter().map(output).collect::<Result<_, _>>()?,
            radii: body.outputs.iter().map(|info| scope.radius(&info.name)).collect(),
        })
    }
}

/// Values with random rounding, if there is a source of it.
fn disturbed(noise: Option<&Noise>, values: Vec<Option<Value>>) -> Vec<Option<Value>> {
    let Some(noise) = noise else { return values };
    let disturb = |value: Option<Value>| value.map(|value| noise.disturb(value));
    values.into_iter().map(disturb).collect()
}

/// What nodes come to.
struct Results {
    outputs: Outputs,
    /// How far each output may be off; empty where nobody asks.
    radii: Vec<Radius>,
}

/// What an operator sees of the interpreter.
struct BodyHost<'a> {
    frame: &'a Frame<'a>,
    scope: &'a Scope<'a>,
    /// The position of the node in its graph or function.
    index: usize,
    /// Whether the node runs a body of its own choice, once: then its radii are those of the body.
    branches: bool,
    /// The inputs of the bodies that ran, where radii are asked for.
    ran: RefCell<Vec<Vec<Option<Value>>>>,
    /// How far the outputs of the last body may be off.
    radii: RefCell<Vec<Radius>>,
}

impl Bodies for BodyHost<'_> {
    fn ran(&self) -> Vec<Vec<Option<Value>>> {
        self.ran.borrow().clone()
    }

    fn run(
        &self,
        body: &Graph,
        inputs: Vec<Option<Value>>,
        radii: Vec<Radius>,
    ) -> Result<(Outputs, Vec<Radius>), OpError> {
        let results = self
            .frame
            .body(body, inputs, radii, self.scope)
            .map_err(|error| OpError::Body(Box::new(error)))?;
        Ok((results.outputs, results.radii))
    }
}

impl Host for BodyHost<'_> {
    fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Outputs, OpError> {
        if self.frame.bounded {
            self.ran.borrow_mut().push(inputs.clone());
        }
        // The radii of a body that runs again and again need those of what ran before.
        let frame = Frame {
            bounded: self.frame.bounded && self.branches,
            ..*self.frame
        };
        let results = frame
            .body(body, inputs, Vec::new(), self.scope)
            .map_err(|error| OpError::Body(Box::new(error)))?;
        self.radii.replace(results.radii);
        Ok(results.outputs)
    }

    fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError> {
        self.frame.budget.reserve(shape, dtype)
    }

    fn step(&self) -> Result<(), OpError> {
        self.frame.budget.step()
    }

    fn enclosing(&self) -> Option<Enclosing<'_>> {
        // Inside a function attributes may refer to those of the caller.
        let graph = self.frame.graph.filter(|_| self.frame.attributes.is_none())?;
        Some(Enclosing {
            imports: self.frame.imports,
            nodes: graph.nodes.get(..self.index)?,
            initializers: &graph.initializers,
        })
    }

    fn draw_seed(&self) -> u64 {
        self.frame.budget.draw_seed()
    }
}
