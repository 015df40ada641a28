//! Frames: the unit of transfer on the channel.
//!
//! | bytes | content                                                    |
//! |-------|------------------------------------------------------------|
//! | 8     | magic, `89 4F 4E 58 57 0D 0A 1A`                           |
//! | 4     | layout of the frame, 1                                     |
//! | 4     | length of the header in bytes                              |
//! | 8     | length of the payload in bytes                             |
//! | …     | header: JSON in UTF-8                                      |
//! | …     | payload: the blobs that the header describes, in order     |
//!
//! All numbers are unsigned and little endian. The magic starts with a byte that is not ASCII and contains
//! each kind of line end, so that printed text and a channel in text mode are detected.

use std::io::{Read, Write};

use super::FrameError;
use super::payload::{Payload, PayloadBuilder};

/// The first bytes of every frame.
pub const MAGIC: [u8; 8] = *b"\x89ONXW\r\n\x1a";
/// The layout described above.
pub const LAYOUT: u32 = 1;
/// The number of bytes before the header.
pub const PRELUDE: usize = 24;
/// The maximum length of a header in bytes.
pub const MAX_HEADER: u64 = 1 << 20;
/// The maximum length of a payload in bytes: 2 GiB, the limit of one protobuf message.
pub const MAX_PAYLOAD: u64 = 2 << 30;

/// The number of bytes read at once.
const CHUNK: usize = 256 << 10;

/// A header with its payload.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Frame {
    /// JSON.
    pub header: Vec<u8>,
    /// The blobs that the header describes.
    pub payload: Payload,
}

impl Frame {
    /// Returns the bytes before the header.
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

    /// Waits for a frame; `None` if the channel ends before its first byte.
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

/// Assembles a frame from received bytes. It allocates memory for received bytes, never for an announced
/// length.
#[derive(Debug)]
pub struct FrameDecoder {
    max: u64,
    prelude: Vec<u8>,
    lengths: Option<Lengths>,
    header: Vec<u8>,
    payload: PayloadBuilder,
}

/// Lengths of header and payload in bytes.
#[derive(Clone, Copy, Debug)]
struct Lengths {
    header: usize,
    payload: usize,
}

impl FrameDecoder {
    /// Makes a decoder for payloads of up to `max` bytes, and at most [`MAX_PAYLOAD`].
    pub fn new(max: u64) -> FrameDecoder {
        FrameDecoder {
            max: max.min(MAX_PAYLOAD),
            prelude: Vec::with_capacity(PRELUDE),
            lengths: None,
            header: Vec::new(),
            payload: PayloadBuilder::default(),
        }
    }

    /// The number of bytes to the next boundary inside the frame, at least 1. [`FrameDecoder::push`] accepts
    /// at most this number.
    pub fn missing(&self) -> usize {
        match self.lengths {
            None => PRELUDE.saturating_sub(self.prelude.len()),
            Some(lengths) if self.header.len() < lengths.header => {
                lengths.header.saturating_sub(self.header.len())
            }
            Some(lengths) => lengths.payload.saturating_sub(self.payload.len()),
        }
    }

    /// Whether no byte of a frame has been received.
    pub fn is_empty(&self) -> bool {
        self.prelude.is_empty()
    }

    /// Adds at most [`FrameDecoder::missing`] bytes. Returns the frame when it is complete; the decoder is
    /// then empty again.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Option<Frame>, FrameError> {
        match self.lengths {
            None => {
                self.prelude.extend_from_slice(bytes);
                self.lengths = read_prelude(&self.prelude, self.max)?;
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

    /// Fails if the channel ended inside of a frame. Called when the channel ends.
    pub fn finish(&self) -> Result<(), FrameError> {
        if self.is_empty() {
            Ok(())
        } else {
            Err(FrameError::Truncated {
                missing: self.missing(),
            })
        }
    }
}

/// Returns the lengths once the prelude is complete. Wrong magic is detected at the first wrong byte.
fn read_prelude(bytes: &[u8], max: u64) -> Result<Option<Lengths>, FrameError> {
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
    let payload = within(payload, max, payload_length)?;
    Ok(Some(Lengths {
        header: usize::try_from(header).map_err(|_| header_length(header, MAX_HEADER))?,
        payload: usize::try_from(payload).map_err(|_| payload_length(payload, max))?,
    }))
}

/// Reads a little-endian number of up to 8 bytes; `None` if it is incomplete.
fn number(bytes: &[u8], start: usize, length: usize) -> Option<u64> {
    let field = bytes.get(start..start.checked_add(length)?)?;
    Some(
        field
            .iter()
            .rev()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte)),
    )
}

fn within(found: u64, max: u64, error: fn(u64, u64) -> FrameError) -> Result<u64, FrameError> {
    if found > max {
        Err(error(found, max))
    } else {
        Ok(found)
    }
}

fn header_length(found: u64, max: u64) -> FrameError {
    FrameError::HeaderLength { found, max }
}

fn payload_length(found: u64, max: u64) -> FrameError {
    FrameError::PayloadLength { found, max }
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
    fn a_frame_in_pieces_of_any_size_is_decoded() {
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
    fn invalid_frames_have_typed_errors() {
        let changed = |at: usize, to: u8| {
            let mut bytes = bytes(b"{}", b"12345");
            bytes[at] = to;
            bytes
        };
        let cases: [(Vec<u8>, &str); 6] = [
            (
                b"Loading model...".to_vec(),
                "not a frame: it starts with \"Loading model...\"",
            ),
            (changed(8, 2), "frame layout 2 is unknown"),
            (
                changed(15, 1),
                "the header has 16777218 bytes, the limit is 1048576",
            ),
            (changed(23, 0x7f), "the payload has 9151314442816847877 bytes"),
            (
                bytes(b"{}", b"12345")[..26].to_vec(),
                "truncated frame: the channel ended 5 bytes too early",
            ),
            (
                bytes(b"{}", b"12345")[..10].to_vec(),
                "truncated frame: the channel ended 14 bytes too early",
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
