//! Functions with jumps: the values on both sides of each jump that the error of an argument
//! crosses.
//!
//! Each rule evaluates the operator at the ends of the intervals of its arguments. All of these
//! functions are monotone in each argument, so that the answers of an element lie between those at
//! the ends: all whole numbers between them for roundings and for conversions to integers, both
//! truth values for comparisons, both branches for a choice. Where the ends agree, the answer is
//! certain. An argument without a bound has no bound here.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;
use onnx_tensor::{Array, DType, Tensor};

use super::exact::decides;
use super::pointwise::within_ulps;
use super::{Entry, entry};
use crate::query::{is_float, reals};
use crate::{Query, Radius, Sets, Span};

pub(super) const RULES: &[Entry] = &[
    entry("Ceil", whole),
    entry("Floor", whole),
    entry("Round", whole),
    entry("Sign", whole),
    entry("Cast", converted),
    entry("CastLike", converted),
    entry("Greater", |query| compared(query, [1.0, -1.0])),
    entry("GreaterOrEqual", |query| compared(query, [1.0, -1.0])),
    entry("Less", |query| compared(query, [-1.0, 1.0])),
    entry("LessOrEqual", |query| compared(query, [-1.0, 1.0])),
    entry("And", |query| compared(query, [1.0, 1.0])),
    entry("Or", |query| compared(query, [1.0, 1.0])),
    entry("Not", |query| compared(query, [-1.0, -1.0])),
    entry("Xor", exclusive),
    entry("IsInf", finite),
    entry("IsNaN", finite),
    entry("Where", chosen),
    entry("ThresholdedRelu", thresholded),
];

/// The error model of all rules here.
const MODEL: &str = "both sides of a jump";

/// What is decided if no input has an error, or one has an unknown error.
fn decided(query: &Query<'_>) -> Option<Result<Vec<Radius>, OpError>> {
    (query.inputs_exact() || query.unknown_input().is_some()).then(|| decides(query))
}

/// The first output with each input moved within its radius to the end that `sides` says: +1, −1,
/// or 0 for its own value. An input without a bound keeps its value: the caller excludes its
/// elements.
fn ended(query: &Query<'_>, sides: [f64; 2]) -> Result<ArrayD<f64>, OpError> {
    let attributes = query.call.given_attributes();
    let outputs = query.evaluate_with(attributes, |index, tensor| {
        let off = query.errors.get(index).is_some_and(|radius| !radius.is_exact());
        if !off && !is_operand(query, tensor.dtype()) {
            return None;
        }
        let side = sides[index.min(1)];
        let reach = query.error(index)?;
        let reach = reach.mapv(|error| if error.is_finite() { error * side } else { 0.0 });
        match tensor {
            Tensor::Bool(flags) => {
                let moved = flags.iter().zip(&reach);
                let moved = moved.map(|(flag, reach)| f64::from(u8::from(*flag)) + reach >= 0.5);
                Tensor::new(tensor.shape(), moved.collect::<Vec<bool>>()).ok()
            }
            tensor => Some(Tensor::from((reals(tensor)? + &reach).into_shared())),
        }
    })?;
    let first = outputs.into_iter().next().flatten();
    let first = first.as_ref().and_then(reals);
    first.map(Array::into_owned).ok_or_else(missing)
}

/// Whether an exact tensor of this type is an operand beside one with errors, and must have the
/// same type. The second input of CastLike only gives a type.
fn is_operand(query: &Query<'_>, dtype: DType) -> bool {
    let of = |index: usize| {
        query
            .call
            .optional(index)
            .and_then(|value| value.as_tensor())
            .map(Tensor::dtype)
    };
    let mut off = (0..query.errors.len()).filter(|index| !query.errors[*index].is_exact());
    dtype != DType::Bool
        && query.call.schema().name != "CastLike"
        && off.any(|index| of(index) == Some(dtype))
}

fn missing() -> OpError {
    OpError::invalid("the operator has no numeric output")
}

