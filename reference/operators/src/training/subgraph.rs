//! The part of a graph that Gradient differentiates: from its inputs and the constants of the graph to `y`.

use std::collections::{HashMap, HashSet};

use onnx_model::{AttributeValue, Graph, Node, ValueInfo};
use onnx_tensor::{DType, Tensor, Value};

use super::gradient;
use super::rules;
use super::tape::{Tape, Var};
use crate::frame::{Call, Enclosing, OpError};
use crate::shared::reals;

/// A value inside the differentiated part.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "few exist at once, and all are passed by reference"
)]
pub(super) enum Operand {
    /// A value that may depend on a differentiation variable, with its type in the graph.
    Var(Var, DType),
    /// A value that does not.
    Value(Value),
}

impl Operand {
    /// The value rounded to its type in the graph.
    pub(super) fn value(&self, tape: &Tape<'_>) -> Result<Value, OpError> {
        match self {
            Operand::Value(value) => Ok(value.clone()),
            Operand::Var(var, dtype) => {
                let array = ndarray::ArrayD::from_shape_vec(tape.shape(*var), tape.values(*var).to_vec())?;
                Ok(reals::narrow(array, *dtype)?.into())
            }
        }
    }

    /// The operand as an array on the tape. A plain value becomes a constant.
    pub(super) fn var(&self, tape: &mut Tape<'_>) -> Result<Var, OpError> {
        match self {
            Operand::Var(var, _) => Ok(*var),
            Operand::Value(value) => place(tape, value, false),
        }
    }
}

/// A float tensor as a leaf of the tape.
pub(super) fn place(tape: &mut Tape<'_>, value: &Value, varies: bool) -> Result<Var, OpError> {
    let tensor = value
        .as_tensor()
        .ok_or_else(|| OpError::undefined("a derivative through a value that is not a tensor"))?;
    let array = reals::widen(tensor)?;
    Ok(tape.leaf(tensor.shape(), array.iter().copied().collect(), varies))
}

/// Values by name, starting with the inputs of Gradient.
pub(super) type Bindings = HashMap<String, Operand>;

/// Computes `y` from `bindings` with the nodes of the enclosing graph.
pub(super) fn evaluate(
    tape: &mut Tape<'_>,
    call: &Call<'_>,
    enclosing: Enclosing<'_>,
    mut bindings: Bindings,
    y: &str,
) -> Result<Operand, OpError> {
    for index in needed(enclosing, &mut bindings, y)? {
        let node = &enclosing.nodes[index];
        let operands = node
            .inputs
            .iter()
            .map(|name| bindings.get(name).cloned())
            .collect::<Vec<_>>();
        let before = Enclosing {
            nodes: &enclosing.nodes[..index],
            ..enclosing
        };
        let outputs = step(tape, call, before, node, &operands)
            .map_err(|error| OpError::Body(format!("node `{}`: {error}", node.label()).into()))?;
        for (name, output) in node.outputs.iter().zip(outputs) {
            if !name.is_empty() {
                bindings.insert(name.clone(), output);
            }
        }
    }
    bindings
        .remove(y)
        .ok_or_else(|| OpError::invalid(format!("no node before this one computes `{y}`")))
}

/// The indices of the nodes on which `y` depends, in order. Binds the constants that they read. A name that
/// is neither bound nor computed is a graph input that `xs` and `zs` omit.
fn needed(enclosing: Enclosing<'_>, bindings: &mut Bindings, y: &str) -> Result<Vec<usize>, OpError> {
    let mut open: HashSet<&str> = HashSet::from([y]);
    let mut indices = Vec::new();
    open.retain(|name| !bindings.contains_key(*name));
    for (index, node) in enclosing.nodes.iter().enumerate().rev() {
        let mut computes = false;
        for output in &node.outputs {
            computes |= open.remove(output.as_str());
        }
        if computes {
            indices.push(index);
            let names = node.inputs.iter().map(String::as_str);
            open.extend(names.filter(|name| !name.is_empty() && !bindings.contains_key(*name)));
        }
    }
    for name in open {
        let constant = enclosing.initializers.iter().find(|(known, _)| known == name);
        let (_, value) = constant.ok_or_else(|| {
            OpError::invalid(format!("`{y}` depends on `{name}`, which is not in `xs` or `zs`"))
        })?;
        bindings.insert(name.to_owned(), Operand::Value(value.clone()));
    }
    indices.reverse();
    Ok(indices)
}

