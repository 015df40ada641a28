//! Tensors of every numeric element type from numbers.

use onnx_tensor::minifloat::Overflow;
use onnx_tensor::{DType, Real, RoundMode, Tensor, TensorError, dispatch};
use onnx_tensor::{F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, I2, I4, U2, U4};

/// The numbers, rounded to an element type.
pub(super) fn typed(dtype: DType, shape: &[usize], numbers: &[f64]) -> Result<Tensor, TensorError> {
    macro_rules! small {
        ($round:expr) => {
            Tensor::new(
                shape,
                numbers.iter().map(|&number| $round(number)).collect(),
            )
        };
    }
    let whole = |number: f64| number as i64;
    let most = Overflow::Saturate;
    match dtype {
        DType::Uint4 => small!(|number| U4::saturate(whole(number))),
        DType::Int4 => small!(|number| I4::saturate(whole(number))),
        DType::Uint2 => small!(|number| U2::saturate(whole(number))),
        DType::Int2 => small!(|number| I2::saturate(whole(number))),
        DType::Float8E4M3Fn => small!(|number| F8E4M3Fn::from_f64(number, most)),
        DType::Float8E4M3Fnuz => small!(|number| F8E4M3Fnuz::from_f64(number, most)),
        DType::Float8E5M2 => small!(|number| F8E5M2::from_f64(number, most)),
        DType::Float8E5M2Fnuz => small!(|number| F8E5M2Fnuz::from_f64(number, most)),
        DType::Float4E2M1 => small!(|number| F4E2M1::from_f64(number, most)),
        DType::Float6E2M3 => small!(|number| F6E2M3::from_f64(number, most)),
        DType::Float6E3M2 => small!(|number| F6E3M2::from_f64(number, most)),
        DType::Float8E8M0 => small!(|number: f64| F8E8M0::from_f64(number.abs(), RoundMode::Nearest, most)),
        dtype => dispatch!(real, dtype, T => {
            Tensor::new(shape, numbers.iter().map(|number| <T as Real>::from_f64(*number)).collect::<Vec<T>>())
        }),
    }
}
