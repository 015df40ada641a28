//! Runs the bodies of If, Loop, Scan and SequenceMap and checks their signatures.

use onnx_model::{Graph, ValueInfo};
use onnx_tensor::{Tensor, Value, ValueType};

use crate::frame::{Call, OpError, Outputs};
use crate::shared::types;

/// Runs `body` once and returns one value for each of its outputs. If the body declares types for its
/// inputs and outputs, the values must have them; declared shapes are not checked.
pub(super) fn run(call: &Call<'_>, body: &Graph, inputs: Vec<Value>) -> Result<Vec<Value>, OpError> {
    for (info, value) in body.inputs.iter().zip(&inputs) {
        check_declared(info, value, "input")?;
    }
    let outputs = call.run_body(body, inputs.into_iter().map(Some).collect())?;
    let outputs: Vec<Value> = outputs.into_iter().flatten().collect();
    for (info, value) in body.outputs.iter().zip(&outputs) {
        check_declared(info, value, "output")?;
    }
    if outputs.len() == body.outputs.len() {
        Ok(outputs)
    } else {
        Err(OpError::invalid(format!(
            "the body lists {} outputs and returned {}",
            body.outputs.len(),
            outputs.len()
        )))
    }
}

fn check_declared(info: &ValueInfo, value: &Value, what: &str) -> Result<(), OpError> {
    let Some(declared) = &info.value_type else {
        return Ok(());
    };
    let found = value.value_type();
    // The interpreter wraps a value that is declared as an optional.
    let inside = matches!(declared, ValueType::Optional(element) if element.same_kind(&found));
    if inside || declared.same_kind(&found) {
        return Ok(());
    }
    let name = &info.name;
    Err(OpError::invalid(format!(
        "{what} `{name}` of the body is declared as {declared} but is {found}"
    )))
}

/// Checks that a body lists `given` inputs.
pub(super) fn check_inputs(body: &Graph, given: usize) -> Result<(), OpError> {
    let listed = body.inputs.len();
    if listed == given {
        return Ok(());
    }
    Err(OpError::invalid(format!(
        "the body lists {listed} inputs, the operator passes {given}"
    )))
}

/// The number of outputs that `body` lists after the first `fixed`.
pub(super) fn outputs_beyond(body: &Graph, fixed: usize) -> Result<usize, OpError> {
    let listed = body.outputs.len();
    listed.checked_sub(fixed).ok_or_else(|| {
        OpError::invalid(format!(
            "the body lists {listed} outputs, the operator needs at least {fixed}"
        ))
    })
}

/// `values` as outputs of the node. The node may omit trailing outputs. The types must be allowed by the
/// operator version.
pub(super) fn outputs(call: &Call<'_>, values: Vec<Value>) -> Result<Outputs, OpError> {
    let (listed, made) = (call.output_count(), values.len());
    if listed > made {
        return Err(OpError::invalid(format!(
            "the node lists {listed} outputs, the body returns {made}"
        )));
    }
    for (index, value) in values.iter().enumerate().take(listed) {
        if call.wants(index) {
            types::check_output(call, index, &value.value_type())?;
        }
    }
    Ok(values.into_iter().take(listed).map(Some).collect())
}

/// The only element of a bool tensor.
pub(super) fn condition(value: &Value) -> Result<bool, OpError> {
    match value {
        Value::Tensor(Tensor::Bool(array)) if array.len() == 1 => Ok(array.iter().all(|&holds| holds)),
        other => {
            let found = other.value_type();
            Err(OpError::invalid(format!(
                "the condition must be a tensor with one bool, got {found}"
            )))
        }
    }
}