/// Evaluates one node.
fn step(
    tape: &mut Tape<'_>,
    call: &Call<'_>,
    before: Enclosing<'_>,
    node: &Node,
    operands: &[Option<Operand>],
) -> Result<Vec<Operand>, OpError> {
    let varies = operands
        .iter()
        .flatten()
        .any(|operand| matches!(operand, Operand::Var(..)));
    if !varies {
        return plain(tape, call, node, operands);
    }
    if node
        .attributes
        .iter()
        .any(|attribute| matches!(attribute.value, AttributeValue::Graph(_)))
    {
        return Err(OpError::undefined(format!(
            "a derivative through the body of {}",
            node.operator
        )));
    }
    let schema = onnx_schema::resolve(before.imports, &node.domain, &node.operator)
        .map_err(|error| OpError::undefined(error.to_string()))?;
    let inputs = operands
        .iter()
        .map(|operand| operand.as_ref().map(|operand| operand.value(tape)).transpose())
        .collect::<Result<Vec<_>, _>>()?;
    let wanted: Vec<bool> = node.outputs.iter().map(|name| !name.is_empty()).collect();
    let inner = call.with_node(schema, &inputs, &node.attributes, &wanted);
    if schema.name == "Gradient" {
        return gradient::differentiate(tape, &inner, before, operands);
    }
    rules::apply(tape, &inner, node, operands)
}

/// Runs a node on the rounded values of the graph, without derivatives.
pub(super) fn plain(
    tape: &Tape<'_>,
    call: &Call<'_>,
    node: &Node,
    operands: &[Option<Operand>],
) -> Result<Vec<Operand>, OpError> {
    let values = operands
        .iter()
        .map(|operand| operand.as_ref().map(|operand| operand.value(tape)).transpose())
        .collect::<Result<Vec<_>, _>>()?;
    Ok(run(call, node, values)?.into_iter().map(Operand::Value).collect())
}

/// Runs a single node on these values.
pub(super) fn run(call: &Call<'_>, node: &Node, values: Vec<Option<Value>>) -> Result<Vec<Value>, OpError> {
    let mut alone = node.clone();
    let info = |name: &String| ValueInfo {
        name: name.clone(),
        value_type: None,
    };
    // The names are new: one value may be passed to a node twice, and names of the scope must not be read.
    let mut graph = Graph::default();
    for (index, (name, value)) in alone.inputs.iter_mut().zip(&values).enumerate() {
        *name = value.as_ref().map_or(String::new(), |_| format!("input {index}"));
        graph.inputs.extend((!name.is_empty()).then(|| info(name)));
    }
    for (index, name) in alone.outputs.iter_mut().enumerate() {
        *name = format!("output {index}");
        graph.outputs.push(info(name));
    }
    graph.nodes.push(alone);
    let outputs = call.run_body(&graph, values.into_iter().flatten().map(Some).collect())?;
    Ok(outputs.into_iter().flatten().collect())
}

/// The elements of a tensor of f64 that represent positions.
pub(super) fn positions(value: &Value) -> Result<(Vec<usize>, Vec<usize>), OpError> {
    match value {
        Value::Tensor(Tensor::Double(array)) => Ok((
            array.shape().to_vec(),
            array.iter().map(|&position| position as usize).collect(),
        )),
        other => {
            let found = other.value_type();
            Err(OpError::undefined(format!(
                "a derivative with respect to {found}"
            )))
        }
    }
}
