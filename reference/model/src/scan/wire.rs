//! The wire format of protobuf: tags, varints and lengths.

use crate::error::ModelErrorKind;

/// The unread part of a message.
pub(super) struct Wire<'a> {
    bytes: &'a [u8],
    /// The offset of `bytes` in the file.
    at: usize,
}

impl<'a> Wire<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Wire<'a> {
        Wire { bytes, at: 0 }
    }

    /// Reads the next field: its number, and its content if it is length-delimited.
    pub(super) fn field(&mut self) -> Result<Option<(u64, Option<Wire<'a>>)>, ModelErrorKind> {
        if self.bytes.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let inner = match tag & 7 {
            0 => self.varint().map(|_| None),
            1 => self.take(8).map(|_| None),
            2 => {
                let length = self.varint()?;
                self.take(length).map(Some)
            }
            5 => self.take(4).map(|_| None),
            3 | 4 => Err(self.error("a group, which ONNX does not use")),
            _ => Err(self.error("an unknown wire type")),
        }?;
        Ok(Some((tag >> 3, inner)))
    }

    /// The number of varints in a packed list.
    pub(super) fn varints(&self) -> u64 {
        self.bytes.iter().filter(|&&byte| byte < 0x80).count() as u64
    }

    /// Reads a varint of at most ten bytes.
    fn varint(&mut self) -> Result<u64, ModelErrorKind> {
        let mut number = 0;
        for (index, &byte) in self.bytes.iter().take(10).enumerate() {
            number |= u64::from(byte & 0x7F) << (7 * index);
            if byte < 0x80 {
                self.take(index as u64 + 1)?;
                return Ok(number);
            }
        }
        Err(self.error("an unterminated varint"))
    }

    fn take(&mut self, length: u64) -> Result<Wire<'a>, ModelErrorKind> {
        let split = usize::try_from(length)
            .ok()
            .and_then(|length| self.bytes.split_at_checked(length));
        let Some((bytes, rest)) = split else {
            return Err(self.error("a length beyond the end of the message"));
        };
        let taken = Wire { bytes, at: self.at };
        *self = Wire {
            bytes: rest,
            at: self.at + bytes.len(),
        };
        Ok(taken)
    }

    fn error(&self, problem: &'static str) -> ModelErrorKind {
        ModelErrorKind::Wire {
            offset: self.at,
            problem,
        }
    }
}
