//! Whether a configuration file may be used: it names programs that are started.
//!
//! A file of the user in folders of the user is. Any other one is only after `config allow`, which
//! remembers the digest of its path and content: a changed file has to be allowed again.

use std::path::{Path, PathBuf};

use harness_corpus::Sha256;
use run_record::replace;

use super::ConfigError;

/// Whether the file was allowed with this content.
pub(super) fn is_allowed(path: &Path, text: &str) -> bool {
    record(path, text).is_ok_and(|record| record.is_file())
}

/// Allows the file with this content.
///
/// # Errors
/// There is no folder for the state of programs, or it cannot be written.
pub(super) fn allow(path: &Path, text: &str) -> Result<(), ConfigError> {
    let record = record(path, text)?;
    Ok(replace(&record, format!("{}\n", path.display()).as_bytes())?)
}

/// The file that exists if `path` was allowed with this content; it contains the path, for people.
fn record(path: &Path, text: &str) -> Result<PathBuf, ConfigError> {
    let path = std::path::absolute(path).map_err(|source| ConfigError::Read {
        path: path.to_path_buf(),
        source,
    })?;
    let digest = Sha256::of(format!("{}\0{text}", path.display()).as_bytes());
    let state = dirs::state_dir().or_else(dirs::data_local_dir);
    let state = state.ok_or(ConfigError::NoState)?;
    Ok(state.join("onnx-conformance/allowed").join(digest.to_string()))
}
