//! External data from the channel, written to files that a runtime can open.

use std::fs;
use std::path::{Component, Path};

use tempfile::TempDir;

use crate::BackendError;
use crate::protocol::ExternalFile;

/// Writes the files to a new temporary folder, which is removed when it is dropped. The harness sets `TMPDIR`
/// to a folder that it removes itself, so nothing remains if the worker is killed.
pub(super) fn unpack(files: Vec<ExternalFile>) -> Result<TempDir, BackendError> {
    let folder = TempDir::with_prefix("external-data-").map_err(BackendError::load)?;
    for file in files {
        let relative = Path::new(&file.location);
        let inside = relative
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !inside || file.location.is_empty() {
            return Err(BackendError::load(format!(
                "external file `{}` is outside of the folder",
                file.location
            )));
        }
        let path = folder.path().join(relative);
        let write = || {
            fs::create_dir_all(path.parent().unwrap_or(folder.path()))?;
            fs::write(&path, &file.bytes)
        };
        write().map_err(|error| BackendError::load(format!("external file `{}`: {error}", file.location)))?;
    }
    Ok(folder)
}
