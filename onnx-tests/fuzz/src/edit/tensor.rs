//! Edits of tensors: elements, shape, element type.

use half::f16;
use onnx_model::proto::TensorProto;
use onnx_tensor::DType;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use crate::extreme;

/// The maximum size of the elements of an edited tensor in bytes.
const MAX_BYTES: usize = 64 << 10;

/// Changes a tensor. Except for the last kind of change, the number of elements fits the shape
/// afterwards.
pub fn change(tensor: &mut TensorProto, rng: &mut ChaCha8Rng) {
    match rng.random_range(0..16) {
        0..5 => element(tensor, rng),
        5 | 6 => elements(tensor, rng),
        7..10 => {
            tensor.dims = extreme::small_shape(rng);
            fill(tensor, rng);
        }
        10 => {
            tensor.dims = extreme::hollow_shape(rng);
            fill(tensor, rng);
        }
        11 | 12 => rank(tensor, rng),
        13 | 14 => {
            tensor.data_type = Some(rng.random_range(1..=28));
            fill(tensor, rng);
        }
        _ => lie(tensor, rng),
    }
}

/// A small tensor of a common element type.
pub fn new(rng: &mut ChaCha8Rng) -> TensorProto {
    let types = [
        DType::Float,
        DType::Int64,
        DType::Int32,
        DType::Bool,
        DType::Float16,
        DType::Uint8,
    ];
    let mut tensor = TensorProto {
        dims: extreme::small_shape(rng),
        data_type: Some(types.choose(rng).unwrap_or(&DType::Float).to_onnx()),
        ..TensorProto::default()
    };
    fill(&mut tensor, rng);
    tensor
}

/// Changes the element type of the tensor, and keeps the number of elements.
pub fn retype(tensor: &mut TensorProto, dtype: DType, rng: &mut ChaCha8Rng) {
    tensor.data_type = Some(dtype.to_onnx());
    fill(tensor, rng);
}

fn dtype(tensor: &TensorProto) -> Option<DType> {
    DType::from_onnx(tensor.data_type?).ok()
}

/// An element at the limits of the type.
fn pattern(dtype: DType, rng: &mut ChaCha8Rng) -> Vec<u8> {
    match dtype {
        DType::Float | DType::Complex64 => extreme::float(rng).to_le_bytes().to_vec(),
        DType::Double | DType::Complex128 => f64::from(extreme::float(rng)).to_le_bytes().to_vec(),
        DType::Float16 => f16::from_f32(extreme::float(rng)).to_le_bytes().to_vec(),
        DType::Bfloat16 => extreme::float(rng).to_le_bytes()[2..].to_vec(),
        DType::Int64 | DType::Uint64 => extreme::int(rng).to_le_bytes().to_vec(),
        DType::Int32 | DType::Uint32 => (extreme::int(rng) as i32).to_le_bytes().to_vec(),
        DType::Int16 | DType::Uint16 => (extreme::int(rng) as i16).to_le_bytes().to_vec(),
        DType::Bool => vec![u8::from(rng.random_bool(0.5))],
        DType::Uint8
        | DType::Int8
        | DType::Float8E4M3Fn
        | DType::Float8E4M3Fnuz
        | DType::Float8E5M2
        | DType::Float8E5M2Fnuz
        | DType::Float8E8M0
        | DType::Uint4
        | DType::Int4
        | DType::Float4E2M1
        | DType::Uint2
        | DType::Int2
        | DType::Float6E2M3
        | DType::Float6E3M2
        | DType::String => vec![*[0, 1, 0x7f, 0x80, 0xff, rng.random()].choose(rng).unwrap_or(&0)],
    }
}

