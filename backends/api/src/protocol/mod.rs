//! The worker protocol: how the harness talks to a process that runs models.
//!
//! `docs/protocol.md` is the specification; this module is its Rust form, used by both sides.
//!
//! - [`frame`]: bytes on the channel. Knows lengths, not messages.
//! - [`message`]: what can be said. One definition serves as JSON header and as message with values.
//! - [`blob`]: how values and files lie in the payload of a frame.
//! - [`payload`]: the payload itself, in pieces.
//! - [`type_text`]: types as text, `seq(tensor(int64))`.
//! - [`bounded`]: outputs with how far a right implementation may be from them.
//! - [`codec`]: a message with its values to a frame, and back.
//! - [`channel`]: which file descriptors a worker talks over.

pub mod blob;
pub mod bounded;
pub mod channel;
pub mod codec;
mod error;
pub mod frame;
pub mod message;
pub mod payload;
pub mod type_text;

pub use bounded::{BoundedError, BoundedOutputs};
pub use channel::{Channel, FD_IN, FD_OUT};
pub use codec::{decode_answer, decode_request, encode_answer, encode_request};
pub use error::{FrameError, ProtocolError};
pub use frame::{Frame, FrameDecoder, MAX_HEADER, MAX_PAYLOAD};
pub use message::{
    Answer, Benched, ExternalFile, Hello, Load, Loaded, Ran, Refusal, RefusalKind, Request, WireAnswer,
    WireRequest,
};
pub use payload::Payload;

/// The versions of the protocol that this crate speaks, the preferred one first.
pub const VERSIONS: &[u32] = &[1];
