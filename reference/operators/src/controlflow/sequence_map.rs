//! SequenceMap — runs a body for each element of a sequence. Further sequences are iterated in parallel;
//! other values are passed unchanged.
//!
//! Interpretation: an output sequence without elements takes its element type from the declaration of the
//! body; without a declaration it is undefined.

use onnx_model::Graph;
use onnx_tensor::{Sequence, Value};

use super::body;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::types;

pub const OP: OpDef = op("SequenceMap", &[v(17, First, map)]);

fn map(call: &Call<'_>) -> Result<Outputs, OpError> {
    let graph = call.graph("body")?;
    let count = call.sequence(0)?.values.len();
    let inputs = (0..call.input_count())
        .map(|index| call.value(index))
        .collect::<Result<Vec<_>, _>>()?;
    body::check_inputs(graph, inputs.len())?;
    let mut results: Vec<Vec<Value>> = vec![Vec::with_capacity(count); graph.outputs.len()];
    for sample in 0..count {
        call.step()?;
        let arguments = inputs
            .iter()
            .map(|input| at(input, sample, count))
            .collect::<Result<Vec<_>, _>>()?;
        for (result, value) in results.iter_mut().zip(body::run(call, graph, arguments)?) {
            result.push(value);
        }
    }
    let sequences = results
        .into_iter()
        .enumerate()
        .map(|(index, values)| sequence(graph, index, values));
    body::outputs(call, sequences.collect::<Result<Vec<_>, _>>()?)
}

/// The value of `input` for this sample.
fn at(input: &Value, sample: usize, count: usize) -> Result<Value, OpError> {
    match input {
        Value::Sequence(sequence) if sequence.values.len() != count => Err(OpError::invalid(format!(
            "a sequence has {} elements, but the first has {count}",
            sequence.values.len()
        ))),
        Value::Sequence(sequence) => Ok(sequence.values[sample].clone()),
        other => Ok(other.clone()),
    }
}

fn sequence(graph: &Graph, index: usize, values: Vec<Value>) -> Result<Value, OpError> {
    let declared = graph.outputs.get(index).and_then(|info| info.value_type.as_ref());
    let element = match (values.first(), declared) {
        (Some(first), _) => types::element(first),
        (None, Some(declared)) => types::unshaped(declared),
        (None, None) => {
            return Err(OpError::undefined(format!(
                "output {index} has no elements, and the body does not declare its type"
            )));
        }
    };
    match values
        .iter()
        .find(|value| !element.same_kind(&value.value_type()))
    {
        Some(other) => {
            let found = other.value_type();
            Err(OpError::invalid(format!(
                "output {index} holds {element} and {found}"
            )))
        }
        None => Ok(Value::Sequence(Sequence { element, values })),
    }
}
