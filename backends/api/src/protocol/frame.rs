//! Frames: what lies on the channel.
//!
//! | bytes | what                                                       |
//! |-------|------------------------------------------------------------|
//! | 8     | magic, `89 4F 4E 58 57 0D 0A 1A`                           |
//! | 4     | layout of the frame, 1                                     |
//! | 4     | length of the header in bytes                              |
//! | 8     | length of the payload in bytes                             |
//! | …     | header: JSON in UTF-8                                      |
//! | …     | payload: the blobs that the header names, end to end       |
//!
//! All numbers are unsigned and little endian. The magic begins with a byte that is not ASCII and holds a line end of
//! each kind, so that neither printed text nor a channel in text mode passes for a frame.

use std::io::{Read, Write};

use super::FrameError;
use super::payload::{Arriving, Payload};

/// The first bytes of every frame.
pub const MAGIC: [u8; 8] = *b"\x89ONXW\r\n\x1a";
/// The layout described above.
pub const LAYOUT: u32 = 1;
/// Bytes before the header.
pub const PRELUDE: usize = 24;
/// Longest header, in bytes.
pub const MAX_HEADER: u64 = 1 << 20;
/// Longest payload, in bytes: 2 GiB, which is all that one protobuf message can carry.
pub const MAX_PAYLOAD: u64 = 2 << 30;

/// Bytes that are read at once.
const CHUNK: usize = 256 << 10;

/// A header with its payload.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// JSON.
    pub header: Vec<u8>,
    /// The blobs that the header names.
    pub payload: Payload,
}

impl Frame {
    /// The bytes that come before the header.
    pub fn prelude(&self) -> Result<[u8; PRELUDE], FrameError> {
        let payload = within(self.payload.len() as u64, MAX_PAYLOAD, payload_length)?;
        let header = within(self.header.len() as u64, MAX_HEADER, header_length)?;
        let header = u32::try_from(header).map_err(|_| header_length(header, MAX_HEADER))?;
        let mut bytes = [0; PRELUDE];
        let (magic, lengths) = bytes.split_at_mut(MAGIC.len());
        magic.copy_from_slice(&MAGIC);
        let numbers = [LAYOUT.to_le_bytes(), header.to_le_bytes()].concat();
        lengths[..8].copy_from_slice(&numbers);
        lengths[8..].copy_from_slice(&payload.to_le_bytes());
        Ok(bytes)
    }

    /// Writes the frame and flushes.
    pub fn write(&self, writer: &mut impl Write) -> Result<(), FrameError> {
        writer.write_all(&self.prelude()?)?;
        writer.write_all(&self.header)?;
        for piece in self.payload.pieces() {
            writer.write_all(piece)?;
        }
        Ok(writer.flush()?)
    }

    /// Waits for a frame; `None` when the channel ends where a frame could begin.
    pub fn read(reader: &mut impl Read) -> Result<Option<Frame>, FrameError> {
        let mut decoder = FrameDecoder::new(MAX_PAYLOAD);
        let mut chunk = vec![0; CHUNK];
        loop {
            let wanted = decoder.missing().min(CHUNK);
            let count = match reader.read(&mut chunk[..wanted]) {
                Ok(count) => count,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error.into()),
            };
            if count == 0 {
                return decoder.finish().map(|()| None);
            }
            if let Some(frame) = decoder.push(&chunk[..count])? {
                return Ok(Some(frame));
            }
        }
    }
}

/// Puts a frame together from pieces as they arrive. It takes memory for what has arrived, never for what is announced.
#[derive(Debug)]
pub struct FrameDecoder {
    most: u64,
    prelude: Vec<u8>,
    lengths: Option<Lengths>,
    header: Vec<u8>,
    payload: Arriving,
}

/// Lengths of header and payload in bytes.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    header: usize,
    payload: usize,
}

impl FrameDecoder {
    /// A decoder that takes payloads of up to `most` bytes, and never more than [`MAX_PAYLOAD`].
    pub fn new(most: u64) -> FrameDecoder {
        FrameDecoder {
            most: most.min(MAX_PAYLOAD),
            prelude: Vec::with_capacity(PRELUDE),
            lengths: None,
            header: Vec::new(),
            payload: Arriving::default(),
        }
    }

    /// How many bytes to the next boundary inside the frame, at least 1; [`FrameDecoder::push`] takes no more than these.
    pub fn missing(&self) -> usize {
        match self.lengths {
            None => PRELUDE.saturating_sub(self.prelude.len()),
            Some(lengths) if self.header.len() < lengths.header => {
                lengths.header.saturating_sub(self.header.len())
            }
            Some(lengths) => lengths.payload.saturating_sub(self.payload.len()),
        }
    }

    /// Whether nothing has arrived yet.
    pub fn is_empty(&self) -> bool {
        self.prelude.is_empty()
    }

