//! Errors in the data of the other side.

use onnx_model::ModelError;

/// Why a frame is invalid.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The first bytes are not those of a frame; usually something else was printed to the channel.
    #[error("not a frame: it starts with {0:?}, not with the magic bytes")]
    Magic(String),
    /// The layout of the frame is unknown.
    #[error("frame layout {0} is unknown; the supported layout is {known}", known = super::frame::LAYOUT)]
    Layout(u32),
    /// The header is longer than [`super::MAX_HEADER`].
    #[error("the header has {found} bytes, the limit is {max}")]
    HeaderLength {
        /// The announced length in bytes.
        found: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// The payload is longer than the reader's limit.
    #[error("the payload has {found} bytes, the limit is {max}")]
    PayloadLength {
        /// The announced length in bytes.
        found: u64,
        /// The limit in bytes.
        max: u64,
    },
    /// The channel ended in the middle of a frame.
    #[error("truncated frame: the channel ended {missing} bytes too early")]
    Truncated {
        /// The number of bytes missing in the current part.
        missing: usize,
    },
    /// Reading or writing failed.
    #[error("the channel failed: {0}")]
    Io(#[from] std::io::Error),
}

/// Why a message is invalid.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The frame is invalid.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The header is not a JSON object with an `id`, so no answer is possible.
    #[error("the header is not a message: {0}")]
    Header(#[source] serde_json::Error),
    /// The header has an id, but the message is unknown.
    #[error("message `{message}` is unknown")]
    UnknownMessage {
        /// The id, for the answer.
        id: u64,
        /// The name of the message.
        message: String,
    },
    /// The fields of a known message are invalid.
    #[error("message `{message}`: {problem}")]
    Malformed {
        /// The id, for the answer.
        id: u64,
        /// The name of the message.
        message: String,
        /// The problem.
        problem: Problem,
    },
    /// The header names bytes by digests that the store of this worker does not have.
    #[error("the store has no bytes with the SHA-256 {}", sha256.join(", "))]
    Missing {
        /// The id, for the answer.
        id: u64,
        /// The digests.
        sha256: Vec<String>,
    },
    /// A message cannot be encoded.
    #[error("message `{message}` cannot be written: {problem}")]
    Unwritable {
        /// The name of the message.
        message: &'static str,
        /// The problem.
        problem: Problem,
    },
}

/// What is wrong inside of a message.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// A field is missing or has the wrong type.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The header describes more bytes than the payload has.
    #[error("`{blob}` has {bytes} bytes in the header, but the payload has {left} left")]
    Short {
        /// The blob that is too long.
        blob: String,
        /// Its length in the header.
        bytes: u64,
        /// The bytes left in the payload.
        left: usize,
    },
    /// Bytes are named by a text that is not a digest.
    #[error("`{blob}`: expected a SHA-256 of 64 lower-case hexadecimal digits, got {sha256:?}")]
    Digest {
        /// The name of the bytes.
        blob: String,
        /// The beginning of the text.
        sha256: String,
    },
    /// Sent bytes have another digest than the header says.
    #[error("`{blob}` has the SHA-256 {found}, the header says {sha256}")]
    OtherBytes {
        /// The name of the bytes.
        blob: String,
        /// The digest in the header.
        sha256: String,
        /// The digest of the bytes.
        found: String,
    },
    /// Bytes are named by a digest, but this worker has no store.
    #[error("`{0}` is named by a digest, but this worker has offered no store")]
    NoStore(String),
    /// A name is longer than [`super::caps::MAX_NAME`].
    #[error("the name `{name}` has {bytes} bytes, the limit is {max}", max = super::caps::MAX_NAME)]
    LongName {
        /// Its beginning and its end.
        name: String,
        /// Its length in bytes.
        bytes: usize,
    },
    /// A number is beyond its limit.
    #[error("{found} {what}, the limit is {max}")]
    Number {
        /// What is counted.
        what: &'static str,
        /// The number.
        found: u64,
        /// The limit.
        max: u64,
    },
    /// The deadline of the request passed while its answer was decoded.
    #[error("the deadline passed while the answer was decoded")]
    Late,
    /// The payload has bytes that the header does not describe.
    #[error("the payload has {0} bytes that the header does not describe")]
    Surplus(usize),
    /// A type is not an ONNX type.
    #[error("value `{name}`: {error}")]
    Type {
        /// The value.
        name: String,
        /// The problem with the text.
        #[source]
        error: super::type_text::TypeTextError,
    },
    /// The bytes of a value do not match its type.
    #[error("value `{name}`: {error}")]
    Value {
        /// The value.
        name: String,
        /// The problem with the bytes.
        #[source]
        error: Box<ModelError>,
    },
    /// The header or the payload is longer than a frame allows.
    #[error("{0}")]
    TooLong(#[from] FrameError),
}
