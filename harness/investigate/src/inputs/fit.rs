//! Extents and elements of inputs that meet the conditions of a model.

use std::collections::BTreeMap;
use std::sync::Arc;

use onnx_model::{Model, ValueInfo};
use onnx_shapes::{Solution, infer, solve};
use onnx_tensor::{Dim, Real, Tensor, Value, ValueType, dispatch};

use super::dims::Dims;
use super::{Drawing, Role, shown};
use crate::error::InputProblem;

/// The most elements of an input that extents may depend on: a shape, a sampling rate, paddings.
const SHORT: usize = 64;

/// How often short inputs are drawn again if the model contradicts them.
const ATTEMPTS: u64 = 8;

/// Inputs that fit.
#[derive(Default)]
pub(super) struct Fit {
    /// What the conditions of the model say.
    pub solution: Solution,
    /// Short inputs whose elements decide extents, with descriptions.
    pub elements: BTreeMap<String, (Value, String)>,
    /// Whether one of these has integers of unknown meaning.
    pub is_wide: bool,
}

/// The number of elements, if extents may depend on them: a short tensor of integers, or one whose elements
/// a node says something of.
fn is_short(info: &ValueInfo, role: &Role, dims: &Dims) -> bool {
    let Some(ValueType::Tensor {
        dtype,
        shape: Some(declared),
    }) = &info.value_type
    else {
        return false;
    };
    let is_operand = matches!(role, Role::Operand(_));
    let is_fixed = declared.iter().all(|dim| matches!(dim, Dim::Fixed(_)));
    let extents = dims.clone().resolve(info).unwrap_or_default();
    let count = extents
        .iter()
        .try_fold(1_usize, |count, extent| count.checked_mul(*extent));
    (is_operand || dtype.is_integer() && is_fixed) && count.is_some_and(|count| count <= SHORT)
}

/// Sets open extents to those that meet the conditions of the model for the `given` values. Short inputs get
/// the elements that would be drawn, again while the model contradicts them, or if no extents fit these,
/// elements for which there are extents. Nothing is set where none are found: a run says what does not fit.
///
/// # Errors
/// A value cannot be generated for an input.
pub(super) fn fit(
    drawing: &Drawing,
    dims: &mut Dims,
    given: &BTreeMap<String, Value>,
) -> Result<Fit, InputProblem> {
    let model = drawing.model;
    let (mut free, findings) = solved(model, dims, given).unwrap_or_default();
    let mut found: Option<Fit> = None;
    for attempt in 0..ATTEMPTS {
        let short = short(drawing, &free, (dims, given), attempt)?;
        let mut known = given.clone();
        let mut fixed = dims.clone();
        for (info, value) in &short.values {
            known.insert(info.name.clone(), value.clone());
            // A shared name has one extent.
            let _ = fixed.learn(info, value);
        }
        let pinned = if short.values.is_empty() {
            break;
        } else {
            solved(model, &fixed, &known)
        };
        let Some((mut solution, of_pinned)) = pinned else {
            continue;
        };
        let same = |(name, extents): (&String, &Vec<i64>)| {
            free.extents.get(name).is_none_or(|known| known == extents)
        };
        let fits = of_pinned <= findings && solution.extents.iter().all(same);
        for (info, value) in &short.values {
            solution.extents.insert(info.name.clone(), extents(value));
        }
        if fits || found.is_none() {
            let extents = solution.extents.clone();
            found = Some(Fit {
                solution: Solution {
                    extents,
                    ..free.clone()
                },
                elements: short.words,
                is_wide: short.is_wide,
            });
        }
        if fits {
            break;
        }
        // Elements are drawn for the extents that these leave.
        let near = dims.near(&solution.extents);
        if let Some((other, _)) = solved(model, &near, given) {
            free = other;
        }
    }
    let found = match found {
        Some(found) => found,
        None => decided(drawing, free, (dims, given))?,
    };
    for info in model.graph.required_inputs() {
        if let Some(extents) = found.solution.extents.get(&info.name) {
            dims.fit(info, extents);
        }
    }
    Ok(found)
}

/// Short inputs with drawn values.
#[derive(Default)]
struct Short<'m> {
    values: Vec<(&'m ValueInfo, Value)>,
    words: BTreeMap<String, (Value, String)>,
    is_wide: bool,
}

fn short<'m>(
    drawing: &Drawing<'m>,
    solution: &Solution,
    (dims, given): (&Dims, &BTreeMap<String, Value>),
    attempt: u64,
) -> Result<Short<'m>, InputProblem> {
    let mut dims = dims.clone();
    for info in drawing.model.graph.required_inputs() {
        if let Some(extents) = solution.extents.get(&info.name) {
            dims.fit(info, extents);
        }
    }
    let mut short = Short::default();
    for (number, info) in drawing.model.graph.required_inputs().enumerate() {
        let role = drawing.role(info, solution, &mut dims);
        if given.contains_key(&info.name) || !is_short(info, &role, &dims) {
            continue;
        }
        short.is_wide |= role == Role::Integer;
        let probes = drawing.probes(info, &role);
        let (value, words) = drawing.draw(info, (number, attempt), (&role, &probes), &mut dims)?;
        short.words.insert(info.name.clone(), (value.clone(), words));
        short.values.push((info, value));
    }
    Ok(short)
}

/// Elements for which there are extents.
fn decided(
    drawing: &Drawing,
    free: Solution,
    place: (&Dims, &BTreeMap<String, Value>),
) -> Result<Fit, InputProblem> {
    let short = short(drawing, &free, place, 0)?;
    let elements = short.values.into_iter().filter_map(|(info, value)| {
        let value = with(&value, free.elements.get(&info.name)?)?;
        let words = format!(
            "{}: elements that fit the model, {}",
            info.name,
            shown(&value.value_type())
        );
        Some((info.name.clone(), (value, words)))
    });
    Ok(Fit {
        elements: elements.collect(),
        solution: free,
        is_wide: short.is_wide,
    })
}

fn extents(value: &Value) -> Vec<i64> {
    let shape = value.as_tensor().map_or(&[][..], |tensor| tensor.shape());
    shape.iter().map(|&extent| extent as i64).collect()
}

/// The solution for the model in which short inputs have these values, and the number of findings there.
fn solved(model: &Model, dims: &Dims, known: &BTreeMap<String, Value>) -> Option<(Solution, usize)> {
    let wishes = dims.wishes(model.graph.required_inputs());
    let mut pinned = model.clone();
    let graph = Arc::make_mut(&mut pinned.graph);
    let (inputs, initializers) = (&mut graph.inputs, &mut graph.initializers);
    inputs.retain(|info| match known.get(&info.name) {
        Some(value) if value.as_tensor().is_some_and(|tensor| tensor.len() <= SHORT) => {
            initializers.retain(|(name, _)| *name != info.name);
            initializers.push((info.name.clone(), value.clone()));
            false
        }
        _ => true,
    });
    let inference = infer(&pinned);
    let findings = inference.findings.len();
    Some((solve(&pinned, &inference, &wishes).ok()?, findings))
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