/// The exact output, and for each of its elements whether an argument has no bound.
fn center(query: &Query<'_>) -> Result<(ArrayD<f64>, ArrayD<f64>), OpError> {
    let center = query.output(0).and_then(reals).ok_or_else(missing)?.into_owned();
    let mut open = ArrayD::zeros(center.raw_dim());
    for index in (0..query.errors.len()).filter(|index| !query.errors[*index].is_exact()) {
        let error = query.error(index).ok_or_else(missing)?;
        let error = error.broadcast(center.raw_dim()).ok_or_else(missing)?.to_owned();
        open.zip_mut_with(&error, |open, error| {
            if error.is_infinite() {
                *open = f64::INFINITY;
            }
        });
    }
    Ok((center, open))
}

/// The radius from the answers of each element at both ends. `add` receives the sets, a place, and
/// the ends where they differ.
fn between(
    query: &Query<'_>,
    low: &ArrayD<f64>,
    high: &ArrayD<f64>,
    add: impl Fn(&mut Sets, usize, f64, f64),
) -> Result<Vec<Radius>, OpError> {
    let (center, open) = center(query)?;
    let mut sets = Sets::default();
    for (place, ((low, high), open)) in low.iter().zip(high).zip(&open).enumerate() {
        let (low, high) = (low.min(*high), low.max(*high));
        if low != high && *open == 0.0 {
            add(&mut sets, place, low, high);
        }
    }
    Ok(vec![
        Radius::among(&center, &open, sets, MODEL);
        query.outputs.len()
    ])
}

/// Results that are whole numbers.
fn whole(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(decided) = decided(query) {
        return decided;
    }
    let (low, high) = (ended(query, [-1.0, 0.0])?, ended(query, [1.0, 0.0])?);
    between(query, &low, &high, Sets::insert_whole)
}

/// A conversion: to a float, the rounded ends; to an integer or a boolean, the whole numbers
/// between the ends; to a float of at most 8 bits, all values between them.
fn converted(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(decided) = decided(query) {
        return decided;
    }
    let dtype = query.output_dtype(0).ok_or_else(missing)?;
    if is_float(dtype) && query.only_floats_are_off() {
        return within_ulps(query, 0.0);
    }
    let (low, high) = (ended(query, [-1.0, 0.0])?, ended(query, [1.0, 0.0])?);
    match dtype {
        dtype if is_float(dtype) => from_sets(query),
        DType::Bool => truth(query),
        DType::Float8E4M3Fn
        | DType::Float8E4M3Fnuz
        | DType::Float8E5M2
        | DType::Float8E5M2Fnuz
        | DType::Float8E8M0
        | DType::Float6E2M3
        | DType::Float6E3M2
        | DType::Float4E2M1 => between(query, &low, &high, |sets, place, low, high| {
            sets.insert(place, vec![Span { low, high }]);
        }),
        _ => between(query, &low, &high, Sets::insert_whole),
    }
}

/// A conversion to bool: false for 0 only, which an interval around 0 includes.
fn truth(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (x, error) = query.input(0).zip(query.error(0)).ok_or_else(missing)?;
    let (mut low, mut high) = (x.to_owned().into_owned(), x.into_owned());
    for ((low, high), error) in low.iter_mut().zip(&mut high).zip(&error) {
        let zero = low.abs() <= *error;
        (*low, *high) = (
            f64::from(u8::from(!zero)),
            f64::from(u8::from(!zero || *error > 0.0)),
        );
    }
    between(query, &low, &high, Sets::insert_whole)
}

/// An integer or boolean that becomes a float: its own answers.
fn from_sets(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (center, _) = center(query)?;
    let error = query.error(0).ok_or_else(missing)?.into_owned();
    let mut sets = Sets::default();
    let given = query.errors.first().map_or(const { &Sets::NONE }, Radius::sets);
    for (place, error) in error.iter().enumerate() {
        match given.get(place) {
            Some(spans) => sets.insert(place, spans.to_vec()),
            None if *error > 0.0 && error.is_finite() => {
                let value = center.iter().nth(place).copied().unwrap_or(0.0);
                sets.insert_whole(place, (value - error).ceil(), (value + error).floor());
            }
            None => {}
        }
    }
    Ok(vec![
        Radius::among(&center, &error, sets, MODEL);
        query.outputs.len()
    ])
}

