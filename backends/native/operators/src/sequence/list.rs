//! Sequences.

use onnx_tensor::{DType, Sequence, Tensor, Value, ValueType};

use super::super::call::{axis, extents, int64s, one};
use super::super::movement::reshape;
use super::super::shaping::{concat, split};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::SCALAR;
use crate::shapes::Shapes::Open;
use crate::size::has_room;

pub const ROWS: &[Row] = &[
    row(
        "SequenceEmpty",
        11,
        Open("its result is a sequence", |_| None),
        |call| {
            let dtype = call.attributes.dtype("dtype")?.unwrap_or(DType::Float);
            Ok(vec![sequence(ValueType::tensor(dtype), Vec::new())])
        },
    ),
    row(
        "SequenceConstruct",
        11,
        Open("its result is a sequence", |_| None),
        |call| {
            let values: Vec<Value> = call.inputs.iter().flatten().map(|&value| value.clone()).collect();
            let element = ValueType::tensor(call.tensor(0)?.dtype());
            values.iter().try_for_each(|value| fits(&element, value))?;
            Ok(vec![sequence(element, values)])
        },
    ),
    row(
        "SequenceAt",
        11,
        Open("the types of sequences have no shapes here", |_| None),
        |call| {
            let list = list(call)?;
            let at = position(call.int(1)?, list.values.len(), 0)?;
            Ok(vec![list.values[at].clone()])
        },
    ),
    row(
        "SequenceInsert",
        11,
        Open("its result is a sequence", |_| None),
        |call| {
            let list = list(call)?;
            fits(&list.element, call.value(1)?)?;
            let mut values = list.values.clone();
            let at = match call.find(2) {
                Some(_) => position(call.int(2)?, values.len(), 1)?,
                None => values.len(),
            };
            values.insert(at, call.value(1)?.clone());
            Ok(vec![sequence(list.element.clone(), values)])
        },
    ),
    row(
        "SequenceErase",
        11,
        Open("its result is a sequence", |_| None),
        |call| {
            let list = list(call)?;
            let mut values = list.values.clone();
            let last = -1;
            let at = if call.find(1).is_some() {
                call.int(1)?
            } else {
                last
            };
            values.remove(position(at, values.len(), 0)?);
            Ok(vec![sequence(list.element.clone(), values)])
        },
    ),
    row("SequenceLength", 11, SCALAR, |call| {
        let length = i64::try_from(list(call)?.values.len()).unwrap_or(i64::MAX);
        one(Tensor::scalar(length))
    }),
    row(
        "ConcatFromSequence",
        11,
        Open("the types of sequences have no shapes here", |_| None),
        concat_from_sequence,
    ),
    row(
        "SplitToSequence",
        11,
        Open("its result is a sequence", |_| None),
        split_to_sequence,
    ),
];

fn sequence(element: ValueType, values: Vec<Value>) -> Value {
    Value::Sequence(Sequence { element, values })
}

/// Fails if a sequence of this element type cannot hold the value.
fn fits(element: &ValueType, value: &Value) -> Result<(), Problem> {
    let found = value.value_type();
    if element.same_kind(&found) {
        Ok(())
    } else {
        invalid(format!("a sequence of {element} cannot hold {found}"))
    }
}

fn list<'a>(call: &Call<'a>) -> Result<&'a Sequence, Problem> {
    match call.value(0)? {
        Value::Sequence(sequence) => Ok(sequence),
        Value::Optional {
            value: Some(inside), ..
        } => match &**inside {
            Value::Sequence(sequence) => Ok(sequence),
            other => invalid(format!("expected a sequence, got {}", other.value_type())),
        },
        other => invalid(format!("expected a sequence, got {}", other.value_type())),
    }
}

/// Resolves a position in a list, which counts from the end if negative; with `beyond` 1, the end itself is
/// valid.
pub fn position(at: i64, length: usize, beyond: usize) -> Result<usize, Problem> {
    let resolved = if at < 0 {
        at.saturating_add(length as i64)
    } else {
        at
    };
    let resolved = usize::try_from(resolved).ok().filter(|&at| at < length + beyond);
    resolved.ok_or_else(|| {
        Problem::Invalid(format!(
            "position {at} is out of range for a sequence of {length}"
        ))
    })
}

fn concat_from_sequence(call: &Call) -> Outcome {
    let tensors: Option<Vec<&Tensor>> = list(call)?.values.iter().map(Value::as_tensor).collect();
    let Some(tensors) = tensors else {
        return invalid("the sequence contains a value that is not a tensor");
    };
    let along = call.attributes.int("axis")?;
    if !call.attributes.flag("new_axis")? {
        return one(concat(&tensors, along)?);
    }
    let rank = tensors.first().map_or(0, |tensor| tensor.rank());
    let at = axis(along, rank + 1)?;
    let widened = |tensor: &&Tensor| {
        let mut shape = tensor.shape().to_vec();
        if at > shape.len() {
            return invalid("the tensors of the sequence differ in rank");
        }
        shape.insert(at, 1);
        reshape(tensor, &shape)
    };
    let widened = tensors.iter().map(widened).collect::<Result<Vec<_>, _>>()?;
    one(concat(&widened.iter().collect::<Vec<_>>(), at as i64)?)
}

/// Returns the lengths of the parts of SplitToSequence: those given, of one given length, or 1.
pub fn lengths_of_parts(total: usize, given: Option<&Tensor>) -> Result<Vec<usize>, Problem> {
    let Some(tensor) = given else {
        return Ok(vec![1; total]);
    };
    let lengths = extents(&int64s(tensor)?)?;
    match lengths[..] {
        [0] if tensor.rank() == 0 => invalid("the length of a part is 0"),
        [length] if tensor.rank() == 0 => Ok((0..total.div_ceil(length))
            .map(|part| length.min(total - part * length))
            .collect()),
        _ => Ok(lengths),
    }
}

/// Without lengths, each part has one element; `keepdims` 0 removes its axis.
fn split_to_sequence(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let at = axis(call.attributes.int("axis")?, tensor.rank())?;
    let total = tensor.shape()[at];
    let given = call.find_tensor(1)?;
    let lengths = lengths_of_parts(total, given)?;
    // Many small tensors take far more memory than their elements.
    has_room(lengths.len().saturating_mul(16))?;
    let mut parts = split(tensor, at, &lengths)?;
    if given.is_none() && call.attributes.int("keepdims")? == 0 {
        let mut shape = tensor.shape().to_vec();
        shape.remove(at);
        parts = parts
            .iter()
            .map(|part| reshape(part, &shape))
            .collect::<Result<_, _>>()?;
    }
    let element = ValueType::tensor(tensor.dtype());
    Ok(vec![sequence(
        element,
        parts.into_iter().map(Value::Tensor).collect(),
    )])
}
