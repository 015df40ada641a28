//! Values at the start of a graph: initializers and fed inputs.

use onnx_model::{Graph, read_stored};
use onnx_tensor::{Value, ValueType};

use crate::error::{InterpretError, StoredError};
use crate::limits::Budget;
use crate::origin::Origin;
use crate::scope::Scope;

/// Binds the initializers and the fed inputs of the main graph.
pub(crate) fn feed(
    graph: &Graph,
    inputs: &[(String, Value)],
    scope: &mut Scope<'_>,
    budget: &Budget,
) -> Result<(), InterpretError> {
    for (name, value) in &graph.initializers {
        set_initial(name, value, scope, budget)?;
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
        set_input(name, value, scope)?;
    }
    for info in &graph.inputs {
        if scope.get(&info.name).is_none() {
            match &info.value_type {
                // The official files cannot express an absent optional: it is omitted.
                Some(ValueType::Optional(element)) => {
                    let absent = Value::Optional {
                        element: (**element).clone(),
                        value: None,
                    };
                    set_input(&info.name, absent, scope)?;
                }
                _ => return Err(InterpretError::MissingInput(info.name.clone())),
            }
        }
    }
    Ok(())
}

/// Wraps a plain value for a declared optional, because the official files store the bare element.
pub(crate) fn declared(value: Value, value_type: Option<&ValueType>) -> Value {
    match (value_type, &value) {
        (_, Value::Optional { .. }) => value,
        (Some(ValueType::Optional(element)), _) => Value::Optional {
            element: (**element).clone(),
            value: Some(Box::new(value)),
        },
        _ => value,
    }
}

/// The value, whose elements are read if they are still in a file.
pub(crate) fn elements(name: &str, value: &Value) -> Result<Value, StoredError> {
    match value {
        Value::Stored(stored) => read_stored(stored)
            .map(Value::Tensor)
            .map_err(|source| StoredError {
                name: name.to_owned(),
                source: Box::new(source),
            }),
        value => Ok(value.clone()),
    }
}

fn set_input(name: &str, value: Value, scope: &mut Scope<'_>) -> Result<(), InterpretError> {
    scope.set(name, value).map_err(|problem| InterpretError::Input {
        name: name.to_owned(),
        problem,
    })?;
    scope.set_origin(name, Origin::Exact);
    Ok(())
}

/// Binds an initializer as a constant.
pub(crate) fn set_initial(
    name: &str,
    value: &Value,
    scope: &mut Scope<'_>,
    budget: &Budget,
) -> Result<(), InterpretError> {
    let bound = scope.set(name, initial(name, value, budget)?);
    scope.set_origin(name, Origin::Settled);
    bound.map_err(|problem| InterpretError::Initializer {
        name: name.to_owned(),
        problem,
    })
}

/// The value of an initializer. A sparse one is converted to dense, because no operator accepts sparse
/// tensors.
fn initial(name: &str, value: &Value, budget: &Budget) -> Result<Value, InterpretError> {
    let Value::Sparse(sparse) = value else {
        return Ok(value.clone());
    };
    let reserved = budget.reserve(&sparse.shape, sparse.values.dtype());
    let dense = reserved.and_then(|()| Ok(sparse.to_dense()?));
    dense
        .map(Value::Tensor)
        .map_err(|problem| InterpretError::Initializer {
            name: name.to_owned(),
            problem,
        })
}
