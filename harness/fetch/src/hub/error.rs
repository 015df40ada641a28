//! What can go wrong with models of the zoo.

use std::io;
use std::path::PathBuf;

use harness_corpus::Sha256;

/// What can go wrong with models of the zoo.
#[derive(Debug, thiserror::Error)]
pub enum HubError {
    /// The manifest cannot be read.
    #[error("cannot read the manifest `{}`: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is no manifest.
    #[error("`{}` is no manifest of the ONNX model zoo: {reason}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// An entry cannot be used.
    #[error("`{}`: model `{model}`: {reason}", path.display())]
    Entry {
        /// The manifest.
        path: PathBuf,
        /// The path of the model in it.
        model: String,
        /// Why not.
        reason: String,
    },
    /// The mirror does not have a model (exit code 4).
    #[error("model `{model}` is not in `{mirror}`")]
    Missing {
        /// The model.
        model: String,
        mirror: String,
    },
    /// The file has other bytes than the manifest says.
    #[error("`{file}` has SHA-256 {found}, but the manifest says {expected}: it is not used")]
    Digest {
        /// The path of the file in the mirror.
        file: String,
        /// The hash of the manifest.
        expected: Sha256,
        /// The hash of the bytes that came.
        found: Sha256,
    },
    /// The archive does not hold one model with data sets.
    #[error("archive `{file}`: {reason}")]
    Archive {
        /// The path of the archive in the mirror.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A download did not happen.
    #[error("cannot download `{url}`: {reason}")]
    Download {
        /// The address.
        url: String,
        /// Why not.
        reason: String,
    },
    /// No model of the zoo is in the cache (exit code 4).
    #[error("no model of the zoo is in `{}`: bring some with `fetch --zoo hub --from MIRROR`", path.display())]
    Empty {
        /// The folder of the cache.
        path: PathBuf,
    },
}
