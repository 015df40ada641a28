//! The iterations of a Scan, of all versions: 8 has a batch axis and a sequence axis in each value, later
//! ones an axis and a direction for each scan input.

use std::collections::BTreeMap;

use ndarray::Axis;
use onnx_model::{AttributeValue, Node};
use onnx_tensor::{Tensor, TensorError, Value, dispatch};

use super::repeat::{ITERATIONS, Repeated};
use super::{body, value, values};
use crate::cut::Part;

/// A scan input: a tensor whose slices along an axis are the inputs of the iterations.
struct Scanned {
    tensor: Tensor,
    axis: usize,
    reversed: bool,
}

/// The iterations of a Scan: one entry, or one for each element of the batch. `None` if a value is
/// unknown.
pub(super) fn scans(part: &Part, node: &Node) -> Option<Vec<Repeated>> {
    let AttributeValue::Int(count) = node.attribute("num_scan_inputs")? else {
        return None;
    };
    let count = usize::try_from(*count).ok()?;
    match part.model.opset_imports.get("") {
        Some(opset) if *opset < 9 => batched(part, node, count),
        _ => Some(vec![unbatched(part, node, count)?]),
    }
}

/// The entries of a list attribute; all 0 if the node does not set it.
fn entries(node: &Node, name: &str, count: usize) -> Option<Vec<i64>> {
    match node.attribute(name) {
        Some(AttributeValue::Ints(values)) => Some(values.clone()).filter(|values| values.len() == count),
        Some(_) => None,
        None => Some(vec![0; count]),
    }
}

fn unbatched(part: &Part, node: &Node, count: usize) -> Option<Repeated> {
    let all = values(part, &node.inputs)?;
    let (states, tensors) = all.split_at_checked(all.len().checked_sub(count)?)?;
    let axes = entries(node, "scan_input_axes", count)?;
    let directions = entries(node, "scan_input_directions", count)?;
    let scanned = tensors.iter().zip(axes).zip(directions);
    let scanned: Vec<Scanned> = scanned
        .map(|((value, axis), direction)| {
            let tensor = value.as_tensor()?.clone();
            let rank = i64::try_from(tensor.shape().len()).ok()?;
            let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
            Some(Scanned {
                tensor,
                axis: usize::try_from(axis).ok()?,
                reversed: direction == 1,
            })
        })
        .collect::<Option<_>>()?;
    let first = scanned.first()?;
    let length = *first.tensor.shape().get(first.axis)?;
    repeated(node, String::new(), states.to_vec(), &scanned, length)
}

fn batched(part: &Part, node: &Node, count: usize) -> Option<Vec<Repeated>> {
    let (lengths, names) = node.inputs.split_first()?;
    let all = values(part, names)?;
    let (states, tensors) = all.split_at_checked(all.len().checked_sub(count)?)?;
    let directions = entries(node, "directions", count)?;
    let shape = tensors.first()?.as_tensor()?.shape().to_vec();
    let [batch, longest, ..] = *shape.as_slice() else {
        return None;
    };
    let lengths: Vec<i64> = if lengths.is_empty() {
        vec![i64::try_from(longest).ok()?; batch]
    } else {
        value(part, lengths)?.as_tensor()?.to_vec().ok()?
    };
    let one = |(index, length): (usize, &i64)| {
        let of_batch = |value: &Value| select(value.as_tensor()?, 0, index);
        let states: Option<Vec<Value>> = states.iter().map(|state| Some(of_batch(state)?.into())).collect();
        let scanned = tensors.iter().zip(&directions).map(|(value, direction)| {
            Some(Scanned {
                tensor: of_batch(value)?,
                axis: 0,
                reversed: *direction == 1,
            })
        });
        let scanned: Vec<Scanned> = scanned.collect::<Option<_>>()?;
        let length = usize::try_from(*length).ok()?;
        repeated(node, format!("batch {index}, "), states?, &scanned, length)
    };
    lengths.iter().enumerate().map(one).collect()
}

/// The iterations over slices; the states are the first inputs of the body.
fn repeated(
    node: &Node,
    place: String,
    states: Vec<Value>,
    scanned: &[Scanned],
    length: usize,
) -> Option<Repeated> {
    let count = states.len();
    let step = |step: usize| -> Option<BTreeMap<usize, Value>> {
        let slices = scanned.iter().enumerate().map(|(at, input)| {
            let position = if input.reversed { length - 1 - step } else { step };
            Some((count + at, select(&input.tensor, input.axis, position)?.into()))
        });
        slices.collect()
    };
    Some(Repeated {
        place,
        body: body(node)?,
        first: states.into_iter().enumerate().collect(),
        each: (0..length.min(ITERATIONS)).map(step).collect::<Option<_>>()?,
        carried: (0..count).map(|state| (state, state)).collect(),
        goes_on: None,
    })
}

/// The slice at a position of an axis; `None` if the tensor has no such position.
fn select(tensor: &Tensor, axis: usize, position: usize) -> Option<Tensor> {
    if position >= *tensor.shape().get(axis)? {
        return None;
    }
    slice(tensor, axis, position).ok()
}

fn slice(tensor: &Tensor, axis: usize, position: usize) -> Result<Tensor, TensorError> {
    dispatch!(all, tensor.dtype(), T => {
        let array = tensor.array::<T>()?;
        Ok(Tensor::from(array.index_axis(Axis(axis), position).to_owned().into_shared()))
    })
}
