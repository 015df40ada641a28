//! Decodes elements in `raw_data` or in an external file: little endian, row-major, with elements of 6, 4 and
//! 2 bits packed (onnx.proto, "raw_data").

use onnx_tensor::{
    Complex32, Complex64, DType, Element, F4E2M1, F6E2M3, F6E3M2, F8E4M3Fn, F8E4M3Fnuz, F8E5M2, F8E5M2Fnuz,
    F8E8M0, I2, I4, Tensor, TensorError, U2, U4, bf16, f16,
};

use super::layout::Layout;
use super::pieces::Pieces;
use super::typed;
use crate::error::{ModelError, ModelErrorKind};

/// Decodes raw_data in pieces. Elements of whole bytes are copied into the tensor piece by piece.
pub(super) fn in_pieces(pieces: Pieces, layout: &Layout) -> Result<Tensor, ModelError> {
    check_size(pieces.len(), layout)?;
    match layout.dtype {
        DType::Float => streamed(pieces, layout, f32::from_le_bytes),
        DType::Double => streamed(pieces, layout, f64::from_le_bytes),
        DType::Float16 => streamed(pieces, layout, f16::from_le_bytes),
        DType::Bfloat16 => streamed(pieces, layout, bf16::from_le_bytes),
        DType::Int64 => streamed(pieces, layout, i64::from_le_bytes),
        DType::Int32 => streamed(pieces, layout, i32::from_le_bytes),
        DType::Uint8 => streamed(pieces, layout, u8::from_le_bytes),
        DType::Int8 => streamed(pieces, layout, i8::from_le_bytes),
        // Large tensors of other types are rare, so their pieces are joined, which is right for every type.
        _ => tensor(&pieces.join(), layout),
    }
}

/// Decodes elements of `N` bytes. A piece may end inside of an element.
fn streamed<T: Element, const N: usize>(
    pieces: Pieces,
    layout: &Layout,
    number: impl Fn([u8; N]) -> T,
) -> Result<Tensor, ModelError> {
    let mut elements = Vec::with_capacity(layout.count);
    let mut begun: Vec<u8> = Vec::with_capacity(N);
    for piece in pieces.into_list() {
        let missing = (N - begun.len()) % N;
        let (head, whole) = piece.split_at(missing.min(piece.len()));
        begun.extend_from_slice(head);
        if let Ok(bytes) = <[u8; N]>::try_from(begun.as_slice()) {
            elements.push(number(bytes));
            begun.clear();
        }
        let (chunks, tail) = whole.as_chunks();
        elements.extend(chunks.iter().map(|&chunk| number(chunk)));
        begun.extend_from_slice(tail);
    }
    layout.tensor(elements)
}

fn check_size(found: usize, layout: &Layout) -> Result<(), ModelErrorKind> {
    let expected = layout.raw_bytes().ok_or(ModelErrorKind::RawString)?;
    if found == expected {
        return Ok(());
    }
    let (shape, dtype) = (layout.shape.clone(), layout.dtype);
    Err(ModelErrorKind::RawSize {
        found,
        expected,
        shape,
        dtype,
    })
}

/// Decodes the elements in raw_data or in an external file.
pub(super) fn tensor(bytes: &[u8], layout: &Layout) -> Result<Tensor, ModelError> {
    check_size(bytes.len(), layout)?;
    match layout.dtype {
        DType::Float => fixed(bytes, layout, f32::from_le_bytes),
        DType::Uint8 => fixed(bytes, layout, u8::from_le_bytes),
        DType::Int8 => fixed(bytes, layout, i8::from_le_bytes),
        DType::Uint16 => fixed(bytes, layout, u16::from_le_bytes),
        DType::Int16 => fixed(bytes, layout, i16::from_le_bytes),
        DType::Int32 => fixed(bytes, layout, i32::from_le_bytes),
        DType::Int64 => fixed(bytes, layout, i64::from_le_bytes),
        DType::String => Err(ModelErrorKind::RawString.into()),
        DType::Bool => typed::each(bytes, layout, "raw_data", |&byte| boolean(byte.into())),
        DType::Float16 => fixed(bytes, layout, f16::from_le_bytes),
        DType::Double => fixed(bytes, layout, f64::from_le_bytes),
        DType::Uint32 => fixed(bytes, layout, u32::from_le_bytes),
        DType::Uint64 => fixed(bytes, layout, u64::from_le_bytes),
        DType::Complex64 => layout.tensor(pairs(&numbers(bytes, f32::from_le_bytes), Complex32::new)),
        DType::Complex128 => layout.tensor(pairs(&numbers(bytes, f64::from_le_bytes), Complex64::new)),
        DType::Bfloat16 => fixed(bytes, layout, bf16::from_le_bytes),
        DType::Float8E4M3Fn => fixed(bytes, layout, |[byte]| F8E4M3Fn(byte)),
        DType::Float8E4M3Fnuz => fixed(bytes, layout, |[byte]| F8E4M3Fnuz(byte)),
        DType::Float8E5M2 => fixed(bytes, layout, |[byte]| F8E5M2(byte)),
        DType::Float8E5M2Fnuz => fixed(bytes, layout, |[byte]| F8E5M2Fnuz(byte)),
        DType::Float8E8M0 => fixed(bytes, layout, |[byte]| F8E8M0(byte)),
        DType::Float6E2M3 => layout.tensor(sextets(bytes).take(layout.count).map(F6E2M3).collect()),
        DType::Float6E3M2 => layout.tensor(sextets(bytes).take(layout.count).map(F6E3M2).collect()),
        DType::Uint4 | DType::Int4 | DType::Float4E2M1 | DType::Uint2 | DType::Int2 => packed(bytes, layout),
    }
}

