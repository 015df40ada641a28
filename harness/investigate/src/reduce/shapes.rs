//! Reduces extents.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use backend_api::Named;
use ndarray::{Axis, Slice};
use onnx_model::ValueInfo;
use onnx_tensor::{Tensor, TensorError, Value, dispatch};

use super::trials::Trials;
use crate::InvestigateError;
use crate::cut::Part;

/// Reduces every axis of one extent at once, in all values or only in the inputs, while the failure
/// persists.
pub(super) fn reduce(part: Part, trials: &mut Trials<'_>) -> Result<Part, InvestigateError> {
    let mut best = part;
    loop {
        let found = trials.first(candidates(&best))?;
        match found {
            Some(((), part)) => best = part,
            None => return Ok(best),
        }
    }
}

/// The models with an extent reduced, the largest extent first.
fn candidates(part: &Part) -> impl Iterator<Item = ((), Part)> {
    let ranges = extents(part)
        .into_iter()
        .rev()
        .flat_map(|extent| ranges(extent).into_iter().map(move |range| (extent, range)));
    let choices = ranges.flat_map(|choice| [true, false].map(|constants| (choice.clone(), constants)));
    choices.filter_map(|((extent, range), constants)| Some(((), sliced(part, extent, &range, constants)?)))
}

/// The extents of inputs and initializers that can be reduced.
fn extents(part: &Part) -> BTreeSet<usize> {
    let values = part.inputs.iter().chain(&part.model.graph.initializers);
    let shapes = values.filter_map(|(_, value)| Some(value.as_tensor()?.shape().to_vec()));
    shapes.flatten().filter(|extent| *extent > 1).collect()
}

/// The candidates for the rest of an axis: the first element, the last, a half.
fn ranges(extent: usize) -> Vec<Range<usize>> {
    let half = extent / 2;
    let mut ranges = vec![0..1, extent - 1..extent];
    if half > 1 {
        ranges.extend([0..half, half..extent]);
    }
    ranges
}

/// The model with every axis of an extent reduced; `None` if no value changes.
fn sliced(part: &Part, extent: usize, range: &Range<usize>, constants: bool) -> Option<Part> {
    let mut graph = onnx_model::Graph::clone(&part.model.graph);
    let mut changed = false;
    let mut cut = |(name, value): &Named| {
        let smaller = value
            .as_tensor()
            .and_then(|tensor| slice(tensor, extent, range).ok().flatten());
        changed |= smaller.is_some();
        (name.clone(), smaller.map_or_else(|| value.clone(), Value::from))
    };
    let inputs: Vec<Named> = part.inputs.iter().map(&mut cut).collect();
    if constants {
        graph.initializers = graph.initializers.iter().map(&mut cut).collect();
    }
    if !changed {
        return None;
    }
    retype(&mut graph.inputs, &inputs, &graph.initializers);
    // The extents of outputs follow from the inputs.
    for info in &mut graph.outputs {
        info.value_type = info.value_type.take().map(without_extents);
    }
    Some(Part {
        model: onnx_model::Model {
            graph: Arc::new(graph),
            ..part.model.clone()
        },
        inputs,
    })
}

/// A type with a known rank and unknown extents.
fn without_extents(value_type: onnx_tensor::ValueType) -> onnx_tensor::ValueType {
    match value_type {
        onnx_tensor::ValueType::Tensor { dtype, shape } => onnx_tensor::ValueType::Tensor {
            dtype,
            shape: shape.map(|shape| vec![onnx_tensor::Dim::Unknown; shape.len()]),
        },
        other => other,
    }
}

/// Declares the types of the values.
pub(super) fn retype(infos: &mut [ValueInfo], inputs: &[Named], initializers: &[Named]) {
    for info in infos {
        let mut values = inputs.iter().chain(initializers);
        if let Some((_, value)) = values.find(|(name, _)| *name == info.name) {
            info.value_type = Some(value.value_type());
        }
    }
}

/// The tensor with its axes of this extent reduced; `None` if it has none.
fn slice(tensor: &Tensor, extent: usize, range: &Range<usize>) -> Result<Option<Tensor>, TensorError> {
    if !tensor.shape().contains(&extent) {
        return Ok(None);
    }
    dispatch!(all, tensor.dtype(), T => {
        let mut view = tensor.array::<T>()?.view();
        for axis in 0..view.ndim() {
            if view.shape()[axis] == extent {
                view.slice_axis_inplace(Axis(axis), Slice::from(range.clone()));
            }
        }
        Ok(Some(Tensor::from(view.to_owned().as_standard_layout().to_owned().into_shared())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_axis_of_the_extent_is_cut() {
        let tensor = Tensor::new(&[2, 3, 2], (0..12_i64).collect()).unwrap();
        let found = slice(&tensor, 2, &(1..2)).unwrap().unwrap();
        assert!(found.same_bits(&Tensor::new(&[1, 3, 1], vec![7_i64, 9, 11]).unwrap()));
        assert!(slice(&tensor, 5, &(0..1)).unwrap().is_none());
    }
}
