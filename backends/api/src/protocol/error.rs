//! What can be wrong with what the other side sent.

use onnx_model::ModelError;

/// What can be wrong with a frame.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The first bytes are not those of a frame; most often something else was printed on the channel.
    #[error("no frame: it starts with {0:?}, not with the magic bytes")]
    Magic(String),
    /// A layout of frames that is not known here.
    #[error("frame layout {0} is unknown; this side knows layout {known}", known = super::frame::LAYOUT)]
    Layout(u32),
    /// A header longer than [`super::MAX_HEADER`].
    #[error("a header of {found} bytes is announced, {most} are allowed")]
    HeaderLength {
        /// The announced length in bytes.
        found: u64,
        /// The bound in bytes.
        most: u64,
    },
    /// A payload longer than the reader takes.
    #[error("a payload of {found} bytes is announced, {most} are allowed")]
    PayloadLength {
        /// The announced length in bytes.
        found: u64,
        /// The bound in bytes.
        most: u64,
    },
    /// The channel ended in the middle of a frame.
    #[error("torn frame: the channel ended {missing} bytes before the next boundary")]
    Torn {
        /// Bytes that were still expected of the current part.
        missing: usize,
    },
    /// The channel itself failed.
    #[error("the channel failed: {0}")]
    Io(#[from] std::io::Error),
}

/// What can be wrong with a message.
#[derive(Debug, thiserror::Error)]
pub enum ProtocolError {
    /// The frame is wrong.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The header is no JSON object with an `id`; it cannot even be answered.
    #[error("the header is no message: {0}")]
    Header(#[source] serde_json::Error),
    /// The header has an id, but is no message that is known here.
    #[error("message `{message}` is unknown")]
    UnknownMessage {
        /// The id, for the answer.
        id: u64,
        /// The name it gives itself.
        message: String,
    },
    /// A known message whose fields are wrong.
    #[error("message `{message}`: {problem}")]
    Malformed {
        /// The id, for the answer.
        id: u64,
        /// Which message.
        message: String,
        /// What is wrong with it.
        problem: Problem,
    },
    /// A message cannot be written.
    #[error("message `{message}` cannot be written: {problem}")]
    Unwritable {
        /// Which message.
        message: &'static str,
        /// Why.
        problem: Problem,
    },
}

/// What can be wrong inside a message.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// A field is missing or of the wrong type.
    #[error("{0}")]
    Json(#[from] serde_json::Error),
    /// The blobs in the header need more bytes than the payload has.
    #[error("`{blob}` has {bytes} bytes by the header, of which the payload holds {left}")]
    Short {
        /// The blob that does not fit.
        blob: String,
        /// Its length by the header.
        bytes: u64,
        /// What is left of the payload.
        left: usize,
    },
    /// The payload has bytes that no blob of the header accounts for.
    #[error("the payload has {0} bytes that the header does not name")]
    Surplus(usize),
    /// A type that is none of ONNX's.
    #[error("value `{name}`: {error}")]
    Type {
        /// The value.
        name: String,
        /// What is wrong with the text.
        #[source]
        error: super::type_text::TypeTextError,
    },
    /// A value whose bytes are not what its type says.
    #[error("value `{name}`: {error}")]
    Value {
        /// The value.
        name: String,
        /// What is wrong with the bytes.
        #[source]
        error: Box<ModelError>,
    },
    /// The header or the payload became longer than a frame can be.
    #[error("{0}")]
    TooLong(#[from] FrameError),
}
