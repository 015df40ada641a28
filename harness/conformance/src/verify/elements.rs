//! Checks every element type, bit for bit in both directions, in several shapes.

use backend_api::Bytes;
use onnx_model::{Limits, decode_tensor, proto};
use onnx_tensor::{DType, Dim, Tensor, Value, ValueType};
use prost::Message;

use super::bench::Bench;
use super::models::identity;
use super::{Check, Outcome};

/// Shapes in addition to that of the values.
const SHAPES: [(&str, &[usize]); 4] = [
    ("a scalar", &[]),
    ("no elements", &[0]),
    ("an extent of 0 between others", &[2, 0, 3]),
    ("five axes", &[1, 2, 1, 2, 1]),
];

pub(super) fn checks() -> Vec<Check> {
    let mut checks = Vec::new();
    for dtype in DType::ALL {
        let values = move |bench: &mut Bench| echoes(bench, values(dtype));
        checks.push((format!("{dtype}: special values"), Box::new(values) as _));
        for (name, shape) in SHAPES {
            let make = move |bench: &mut Bench| echoes(bench, shaped(dtype, shape));
            checks.push((format!("{dtype}: {name}"), Box::new(make) as _));
        }
    }
    checks
}

/// Whether a tensor is returned unchanged.
fn echoes(bench: &mut Bench, tensor: Option<Tensor>) -> Outcome {
    let Some(tensor) = tensor else {
        return Outcome::Failed("no tensor of this type can be constructed".to_owned());
    };
    let value_type = ValueType::Tensor {
        dtype: tensor.dtype(),
        shape: Some(tensor.shape().iter().map(|&extent| Dim::Fixed(extent)).collect()),
    };
    let Some(model) = identity(&value_type) else {
        return Outcome::Unsupported("no version of Identity accepts the type".to_owned());
    };
    let value = Value::Tensor(tensor);
    bench.gives(
        &model,
        &[("x".to_owned(), value.clone())],
        &[("y".to_owned(), value)],
    )
}

/// Bit patterns of all kinds: for floats zeros of both signs, subnormals, the largest value, infinities,
/// NaN; for integers the limits.
fn values(dtype: DType) -> Option<Tensor> {
    if dtype == DType::String {
        let texts = ["", "a", "ß→𝄞", "two words", "line\nbreak"];
        return Some(Tensor::vector(texts.map(str::to_owned).to_vec()));
    }
    let bytes: Vec<u8> = match dtype {
        DType::Bool => vec![0, 1, 1, 0, 1, 0, 0, 1],
        _ => patterns(dtype.bits().unwrap_or(8)),
    };
    let bits = dtype.bits().unwrap_or(8).max(1);
    raw(dtype, &[bytes.len() * 8 / bits], bytes)
}

/// Little-endian elements of `bits` bits: 0, 1, only the sign bit, all ones, and patterns around the
/// limits of the exponent.
fn patterns(bits: usize) -> Vec<u8> {
    if bits < 8 {
        // Two or four elements per byte: every byte is an element of its own.
        return (0..=255).collect();
    }
    let bytes = bits / 8;
    let ones = vec![0xff_u8; bytes];
    let mut all = vec![vec![0; bytes], ones];
    for top in [
        0x00_u8, 0x01, 0x3f, 0x40, 0x7b, 0x7c, 0x7e, 0x7f, 0x80, 0xbf, 0xfb, 0xfc,
    ] {
        for low in [0x00_u8, 0x01, 0x80] {
            let mut element = vec![0; bytes];
            if let [first, ..] = element.as_mut_slice() {
                *first = low;
            }
            if let Some(last) = element.last_mut() {
                *last = top;
            }
            all.push(element);
        }
    }
    all.concat()
}

/// The first special values in a shape.
fn shaped(dtype: DType, shape: &[usize]) -> Option<Tensor> {
    let count: usize = shape.iter().product();
    if dtype == DType::String {
        let texts = (0..count).map(|number| format!("text {number}")).collect();
        return Tensor::new::<String>(shape, texts).ok();
    }
    let bits = dtype.bits().unwrap_or(8);
    let bytes = (0..(count * bits).div_ceil(8)).map(|number| u8::from(number % 2 == 0));
    raw(dtype, shape, bytes.collect())
}

fn raw(dtype: DType, shape: &[usize], bytes: Vec<u8>) -> Option<Tensor> {
    let message = proto::TensorProto {
        dims: shape
            .iter()
            .map(|&extent| i64::try_from(extent).ok())
            .collect::<Option<_>>()?,
        data_type: Some(dtype.to_onnx()),
        raw_data: Some(Bytes::from(bytes)),
        ..proto::TensorProto::default()
    };
    decode_tensor(&message.encode_to_vec(), &Limits::default()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_its_values_and_shapes() {
        for dtype in DType::ALL {
            let values = values(dtype).unwrap_or_else(|| panic!("{dtype}"));
            assert!(values.len() >= 5, "{dtype}: {} values", values.len());
            for (name, shape) in SHAPES {
                let tensor = shaped(dtype, shape).unwrap_or_else(|| panic!("{dtype}, {name}"));
                assert_eq!((tensor.dtype(), tensor.shape()), (dtype, shape));
            }
        }
    }
}
