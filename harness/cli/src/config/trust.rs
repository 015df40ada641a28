//! Whether a configuration file may be used: it names programs that are started.
//!
//! A file of the user in folders of the user is. Any other one is only after `config allow`, which
//! remembers the digest of its path and content: a changed file has to be allowed again.

use std::fmt;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use harness_corpus::Sha256;
use run_record::replace;

use super::ConfigError;

/// The permissions to write of the group and of all others.
const OTHERS_WRITE: u32 = 0o022;

/// The bit of a folder in which nobody replaces files of others, as in `/tmp`.
const STICKY: u32 = 0o1000;

/// Why a file may not be used as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Objection {
    /// Another user owns it.
    Owner {
        /// The file or a folder above it.
        path: PathBuf,
        /// The owner's number.
        owner: u32,
    },
    /// Others may write it, or replace what is in it.
    Writable {
        /// The file or a folder above it.
        path: PathBuf,
    },
}

impl fmt::Display for Objection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Objection::Owner { path, owner } => {
                write!(f, "`{}` belongs to user {owner}", path.display())
            }
            Objection::Writable { path } => write!(f, "others may write `{}`", path.display()),
        }
    }
}

/// The owner and the permissions of a file or folder.
#[derive(Clone, Debug)]
struct Entry {
    path: PathBuf,
    owner: u32,
    mode: u32,
}

impl Entry {
    fn new(path: &Path, metadata: &Metadata) -> Entry {
        Entry {
            path: path.to_path_buf(),
            owner: metadata.uid(),
            mode: metadata.mode(),
        }
    }

    fn objection(&self, user: u32, is_folder: bool) -> Option<Objection> {
        let path = self.path.clone();
        let sticky = is_folder && self.mode & STICKY != 0;
        match (self.owner == user || self.owner == 0, self.mode & OTHERS_WRITE) {
            (false, _) => Some(Objection::Owner {
                path,
                owner: self.owner,
            }),
            (true, 0) => None,
            (true, _) if sticky => None,
            (true, _) => Some(Objection::Writable { path }),
        }
    }
}

/// Why the open file at `path` may not be used; `None` if it and its folders belong to the user or to root
/// and nobody else may write them.
///
/// # Errors
/// A folder cannot be examined.
pub(super) fn objection(path: &Path, file: &Metadata) -> io::Result<Option<Objection>> {
    let user = rustix::process::geteuid().as_raw();
    let resolved = fs::canonicalize(path)?;
    if let Some(objection) = Entry::new(path, file).objection(user, false) {
        return Ok(Some(objection));
    }
    // The folders of the name as well as those of the target of a link: each decides which file is found.
    let given = std::path::absolute(path)?;
    for folder in given.ancestors().skip(1).chain(resolved.ancestors().skip(1)) {
        let entry = Entry::new(folder, &fs::metadata(folder)?);
        if let Some(objection) = entry.objection(user, true) {
            return Ok(Some(objection));
        }
    }
    Ok(None)
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_others_control_are_objected_to() {
        for (owner, mode, is_folder, expected) in [
            (7, 0o644, false, None),
            (0, 0o644, false, None),
            (8, 0o644, false, Some("`/f` belongs to user 8")),
            (7, 0o664, false, Some("others may write `/f`")),
            (7, 0o646, false, Some("others may write `/f`")),
            (7, 0o755, true, None),
            (0, 0o1777, true, None),
            (7, 0o1666, false, Some("others may write `/f`")),
            (7, 0o775, true, Some("others may write `/f`")),
            (0, 0o777, true, Some("others may write `/f`")),
            (8, 0o700, true, Some("`/f` belongs to user 8")),
        ] {
            let entry = Entry {
                path: "/f".into(),
                owner,
                mode,
            };
            let found = entry.objection(7, is_folder).map(|found| found.to_string());
            assert_eq!(found.as_deref(), expected, "{owner} {mode:o}");
        }
    }
}
