//! The payload of a frame: bytes in consecutive pieces.
//!
//! A request shares the bytes of its model, and an answer is freed piece by piece while its values are
//! decoded, so neither is in memory twice.

use std::collections::VecDeque;

use onnx_model::Bytes;

/// The size in bytes of one piece of a received payload.
const PIECE: usize = 1 << 20;

/// Bytes in consecutive pieces. Two payloads are equal if their bytes are.
#[derive(Clone, Debug, Default)]
pub struct Payload {
    pieces: VecDeque<Bytes>,
    length: usize,
}

impl Payload {
    /// The number of bytes in all pieces.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Appends bytes without a copy.
    pub fn push(&mut self, bytes: Bytes) {
        if !bytes.is_empty() {
            self.length += bytes.len();
            self.pieces.push_back(bytes);
        }
    }

    /// Returns the pieces in order; none is empty.
    pub fn pieces(&self) -> impl Iterator<Item = &Bytes> {
        self.pieces.iter()
    }

    /// Removes and returns the first `length` bytes; `None` if there are fewer.
    pub fn take(&mut self, length: usize) -> Option<Payload> {
        self.length = self.length.checked_sub(length)?;
        let (mut taken, mut missing) = (Payload::default(), length);
        while missing > 0
            && let Some(mut piece) = self.pieces.pop_front()
        {
            if piece.len() > missing {
                taken.push(piece.split_to(missing));
                self.pieces.push_front(piece);
                break;
            }
            missing -= piece.len();
            taken.push(piece);
        }
        Some(taken)
    }

    /// Returns the bytes in one piece. They are copied only if there are several pieces, each of which is
    /// freed after its copy.
    pub fn into_bytes(mut self) -> Bytes {
        match self.pieces.pop_front() {
            None => Bytes::new(),
            Some(only) if self.pieces.is_empty() => only,
            Some(first) => {
                let mut joined = Vec::with_capacity(self.length);
                joined.extend_from_slice(&first);
                drop(first);
                for piece in self.pieces {
                    joined.extend_from_slice(&piece);
                }
                joined.into()
            }
        }
    }
}

impl IntoIterator for Payload {
    type Item = Bytes;
    type IntoIter = std::collections::vec_deque::IntoIter<Bytes>;

    fn into_iter(self) -> Self::IntoIter {
        self.pieces.into_iter()
    }
}

impl PartialEq for Payload {
    fn eq(&self, other: &Payload) -> bool {
        let bytes = |payload: &Payload| payload.clone().into_bytes();
        self.length == other.length && bytes(self) == bytes(other)
    }
}

impl Eq for Payload {}

impl<B: Into<Bytes>> From<B> for Payload {
    fn from(bytes: B) -> Payload {
        let mut payload = Payload::default();
        payload.push(bytes.into());
        payload
    }
}

/// A payload that is being received.
#[derive(Debug, Default)]
pub(super) struct PayloadBuilder {
    whole: Payload,
    last: Vec<u8>,
}

impl PayloadBuilder {
    /// The number of bytes received.
    pub fn len(&self) -> usize {
        self.whole.len() + self.last.len()
    }

    /// Appends received bytes.
    pub fn extend(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (now, later) = bytes.split_at(bytes.len().min(PIECE - self.last.len()));
            self.last.extend_from_slice(now);
            bytes = later;
            if self.last.len() == PIECE {
                self.whole.push(std::mem::take(&mut self.last).into());
            }
        }
    }

    /// Returns the complete payload.
    pub fn finish(&mut self) -> Payload {
        let mut whole = std::mem::take(&mut self.whole);
        whole.push(std::mem::take(&mut self.last).into());
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn taken_bytes_do_not_depend_on_the_pieces() {
        let bytes: Vec<u8> = (0..10).collect();
        for size in 1..=10 {
            for length in 0..=10 {
                let mut payload = Payload::default();
                bytes
                    .chunks(size)
                    .for_each(|piece| payload.push(Bytes::copy_from_slice(piece)));
                let taken = payload.take(length).expect("there are ten");
                assert_eq!((taken.len(), payload.len()), (length, 10 - length));
                assert_eq!(taken.into_bytes(), bytes[..length]);
                assert_eq!(payload.clone(), Payload::from(bytes[length..].to_vec()));
                assert!(payload.take(11 - length).is_none());
            }
        }
    }

    #[test]
    fn a_long_payload_is_received_in_pieces_of_bounded_size() {
        let bytes = vec![7_u8; 2 * PIECE + 3];
        let mut builder = PayloadBuilder::default();
        bytes.chunks(PIECE / 3).for_each(|chunk| builder.extend(chunk));
        assert_eq!(builder.len(), bytes.len());
        let payload = builder.finish();
        assert_eq!(
            payload.pieces().map(Bytes::len).collect::<Vec<_>>(),
            [PIECE, PIECE, 3]
        );
        assert_eq!(payload.into_bytes(), bytes);
    }
}
