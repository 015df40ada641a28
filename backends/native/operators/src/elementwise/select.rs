//! Selection of values: Where, Clip, Identity, Dropout.

use std::hint::select_unpredictable;

use native_kernels::Activation;
use onnx_tensor::{DType, Tensor, Value, bf16, dispatch, f16};

use super::super::broadcast::{broadcast_shape, broadcast_strides};
use super::super::call::one;
use super::super::fast::Fast;
use super::super::numbers::{bools, floats, from_floats, from_ints, int_range, ints, map_ints, slice};
use super::super::walk::Walk;
use super::super::{Call, Outcome, Row, row};
use super::arithmetic::same_type;
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::Shapes::Each;
use crate::shapes::{BROADCAST, SAME};
use crate::size::has_room_for_text;

pub const ROWS: &[Row] = &[
    row("Where", 9, BROADCAST, select).pointwise().fast(Fast::Select),
    row("Clip", 6, SAME, |call| {
        // Bounds have the type of the input.
        let dtype = call.tensor(0)?.dtype();
        let bound = |name| match call.attributes.find_float(name)? {
            Some(bound) => from_floats(dtype, &[], vec![f64::from(bound)]).map(Some),
            None => Ok(None),
        };
        clip(call.tensor(0)?, bound("min")?.as_ref(), bound("max")?.as_ref())
    })
    .pointwise()
    .fast(Fast::Activation(|attributes| {
        Ok(Activation::Clip {
            low: attributes.find_float("min")?.unwrap_or(f32::MIN),
            high: attributes.find_float("max")?.unwrap_or(f32::MAX),
        })
    })),
    row("Clip", 11, SAME, |call| {
        clip(call.tensor(0)?, call.find_tensor(1)?, call.find_tensor(2)?)
    })
    .pointwise()
    .fast(Fast::Clip)
    .requires(|node| node.only(1, "min").and_then(|()| node.only(2, "max"))),
    row("Identity", 1, SAME, |call| Ok(vec![call.value(0)?.clone()])).view(),
    row(
        "Dropout",
        1,
        Each(|known| Some(vec![known.shape_like(0); known.outputs])),
        |call| {
            if call.attributes.flag("is_test")? {
                dropout(call)
            } else {
                unsupported("dropout with random numbers is not implemented (is_test is not set)")
            }
        },
    ),
    row(
        "Dropout",
        7,
        Each(|known| Some(vec![known.shape_like(0); known.outputs])),
        dropout,
    )
    .view(),
    row(
        "Dropout",
        12,
        Each(|known| Some(vec![known.shape_like(0); known.outputs])),
        |call| {
            let training = match call.find_tensor(2)? {
                Some(flag) => bools(flag)?.contains(&true),
                None => false,
            };
            let ratio = call.find_tensor(1)?.map(floats).transpose()?;
            let keeps_all = ratio.is_some_and(|ratio| ratio == [0.0]);
            if training && !keeps_all {
                unsupported("dropout with random numbers is not implemented (training_mode is set)")
            } else {
                dropout(call)
            }
        },
    )
    .requires(|node| node.only(1, "ratio").and_then(|()| node.only(2, "training_mode")))
    .view(),
];

fn select(call: &Call) -> Outcome {
    let (condition, a, b) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    same_type(a, b)?;
    let shape = broadcast_shape([condition.shape(), a.shape(), b.shape()])?;
    let strides = [condition, a, b].map(|tensor| broadcast_strides(tensor.shape(), &shape));
    let walk = Walk::new(&shape, [&strides[0], &strides[1], &strides[2]]);
    let condition = slice::<bool>(condition)?;
    let length = shape.iter().product();
    if let Tensor::String(_) = a {
        let texts = (slice::<String>(a)?, slice::<String>(b)?);
        let lengths = chosen(condition, texts, &walk, length, String::len);
        has_room_for_text(lengths.into_iter().fold(0, usize::saturating_add))?;
    }
    dispatch!(all, a.dtype(), T => {
        let values = (slice::<T>(a)?, slice::<T>(b)?);
        one(Tensor::new(&shape, chosen(condition, values, &walk, length, T::clone))?)
    })
}

/// Applies a function to the chosen elements.
fn chosen<T, R>(
    condition: &[bool],
    (a, b): (&[T], &[T]),
    walk: &Walk<3>,
    length: usize,
    of: impl Fn(&T) -> R,
) -> Vec<R> {
    let mut results = Vec::with_capacity(length);
    let steps = walk.steps;
    walk.rows(|[at, p, q]| {
        results.extend((0..walk.length).map(|place| {
            let (yes, no) = (&a[p + place * steps[1]], &b[q + place * steps[2]]);
            of(select_unpredictable(condition[at + place * steps[0]], yes, no))
        }));
    });
    results
}

/// If the bounds cross, the upper one wins. The default of a bound is the minimum or maximum finite value
/// ("numeric_limits::lowest()", "numeric_limits::max()"), so an infinity is clipped too. NaN is preserved.
fn clip(tensor: &Tensor, least: Option<&Tensor>, most: Option<&Tensor>) -> Outcome {
    if tensor.dtype() == DType::Int64 {
        let bound =
            |tensor: Option<&Tensor>, default| tensor.map_or(Ok(default), |one| only(slice::<i64>(one)?));
        let (least, most) = (bound(least, i64::MIN)?, bound(most, i64::MAX)?);
        let values = slice::<i64>(tensor)?.iter().map(|&x| x.max(least).min(most));
        return one(Tensor::new(tensor.shape(), values.collect::<Vec<_>>())?);
    }
    if let Some((lowest, highest)) = int_range(tensor.dtype()) {
        let bound = |tensor: Option<&Tensor>, default| tensor.map_or(Ok(default), |one| only(&ints(one)?));
        let (least, most) = (bound(least, lowest)?, bound(most, highest)?);
        return one(map_ints(tensor, |x| x.max(least).min(most))?);
    }
    let highest = greatest(tensor.dtype())?;
    let bound = |tensor: Option<&Tensor>, default| tensor.map_or(Ok(default), |one| only(&floats(one)?));
    let (least, most) = (bound(least, -highest)?, bound(most, highest)?);
    let limit = |x: f64| {
        let raised = if x < least { least } else { x };
        if raised > most { most } else { raised }
    };
    let values = floats(tensor)?.into_iter().map(limit).collect();
    one(from_floats(tensor.dtype(), tensor.shape(), values)?)
}

/// Returns the only element of a bound.
fn only<T: Copy>(values: &[T]) -> Result<T, Problem> {
    match values {
        &[value] => Ok(value),
        many => invalid(format!("expected a bound of one element, got {}", many.len())),
    }
}

/// Returns the largest finite value of a float type.
fn greatest(dtype: DType) -> Result<f64, Problem> {
    match dtype {
        DType::Float => Ok(f64::from(f32::MAX)),
        DType::Double => Ok(f64::MAX),
        DType::Float16 => Ok(f16::MAX.to_f64()),
        DType::Bfloat16 => Ok(bf16::MAX.to_f64()),
        other => unsupported(format!("Clip of {other} is not implemented")),
    }
}

/// Inference: returns the input, and a mask that keeps all elements (booleans from since 10 on, before it the
/// input's type).
fn dropout(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let mut outputs = vec![Value::Tensor(tensor.clone())];
    if call.outputs > 1 {
        let ones = vec![1; tensor.len()];
        let dtype = if call.since >= 10 {
            DType::Bool
        } else {
            tensor.dtype()
        };
        outputs.push(Value::Tensor(from_ints(dtype, tensor.shape(), ones)?));
    }
    Ok(outputs)
}
