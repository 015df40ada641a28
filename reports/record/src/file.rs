//! Writes a file atomically.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::system::ordinary;

/// The number of links that are followed before a chain counts as a cycle, as in Linux.
const MAX_LINKS: usize = 40;

/// Why a file could not be written; its old content is unchanged. Exit code 73.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {source}", path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// The error of the system.
    pub source: io::Error,
}

/// Writes `content` to `path` atomically: a reader sees the old file or the new one, never a part. The
/// folder is created if necessary. An existing file keeps its permissions; a symbolic link is kept and
/// its target is written; a device or a pipe is written directly.
///
/// # Errors
/// The error of the system, for example for a file that may not be written, although its folder may.
pub fn replace(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    replace_from(path, &mut &*content)
}

/// Like [`replace`], with the bytes that `content` gives.
///
/// # Errors
/// Like [`replace`].
pub fn replace_from(path: &Path, content: &mut impl io::Read) -> Result<(), WriteError> {
    let mut write = || -> io::Result<()> {
        let target = target(path)?;
        if is_stream(&target) {
            let mut stream = OpenOptions::new().write(true).open(&target)?;
            return io::copy(content, &mut stream).map(drop);
        }
        let mut file = stage(&target)?;
        io::copy(content, &mut file)?;
        file.as_file().sync_all()?;
        file.persist(&target).map_err(|error| error.error)?;
        Ok(())
    };
    write().map_err(|source| WriteError {
        path: path.to_path_buf(),
        source,
    })
}

/// The target of all symbolic links of `path`; it need not exist.
fn target(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        match fs::symlink_metadata(&target) {
            Ok(metadata) if metadata.is_symlink() => {
                let link = fs::read_link(&target)?;
                target = target.parent().map_or(link.clone(), |folder| folder.join(&link));
            }
            _ => return Ok(target),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether `path` is something that a file cannot replace.
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// An empty file beside `target` with the permissions that `target` has or would get.
fn stage(target: &Path) -> io::Result<NamedTempFile> {
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let known = match OpenOptions::new().write(true).open(target) {
        Ok(file) => Some(file.metadata()?.permissions()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let mut builder = Builder::new();
    builder.prefix(".new-");
    ordinary(&mut builder);
    let file = builder.tempfile_in(folder)?;
    if let Some(permissions) = known {
        file.as_file().set_permissions(permissions)?;
    }
    Ok(file)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    #[test]
    fn permissions_and_links_are_kept_and_no_temporary_files_remain() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("real"), "old").unwrap();
        fs::set_permissions(at("real"), fs::Permissions::from_mode(0o640)).unwrap();
        symlink("real", at("link")).unwrap();
        symlink("link", at("link to link")).unwrap();
        symlink("later", at("dangling")).unwrap();
        for (name, content) in [
            ("link to link", "new"),
            ("dangling", "made"),
            ("deep/er/file", "x"),
        ] {
            replace(&at(name), content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(at(name)).unwrap(), content);
        }
        assert!(at("link").is_symlink() && at("link to link").is_symlink() && at("dangling").is_symlink());
        assert_eq!(fs::metadata(at("real")).unwrap().mode() & 0o7777, 0o640);
        let modes = |name: &str| fs::metadata(at(name)).unwrap().mode() & 0o7777;
        File::create(at("plain")).unwrap();
        assert_eq!(
            modes("later"),
            modes("plain"),
            "a new file gets the permissions of the umask"
        );
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().flatten().collect();
        assert_eq!(left.len(), 7, "{left:?}");
    }

    #[test]
    fn a_file_that_cannot_be_written_is_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "old").unwrap();
        fs::create_dir(at("folder")).unwrap();
        symlink("circle", at("circle")).unwrap();
        for path in [at("folder"), at("file/below"), at("circle"), "/dev/full".into()] {
            let error = replace(&path, b"new").unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("cannot write {}: ", path.display())),
                "{error}"
            );
        }
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "old");
    }
}
