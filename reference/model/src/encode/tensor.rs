//! Encodes `TensorProto` and `SparseTensorProto`.

use onnx_tensor::{Array, SparseTensor, StoredTensor, Tensor};

use crate::proto::{EXTERNAL, SparseTensorProto, StringStringEntryProto, TensorProto};

pub(super) fn tensor(tensor: &Tensor, name: Option<Vec<u8>>) -> TensorProto {
    let (raw_data, string_data) = match tensor {
        Tensor::String(array) => (None, array.iter().map(|text| text.as_bytes().to_vec()).collect()),
        fixed => (Some(raw(fixed).into()), Vec::new()),
    };
    TensorProto {
        dims: extents(tensor.shape()),
        data_type: Some(tensor.dtype().to_onnx()),
        name,
        raw_data,
        string_data,
        ..TensorProto::default()
    }
}

/// A tensor whose elements stay in their file.
pub(super) fn external(stored: &StoredTensor, name: Option<Vec<u8>>) -> TensorProto {
    let entry = |key: &str, value: &str| StringStringEntryProto {
        key: Some(key.as_bytes().to_vec()),
        value: Some(value.as_bytes().to_vec()),
    };
    TensorProto {
        dims: extents(&stored.shape),
        data_type: Some(stored.dtype.to_onnx()),
        name,
        data_location: Some(EXTERNAL),
        external_data: vec![
            entry("location", &stored.location),
            entry("offset", &stored.offset.to_string()),
        ],
        ..TensorProto::default()
    }
}

/// The name of a sparse tensor is the name of its values.
pub(super) fn sparse(sparse: &SparseTensor, name: Option<Vec<u8>>) -> SparseTensorProto {
    SparseTensorProto {
        values: Some(tensor(&sparse.values, name)),
        indices: Some(tensor(&sparse.indices, None)),
        dims: extents(&sparse.shape),
    }
}

/// No array is longer than `isize::MAX`, but an extent next to a zero may be larger; it is clamped.
fn extents(shape: &[usize]) -> Vec<i64> {
    shape
        .iter()
        .map(|&extent| i64::try_from(extent).unwrap_or(i64::MAX))
        .collect()
}

/// The bytes of raw_data; empty for strings.
fn raw(tensor: &Tensor) -> Vec<u8> {
    match tensor {
        Tensor::Float(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Uint8(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Int8(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Uint16(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Int16(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Int32(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Int64(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::String(_) => Vec::new(),
        Tensor::Bool(array) => fixed(array, |&value| [u8::from(value)]),
        Tensor::Float16(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Double(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Uint32(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Uint64(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Complex64(array) => {
            let parts = array.iter().flat_map(|value| [value.re, value.im]);
            parts.flat_map(f32::to_le_bytes).collect()
        }
        Tensor::Complex128(array) => {
            let parts = array.iter().flat_map(|value| [value.re, value.im]);
            parts.flat_map(f64::to_le_bytes).collect()
        }
        Tensor::Bfloat16(array) => fixed(array, |value| value.to_le_bytes()),
        Tensor::Float8E4M3Fn(array) => fixed(array, |value| [value.0]),
        Tensor::Float8E4M3Fnuz(array) => fixed(array, |value| [value.0]),
        Tensor::Float8E5M2(array) => fixed(array, |value| [value.0]),
        Tensor::Float8E5M2Fnuz(array) => fixed(array, |value| [value.0]),
        Tensor::Float8E8M0(array) => fixed(array, |value| [value.0]),
        Tensor::Uint4(array) => packed(array, 4, |value| value.get()),
        Tensor::Int4(array) => packed(array, 4, |value| value.get() as u8),
        Tensor::Float4E2M1(array) => packed(array, 4, |value| value.0),
        Tensor::Uint2(array) => packed(array, 2, |value| value.get()),
        Tensor::Int2(array) => packed(array, 2, |value| value.get() as u8),
        Tensor::Float6E2M3(array) => packed(array, 6, |value| value.0),
        Tensor::Float6E3M2(array) => packed(array, 6, |value| value.0),
    }
}

/// Encodes elements of `N` bytes, little endian.
fn fixed<T, const N: usize>(array: &Array<T>, bytes: impl Fn(&T) -> [u8; N]) -> Vec<u8> {
    let mut raw = vec![0; array.len() * N];
    for (place, value) in raw.as_chunks_mut().0.iter_mut().zip(array.iter()) {
        *place = bytes(value);
    }
    raw
}

/// Packs elements of fewer than 8 bits, the first in the lowest bits of a byte. An element may span two
/// bytes. Bits after the last element are zero.
fn packed<T>(array: &Array<T>, bits: usize, pattern: impl Fn(&T) -> u8) -> Vec<u8> {
    let mut raw = vec![0; (array.len() * bits).div_ceil(8)];
    let mask = (1_u16 << bits) - 1;
    for (index, value) in array.iter().enumerate() {
        let at = index * bits;
        let [low, high] = ((u16::from(pattern(value)) & mask) << (at % 8)).to_le_bytes();
        raw[at / 8] |= low;
        if high != 0 {
            raw[at / 8 + 1] |= high;
        }
    }
    raw
}
