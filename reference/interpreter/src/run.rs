//! Running graphs, nodes and functions.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use onnx_model::{Attribute, AttributeValue, Function, Graph, Model, Node};
use onnx_operators::frame::{Call, Enclosing, Host, OpError, Outputs};
use onnx_tensor::{DType, Value, ValueType};

use crate::bind::{self, Binding};
use crate::conform;
use crate::error::{InterpretError, NodeProblem};
use crate::limits::{Budget, Limits};
use crate::scope::Scope;

/// Runs the main graph of `model` on named inputs; gives the outputs in the order of the graph.
///
/// # Errors
/// An input that is missing, unknown or of another type than declared, a node that breaks the schema of its version, an
/// operator without a result, or a budget overrun.
pub fn run(
    model: &Model,
    inputs: &[(String, Value)],
    limits: Limits,
) -> Result<Vec<(String, Value)>, InterpretError> {
    let graph = &*model.graph;
    let mut scope = Scope::new(None);
    feed(graph, inputs, &mut scope)?;
    let budget = Budget::new(limits);
    let frame = Frame {
        model,
        graph: Some(graph),
        imports: &model.opset_imports,
        attributes: None,
        budget: &budget,
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
        Ok((
            info.name.clone(),
            declared(value.clone(), info.value_type.as_ref()),
        ))
    };
    graph.outputs.iter().map(output).collect()
}

/// Binds the initializers and the fed inputs of the main graph.
fn feed(graph: &Graph, inputs: &[(String, Value)], scope: &mut Scope<'_>) -> Result<(), InterpretError> {
    for (name, value) in &graph.initializers {
        scope.set(name, value.clone());
    }
    for (name, value) in inputs {
        let info = graph.inputs.iter().find(|info| info.name == *name);
        let info = info.ok_or_else(|| InterpretError::UnknownInput(name.clone()))?;
        let value = declared(value.clone(), info.value_type.as_ref());
        if let Some(declared) = info
            .value_type
            .as_ref()
            .filter(|t| !t.same_kind(&value.value_type()))
        {
            let (declared, fed) = (declared.to_string(), value.value_type().to_string());
            return Err(InterpretError::InputType {
                name: name.clone(),
                declared,
                fed,
            });
        }
        scope.set(name, value);
    }
    for info in &graph.inputs {
        if scope.get(&info.name).is_none() {
            match &info.value_type {
                // The official files have no form for an absent optional: it is left out.
                Some(ValueType::Optional(element)) => {
                    scope.set(
                        &info.name,
                        Value::Optional {
                            element: (**element).clone(),
                            value: None,
                        },
                    );
                }
                _ => return Err(InterpretError::MissingInput(info.name.clone())),
            }
        }
    }
    Ok(())
}

/// Wraps a plain value where an optional is declared, since the official files store the bare element.
fn declared(value: Value, value_type: Option<&ValueType>) -> Value {
    match (value_type, &value) {
        (_, Value::Optional { .. }) => value,
        (Some(ValueType::Optional(element)), _) => Value::Optional {
            element: (**element).clone(),
            value: Some(Box::new(value)),
        },
        _ => value,
    }
}

/// For each node the names that no later node and no output reads, so that memory can go.
fn last_uses(graph: &Graph) -> HashMap<usize, Vec<String>> {
    let mut last: HashMap<&str, usize> = HashMap::new();
    for (index, node) in graph.nodes.iter().enumerate() {
        visit_names(node, &mut |name| {
            last.insert(name, index);
        });
    }
    let mut uses: HashMap<usize, Vec<String>> = HashMap::new();
    for (name, index) in last {
        if graph.outputs.iter().all(|output| output.name != name) {
            uses.entry(index).or_default().push(name.to_owned());
        }
    }
    uses
}

/// Every name that a node or a body of it reads.
fn visit_names<'n>(node: &'n Node, visit: &mut impl FnMut(&'n str)) {
    for name in node.inputs.iter().filter(|name| !name.is_empty()) {
        visit(name);
    }
    for attribute in &node.attributes {
        let graphs: &[_] = match &attribute.value {
            AttributeValue::Graph(graph) => std::slice::from_ref(graph),
            AttributeValue::Graphs(graphs) => graphs,
            _ => &[],
        };
        for graph in graphs {
            graph.outputs.iter().for_each(|output| visit(&output.name));
            graph.nodes.iter().for_each(|inner| visit_names_dyn(inner, visit));
        }
    }
}

/// Breaks the chain of instantiations that recursion over `impl FnMut` would make.
fn visit_names_dyn<'n>(node: &'n Node, mut visit: &mut dyn FnMut(&'n str)) {
    visit_names(node, &mut visit);
}

