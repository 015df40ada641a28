//! The external data of a model that is to be loaded.

use std::path::PathBuf;

use onnx_model::{Bytes, Model};

use super::message::{ExternalFile, Load};
use crate::Named;

/// How many bytes of external data the harness and the reference hold in memory for one model: the value of
/// the environment variable `ONNX_CONFORMANCE_RESIDENT_BYTES`, or else 1 GiB.
pub fn resident_bytes() -> u64 {
    let given = std::env::var("ONNX_CONFORMANCE_RESIDENT_BYTES").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(1 << 30)
}

/// The external data of a model.
#[derive(Clone, Debug)]
pub enum External {
    /// Files that are sent with the model.
    Sent(Vec<ExternalFile>),
    /// Files that the worker reads in the folder of the model, because they are too large to be sent.
    InFolder {
        /// The folder.
        folder: PathBuf,
        /// The files, relative to the folder; each once, sorted.
        locations: Vec<String>,
    },
}

impl Default for External {
    fn default() -> External {
        External::Sent(Vec::new())
    }
}

impl External {
    /// The files with initializers that stayed there when the model was decoded; none if all elements are in
    /// memory, and so in the encoded model.
    pub fn of(model: &Model) -> External {
        let mut stored = model.stored();
        stored.sort_by(|a, b| a.location.cmp(&b.location));
        stored.dedup_by(|a, b| a.location == b.location);
        match stored.first() {
            None => External::default(),
            Some(first) => External::InFolder {
                folder: first.folder.clone(),
                locations: stored.iter().map(|stored| stored.location.clone()).collect(),
            },
        }
    }

    /// The bytes that are sent with the model.
    pub fn sent_bytes(&self) -> usize {
        match self {
            External::Sent(files) => files.iter().map(|file| file.bytes.len()).sum(),
            External::InFolder { .. } => 0,
        }
    }
}

impl Load {
    /// The request for a model; `inputs` for a backend that takes the inputs as constants.
    pub fn of(model: Bytes, external: External, inputs: Vec<Named>) -> Load {
        let (folder, files) = match external {
            External::Sent(files) => (None, files),
            External::InFolder { folder, .. } => (Some(folder), Vec::new()),
        };
        Load {
            model,
            folder,
            files,
            inputs,
        }
    }
}
