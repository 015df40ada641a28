//! Binarizer — 1 if an element is greater than `threshold`, otherwise 0.
//!
//! Exact: integers are compared with the unrounded threshold. NaN is not greater, so it becomes 0 (ONNX
//! Runtime rejects it).

use onnx_tensor::{DType, Real, Tensor};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "Binarizer", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let threshold = f64::from(call.float("threshold")?);
    // For an integer x, x > t exactly if x > ⌊t⌋. The conversion saturates beyond int64.
    let floor = threshold.floor() as i128;
    match call.dtype(0)? {
        DType::Float => mark::<f32>(call, |x| f64::from(x) > threshold),
        DType::Double => mark::<f64>(call, |x| x > threshold),
        DType::Int64 => mark::<i64>(call, |x| !threshold.is_nan() && i128::from(x) > floor),
        _ => mark::<i32>(call, |x| !threshold.is_nan() && i128::from(x) > floor),
    }
}

fn mark<T: Real>(call: &Call<'_>, above: impl Fn(T) -> bool) -> Result<Outputs, OpError> {
    one(Tensor::from(
        call.array::<T>(0)?
            .mapv(|x| if above(x) { T::ONE } else { T::ZERO })
            .into_shared(),
    ))
}

#[cfg(test)]
mod tests {
    use crate::frame::testing::{attribute, check};
    use onnx_tensor::Tensor;

    /// Worked by hand: 2^60 + 1 and 2^60 are the same f64, and the threshold 2^60 separates them.
    #[test]
    fn compares_exactly() {
        let op = ("ai.onnx.ml", "Binarizer", 1);
        let at = |threshold: f32| [attribute("threshold", threshold)];
        let (big, bits) = (1_i64 << 60, Tensor::vector(vec![1_i64, 0]));
        check(
            op,
            &[Tensor::vector(vec![big + 1, big]).into()],
            &at(big as f32),
            &[bits.into()],
        );
        let (x, y) = (Tensor::vector(vec![-1_i32, 0]), Tensor::vector(vec![0_i32, 1]));
        check(op, &[x.into()], &at(-0.5), &[y.into()]);
        let (x, y) = (
            Tensor::vector(vec![f64::NAN, 0.0, 0.1]),
            Tensor::vector(vec![0.0, 0.0, 1.0]),
        );
        check(op, &[x.into()], &[], &[y.into()]);
    }
}
