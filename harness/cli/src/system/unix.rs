//! Linux and other Unix systems.

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::SIGXFSZ;

use super::Objection;

/// The permissions to write of the group and of all others.
const OTHERS_WRITE: u32 = 0o022;

/// The bit of a folder in which nobody replaces files of others, as in `/tmp`.
const STICKY: u32 = 0o1000;

/// Makes a file beyond the size limit a write error, which would end this process otherwise. Workers are not
/// affected.
///
/// # Errors
/// The signal cannot be handled.
pub(crate) fn survive_large_files() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
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
pub(crate) fn objection(path: &Path, file: &Metadata) -> io::Result<Option<Objection>> {
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
