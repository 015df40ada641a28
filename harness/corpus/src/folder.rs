//! Folders and files in an archive, in memory or on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::fs::{self, File, FileType};
use std::io::{self, Read};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onnx_model::Bytes;

use super::CorpusError;
use super::archive::Archive;
use super::names::{has_invalid_characters, names_on_disk, paths_on_disk, shown};
use super::relative::relative_name;

/// The size limit of a file on disk: 2 GiB, which is also protobuf's limit for a message.
const MAX_FILE_BYTES: u64 = 2 << 30;

/// A folder of a corpus. Cheap to clone; its content is read on demand.
#[derive(Clone)]
pub struct Folder(pub(super) Place);

/// A file of a corpus that is not yet read. Cheap to clone and to send to another thread.
#[derive(Clone)]
pub struct FileRef(pub(super) Place);

/// The location of a folder or a file.
#[derive(Clone)]
pub(super) enum Place {
    /// In an archive. The path of a folder ends with a slash, except the root, which is empty.
    Archive {
        archive: Arc<Archive>,
        path: Arc<str>,
    },
    /// Among files in memory, with paths as in an archive.
    Memory {
        files: Arc<Files>,
        path: Arc<str>,
    },
    Disk(Arc<Path>),
}

/// Files in memory by path.
type Files = BTreeMap<String, Bytes>;

impl Folder {
    /// The root of an archive.
    pub(super) fn of_archive(archive: Archive) -> Self {
        Self(Place::Archive {
            archive: Arc::new(archive),
            path: Arc::from(""),
        })
    }

    /// The root of files in memory.
    pub(super) fn of_files(files: Files) -> Self {
        Self(Place::Memory {
            files: Arc::new(files),
            path: Arc::from(""),
        })
    }

    /// A folder on disk.
    pub(super) fn on_disk(path: &Path) -> Self {
        Self(Place::Disk(Arc::from(path)))
    }

    /// The names of the direct subfolders, sorted, without names that are invalid in ids; those are in
    /// [`Self::folders_with_invalid_names`].
    pub(super) fn folders(&self) -> Result<Vec<String>, CorpusError> {
        let mut names = match &self.0 {
            Place::Archive { archive, path } => {
                let below = archive.names_below(path).map(|name| &**name);
                direct_names(below, path, true)
            }
            Place::Memory { files, path } => direct_names(names_below(files, path), path, true),
            Place::Disk(path) => names_on_disk(path, FileType::is_dir)?,
        };
        names.retain(|name| !has_invalid_characters(name));
        Ok(names)
    }

    /// The direct subfolders whose name is not UTF-8 or has control characters, each with its escaped name.
    pub(super) fn folders_with_invalid_names(&self) -> Result<Vec<(String, Folder)>, CorpusError> {
        let inside = |names: Vec<String>| {
            let invalid = names.into_iter().filter(|name| has_invalid_characters(name));
            invalid
                .map(|name| (shown(OsStr::new(&name)), self.folder(&name)))
                .collect()
        };
        let on_disk = |path: PathBuf| {
            let name = path.file_name()?;
            let has_invalid_characters = name.to_str().is_none_or(has_invalid_characters);
            has_invalid_characters.then(|| (shown(name), Folder::on_disk(&path)))
        };
        Ok(match &self.0 {
            Place::Archive { archive, path } => {
                let below = archive.names_below(path).map(|name| &**name);
                inside(direct_names(below, path, true))
            }
            Place::Memory { files, path } => inside(direct_names(names_below(files, path), path, true)),
            Place::Disk(path) => {
                let paths = paths_on_disk(path, FileType::is_dir)?;
                paths.into_iter().filter_map(on_disk).collect()
            }
        })
    }

