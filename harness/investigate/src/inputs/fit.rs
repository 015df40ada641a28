//! Extents and elements of inputs that meet the conditions of a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Model, ValueInfo};
use onnx_shapes::{Solution, infer, solve};
use onnx_tensor::{Dim, Real, Tensor, Value, ValueType, dispatch};

use super::dims::Dims;
use super::{Drawing, shown};
use crate::error::InputProblem;

/// The most elements of an input that extents may depend on: a shape, a sampling rate, paddings.
const SHORT: usize = 64;

/// Inputs that fit.
#[derive(Default)]
pub(super) struct Fit {
    /// What the conditions of the model say.
    pub solution: Solution,
    /// Short integer inputs whose elements decide extents, with descriptions.
    pub elements: BTreeMap<String, (Value, String)>,
}

/// Whether extents may depend on the elements of an input: a short tensor of integers of fixed shape.
fn is_short(info: &ValueInfo) -> bool {
    let Some(ValueType::Tensor {
        dtype,
        shape: Some(dims),
    }) = &info.value_type
    else {
        return false;
    };
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => Some(*extent),
        Dim::Named(_) | Dim::Unknown => None,
    };
    let count = dims
        .iter()
        .try_fold(1_usize, |count, dim| count.checked_mul(extent(dim)?));
    dtype.is_integer() && count.is_some_and(|count| count <= SHORT)
}

/// Sets open extents to those that meet the conditions of the model for the `given` values. Inputs of short
/// integers get the elements that would be drawn, or if no extents fit these, elements for which there are
/// extents. Nothing is set where none are found: a run says what does not fit.
///
/// # Errors
/// A value cannot be generated for an input.
pub(super) fn fit(
    drawing: &Drawing,
    dims: &mut Dims,
    given: &BTreeMap<String, Value>,
) -> Result<Fit, InputProblem> {
    let model = drawing.model;
    let free = solved(model, dims, given).unwrap_or_default();
    let mut known = given.clone();
    let mut drawn = Vec::new();
    for (number, info) in model.graph.required_inputs().enumerate() {
        if given.contains_key(&info.name) || !is_short(info) {
            continue;
        }
        let role = drawing.role(info, &free, dims);
        if let Some((value, _)) = drawing.draw(info, number, &role, dims)? {
            known.insert(info.name.clone(), value.clone());
            drawn.push((info.name.clone(), value));
        }
    }
    let pinned = (!drawn.is_empty()).then(|| solved(model, dims, &known)).flatten();
    let found = match pinned {
        Some(mut solution) => {
            solution.indices = free.indices;
            solution.elements = free.elements;
            Fit {
                solution,
                elements: BTreeMap::new(),
            }
        }
        None => Fit {
            elements: drawn
                .into_iter()
                .filter_map(|(name, value)| {
                    let value = with(&value, free.elements.get(&name)?)?;
                    let words = format!(
                        "{name}: elements that fit the model, {}",
                        shown(&value.value_type())
                    );
                    Some((name, (value, words)))
                })
                .collect(),
            solution: free,
        },
    };
    for info in model.graph.required_inputs() {
        if let Some(extents) = found.solution.extents.get(&info.name) {
            dims.fit(info, extents);
        }
    }
    Ok(found)
}

/// The solution for the model in which inputs of short integers have these values.
fn solved(model: &Model, dims: &Dims, known: &BTreeMap<String, Value>) -> Option<Solution> {
    let wishes = dims.wishes(model.graph.required_inputs());
    if known.is_empty() {
        return solve(model, &infer(model), &wishes).ok();
    }
    let mut pinned = model.clone();
    let graph = Arc::make_mut(&mut pinned.graph);
    let (inputs, initializers) = (&mut graph.inputs, &mut graph.initializers);
    inputs.retain(|info| match known.get(&info.name) {
        Some(value) if is_short(info) => {
            initializers.retain(|(name, _)| *name != info.name);
            initializers.push((info.name.clone(), value.clone()));
            false
        }
        _ => true,
    });
    solve(&pinned, &infer(&pinned), &wishes).ok()
}

/// The tensor with the elements that are known; `None` if none is, or one is not a value of its type.
fn with(value: &Value, elements: &[Option<i64>]) -> Option<Value> {
    let tensor = value.as_tensor()?;
    if elements.len() != tensor.len() || elements.iter().all(Option::is_none) {
        return None;
    }
    let known = |number: f64, element: &Option<i64>| element.map_or(number, |element| element as f64);
    let tensor = dispatch!(real, tensor.dtype(), T => {
        let numbers = tensor.to_vec::<T>().ok()?;
        let changed: Vec<T> = numbers
            .into_iter()
            .zip(elements)
            .map(|(number, element)| <T as Real>::from_f64(known(number.to_f64(), element)))
            .collect();
        Tensor::new(tensor.shape(), changed)
    });
    Some(tensor.ok()?.into())
}
