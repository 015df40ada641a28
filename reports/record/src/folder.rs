//! The folder of a run: files are written into it without following links.
//!
//! Whoever prepared the folder may have put links into it, or a link in its place: a file would be written
//! where they point to. The folder that a person names must be a real one; folders above it may be links. A
//! link in the folder is replaced, or refused where a file is continued.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::Builder;

use crate::WriteError;
use crate::system::{Dir, links, refused};

/// An open folder; on Unix, what happens to its path does not change where it writes.
#[derive(Debug)]
pub struct Folder(Dir);

impl Folder {
    /// Opens a folder, and creates it with the folders above it if necessary.
    ///
    /// # Errors
    /// The path is a link or a file, or the error of the system.
    pub fn create(path: &Path) -> io::Result<Folder> {
        // Without a slash at the end, which would follow a link.
        let path: PathBuf = path.components().collect();
        let path = if path.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &path
        };
        if path.symlink_metadata().is_ok_and(|found| found.is_symlink()) {
            let problem = "the folder is a symbolic link: name the folder that it points to";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        fs::create_dir_all(path)?;
        Ok(Folder(Dir::open(path)?))
    }

    /// Replaces the file of this name, which may be in a folder below (`pictures/a.svg`), in one step. A file
    /// keeps its permissions; a link is replaced, not followed.
    ///
    /// # Errors
    /// A folder below is a link, the file may not be written, or the error of the system.
    pub fn replace(&self, name: &Path, content: &[u8]) -> io::Result<()> {
        self.staged(name, content, File::sync_all).map(drop)
    }

    /// Replaces the file of this name by one that begins with `head` and is open for writing.
    ///
    /// # Errors
    /// As for [`Self::replace`].
    pub fn begin(&self, name: &Path, head: &[u8]) -> io::Result<File> {
        self.staged(name, head, |_| Ok(()))
    }

    /// Opens a file of this folder for reading and writing, and creates it if necessary. With `append`, every
    /// write goes to its end, and it must exist.
    ///
    /// # Errors
    /// It is a link, no regular file, or has a second name elsewhere (a hard link); or the error of the
    /// system.
    pub fn open(&self, name: &str, append: bool) -> io::Result<File> {
        let file = self.0.open_file(name.as_ref(), append)?;
        match (file.metadata()?.is_file(), links(&file)?) {
            (false, _) => Err(refused("not a regular file: remove it")),
            (true, 2..) => Err(refused("the file has a second name (a hard link): remove it")),
            (true, _) => Ok(file),
        }
    }

