//! Forms with inputs as initializers, or initializers as inputs.
//!
//! Since IR 4 an initializer need not be an input; if it is, it is the default of that input (IR.md,
//! Graphs). Before, every initializer is an input.

use std::sync::Arc;

use onnx_model::{Graph, Model, ValueInfo};
use onnx_tensor::{Tensor, TensorError, Value, ValueType, dispatch};

use super::{Changed, NotApplicable, Set, Subject};

/// The first IR version in which an initializer need not be an input.
const FREE_INITIALIZERS: i64 = 4;

/// Makes every input an initializer.
pub(super) fn all(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let listed = subject.model.ir_version < FREE_INITIALIZERS;
    fixed(subject, |_| true, listed)
}

/// Makes one input an initializer.
pub(super) fn one(subject: &Subject<'_>, number: usize) -> Result<Changed, NotApplicable> {
    let listed = subject.model.ir_version < FREE_INITIALIZERS;
    fixed(subject, |index| index == number, listed)
}

/// Gives every input its value as default.
pub(super) fn defaults(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    if subject.model.ir_version < FREE_INITIALIZERS {
        return Err(NotApplicable::InitializersAreInputs);
    }
    fixed(subject, |_| true, true)
}

/// Makes the chosen inputs of the first data set initializers and removes their values from the data
/// set; with `listed` they remain graph inputs.
fn fixed(
    subject: &Subject<'_>,
    chosen: impl Fn(usize) -> bool,
    listed: bool,
) -> Result<Changed, NotApplicable> {
    let set = first(subject)?;
    let mut graph = Graph::clone(&subject.model.graph);
    let mut fed = Vec::new();
    for (index, (name, value)) in set.inputs.iter().enumerate() {
        if !chosen(index) {
            fed.push((name.clone(), value.clone()));
            continue;
        }
        tensor(&graph, name, value)?;
        set_initializer(&mut graph, name, value.clone());
        if !listed {
            graph.inputs.retain(|input| input.name != *name);
        }
    }
    Ok(changed(subject, graph, Set { inputs: fed, ..set }))
}

/// Gives every input a default with another value: the elements in reverse order.
pub(super) fn overridden(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    if subject.model.ir_version < FREE_INITIALIZERS {
        return Err(NotApplicable::InitializersAreConstant);
    }
    let set = first(subject)?;
    let mut graph = Graph::clone(&subject.model.graph);
    for (name, value) in &set.inputs {
        let tensor = tensor(&graph, name, value)?;
        let other = reversed(tensor).map_err(|_| NotApplicable::InputIsNoTensor)?;
        set_initializer(&mut graph, name, Value::Tensor(other));
    }
    Ok(changed(subject, graph, set))
}

/// Makes every initializer an input with a value.
pub(super) fn none(subject: &Subject<'_>) -> Result<Changed, NotApplicable> {
    let mut graph = Graph::clone(&subject.model.graph);
    let initializers = std::mem::take(&mut graph.initializers);
    // A sparse initializer represents a dense value; a file of a data set cannot store it in its sparse
    // form.
    let dense = |(_, value): &(String, Value)| matches!(value, Value::Tensor(_));
    if initializers.is_empty() || !initializers.iter().all(dense) {
        return Err(NotApplicable::NoInitializer);
    }
    let mut sets = subject.sets.to_vec();
    for (name, value) in initializers {
        if !graph.inputs.iter().any(|input| input.name == name) {
            graph.inputs.push(ValueInfo {
                name: name.clone(),
                value_type: Some(value.value_type()),
            });
        }
        for set in &mut sets {
            if !set.inputs.iter().any(|(known, _)| *known == name) {
                set.inputs.push((name.clone(), value.clone()));
            }
        }
    }
    Ok(Changed {
        model: with_graph(subject.model, graph),
        sets,
    })
}

/// The first data set: a model can hold the values of one.
fn first(subject: &Subject<'_>) -> Result<Set, NotApplicable> {
    let set = subject.sets.first().filter(|set| !set.inputs.is_empty());
    set.cloned().ok_or(NotApplicable::NoTensorInput)
}

/// The tensor for an input of type tensor.
fn tensor<'v>(graph: &Graph, name: &str, value: &'v Value) -> Result<&'v Tensor, NotApplicable> {
    let declared = graph.inputs.iter().find(|input| input.name == name);
    let of_tensors = declared.is_some_and(|input| matches!(input.value_type, Some(ValueType::Tensor { .. })));
    match value {
        Value::Tensor(tensor) if of_tensors => Ok(tensor),
        _ => Err(NotApplicable::InputIsNoTensor),
    }
}

fn set_initializer(graph: &mut Graph, name: &str, value: Value) {
    graph.initializers.retain(|(known, _)| known != name);
    graph.initializers.push((name.to_owned(), value));
}

fn reversed(tensor: &Tensor) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => {
        let mut elements = tensor.to_vec::<T>()?;
        elements.reverse();
        Tensor::new(tensor.shape(), elements)
    })
}

fn changed(subject: &Subject<'_>, graph: Graph, set: Set) -> Changed {
    Changed {
        model: with_graph(subject.model, graph),
        sets: vec![set],
    }
}

/// The model with another main graph.
pub(super) fn with_graph(model: &Model, graph: Graph) -> Model {
    Model {
        graph: Arc::new(graph),
        ..model.clone()
    }
}