/// Decodes numbers of `N` bytes.
fn numbers<T, const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> T) -> Vec<T> {
    bytes.as_chunks().0.iter().map(|&chunk| number(chunk)).collect()
}

/// Decodes elements of `N` bytes.
fn fixed<T: Element, const N: usize>(
    bytes: &[u8],
    layout: &Layout,
    number: impl Fn([u8; N]) -> T,
) -> Result<Tensor, ModelError> {
    layout.tensor(numbers(bytes, number))
}

/// Makes complex elements from alternating real and imaginary parts.
pub(super) fn pairs<V: Copy, T>(parts: &[V], element: impl Fn(V, V) -> T) -> Vec<T> {
    parts
        .as_chunks()
        .0
        .iter()
        .map(|&[re, im]| element(re, im))
        .collect()
}

/// Decodes a bool, which must be 0 or 1; readers differ for other bytes.
pub(super) fn boolean(byte: i32) -> Option<bool> {
    match byte {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

/// Unpacks elements of 6 bits: four in three bytes, the first in the lowest bits. Bits after the last element
/// are ignored.
fn sextets(bytes: &[u8]) -> impl Iterator<Item = u8> {
    bytes.chunks(3).flat_map(|chunk| {
        let word = chunk
            .iter()
            .rev()
            .fold(0_u32, |word, &byte| word << 8 | u32::from(byte));
        [0, 6, 12, 18].map(|shift| (word >> shift & 0x3F) as u8)
    })
}

/// Unpacks `N` elements from each byte, by a table of all bytes.
fn parts<T: Element + Copy, const N: usize>(
    bytes: &[u8],
    layout: &Layout,
    element: impl Fn(u8) -> T,
) -> Result<Tensor, ModelError> {
    let bits = 8 / N;
    let of_byte =
        |byte: usize| std::array::from_fn(|at| element((byte >> (at * bits)) as u8 & ((1 << bits) - 1)));
    let table: [[T; N]; 256] = std::array::from_fn(of_byte);
    let elements = bytes.iter().map(|&byte| table[usize::from(byte)]);
    let mut elements = elements.collect::<Vec<[T; N]>>().into_flattened();
    elements.truncate(layout.count);
    layout.tensor(elements)
}

/// Unpacks elements of 4 or 2 bits, the first in the lowest bits. Bits after the last element are ignored.
pub(super) fn packed(bytes: &[u8], layout: &Layout) -> Result<Tensor, ModelError> {
    match layout.dtype {
        DType::Uint4 => parts::<_, 2>(bytes, layout, |bits| U4::wrap(bits.into())),
        DType::Int4 => parts::<_, 2>(bytes, layout, |bits| I4::wrap(bits.into())),
        DType::Float4E2M1 => parts::<_, 2>(bytes, layout, F4E2M1),
        DType::Uint2 => parts::<_, 4>(bytes, layout, |bits| U2::wrap(bits.into())),
        DType::Int2 => parts::<_, 4>(bytes, layout, |bits| I2::wrap(bits.into())),
        found => Err(TensorError::DType {
            expected: "a type of 4 or 2 bits",
            found,
        }
        .into()),
    }
}