/// A truth value that does not fall if each input moves to the side of `rising`.
fn compared(query: &Query<'_>, rising: [f64; 2]) -> Result<Vec<Radius>, OpError> {
    if let Some(decided) = decided(query) {
        return decided;
    }
    let (low, high) = (ended(query, rising.map(|side| -side))?, ended(query, rising)?);
    between(query, &low, &high, Sets::insert_whole)
}

/// Xor is certain only where both inputs are.
fn exclusive(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(decided) = decided(query) {
        return decided;
    }
    let ends = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]];
    let mut found = Vec::new();
    for sides in ends {
        found.push(ended(query, sides)?);
    }
    let fold = |pick: fn(f64, f64) -> f64| {
        let mut all = found.iter().cloned();
        let first = all.next().unwrap_or_default();
        all.fold(first, |mut result, next| {
            result.zip_mut_with(&next, |a, b| *a = pick(*a, *b));
            result
        })
    };
    between(query, &fold(f64::min), &fold(f64::max), Sets::insert_whole)
}

/// A number with a bound is neither infinite nor NaN in any implementation if it is not in the reference.
fn finite(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(decided) = decided(query) {
        return decided;
    }
    let (center, open) = center(query)?;
    Ok(vec![
        Radius::among(&center, &open, Sets::default(), MODEL);
        query.outputs.len()
    ])
}

/// Where: an uncertain condition admits both branches, each within its own error.
fn chosen(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    const CONDITION: usize = 0;
    if query.errors.first().is_none_or(Radius::is_exact) {
        return within_ulps(query, 0.0);
    }
    if let Some(decided) = decided(query) {
        return decided;
    }
    let (center, _) = center(query)?;
    let stretched = |array: Option<Array<f64>>| {
        let array = array.ok_or_else(missing)?;
        array
            .broadcast(center.raw_dim())
            .map(|view| view.to_owned())
            .ok_or_else(missing)
    };
    let (x, y) = (stretched(query.input(1))?, stretched(query.input(2))?);
    let (x_error, y_error) = (stretched(query.error(1))?, stretched(query.error(2))?);
    let (flag, open) = (
        stretched(query.input(CONDITION))?,
        stretched(query.error(CONDITION))?,
    );
    let mut sets = Sets::default();
    let mut radius = ArrayD::zeros(center.raw_dim());
    let values = x.iter().zip(&x_error).zip(y.iter().zip(&y_error));
    let elements = radius
        .iter_mut()
        .zip(values)
        .zip(flag.iter().zip(&open))
        .enumerate();
    for (place, ((radius, ((x, dx), (y, dy))), (flag, open))) in elements {
        let span = |value: &f64, error: &f64| Span {
            low: value - error,
            high: value + error,
        };
        *radius = if *flag == 0.0 { *dy } else { *dx };
        let certain = *open == 0.0 || x == y && dx == dy;
        if !certain && dx.is_finite() && dy.is_finite() {
            sets.insert(place, vec![span(x, dx), span(y, dy)]);
        } else if !certain {
            *radius = f64::INFINITY;
        }
    }
    Ok(vec![
        Radius::among(&center, &radius, sets, MODEL);
        query.outputs.len()
    ])
}

/// ThresholdedRelu: x above alpha, else 0.
fn thresholded(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(decided) = decided(query) {
        return decided;
    }
    let alpha = f64::from(query.call.float("alpha")?);
    let (center, open) = center(query)?;
    let (x, error) = query.input(0).zip(query.error(0)).ok_or_else(missing)?;
    let mut radius = open;
    let mut sets = Sets::default();
    for (place, ((x, error), radius)) in x.iter().zip(&error).zip(&mut radius).enumerate() {
        if !error.is_finite() || x + error <= alpha {
            continue;
        }
        *radius = *error;
        if x - error <= alpha {
            let above = Span {
                low: alpha.max(x - error),
                high: x + error,
            };
            sets.insert(place, vec![Span::only(0.0), above]);
        }
    }
    Ok(vec![
        Radius::among(&center, &radius, sets, MODEL);
        query.outputs.len()
    ])
}
