//! Comparisons, and predicates of single elements.

use std::cmp::Ordering;

use onnx_tensor::{DType, Element, Tensor};

use super::super::broadcast::{broadcast_shape, zip_each, zip_with};
use super::super::call::one;
use super::super::numbers::{floats, ints, slice};
use super::super::{Call, Outcome, Row, row};
use super::arithmetic::{aligned, same_type};
use crate::error::Problem;
use crate::shapes::{BROADCAST, SAME};

pub const ROWS: &[Row] = &[
    row("Equal", 1, BROADCAST, |call| legacy(call, is_equal)),
    row("Equal", 7, BROADCAST, |call| compare(call, is_equal)).pointwise(),
    row("Greater", 1, BROADCAST, |call| legacy(call, is_greater)),
    row("Greater", 7, BROADCAST, |call| compare(call, is_greater)).pointwise(),
    row("Less", 1, BROADCAST, |call| legacy(call, is_less)),
    row("Less", 7, BROADCAST, |call| compare(call, is_less)).pointwise(),
    row("GreaterOrEqual", 12, BROADCAST, |call| {
        compare(call, |order| {
            matches!(order, Some(Ordering::Greater | Ordering::Equal))
        })
    })
    .pointwise(),
    row("LessOrEqual", 12, BROADCAST, |call| {
        compare(call, |order| {
            matches!(order, Some(Ordering::Less | Ordering::Equal))
        })
    })
    .pointwise(),
    row("IsNaN", 9, SAME, |call| {
        let tensor = call.tensor(0)?;
        one(test(tensor, f32::is_nan, f64::is_nan)?)
    })
    .pointwise(),
    row("IsInf", 10, SAME, |call| {
        let tensor = call.tensor(0)?;
        let positive = call.attributes.flag("detect_positive")?;
        let negative = call.attributes.flag("detect_negative")?;
        let narrow = |x: f32| ((x == f32::INFINITY) & positive) | ((x == f32::NEG_INFINITY) & negative);
        let wide = |x: f64| (x == f64::INFINITY && positive) || (x == f64::NEG_INFINITY && negative);
        one(test(tensor, narrow, wide)?)
    })
    .pointwise(),
];

/// Tests each element: of f32 by one predicate, of other types by another.
fn test(
    tensor: &Tensor,
    narrow: impl Fn(f32) -> bool,
    wide: impl Fn(f64) -> bool,
) -> Result<Tensor, Problem> {
    let values: Vec<bool> = match tensor.dtype() {
        DType::Float => slice::<f32>(tensor)?.iter().map(|&x| narrow(x)).collect(),
        _ => floats(tensor)?.into_iter().map(wide).collect(),
    };
    Ok(Tensor::new(tensor.shape(), values)?)
}

/// A predicate of the order of two elements; there is no order with NaN. Generic, so that the loops over the
/// elements have no indirect call.
trait Predicate: Fn(Option<Ordering>) -> bool + Copy {}

impl<F: Fn(Option<Ordering>) -> bool + Copy> Predicate for F {}

fn is_equal(order: Option<Ordering>) -> bool {
    order == Some(Ordering::Equal)
}

fn is_greater(order: Option<Ordering>) -> bool {
    order == Some(Ordering::Greater)
}

fn is_less(order: Option<Ordering>) -> bool {
    order == Some(Ordering::Less)
}

fn compare(call: &Call, holds: impl Predicate) -> Outcome {
    compared(call.tensor(0)?, call.tensor(1)?, holds)
}

/// Before since 7, broadcasting is that of the old arithmetic operators.
fn legacy(call: &Call, holds: impl Predicate) -> Outcome {
    compared(call.tensor(0)?, &aligned(call)?, holds)
}

fn compared(a: &Tensor, b: &Tensor, holds: impl Predicate) -> Outcome {
    same_type(a, b)?;
    let shape = broadcast_shape([a.shape(), b.shape()])?;
    let values: Vec<bool> = match a.dtype() {
        DType::String => zip_of::<String>(a, b, &shape, |x, y| holds(Some(x.cmp(y))))?,
        DType::Float => zip_of::<f32>(a, b, &shape, |x, y| holds(x.partial_cmp(y)))?,
        DType::Double => zip_of::<f64>(a, b, &shape, |x, y| holds(x.partial_cmp(y)))?,
        DType::Int32 => zip_of::<i32>(a, b, &shape, |x, y| holds(Some(x.cmp(y))))?,
        DType::Int64 => zip_of::<i64>(a, b, &shape, |x, y| holds(Some(x.cmp(y))))?,
        DType::Bool => zip_of::<bool>(a, b, &shape, |x, y| holds(Some(x.cmp(y))))?,
        dtype if dtype.is_integer() => {
            let (x, y) = (ints(a)?, ints(b)?);
            zip_with((&x, a.shape()), (&y, b.shape()), &shape, |x, y| {
                holds(Some(x.cmp(&y)))
            })
        }
        _ => {
            let (x, y) = (floats(a)?, floats(b)?);
            zip_with((&x, a.shape()), (&y, b.shape()), &shape, |x, y| {
                holds(x.partial_cmp(&y))
            })
        }
    };
    one(Tensor::new(&shape, values)?)
}

/// Compares the elements of two tensors of this type.
fn zip_of<T: Element>(
    a: &Tensor,
    b: &Tensor,
    shape: &[usize],
    holds: impl Fn(&T, &T) -> bool,
) -> Result<Vec<bool>, Problem> {
    let (x, y) = (slice::<T>(a)?, slice::<T>(b)?);
    Ok(zip_each((x, a.shape()), (y, b.shape()), shape, holds))
}
