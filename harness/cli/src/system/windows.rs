//! Windows. Compiled by the checks of the project, not run by them.

use std::fs::Metadata;
use std::io;
use std::path::Path;

use super::Objection;

/// A large file is a write error on this system.
///
/// # Errors
/// None.
pub(crate) fn survive_large_files() -> io::Result<()> {
    Ok(())
}

/// Why the open file at `path` may not be used: the access lists of this system are not examined, so that
/// every file has to be allowed.
///
/// # Errors
/// None.
pub(crate) fn objection(_path: &Path, _file: &Metadata) -> io::Result<Option<Objection>> {
    Ok(Some(Objection::Unknown))
}
