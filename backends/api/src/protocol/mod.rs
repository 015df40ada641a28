//! The worker protocol between the harness and a process that runs models.
//!
//! `docs/protocol.md` is the specification. This module implements it for both sides.
//!
//! - [`frame`]: bytes on the channel. It knows lengths, not messages.
//! - [`message`]: the messages. One definition is the JSON header and the message with its values.
//! - [`blob`]: values and files in the payload of a frame.
//! - [`part`]: models and external files in a header, by length or by digest.
//! - [`payload`]: the bytes of the payload, in pieces.
//! - [`type_text`]: types as text, `seq(tensor(int64))`.
//! - [`bounded`]: outputs with bounds.
//! - [`codec`]: encodes messages with their values as frames, and decodes them.
//! - [`caps`]: the limits of what an answer may contain.
//! - [`channel`]: the file descriptors of a worker's channel.

pub mod blob;
pub mod bounded;
pub mod caps;
pub mod channel;
pub mod codec;
mod error;
mod external;
pub mod frame;
pub mod message;
pub mod part;
pub mod payload;
pub mod type_text;

pub use bounded::{BoundedError, BoundedOutputs};
pub use channel::{Channel, FD_IN, FD_OUT};
pub use codec::{
    Header, decode_answer, decode_answer_until, decode_request, decode_request_with, encode_answer,
    encode_request, encode_request_with,
};
pub use error::{FrameError, Problem, ProtocolError};
pub use external::{External, resident_bytes};
pub use frame::{Frame, FrameDecoder, MAX_HEADER, MAX_PAYLOAD};
pub use message::{
    Answer, Benched, ExternalFile, Hello, Load, Loaded, Ran, Refusal, RefusalKind, Request, WireAnswer,
    WireRequest,
};
pub use part::{Library, MIN_NAMED, Part, Sending, is_sha256, sha256};
pub use payload::Payload;

/// The supported versions of the protocol, the preferred one first.
pub const VERSIONS: &[u32] = &[1];
