//! Imports the nodes of one graph.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{AttributeValue, Graph as FileGraph, Node as FileNode, topological_order};
use onnx_schema::OperatorSchema;
use onnx_tensor::{Value, ValueType};

use super::flex_attention::is_flex_attention;
use super::scope::Scope;
use super::{ImportError, Importer, bind, values};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::ir::{Node, Op, Operator, ValueId, bounded};
use crate::ops::{Form, Row, densified, guard};
use crate::size::count;

/// The maximum number of nodes after function expansion, including bodies; each call counts as one node too.
pub const MAX_NODES: usize = 1_000_000;

/// Returns an initializer as a tensor in row-major order; a sparse one becomes dense.
pub fn dense(name: &str, value: &Value) -> Result<Value, ImportError> {
    let tensor = match value {
        Value::Tensor(tensor) => count(tensor.shape()).map(|_| tensor.to_standard()),
        Value::Sparse(sparse) => densified(sparse),
        other => invalid(format!("expected a tensor, got {}", other.value_type())),
    };
    tensor
        .map(Value::Tensor)
        .map_err(|problem| ImportError::Initializer {
            name: name.to_owned(),
            problem,
        })
}

/// The attribute values of a call, for references in the function's body.
pub type Actual = BTreeMap<String, AttributeValue>;

impl Importer<'_> {
    /// Imports the nodes of a graph of the file; declared types of inner values are kept.
    pub fn nodes(&mut self, scope: &mut Scope, graph: &FileGraph) -> Result<(), ImportError> {
        let first = scope.graph.values.len();
        self.all(scope, &graph.nodes, None)?;
        let declared = graph.value_info.iter().chain(&graph.outputs);
        let declared: BTreeMap<&str, &ValueType> = declared
            .filter_map(|info| Some((info.name.as_str(), info.value_type.as_ref()?)))
            .collect();
        for value in &mut scope.graph.values[first..] {
            if value.known.is_none() {
                value.known = declared
                    .get(value.name.as_str())
                    .map(|&known| bounded(known.clone()));
            }
        }
        Ok(())
    }

    /// Imports all nodes of a graph, body or function in topological order; exporters also write other
    /// orders. If there is no such order, the order of the file is used, and the first undefined name is the
    /// error.
    pub fn all(
        &mut self,
        scope: &mut Scope,
        nodes: &[FileNode],
        actual: Option<&Actual>,
    ) -> Result<(), ImportError> {
        let mut order = topological_order(nodes);
        if order.len() != nodes.len() {
            order = (0..nodes.len()).collect();
        }
        for index in order {
            self.node(scope, &nodes[index], actual)?;
        }
        Ok(())
    }

    /// Imports one node. `actual` are the attributes of the call if the node is in a function body.
    pub fn node(
        &mut self,
        scope: &mut Scope,
        node: &FileNode,
        actual: Option<&Actual>,
    ) -> Result<(), ImportError> {
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(ImportError::TooManyNodes(MAX_NODES));
        }
        let given = given_attributes(node, actual);
        if let Some(function) = self.local_function(node) {
            return self.call(scope, node, &function, given);
        }
        let resolved = onnx_schema::resolve(&scope.imports, &node.domain, &node.operator);
        let schema = resolved.map_err(|problem| ImportError::Unresolved {
            node: node.label().to_owned(),
            problem,
        })?;
        if !schema.is_contrib() {
            values::check(schema.name, &given).map_err(|problem| bind::node_error(node, schema, problem))?;
        }
        if let Some(operator) = bind::operator(node, schema, given.clone())? {
            return self.plain_or_control(scope, node, operator, actual);
        }
        let guarded;
        let node = match guard(schema) {
            Some(row) => {
                guarded = guarded_node(scope, node, schema, row, &given)?;
                &guarded
            }
            None => node,
        };
        if is_flex_attention(schema) {
            return self.flex_attention(scope, node, schema, &given, actual);
        }
        let opset = scope.imports.get(schema.domain).copied().unwrap_or_default();
        if let Some(function) = super::function::of_schema(schema, opset)? {
            return self.call(scope, node, &function, with_defaults(given, schema));
        }
        let problem = Problem::Unsupported("this operator version is not implemented".to_owned());
        Err(bind::node_error(node, schema, problem).into())
    }

    fn plain_or_control(
        &mut self,
        scope: &mut Scope,
        node: &FileNode,
        operator: Operator,
        actual: Option<&Actual>,
    ) -> Result<(), ImportError> {
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for name in &node.inputs {
            inputs.push(scope.read(name)?);
        }
        let op = match operator.row.form {
            Form::Plain(_) | Form::Function(_) | Form::Composed(_) => Op::Plain(operator),
            Form::Branch => {
                let branches = self.branches(scope, &operator, &mut inputs, actual)?;
                Op::If { operator, branches }
            }
            Form::Repeat(_) => {
                let own_inputs = inputs.len();
                let body = self.only_body(scope, &operator, &mut inputs, actual)?;
                Op::Repeat {
                    operator,
                    own_inputs,
                    body,
                }
            }
        };
        let outputs = node
            .outputs
            .iter()
            .map(|name| optional(name).map(|name| scope.define(name, None)));
        let outputs: Vec<Option<ValueId>> = outputs.collect();
        scope.graph.nodes.push(Node {
            name: node.label().to_owned(),
            op,
            inputs,
            outputs,
        });
        Ok(())
    }
}

/// Adds a guard, and returns the node with the result of the guard as its first input.
fn guarded_node(
    scope: &mut Scope,
    node: &FileNode,
    schema: &'static OperatorSchema,
    row: &'static Row,
    given: &Actual,
) -> Result<FileNode, ImportError> {
    bind::check(node, schema, given).map_err(|problem| bind::node_error(node, schema, problem))?;
    let mut inputs = Vec::with_capacity(node.inputs.len());
    for name in &node.inputs {
        inputs.push(scope.read(name)?);
    }
    let mut rest = node.clone();
    rest.inputs[0] = format!("{}/{}", node.label(), node.inputs[0]);
    let known = inputs[0].and_then(|id| scope.graph.known(id).cloned());
    let checked = scope.define(&rest.inputs[0], known);
    let operator = Operator {
        schema,
        row,
        attributes: Arc::new(Attributes::new(BTreeMap::new(), schema)),
    };
    scope.graph.nodes.push(Node {
        name: node.label().to_owned(),
        op: Op::Plain(operator),
        inputs,
        outputs: vec![Some(checked)],
    });
    Ok(rest)
}

pub fn optional(name: &str) -> Option<&str> {
    (!name.is_empty()).then_some(name)
}

/// Returns the attributes of a node; a reference to an attribute that the caller omits is omitted.
fn given_attributes(node: &FileNode, actual: Option<&Actual>) -> BTreeMap<String, AttributeValue> {
    let resolved = node.attributes.iter().filter_map(|attribute| {
        let value = match &attribute.value {
            AttributeValue::Reference(name, _) => actual?.get(name)?.clone(),
            value => value.clone(),
        };
        Some((attribute.name.clone(), value))
    });
    resolved.collect()
}

fn with_defaults(given: Actual, schema: &onnx_schema::OperatorSchema) -> Actual {
    let all = crate::attributes::Attributes::new(given, schema);
    all.iter()
        .map(|(name, value)| (name.to_owned(), value.clone()))
        .collect()
}
