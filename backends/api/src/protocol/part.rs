//! The bytes of a model or of a file of external data in the header of a request.
//!
//! A worker with a store keeps these bytes by their SHA-256, so that the harness sends them only once. The
//! harness names them by digest; a worker that does not have them answers [`super::Answer::Missing`].

use std::collections::BTreeSet;

use onnx_model::Bytes;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The minimum length in bytes of what is named by its digest. Shorter bytes cost less than a question.
pub const MIN_NAMED: usize = 16 << 10;

/// Bytes of a request, as its header describes them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Part {
    /// The length in bytes; the bytes are in the payload.
    Sent(u64),
    /// The digest; only for a worker with a store.
    Named {
        /// The SHA-256 in 64 lower-case hexadecimal digits.
        sha256: String,
        /// The length in bytes.
        bytes: u64,
        /// Whether the bytes are in the payload too, for the worker to keep.
        #[serde(default)]
        sent: bool,
    },
}

/// The store of a worker: bytes by their SHA-256.
pub trait Library {
    /// Returns the bytes with this digest and length, if they are kept and undamaged.
    fn find(&mut self, sha256: &str, bytes: u64) -> Option<Bytes>;
    /// Keeps bytes with this digest, if there is room. A failure is not an error: they are sent again.
    fn keep(&mut self, sha256: &str, bytes: &Bytes);
}

/// Which bytes of a request are sent.
#[derive(Clone, Debug, Default)]
pub enum Sending {
    /// All, without digests.
    #[default]
    All,
    /// Bytes of at least [`MIN_NAMED`] are named, and those with these digests are sent too.
    Digests(BTreeSet<String>),
}

/// The SHA-256 of bytes in hexadecimal digits.
pub fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Whether this is a SHA-256 in 64 lower-case hexadecimal digits.
pub fn is_sha256(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
