//! Range — `start`, `start + delta`, … up to `limit`, exclusive.
//!
//! The count is `max(ceil((limit − start) / delta), 0)`. Integers: exact. Floats: difference and quotient are each rounded to
//! the type in which the specification computes. That is the element type, as in the function body for float, or for
//! float16 and bfloat16 (version 27) the type `stash_type`, float by default. Exact real arithmetic would count differently:
//! 0, 0.3, 0.1 as float has 3 elements by the body and 4 by the real quotient of the three floats.
//! Doubtful: the body casts a double to float for the count, which the text does not say; here it is computed in double.
//!
//! Elements are `start + i · delta`: integers wrap; float is computed in f64 and rounded once; double with one fused rounding;
//! the 16-bit types round product and sum to `stash_type` and then to their own.

use onnx_tensor::{DType, Float, Int, Real, Tensor, bf16, dispatch, f16};

use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op("Range", &[v(11, First, range_11), v(27, Semantics, range_27)]);

fn range_11(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.dtype(0)? {
        DType::Float => floats::<f32>(call, round_to::<f32>, |start, i, delta| i.mul_add(delta, start)),
        DType::Double => floats::<f64>(call, round_to::<f64>, |start, i, delta| i.mul_add(delta, start)),
        dtype => dispatch!(int, dtype, T => integers::<T>(call)),
    }
}

fn range_27(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.dtype(0)? {
        DType::Float16 => stashed::<f16>(call),
        DType::Bfloat16 => stashed::<bf16>(call),
        _ => range_11(call),
    }
}

fn stashed<T: Float>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let unknown = OpError::Attribute {
        name: "stash_type".to_owned(),
        problem: "is no float type",
    };
    match call.optional_dtype_attribute("stash_type")? {
        Some(DType::Float) => in_stash::<T, f32>(call),
        Some(DType::Double) => in_stash::<T, f64>(call),
        Some(DType::Float16) => in_stash::<T, f16>(call),
        Some(DType::Bfloat16) => in_stash::<T, bf16>(call),
        _ => Err(unknown),
    }
}

fn in_stash<T: Float, Stash: Float>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let round = round_to::<Stash>;
    floats::<T>(call, round, move |start, i, delta| {
        round(round(start) + round(round(i) * round(delta)))
    })
}

fn round_to<T: Float>(value: f64) -> f64 {
    T::from_f64(value).to_f64()
}

fn floats<T: Float>(
    call: &Call<'_>,
    round: fn(f64) -> f64,
    element: impl Fn(f64, f64, f64) -> f64,
) -> Result<Outputs, OpError> {
    let [start, limit, delta] = [0, 1, 2].map(|index| call.scalar::<T>(index).map(Real::to_f64));
    let (start, limit, delta) = (start?, limit?, delta?);
    let steps = round(round(round(limit) - round(start)) / round(delta)).ceil();
    if !steps.is_finite() {
        return Err(OpError::undefined(format!(
            "the number of steps of {delta} from {start} to {limit}"
        )));
    }
    // Beyond 2^53 the budget refuses; the conversion saturates.
    let count = steps.max(0.0) as usize;
    call.reserve(&[count], T::DTYPE)?;
    one(Tensor::vector(
        (0..count)
            .map(|i| T::from_f64(element(start, i as f64, delta)))
            .collect(),
    ))
}

fn integers<T: Int>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let [start, limit, delta] = [0, 1, 2].map(|index| call.scalar::<T>(index).map(Int::to_i128));
    let (start, limit, delta) = (start?, limit?, delta?);
    if delta == 0 {
        return Err(OpError::invalid("`delta` is 0"));
    }
    let distance = if delta > 0 { limit - start } else { start - limit };
    let count = distance.max(0).unsigned_abs().div_ceil(delta.unsigned_abs());
    let count = usize::try_from(count).map_err(|_| OpError::invalid("the range is too long"))?;
    call.reserve(&[count], T::DTYPE)?;
    one(Tensor::vector(
        (0..count)
            .map(|i| T::wrap_i128(start + i as i128 * delta))
            .collect(),
    ))
}