    /// The names of the files directly in this folder, sorted.
    pub(super) fn files(&self) -> Result<Vec<String>, CorpusError> {
        match &self.0 {
            Place::Archive { archive, path } => {
                let below = archive.names_below(path).map(|name| &**name);
                Ok(direct_names(below, path, false))
            }
            Place::Memory { files, path } => Ok(direct_names(names_below(files, path), path, false)),
            // A file whose name is not UTF-8 belongs to no case: neither the layout nor a model can refer
            // to it.
            Place::Disk(path) => names_on_disk(path, FileType::is_file),
        }
    }

    /// The direct subfolder of this name; it may be empty.
    pub(super) fn folder(&self, name: &str) -> Self {
        Self(match &self.0 {
            Place::Archive { archive, path } => Place::Archive {
                archive: Arc::clone(archive),
                path: Arc::from(format!("{path}{name}/")),
            },
            Place::Memory { files, path } => Place::Memory {
                files: Arc::clone(files),
                path: Arc::from(format!("{path}{name}/")),
            },
            Place::Disk(path) => Place::Disk(Arc::from(path.join(name))),
        })
    }

    /// The file of this name directly in this folder, if it exists. `name` must come from a listing, not
    /// from a model.
    pub(super) fn file(&self, name: &str) -> Option<FileRef> {
        match &self.0 {
            Place::Archive { archive, path } => {
                let path = Arc::clone(archive.entry(&format!("{path}{name}"))?);
                Some(FileRef(Place::Archive {
                    archive: Arc::clone(archive),
                    path,
                }))
            }
            Place::Memory { files, path } => {
                let path = format!("{path}{name}");
                files.contains_key(&path).then(|| {
                    FileRef(Place::Memory {
                        files: Arc::clone(files),
                        path: Arc::from(path),
                    })
                })
            }
            Place::Disk(path) => {
                let file = path.join(name);
                file.is_file().then(|| FileRef(Place::Disk(Arc::from(file))))
            }
        }
    }

    /// The file to which a model refers as external data, if it exists. `name` is untrusted.
    ///
    /// # Errors
    /// [`CorpusError::OutsideFolder`] for an absolute name, a name with `..`, and a symbolic link to a file
    /// outside the folder.
    pub fn sibling(&self, name: &str) -> Result<Option<FileRef>, CorpusError> {
        let outside = || CorpusError::OutsideFolder {
            name: name.to_owned(),
            folder: self.to_string(),
        };
        let relative = relative_name(name).ok_or_else(outside)?;
        let file = self.file(&relative);
        if let (Some(FileRef(Place::Disk(file))), Place::Disk(folder)) = (&file, &self.0)
            && !real_path(file)?.starts_with(real_path(folder)?)
        {
            return Err(outside());
        }
        Ok(file)
    }
}

impl FileRef {
    /// A file on disk.
    pub(super) fn on_disk(path: &Path) -> Self {
        Self(Place::Disk(Arc::from(path)))
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// [`CorpusError::Io`] and [`CorpusError::FileTooLarge`] on disk; [`CorpusError::Entry`] for an
    /// archive's entry that is damaged or beyond the limits.
    pub fn read(&self) -> Result<Bytes, CorpusError> {
        match &self.0 {
            Place::Archive { archive, path } => archive.read_named(path).map(Bytes::from),
            // References to files come from the list of files.
            Place::Memory { files, path } => Ok(files.get(&**path).cloned().unwrap_or_default()),
            Place::Disk(path) => read_file(path),
        }
    }
}

impl fmt::Display for FileRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for FileRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Folder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Display for Place {
    /// A path for display: `!` separates the archive from the path in it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Archive { archive, path } => write!(f, "{}!/{path}", archive.path().display()),
            Self::Memory { path, .. } => write!(f, "(built in)/{path}"),
            Self::Disk(path) => write!(f, "{}", path.display()),
        }
    }
}

/// The unique names directly below `prefix`: of folders or of files.
fn direct_names<'a>(names: impl Iterator<Item = &'a str>, prefix: &str, folders: bool) -> Vec<String> {
    let below = names.filter_map(|name| name.strip_prefix(prefix));
    let direct = below.filter_map(|rest| match rest.split_once('/') {
        Some((folder, _)) => folders.then_some(folder),
        None => (!folders).then_some(rest),
    });
    // A set, because the archive is sorted by whole paths: `a-b/x` comes before `a/x`.
    direct
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(str::to_owned)
        .collect()
}