/// What nodes run under: the model, the graph, or the imports and attributes of the function they stand in, the budget.
#[derive(Clone, Copy)]
struct Frame<'a> {
    model: &'a Model,
    /// `None` among the nodes of a function itself.
    graph: Option<&'a Graph>,
    imports: &'a BTreeMap<String, i64>,
    attributes: Option<&'a [Attribute]>,
    budget: &'a Budget,
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
            for (name, value) in node.outputs.iter().zip(outputs) {
                if let Some(value) = value.filter(|_| !name.is_empty()) {
                    scope.set(name, value);
                }
            }
            after(index, scope);
        }
        Ok(())
    }

    fn node(&self, index: usize, node: &Node, scope: &Scope<'_>) -> Result<Outputs, NodeProblem> {
        let inputs = node
            .inputs
            .iter()
            .map(|name| match name.as_str() {
                "" => Ok(None),
                name => scope
                    .get(name)
                    .cloned()
                    .map(Some)
                    .ok_or_else(|| NodeProblem::UnknownValue(name.to_owned())),
            })
            .collect::<Result<Vec<_>, _>>()?;
        let attributes = self.resolve(&node.attributes)?;
        match bind::bind(self.model, self.imports, node)? {
            Binding::Operator { schema, version } => {
                conform::arity(schema, node)?;
                conform::attributes(schema, &attributes)?;
                conform::types(schema, &inputs)?;
                let wanted: Vec<bool> = node.outputs.iter().map(|name| !name.is_empty()).collect();
                let host = BodyHost {
                    frame: self,
                    scope,
                    index,
                };
                let call = Call::new(schema, &inputs, &attributes, &wanted, &host);
                let outputs = (version.eval)(&call)?;
                let missing = (0..wanted.len())
                    .find(|&index| wanted[index] && !matches!(outputs.get(index), Some(Some(_))));
                missing.map_or(Ok(outputs), |index| Err(NodeProblem::MissingOutput(index)))
            }
            Binding::Function(function) => self.function(&function, inputs, &attributes),
        }
    }

    /// Replaces references to attributes of the function around; one that was not given and has no default is left out.
    fn resolve<'n>(&self, attributes: &'n [Attribute]) -> Result<Cow<'n, [Attribute]>, NodeProblem> {
        let is_reference = |attribute: &Attribute| matches!(attribute.value, AttributeValue::Reference(_));
        if !attributes.iter().any(is_reference) {
            return Ok(Cow::Borrowed(attributes));
        }
        let mut resolved = Vec::with_capacity(attributes.len());
        for attribute in attributes {
            match (&attribute.value, self.attributes) {
                (AttributeValue::Reference(name), Some(given)) => {
                    if let Some(found) = given.iter().find(|candidate| candidate.name == *name) {
                        resolved.push(Attribute {
                            name: attribute.name.clone(),
                            value: found.value.clone(),
                        });
                    }
                }
                (AttributeValue::Reference(name), None) => {
                    return Err(NodeProblem::UnboundReference(name.clone()));
                }
                _ => resolved.push(attribute.clone()),
            }
        }
        Ok(Cow::Owned(resolved))
    }

    fn function(
        &self,
        function: &Function,
        inputs: Vec<Option<Value>>,
        attributes: &[Attribute],
    ) -> Result<Outputs, NodeProblem> {
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
        for (name, value) in function.inputs.iter().zip(inputs) {
            if let Some(value) = value {
                scope.set(name, value);
            }
        }
        let frame = Frame {
            graph: None,
            imports: &function.opset_imports,
            attributes: Some(&given),
            depth: self.depth + 1,
            ..*self
        };
        frame
            .nodes(&function.nodes, &mut scope, |_, _| {})
            .map_err(inside)?;
        Ok(function
            .outputs
            .iter()
            .map(|name| scope.get(name).cloned())
            .collect())
    }

    fn body(
        &self,
        body: &Graph,
        inputs: Vec<Option<Value>>,
        outer: &Scope<'_>,
    ) -> Result<Outputs, InterpretError> {
        if inputs.len() != body.inputs.len() {
            return Err(InterpretError::BodyArity {
                listed: body.inputs.len(),
                given: inputs.len(),
            });
        }
        let mut scope = Scope::new(Some(outer));
        for (name, value) in &body.initializers {
            scope.set(name, value.clone());
        }
        for (info, value) in body.inputs.iter().zip(inputs) {
            if let Some(value) = value {
                scope.set(&info.name, declared(value, info.value_type.as_ref()));
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
        body.outputs.iter().map(output).collect()
    }
}

/// What an operator sees of the interpreter.
struct BodyHost<'a> {
    frame: &'a Frame<'a>,
    scope: &'a Scope<'a>,
    /// The position of the node in its graph or function.
    index: usize,
}

impl Host for BodyHost<'_> {
    fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Outputs, OpError> {
        self.frame
            .body(body, inputs, self.scope)
            .map_err(|error| OpError::Body(Box::new(error)))
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
