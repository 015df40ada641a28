//! Decodes a value from bytes in several pieces, as a channel receives them.

use std::collections::VecDeque;

use onnx_tensor::{Value, ValueType};
use prost::bytes::Bytes;

use super::tensor::Raw;
use super::{Decoder, message, value_of};
use crate::error::{ModelError, ModelErrorKind};
use crate::limits::{Limit, Limits};
use crate::proto::TensorProto;
use crate::scan::{self, within};
use crate::source::Source;

/// The field number of `TensorProto.raw_data`.
const RAW_DATA: u64 = 9;
/// The wire type of length-delimited fields.
const WITH_LENGTH: u64 = 2;

/// Decodes a value from consecutive pieces of its bytes.
///
/// The result is the same as that of [`decode_value`](crate::decode_value) for the joined bytes. The elements
/// of a tensor in raw_data are copied from the pieces into the tensor, and each piece is freed after it is
/// read, so a large tensor is in memory only once.
///
/// # Errors
/// The same as those of [`decode_value`](crate::decode_value).
pub fn decode_value_in_pieces(
    pieces: impl IntoIterator<Item = Bytes>,
    value_type: &ValueType,
    limits: &Limits,
) -> Result<Value, ModelError> {
    let pieces = Pieces::new(pieces);
    within(Limit::FileBytes, pieces.length as u64, limits.file_bytes)?;
    match value_type {
        ValueType::Tensor { .. } if pieces.list.len() > 1 => tensor(pieces, limits),
        _ => value_of(pieces.join(), value_type, limits),
    }
}

/// Copies all fields except raw_data and decodes them as a message; raw_data stays in its pieces.
fn tensor(mut pieces: Pieces, limits: &Limits) -> Result<Value, ModelError> {
    let (mut rest, mut elements) = (Vec::new(), Pieces::default());
    while pieces.length > 0 {
        let tag = pieces.varint()?;
        match (tag >> 3, tag & 7) {
            (RAW_DATA, WITH_LENGTH) => {
                let length = pieces.varint()?;
                elements = pieces.take(length)?;
            }
            (_, wire_type) => {
                put_varint(&mut rest, tag);
                let length = match wire_type {
                    0 => {
                        let number = pieces.varint()?;
                        put_varint(&mut rest, number);
                        0
                    }
                    1 => 8,
                    WITH_LENGTH => {
                        let length = pieces.varint()?;
                        put_varint(&mut rest, length);
                        length
                    }
                    5 => 4,
                    _ => {
                        return Err(pieces
                            .error("a group, which ONNX does not use, or an unknown wire type")
                            .into());
                    }
                };
                let field = pieces.take(length)?;
                field.list.iter().for_each(|piece| rest.extend_from_slice(piece));
            }
        }
    }
    let proto: TensorProto = message(rest.into(), &scan::TENSOR, limits)?;
    let mut decoder = Decoder::new(limits, &Source::named(""));
    decoder
        .tensor_with(proto, Raw::Pieces(elements))
        .map(Value::Tensor)
}

fn put_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// A queue of byte pieces. Taking bytes from the front frees them.
#[derive(Default)]
pub(super) struct Pieces {
    list: VecDeque<Bytes>,
    /// The number of bytes in all pieces.
    length: usize,
    /// The number of bytes taken so far.
    at: usize,
}

impl Pieces {
    fn new(pieces: impl IntoIterator<Item = Bytes>) -> Pieces {
        let list: VecDeque<Bytes> = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
        Pieces {
            length: list.iter().map(Bytes::len).sum(),
            list,
            at: 0,
        }
    }

    /// The number of bytes in all pieces.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Returns the pieces in order.
    pub(super) fn into_list(self) -> VecDeque<Bytes> {
        self.list
    }