fn names_below<'a>(files: &'a Files, prefix: &'a str) -> impl Iterator<Item = &'a str> {
    let from = (Bound::Included(prefix), Bound::Unbounded);
    files
        .range::<str, _>(from)
        .map(|(name, _)| name.as_str())
        .take_while(move |name| name.starts_with(prefix))
}

fn real_path(path: &Path) -> Result<PathBuf, CorpusError> {
    fs::canonicalize(path).map_err(CorpusError::io("resolve", path))
}

/// The bytes of a file on disk.
///
/// # Errors
/// It cannot be read, is no regular file, or is larger than 2 GiB.
pub fn read_file(path: &Path) -> Result<Bytes, CorpusError> {
    let fail = |error: io::Error| CorpusError::io("read", path)(error);
    // A pipe waits for a writer, and a device may have no end.
    if fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
        let problem = "it is not a regular file (a folder, a pipe or a device)";
        return Err(fail(io::Error::new(io::ErrorKind::InvalidInput, problem)));
    }
    let file = File::open(path).map_err(fail)?;
    let size = file.metadata().map_err(fail)?.len();
    let too_large = |bytes| CorpusError::FileTooLarge {
        path: path.to_path_buf(),
        bytes,
        limit: MAX_FILE_BYTES,
    };
    if size > MAX_FILE_BYTES {
        return Err(too_large(size));
    }
    let mut bytes = Vec::new();
    // One byte beyond the limit, to detect a larger file.
    file.take(MAX_FILE_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(fail)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes.into())
}

#[cfg(test)]
mod tests {
    use super::super::archive::tests::{archive_of, zip_of};
    use super::*;

    #[test]
    fn archives_memory_and_disks_have_the_same_listings() {
        let files: [(&str, &[u8]); 5] = [
            ("top.txt", b"0"),
            ("a/1.txt", b"1"),
            ("a/sub/2.txt", b"2"),
            ("a-b/3.txt", b"3"),
            ("a/4.txt", b"4"),
        ];
        let disk = tempfile::tempdir().unwrap();
        for (name, bytes) in files {
            let path = disk.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        for root in [
            Folder::of_archive(archive_of(&zip_of(&files)).unwrap()),
            Folder::of_files(
                files
                    .map(|(name, bytes)| (name.to_owned(), Bytes::copy_from_slice(bytes)))
                    .into(),
            ),
            Folder::on_disk(disk.path()),
        ] {
            assert_eq!(root.folders().unwrap(), ["a", "a-b"]);
            assert_eq!(root.files().unwrap(), ["top.txt"]);
            let a = root.folder("a");
            assert_eq!(
                (a.folders().unwrap(), a.files().unwrap()),
                (vec!["sub".into()], vec!["1.txt".into(), "4.txt".into()])
            );
            assert_eq!(a.folder("sub").file("2.txt").unwrap().read().unwrap(), "2");
            assert_eq!(a.sibling("./sub/2.txt").unwrap().unwrap().read().unwrap(), "2");
            assert!(a.sibling("none.bin").unwrap().is_none());
            assert!(matches!(
                a.sibling("../top.txt"),
                Err(CorpusError::OutsideFolder { .. })
            ));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_external_data_outside_the_folder_is_rejected() {
        let disk = tempfile::tempdir().unwrap();
        let model = disk.path().join("model");
        fs::create_dir(&model).unwrap();
        fs::write(disk.path().join("secret"), b"x").unwrap();
        std::os::unix::fs::symlink("../secret", model.join("w.bin")).unwrap();
        let error = Folder::on_disk(&model).sibling("w.bin").unwrap_err();
        assert!(matches!(error, CorpusError::OutsideFolder { .. }), "{error}");
    }
}
