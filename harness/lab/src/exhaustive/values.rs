//! Converts bit patterns to tensors, and tensors to numbers.

use onnx_tensor::{
    DType, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz, F8E8M0, I2, I4, Real, Tensor,
    TensorError, U2, U4, bf16, dispatch, f16,
};

/// The tensor of these bit patterns; `None` for a type whose inputs are not enumerated.
pub(crate) fn tensor(dtype: DType, codes: &[u32]) -> Option<Tensor> {
    macro_rules! each {
        ($make:expr) => {
            Tensor::vector(codes.iter().map(|&code| $make(code)).collect())
        };
    }
    Some(match dtype {
        DType::Float => each!(f32::from_bits),
        DType::Float16 => each!(|code| f16::from_bits(code as u16)),
        DType::Bfloat16 => each!(|code| bf16::from_bits(code as u16)),
        DType::Float8E4M3Fn => each!(|code| F8E4M3Fn(code as u8)),
        DType::Float8E4M3Fnuz => each!(|code| F8E4M3Fnuz(code as u8)),
        DType::Float8E5M2 => each!(|code| F8E5M2(code as u8)),
        DType::Float8E5M2Fnuz => each!(|code| F8E5M2Fnuz(code as u8)),
        DType::Float8E8M0 => each!(|code| F8E8M0(code as u8)),
        DType::Float4E2M1 => each!(|code| F4E2M1(code as u8)),
        DType::Float6E2M3 => each!(|code| F6E2M3(code as u8)),
        DType::Float6E3M2 => each!(|code| F6E3M2(code as u8)),
        DType::Int8 => each!(|code| code as u8 as i8),
        DType::Uint8 => each!(|code| code as u8),
        DType::Int4 => each!(|code| I4::wrap(i64::from(code))),
        DType::Uint4 => each!(|code| U4::wrap(i64::from(code))),
        DType::Int2 => each!(|code| I2::wrap(i64::from(code))),
        DType::Uint2 => each!(|code| U2::wrap(i64::from(code))),
        _ => return None,
    })
}

/// The numbers of a tensor.
pub(crate) fn numbers(tensor: &Tensor) -> Result<Vec<f64>, TensorError> {
    macro_rules! each {
        ($array:expr, $value:expr) => {
            Ok($array.iter().map($value).collect())
        };
    }
    match tensor {
        Tensor::Float8E4M3Fn(array) => each!(array, |x| x.to_f64()),
        Tensor::Float8E4M3Fnuz(array) => each!(array, |x| x.to_f64()),
        Tensor::Float8E5M2(array) => each!(array, |x| x.to_f64()),
        Tensor::Float8E5M2Fnuz(array) => each!(array, |x| x.to_f64()),
        Tensor::Float8E8M0(array) => each!(array, |x| x.to_f64()),
        Tensor::Float4E2M1(array) => each!(array, |x| x.to_f64()),
        Tensor::Float6E2M3(array) => each!(array, |x| x.to_f64()),
        Tensor::Float6E3M2(array) => each!(array, |x| x.to_f64()),
        Tensor::Int4(array) => each!(array, |x| f64::from(x.get())),
        Tensor::Uint4(array) => each!(array, |x| f64::from(x.get())),
        Tensor::Int2(array) => each!(array, |x| f64::from(x.get())),
        Tensor::Uint2(array) => each!(array, |x| f64::from(x.get())),
        other => dispatch!(real, other.dtype(), T => {
            Ok(other.array::<T>()?.iter().map(|x| Real::to_f64(*x)).collect())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exhaustive::codes;

    /// The two implementations, that of this crate and that of `onnx-tensor`, agree.
    #[test]
    fn every_bit_pattern_has_the_value_of_the_specification() {
        let types = DType::ALL
            .into_iter()
            .filter(|dtype| *dtype != DType::Float && codes::count(*dtype).is_some());
        for dtype in types {
            let all: Vec<u32> = (0..codes::count(dtype).unwrap() as u32).collect();
            let found = numbers(&tensor(dtype, &all).unwrap()).unwrap();
            for (code, found) in all.iter().zip(found) {
                let expected = codes::value(dtype, *code);
                let same = found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan();
                assert!(same, "{dtype} {code:#x}: {found}, expected {expected}");
            }
        }
    }
}