    /// Joins all bytes into one piece.
    pub(super) fn join(mut self) -> Bytes {
        match self.list.pop_front() {
            None => Bytes::new(),
            Some(only) if self.list.is_empty() => only,
            Some(first) => {
                let mut joined = Vec::with_capacity(self.length);
                joined.extend_from_slice(&first);
                drop(first);
                self.list
                    .into_iter()
                    .for_each(|piece| joined.extend_from_slice(&piece));
                joined.into()
            }
        }
    }

    /// Takes the first `length` bytes.
    fn take(&mut self, length: u64) -> Result<Pieces, ModelErrorKind> {
        let wanted = usize::try_from(length)
            .ok()
            .filter(|wanted| *wanted <= self.length);
        let mut wanted = wanted.ok_or_else(|| self.error("a length beyond the end of the message"))?;
        self.length -= wanted;
        self.at += wanted;
        let mut taken = Pieces {
            length: wanted,
            ..Pieces::default()
        };
        while wanted > 0
            && let Some(mut piece) = self.list.pop_front()
        {
            if piece.len() > wanted {
                taken.list.push_back(piece.split_to(wanted));
                self.list.push_front(piece);
                break;
            }
            wanted -= piece.len();
            taken.list.push_back(piece);
        }
        Ok(taken)
    }

    /// Reads a varint of at most ten bytes.
    fn varint(&mut self) -> Result<u64, ModelErrorKind> {
        let mut number = 0;
        for index in 0..10 {
            let byte = self
                .take(1)?
                .list
                .front()
                .and_then(|piece| piece.first().copied());
            let byte = byte.ok_or_else(|| self.error("a length beyond the end of the message"))?;
            number |= u64::from(byte & 0x7F) << (7 * index);
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(self.error("an unterminated varint"))
    }

    fn error(&self, problem: &'static str) -> ModelErrorKind {
        ModelErrorKind::Wire {
            offset: self.at,
            problem,
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, I4, Tensor};

    use super::*;
    use crate::{decode_value, encode_value};

    fn cut(bytes: &[u8], size: usize) -> Vec<Bytes> {
        bytes.chunks(size).map(Bytes::copy_from_slice).collect()
    }

    #[track_caller]
    fn check(tensor: Tensor) {
        let (value, value_type) = (Value::Tensor(tensor.clone()), ValueType::tensor(tensor.dtype()));
        let bytes = encode_value(&value, "x");
        for size in 1..=bytes.len() {
            let found = decode_value_in_pieces(cut(&bytes, size), &value_type, &Limits::default());
            match found.expect("a good tensor") {
                Value::Tensor(found) => assert!(found.same_bits(&tensor), "pieces of {size}"),
                other => panic!("{other:?}"),
            }
        }
    }

    #[test]
    fn a_tensor_in_pieces_of_any_size_is_decoded() {
        check(Tensor::vector(vec![1.0_f32, -2.5, 3.0]));
        check(Tensor::vector(vec![1_i64, i64::MIN]));
        check(Tensor::vector(vec![1.0_f64]));
        check(Tensor::vector(vec![7_u8, 8, 9]));
        check(Tensor::vector(vec![true, false]));
        check(Tensor::vector([1, -1, 7].map(I4::wrap).to_vec()));
        check(Tensor::vector(vec!["a".to_owned(), String::new()]));
        check(Tensor::vector(Vec::<f32>::new()));
    }

    #[test]
    fn invalid_bytes_are_refused_in_pieces_too() {
        let value = Value::Tensor(Tensor::vector(vec![1.0_f32, 2.0]));
        let good = encode_value(&value, "x");
        let float = ValueType::tensor(DType::Float);
        for (end, name) in [
            (good.len() - 1, "truncated"),
            (good.len() - 8, "without its elements"),
        ] {
            let whole = decode_value(&good[..end], &float, &Limits::default());
            let pieces = decode_value_in_pieces(cut(&good[..end], 3), &float, &Limits::default());
            assert!(whole.is_err() && pieces.is_err(), "{name}");
        }
        let limits = Limits {
            tensor_elements: 1,
            ..Limits::default()
        };
        assert!(decode_value_in_pieces(cut(&good, 3), &float, &limits).is_err());
    }
}
