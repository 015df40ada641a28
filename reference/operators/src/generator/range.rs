//! Range — `start`, `start + delta`, … up to `limit`, exclusive.
//!
//! The count is `max(ceil((limit − start) / delta), 0)`. Integers: exact. Floats: difference and quotient
//! are each rounded to the type in which the specification computes: the element type, as in the function
//! body for float, or for float16 and bfloat16 (version 27) `stash_type`, by default float. Exact real
//! arithmetic has a different count: 0, 0.3, 0.1 as float has 3 elements by the body and 4 by the real
//! quotient of the three floats.
//!
//! Interpretation: the body casts a double to float for the count, which the text does not mention; here
//! the count is computed in double.
//!
//! Elements are `start + i · delta`: integers wrap; float and double are rounded once; the 16-bit types
//! round product and sum to `stash_type` and then to their own type.

use onnx_tensor::{DType, Float, Int, Real, Tensor, bf16, dispatch, f16};

use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::reals;

pub const OP: OpDef = op("Range", &[v(11, First, range_11), v(27, Semantics, range_27)]);

fn range_11(call: &Call<'_>) -> Result<Outputs, OpError> {
    let exact = |start: f64, i: f64, delta: f64| Ok(i.mul_add(delta, start));
    match call.dtype(0)? {
        DType::Float => floats::<f32>(call, DType::Float, exact),
        DType::Double => floats::<f64>(call, DType::Double, exact),
        dtype => dispatch!(int, dtype, T => integers::<T>(call)),
    }
}

fn range_27(call: &Call<'_>) -> Result<Outputs, OpError> {
    let stash = reals::float_type("stash_type", call.int("stash_type")?)?;
    let stashed = |start: f64, i: f64, delta: f64| {
        let distance = reals::round(reals::round(i, stash)? * reals::round(delta, stash)?, stash)?;
        reals::round(reals::round(start, stash)? + distance, stash)
    };
    match call.dtype(0)? {
        DType::Float16 => floats::<f16>(call, stash, stashed),
        DType::Bfloat16 => floats::<bf16>(call, stash, stashed),
        _ => range_11(call),
    }
}

/// Computes the count in `within`, and an element from start, index and delta, all exact.
fn floats<T: Float>(
    call: &Call<'_>,
    within: DType,
    element: impl Fn(f64, f64, f64) -> Result<f64, OpError>,
) -> Result<Outputs, OpError> {
    let [start, limit, delta] = [0, 1, 2].map(|index| call.scalar::<T>(index).map(Real::to_f64));
    let (start, limit, delta) = (start?, limit?, delta?);
    let round = |value| reals::round(value, within);
    let distance = round(round(limit)? - round(start)?)?;
    let steps = round(distance / round(delta)?)?.ceil();
    if !steps.is_finite() {
        return Err(OpError::undefined(format!(
            "the number of steps of {delta} from {start} to {limit}"
        )));
    }
    // The budget rejects counts beyond 2^53; the conversion saturates.
    let count = steps.max(0.0) as usize;
    call.reserve(&[count], T::DTYPE)?;
    let elements = (0..count).map(|i| Ok(T::from_f64(element(start, i as f64, delta)?)));
    one(Tensor::vector(elements.collect::<Result<_, OpError>>()?))
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

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, bf16};

    use crate::frame::testing::{attribute, exact, refused, values};

    #[test]
    fn counts() {
        let range = |numbers: [f32; 3]| numbers.map(Tensor::scalar);
        // The function body says that 0.3 / 0.1 is 3 in float.
        exact(
            ("", "Range", 11),
            &range([0.0, 0.3, 0.1]),
            &[],
            &[Tensor::vector(vec![0.0_f32, 0.1, 0.2])],
        );
        let none = Tensor::vector(Vec::<i16>::new());
        exact(
            ("", "Range", 11),
            &[3_i16, 3, 1].map(Tensor::scalar),
            &[],
            &[none],
        );
        let whole = [i64::MIN, i64::MAX, i64::MAX].map(Tensor::scalar);
        let expected = [Tensor::vector(vec![i64::MIN, -1, i64::MAX - 1])];
        exact(("", "Range", 11), &whole, &[], &expected);
        refused(("", "Range", 11), &values(&range([0.0, 1.0, 0.0])), &[], "steps");
        refused(
            ("", "Range", 11),
            &values(&[0_i32, 1, 0].map(Tensor::scalar)),
            &[],
            "delta",
        );
        refused(
            ("", "Range", 11),
            &values(&range([0.0, 1e30, 1.0])),
            &[],
            "budget",
        );
    }

    /// 256 + 1 in bfloat16 is a tie that rounds to 256.
    #[test]
    fn stash_type_of_version_27() {
        let inputs = [256.0, 259.0, 1.0].map(bf16::from_f32).map(Tensor::scalar);
        let of = |numbers: [f32; 4]| [Tensor::vector(numbers.map(bf16::from_f32).to_vec())];
        exact(
            ("", "Range", 27),
            &inputs,
            &[],
            &of([256.0, 256.0, 258.0, 260.0])[..],
        );
        refused(
            ("", "Range", 27),
            &values(&inputs),
            &[attribute("stash_type", 7)],
            "stash_type",
        );
    }
}
