//! The cache folder for fetched files, and the only function that adds a file to it.

use std::env;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use harness_corpus::{CorpusError, Sha256, VerifiedFile};

use super::FetchError;
use super::event::FetchEvent;

/// Overrides the user's cache folder.
const VARIABLE: &str = "ONNX_CONFORMANCE_CACHE";

/// The cache folder.
///
/// A file appears in it complete and verified or not at all, also with concurrent runs.
#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

/// The file that belongs at one place in the cache.
pub(super) struct Slot<'a> {
    /// The folder below the cache's root.
    pub folder: &'a str,
    /// The file's name in that folder.
    pub file: &'a str,
    /// Its expected digest.
    pub sha256: Sha256,
}

impl Cache {
    /// The folder in `ONNX_CONFORMANCE_CACHE`, otherwise `onnx-conformance` in the user's cache folder.
    ///
    /// # Errors
    /// [`FetchError::NoCacheFolder`] if neither exists.
    pub fn from_env() -> Result<Self, FetchError> {
        match env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
            // Absolute, because workers may run in another folder.
            Some(value) => std::path::absolute(&value)
                .map(Self::at)
                .map_err(FetchError::io("resolve the cache folder", Path::new(&value))),
            None => dirs::cache_dir()
                .map(|user| Self::at(user.join("onnx-conformance")))
                .ok_or(FetchError::NoCacheFolder),
        }
    }

    /// A cache at `root`, which is created with the first file.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// The cache's folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn place(&self, slot: &Slot<'_>) -> PathBuf {
        self.root.join(slot.folder).join(slot.file)
    }

    /// The verified file of `slot`. If it is missing or damaged, `produce` creates it in a new folder, once
    /// for all concurrent processes.
    pub(super) fn ensure(
        &self,
        slot: &Slot<'_>,
        notify: &dyn Fn(&FetchEvent<'_>),
        produce: impl FnOnce(&Path) -> Result<(), FetchError>,
    ) -> Result<VerifiedFile, FetchError> {
        let place = self.place(slot);
        // First without a lock, so that a complete cache can be read-only.
        if let Some(file) = intact(&place, slot.sha256, |_| Ok(()))? {
            return Ok(file);
        }
        let folder = self.root.join(slot.folder);
        fs::create_dir_all(&folder).map_err(FetchError::write("make the cache folder", &folder))?;
        let _lock = lock(&folder, slot.file, notify)?;
        let remove = |found| {
            notify(&FetchEvent::Damaged {
                path: &place,
                expected: slot.sha256,
                found,
            });
            fs::remove_file(&place).map_err(FetchError::write("remove the damaged", &place))
        };
        if let Some(file) = intact(&place, slot.sha256, remove)? {
            return Ok(file);
        }
        let partial = fresh_folder(&folder, slot.file)?;
        let installed = produce(&partial).and_then(|()| install(&partial, slot, &place));
        // The rest of a failed download is useless. If it cannot be removed now, the next fetch of this
        // file removes it.
        let _ = fs::remove_dir_all(&partial);
        installed
    }
}

/// The file if its digest is correct; `None` if it is missing or wrong. `damaged` receives a wrong digest.
fn intact(
    place: &Path,
    sha256: Sha256,
    damaged: impl FnOnce(Sha256) -> Result<(), FetchError>,
) -> Result<Option<VerifiedFile>, FetchError> {
    match VerifiedFile::open(place, sha256) {
        Ok(file) => Ok(Some(file)),
        Err(CorpusError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(CorpusError::WrongHash { found, .. }) => damaged(found).map(|()| None),
        Err(error) => Err(error.into()),
    }
}

/// Waits for the advisory lock on `file`, which lasts as long as the handle, also if the process is killed.
fn lock(folder: &Path, file: &str, notify: &dyn Fn(&FetchEvent<'_>)) -> Result<File, FetchError> {
    let path = folder.join(format!(".{file}.lock"));
    let handle = File::create(&path).map_err(FetchError::write("make the lock file", &path))?;
    match handle.try_lock() {
        Ok(()) => return Ok(handle),
        Err(TryLockError::WouldBlock) => notify(&FetchEvent::Waiting { file }),
        Err(TryLockError::Error(source)) => return Err(FetchError::write("lock", &path)(source)),
    }
    handle.lock().map_err(FetchError::write("lock", &path))?;
    Ok(handle)
}

/// An empty folder for the download. Removes the rest of a killed run.
fn fresh_folder(folder: &Path, file: &str) -> Result<PathBuf, FetchError> {
    let partial = folder.join(format!(".{file}.partial"));
    match fs::remove_dir_all(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(FetchError::write("remove the unfinished download", &partial)(
                error,
            ));
        }
        _ => {}
    }
    fs::create_dir(&partial).map_err(FetchError::write("make the download folder", &partial))?;
    Ok(partial)
}

/// Moves the finished file to its place if its digest is correct.
fn install(partial: &Path, slot: &Slot<'_>, place: &Path) -> Result<VerifiedFile, FetchError> {
    let finished = partial.join(slot.file);
    if !finished.is_file() {
        return Err(FetchError::NotDelivered {
            file: slot.file.to_owned(),
            delivered: listing(partial),
        });
    }
    Ok(VerifiedFile::open(&finished, slot.sha256)?.move_to(place)?)
}

fn listing(folder: &Path) -> String {
    let names = fs::read_dir(folder).into_iter().flatten().flatten();
    let names: Vec<_> = names
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    if names.is_empty() {
        "nothing".to_owned()
    } else {
        names.join(", ")
    }
}