fn element(tensor: &mut TensorProto, rng: &mut ChaCha8Rng) {
    let Some(dtype) = dtype(tensor) else {
        return elements(tensor, rng);
    };
    if !tensor.string_data.is_empty() {
        let at = rng.random_range(0..tensor.string_data.len());
        tensor.string_data[at] = extreme::string(rng);
    }
    let Some(raw) = &tensor.raw_data else {
        return;
    };
    let (mut raw, bytes) = (raw.to_vec(), pattern(dtype, rng));
    let places = raw.len() / bytes.len();
    if places > 0 {
        let at = rng.random_range(0..places) * bytes.len();
        raw[at..at + bytes.len()].copy_from_slice(&bytes);
    }
    tensor.raw_data = Some(raw.into());
}

fn elements(tensor: &mut TensorProto, rng: &mut ChaCha8Rng) {
    clear(tensor);
    fill(tensor, rng);
}

fn clear(tensor: &mut TensorProto) {
    let TensorProto {
        float_data,
        int32_data,
        int64_data,
        double_data,
        uint64_data,
        string_data,
        raw_data,
        ..
    } = tensor;
    float_data.clear();
    int32_data.clear();
    int64_data.clear();
    double_data.clear();
    uint64_data.clear();
    string_data.clear();
    *raw_data = None;
}

/// Adds or removes an axis of extent 1, or makes a scalar.
fn rank(tensor: &mut TensorProto, rng: &mut ChaCha8Rng) {
    match rng.random_range(0..4) {
        0 => tensor.dims.insert(rng.random_range(0..=tensor.dims.len()), 1),
        1 => tensor.dims.retain(|&extent| extent != 1),
        2 => tensor.dims.clear(),
        _ => drop(tensor.dims.pop()),
    }
    fill(tensor, rng);
}

/// Makes the shape inconsistent with the elements.
fn lie(tensor: &mut TensorProto, rng: &mut ChaCha8Rng) {
    if tensor.dims.is_empty() {
        tensor.dims.push(extreme::extent(rng))
    } else {
        let at = rng.random_range(0..tensor.dims.len());
        tensor.dims[at] = extreme::extent(rng);
    }
}

/// Fills the shape with elements: repeated old ones, or new ones. A shape with many elements is reduced.
fn fill(tensor: &mut TensorProto, rng: &mut ChaCha8Rng) {
    let known = tensor.raw_data.take().unwrap_or_default();
    let strings = std::mem::take(&mut tensor.string_data);
    clear(tensor);
    let Some(dtype) = dtype(tensor) else {
        return;
    };
    let count = match elements_of(&tensor.dims) {
        Some(count) if count <= MAX_BYTES => count,
        _ => {
            tensor.dims = vec![2, 3];
            6
        }
    };
    let Some(bits) = dtype.bits() else {
        let text = |at: usize, rng: &mut ChaCha8Rng| {
            strings.get(at).cloned().unwrap_or_else(|| extreme::string(rng))
        };
        tensor.string_data = (0..count.min(64)).map(|at| text(at, rng)).collect();
        if count > 64 {
            tensor.dims = vec![64];
        }
        return;
    };
    let bytes = (count * bits).div_ceil(8);
    let mut raw = Vec::with_capacity(bytes);
    let fresh = known.is_empty() || rng.random_bool(0.3);
    // One repeated pattern, or a new one for each element.
    let same = rng.random_bool(0.2).then(|| pattern(dtype, rng));
    while raw.len() < bytes {
        match (fresh, &same) {
            (false, _) => raw.extend_from_slice(&known),
            (true, Some(same)) => raw.extend_from_slice(same),
            (true, None) => raw.extend(pattern(dtype, rng)),
        }
    }
    raw.truncate(bytes);
    if dtype == DType::Bool {
        raw.iter_mut().for_each(|byte| *byte &= 1);
    }
    tensor.raw_data = Some(raw.into());
}

fn elements_of(dims: &[i64]) -> Option<usize> {
    if dims.contains(&0) {
        return Some(0);
    }
    let extents = dims.iter().map(|&extent| usize::try_from(extent).ok());
    extents
        .into_iter()
        .try_fold(1_usize, |product, extent| product.checked_mul(extent?))
}
