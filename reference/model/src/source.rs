//! The source of a model: its name in messages, and its external data.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};

/// The source of bytes.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) external: Option<&'a dyn ExternalData>,
    /// The bytes of external data after which large initializers stay in their files.
    pub(crate) resident: u64,
}

impl<'a> Source<'a> {
    /// A source with this name (used in messages) and without external data.
    pub fn named(name: &'a str) -> Source<'a> {
        Source {
            name,
            external: None,
            resident: u64::MAX,
        }
    }

    /// Adds external data.
    pub fn with_external(self, external: &'a dyn ExternalData) -> Source<'a> {
        Source {
            external: Some(external),
            ..self
        }
    }

    /// Leaves large initializers in their files with which more than `bytes` of external data would be read:
    /// [`onnx_tensor::Value::Stored`]. This needs [`ExternalData::folder`].
    pub fn resident(self, bytes: u64) -> Source<'a> {
        Source {
            resident: bytes,
            ..self
        }
    }
}

/// Access to the external data of a model (specification: ExternalData.md).
pub trait ExternalData {
    /// Reads exactly `length` bytes, from `offset` on, of the file at `location`, a path relative to the
    /// model's folder.
    ///
    /// An implementation reads nothing outside of that folder, and allocates no memory before it knows that
    /// the bytes exist.
    fn read(&self, location: &str, offset: u64, length: usize) -> Result<Vec<u8>, ExternalError>;

    /// Fails if [`ExternalData::read`] would fail because the file does not exist or is too short.
    fn measure(&self, location: &str, offset: u64, length: usize) -> Result<(), ExternalError> {
        self.read(location, offset, length).map(drop)
    }

    /// The folder of the model, if its files stay there as long as the model is used.
    fn folder(&self) -> Option<&Path> {
        None
    }
}

/// Why external data cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ExternalError {
    #[error("external data \"{location}\" was not provided with the model")]
    Absent { location: String },
    #[error("external data \"{location}\" is outside of the model's folder")]
    Outside { location: String },
    #[error(
        "external data \"{location}\" is a link to a file outside of the model's folder: copy the model with its files in the \
         place of links, as by `cp -rL`"
    )]
    Link { location: String },
    #[error(
        "external data \"{location}\" is not a regular file with a single name (folder, pipe, device or hard link): give the \
         model a file of its own"
    )]
    NotAFile { location: String },
    #[error("external data \"{location}\" has {size} bytes, expected {length} bytes at offset {offset}")]
    Range {
        location: String,
        offset: u64,
        length: u64,
        size: u64,
    },
    #[error("external data \"{location}\" cannot be read: {error}")]
    Read { location: String, error: std::io::Error },
}

/// External data in a folder of the file system.
#[derive(Clone, Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// The folder of a model.
    pub fn new(path: impl Into<PathBuf>) -> Folder {
        Folder(path.into())
    }

    /// Returns the real path of a regular file inside the folder, or of one to which a snapshot of a hub
    /// links.
    fn locate(&self, location: &str) -> Result<PathBuf, ExternalError> {
        let failed = |error| read_error(location, error);
        let relative = Path::new(location);
        let outside = || ExternalError::Outside {
            location: location.to_owned(),
        };
        if !is_inside(relative) {
            return Err(outside());
        }
        let folder = self.0.canonicalize().map_err(failed)?;
        let file = folder.join(relative).canonicalize().map_err(failed)?;
        let is_blob = || blobs(&folder).is_some_and(|blobs| file.starts_with(blobs));
        if !file.starts_with(&folder) && !is_blob() {
            return Err(ExternalError::Link {
                location: location.to_owned(),
            });
        }
        // Checked before it is opened: opening a pipe waits for a writer, and opening a device can have side
        // effects.
        if !is_own_file(&file).map_err(failed)? {
            return Err(ExternalError::NotAFile {
                location: location.to_owned(),
            });
        }
        Ok(file)
    }
}

/// Where the cache of Hugging Face's hub has the files of a snapshot, whose folder holds links to them.
fn blobs(snapshot: &Path) -> Option<PathBuf> {
    let mut folders = snapshot.ancestors();
    let snapshots = folders.find(|folder| folder.file_name().is_some_and(|name| name == "snapshots"))?;
    Some(snapshots.parent()?.join("blobs"))
}

/// Whether a relative path stays below its start.
fn is_inside(path: &Path) -> bool {
    let mut names = path.components().peekable();
    names.peek().is_some() && names.all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

/// Whether this is a regular file with one name. A second hard link may belong to a file outside of the
/// folder.
fn is_own_file(path: &Path) -> std::io::Result<bool> {
    let is_file = path.symlink_metadata()?.is_file();
    Ok(is_file && links(path)? == 1)
}

/// The number of names (hard links) of a regular file.
#[cfg(unix)]
fn links(path: &Path) -> std::io::Result<u64> {
    use std::os::unix::fs::MetadataExt;
    Ok(path.symlink_metadata()?.nlink())
}

/// The number of names (hard links) of a regular file.
#[cfg(windows)]
fn links(path: &Path) -> std::io::Result<u64> {
    Ok(winapi_util::file::information(File::open(path)?)?.number_of_links())
}

impl ExternalData for Folder {
    fn read(&self, location: &str, offset: u64, length: usize) -> Result<Vec<u8>, ExternalError> {
        let failed = |error| read_error(location, error);
        self.measure(location, offset, length)?;
        let mut file = File::open(self.locate(location)?).map_err(failed)?;
        file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        let mut bytes = Vec::new();
        file.take(length as u64).read_to_end(&mut bytes).map_err(failed)?;
        // The file may have shrunk since it was measured.
        if bytes.len() == length {
            Ok(bytes)
        } else {
            Err(failed(std::io::ErrorKind::UnexpectedEof.into()))
        }
    }

    fn measure(&self, location: &str, offset: u64, length: usize) -> Result<(), ExternalError> {
        let metadata = self.locate(location)?.metadata();
        let size = metadata.map_err(|error| read_error(location, error))?.len();
        let length = length as u64;
        match offset.checked_add(length) {
            Some(end) if end <= size => Ok(()),
            _ => Err(ExternalError::Range {
                location: location.to_owned(),
                offset,
                length,
                size,
            }),
        }
    }

    fn folder(&self) -> Option<&Path> {
        Some(&self.0)
    }
}

fn read_error(location: &str, error: std::io::Error) -> ExternalError {
    ExternalError::Read {
        location: location.to_owned(),
        error,
    }
}