    /// Takes bytes, at most [`FrameDecoder::missing`]; gives the frame once it is whole, and is then empty again.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Frame>, FrameError> {
        match self.lengths {
            None => {
                self.prelude.extend_from_slice(bytes);
                self.lengths = read_prelude(&self.prelude, self.most)?;
            }
            Some(lengths) if self.header.len() < lengths.header => self.header.extend_from_slice(bytes),
            Some(_) => self.payload.extend(bytes),
        }
        if self.lengths.is_none() || self.missing() > 0 {
            return Ok(None);
        }
        self.prelude.clear();
        self.lengths = None;
        Ok(Some(Frame {
            header: std::mem::take(&mut self.header),
            payload: self.payload.finish(),
        }))
    }

    /// To be asked when the channel ends: an error if it ended inside a frame.
    pub fn finish(&self) -> Result<(), FrameError> {
        match self.is_empty() {
            true => Ok(()),
            false => Err(FrameError::Torn {
                missing: self.missing(),
            }),
        }
    }
}

/// The lengths, once the prelude is whole. Wrong magic is noticed with the first wrong byte.
fn read_prelude(bytes: &[u8], most: u64) -> Result<Option<Lengths>, FrameError> {
    if bytes
        .iter()
        .zip(MAGIC)
        .any(|(found, expected)| *found != expected)
    {
        return Err(FrameError::Magic(String::from_utf8_lossy(bytes).into_owned()));
    }
    let (Some(layout), Some(header), Some(payload)) =
        (number(bytes, 8, 4), number(bytes, 12, 4), number(bytes, 16, 8))
    else {
        return Ok(None);
    };
    if layout != u64::from(LAYOUT) {
        return Err(FrameError::Layout(layout as u32));
    }
    let header = within(header, MAX_HEADER, header_length)?;
    let payload = within(payload, most, payload_length)?;
    Ok(Some(Lengths {
        header: usize::try_from(header).map_err(|_| header_length(header, MAX_HEADER))?,
        payload: usize::try_from(payload).map_err(|_| payload_length(payload, most))?,
    }))
}

/// A little-endian number of up to 8 bytes; `None` if it is not there yet.
fn number(bytes: &[u8], start: usize, length: usize) -> Option<u64> {
    let field = bytes.get(start..start.checked_add(length)?)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    )
}

fn within(found: u64, most: u64, error: fn(u64, u64) -> FrameError) -> Result<u64, FrameError> {
    if found > most {
        Err(error(found, most))
    } else {
        Ok(found)
    }
}

fn header_length(found: u64, most: u64) -> FrameError {
    FrameError::HeaderLength { found, most }
}

fn payload_length(found: u64, most: u64) -> FrameError {
    FrameError::PayloadLength { found, most }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(header: &[u8], payload: &[u8]) -> Vec<u8> {
        let frame = Frame {
            header: header.to_vec(),
            payload: payload.to_vec().into(),
        };
        let mut bytes = Vec::new();
        frame.write(&mut bytes).expect("a Vec takes everything");
        bytes
    }

    #[test]
    fn a_frame_survives_any_cut() {
        for (header, payload) in [(&b"{}"[..], &b"12345"[..]), (b"{}", b""), (b"", b"1"), (b"", b"")] {
            let whole = bytes(header, payload);
            for size in 1..=whole.len() {
                let mut decoder = FrameDecoder::new(5);
                let mut rest = &whole[..];
                let frame = loop {
                    let (piece, after) = rest.split_at(size.min(decoder.missing()).min(rest.len()));
                    rest = after;
                    if let Some(frame) = decoder.push(piece).expect("a good frame") {
                        break frame;
                    }
                };
                let found = (frame.header.as_slice(), frame.payload.into_bytes(), rest.len());
                assert_eq!(found, (header, payload.to_vec().into(), 0));
            }
        }
    }

    #[test]
    fn what_is_no_frame_is_named() {
        let changed = |at: usize, to: u8| {
            let mut bytes = bytes(b"{}", b"12345");
            bytes[at] = to;
            bytes
        };
        let cases: [(Vec<u8>, &str); 6] = [
            (
                b"Loading model...".to_vec(),
                "no frame: it starts with \"Loading model...\"",
            ),
            (changed(8, 2), "frame layout 2 is unknown"),
            (
                changed(15, 1),
                "a header of 16777218 bytes is announced, 1048576 are allowed",
            ),
            (
                changed(23, 0x7f),
                "a payload of 9151314442816847877 bytes is announced",
            ),
            (
                bytes(b"{}", b"12345")[..26].to_vec(),
                "torn frame: the channel ended 5 bytes before",
            ),
            (
                bytes(b"{}", b"12345")[..10].to_vec(),
                "torn frame: the channel ended 14 bytes before",
            ),
        ];
        for (bytes, expected) in cases {
            let error = Frame::read(&mut bytes.as_slice())
                .expect_err(expected)
                .to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        assert_eq!(Frame::read(&mut &b""[..]).expect("a clean end"), None);
    }
}
