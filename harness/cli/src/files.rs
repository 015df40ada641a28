//! Files that commands write.

use std::fs;
use std::path::Path;

use run_record::WriteError;

use super::CliError;

/// Writes a file with its folders.
pub(super) fn put(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(write_error(parent))?;
    }
    fs::write(path, bytes).map_err(write_error(path))
}

/// The error for a file that cannot be written.
pub(super) fn write_error(path: &Path) -> impl FnOnce(std::io::Error) -> CliError + use<> {
    let path = path.to_path_buf();
    move |source| WriteError { path, source }.into()
}