    /// Removes the file of this name, if there is one.
    ///
    /// # Errors
    /// The error of the system.
    pub fn remove(&self, name: &Path) -> io::Result<()> {
        let (below, name) = self.parent(name)?;
        match below.remove(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    /// The folder that contains a file of this name, which is created, and the last part of the name.
    fn parent<'n>(&self, name: &'n Path) -> io::Result<(Dir, &'n OsStr)> {
        let mut parts: Vec<&OsStr> = Vec::new();
        for part in name.components() {
            match part {
                Component::Normal(part) => parts.push(part),
                _ => return Err(refused("the name leads out of the folder")),
            }
        }
        let last = parts.pop().ok_or_else(|| refused("the name is empty"))?;
        let mut folder = self.0.try_clone()?;
        for part in parts {
            folder = folder.enter(part)?;
        }
        Ok((folder, last))
    }

    /// A new file with this content in the place of the old one; `finish` is called before it gets its name.
    fn staged(
        &self,
        name: &Path,
        content: &[u8],
        finish: impl Fn(&File) -> io::Result<()>,
    ) -> io::Result<File> {
        let (folder, name) = self.parent(name)?;
        let known = folder.permissions(name)?;
        // It chooses a name that is free; of its path only this name counts, in the open folder.
        let last = |path: &Path| path.file_name().map(OsStr::to_owned).unwrap_or_default();
        let mut builder = Builder::new();
        builder.prefix(".new-").disable_cleanup(true);
        let (mut file, path) = builder
            .make_in(".", |path| folder.create_file(&last(path)))?
            .into_parts();
        let new = last(&path);
        let mut place = || {
            file.write_all(content)?;
            if let Some(permissions) = known.clone() {
                file.set_permissions(permissions)?;
            }
            finish(&file)?;
            folder.rename(&new, name)
        };
        let placed: io::Result<()> = place();
        if placed.is_err() {
            let _ = folder.remove(&new);
        }
        placed.map(|()| file)
    }
}

/// Replaces a file of a folder as [`Folder::replace`] does, and returns its path. The folder is created if
/// necessary.
///
/// # Errors
/// The folder or a folder below it is a link, or the error of the system.
pub fn replace_in(folder: &Path, name: impl AsRef<Path>, content: &[u8]) -> Result<PathBuf, WriteError> {
    let path = folder.join(name.as_ref());
    let written = Folder::create(folder).and_then(|folder| folder.replace(name.as_ref(), content));
    match written {
        Ok(()) => Ok(path),
        Err(source) => Err(WriteError { path, source }),
    }
}

/// Like [`replace_in`]; without content it removes the file of an earlier run and returns `None`.
///
/// # Errors
/// Like [`replace_in`].
pub fn replace_or_remove(
    folder: &Path,
    name: impl AsRef<Path>,
    content: Option<&[u8]>,
) -> Result<Option<PathBuf>, WriteError> {
    let name = name.as_ref();
    if let Some(content) = content {
        return replace_in(folder, name, content).map(Some);
    }
    let removed = Folder::create(folder).and_then(|open| open.remove(name));
    removed.map_err(|source| WriteError {
        path: folder.join(name),
        source,
    })?;
    Ok(None)
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    /// A folder `out` beside a file `victim` and a folder `other`.
    fn place() -> (tempfile::TempDir, impl Fn(&str) -> PathBuf) {
        let place = tempfile::tempdir().unwrap();
        let root = place.path().to_path_buf();
        fs::create_dir(root.join("out")).unwrap();
        fs::create_dir(root.join("other")).unwrap();
        fs::write(root.join("victim"), "kept").unwrap();
        (place, move |name| root.join(name))
    }

    #[test]
    fn links_in_the_folder_are_replaced() {
        let (_place, at) = place();
        for target in ["../victim", "nowhere", "../other", "/dev/full"] {
            symlink(target, at("out/file")).unwrap();
            replace_in(&at("out"), "file", b"new").unwrap();
            assert!(!at("out/file").is_symlink());
            assert_eq!(fs::read(at("out/file")).unwrap(), b"new");
            fs::remove_file(at("out/file")).unwrap();
        }
        assert_eq!(fs::read(at("victim")).unwrap(), b"kept");
        assert_eq!(fs::read_dir(at("out")).unwrap().count(), 0, "no temporary files");
    }

    #[test]
    fn links_in_place_of_folders_are_refused() {
        let (_place, at) = place();
        symlink("other", at("link")).unwrap();
        symlink("../other", at("out/pictures")).unwrap();
        for (folder, name) in [
            ("link", "a"),
            ("link/", "a"),
            ("out", "pictures/a"),
            ("out", "../a"),
            ("victim", "a"),
        ] {
            let error = replace_in(&at(folder), name, b"new").expect_err(folder);
            assert!(error.to_string().starts_with("cannot write "), "{error}");
        }
        assert_eq!(fs::read_dir(at("other")).unwrap().count(), 0);
        // A folder above may be a link: the person named it.
        let path = replace_in(&at("link/deep/er"), "a/b", b"new").unwrap();
        assert_eq!(fs::read(path).unwrap(), b"new");
    }

    #[test]
    fn a_file_that_is_continued_is_no_link() {
        let (_place, at) = place();
        let folder = Folder::create(&at("out")).unwrap();
        symlink("../victim", at("out/link")).unwrap();
        fs::hard_link(at("victim"), at("out/hard")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("out/pipe")).status();
        assert!(made.unwrap().success());
        for append in [false, true] {
            for (name, said) in [
                ("link", "symbolic link"),
                ("hard", "second name"),
                ("pipe", "not a regular"),
            ] {
                let error = folder.open(name, append).expect_err(name).to_string();
                assert!(error.contains(said), "{name}: {error}");
            }
        }
        assert!(folder.open("new", true).is_err());
        folder.open("new", false).unwrap();
        folder.open("new", true).unwrap().write_all(b"x").unwrap();
        assert_eq!(
            (fs::read(at("out/new")).unwrap(), fs::read(at("victim")).unwrap()),
            (b"x".to_vec(), b"kept".to_vec())
        );
    }

    #[test]
    fn permissions_are_kept_and_failures_change_nothing() {
        let (_place, at) = place();
        fs::write(at("out/file"), "old").unwrap();
        fs::set_permissions(at("out/file"), Permissions::from_mode(0o640)).unwrap();
        replace_in(&at("out"), "file", b"new").unwrap();
        assert_eq!(fs::metadata(at("out/file")).unwrap().mode() & 0o7777, 0o640);
        fs::create_dir(at("out/folder")).unwrap();
        replace_in(&at("out"), "folder", b"new").unwrap_err();
        assert_eq!(fs::read_dir(at("out")).unwrap().count(), 2, "no temporary files");
        Folder::create(&at("out"))
            .unwrap()
            .remove(Path::new("nothing"))
            .unwrap();
    }
}
