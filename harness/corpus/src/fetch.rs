//! Fetches pinned files into the cache.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use super::archive::Archive;
use super::artifact::{Artifact, Origin};
use super::cache::{Cache, Slot};
use super::download::{Downloader, PipDownloader};
use super::lockfile::RuntimePin;
use super::{CorpusError, Sha256, VerifiedFile};

/// A progress event for the user, displayed as a line of text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FetchEvent<'a> {
    /// Another process fetches the same file.
    Waiting {
        /// The file's name.
        file: &'a str,
    },
    /// A file in the cache has a wrong digest. It is removed and fetched again.
    Damaged {
        /// The file.
        path: &'a Path,
        /// The pinned digest.
        expected: Sha256,
        /// The digest of the file.
        found: Sha256,
    },
    /// A download starts.
    Downloading {
        /// The file's name.
        file: &'a str,
        /// Its place in the cache.
        place: &'a Path,
    },
    /// A script starts to compute the file, which takes about a minute.
    Materialising {
        /// The file's name.
        file: &'a str,
        /// Its place in the cache.
        place: &'a Path,
    },
    /// A library is extracted from its wheel.
    Extracting {
        /// The entry of the wheel.
        entry: &'a str,
    },
}

impl fmt::Display for FetchEvent<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting { file } => write!(f, "waiting for another run that fetches {file}"),
            Self::Damaged {
                path,
                expected,
                found,
            } => {
                let path = path.display();
                write!(
                    f,
                    "{path} is damaged (SHA-256 {found}, pinned {expected}): it is removed and fetched again"
                )
            }
            Self::Downloading { file, place } => write!(f, "downloading {file} to {}", place.display()),
            Self::Materialising { file, place } => {
                write!(
                    f,
                    "computing {file} with the onnx package, into {}",
                    place.display()
                )
            }
            Self::Extracting { entry } => write!(f, "extracting {entry}"),
        }
    }
}

/// Fetches pinned files into a cache.
pub struct Fetcher {
    cache: Cache,
    downloader: Box<dyn Downloader>,
    notify: Box<dyn Fn(&FetchEvent<'_>) + Send + Sync>,
}

impl Fetcher {
    /// A fetcher that downloads with pip and reports its steps to `notify`; it reports nothing if all files
    /// are in the cache.
    pub fn new(cache: Cache, notify: impl Fn(&FetchEvent<'_>) + Send + Sync + 'static) -> Self {
        Self {
            cache,
            downloader: Box::new(PipDownloader),
            notify: Box::new(notify),
        }
    }

    /// The same fetcher with another downloader.
    pub fn with_downloader(self, downloader: impl Downloader + 'static) -> Self {
        Self {
            downloader: Box::new(downloader),
            ..self
        }
    }

    /// The target cache.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The pinned file, from the cache or downloaded into it. Its digest is checked in both cases.
    ///
    /// # Errors
    /// [`CorpusError::Download`] without tool or network, [`CorpusError::NotDelivered`] and
    /// [`CorpusError::WrongHash`] if another file was delivered; the cache is then unchanged.
    pub fn fetch(&self, artifact: &Artifact) -> Result<VerifiedFile, CorpusError> {
        let slot = Slot {
            folder: artifact.folder(),
            file: &artifact.file,
            sha256: artifact.sha256,
        };
        let place = self.cache.place(&slot);
        self.cache.ensure(&slot, &self.notify, |folder| {
            let (file, place) = (&*artifact.file, &*place);
            (self.notify)(&match artifact.origin {
                Origin::Wheel(_) => FetchEvent::Downloading { file, place },
                Origin::Materialised { .. } => FetchEvent::Materialising { file, place },
            });
            self.downloader
                .download(artifact, folder)
                .map_err(|source| CorpusError::Download {
                    file: artifact.file.clone(),
                    place: place.to_path_buf(),
                    source,
                })
        })
    }

    /// The path of ONNX Runtime's shared library, extracted from its wheel at first use.
    ///
    /// # Errors
    /// Those of [`Self::fetch`], and a wheel without the pinned entry.
    pub fn runtime_library(&self, pin: &RuntimePin) -> Result<PathBuf, CorpusError> {
        let name = pin.library.rsplit('/').next().unwrap_or(&pin.library);
        let wheel = pin.artifact.file.trim_end_matches(".whl");
        let slot = Slot {
            folder: &format!("runtimes/{wheel}"),
            file: name,
            sha256: pin.library_sha256,
        };
        let library = self.cache.ensure(&slot, &self.notify, |folder| {
            let wheel = Archive::open(&self.fetch(&pin.artifact)?)?;
            (self.notify)(&FetchEvent::Extracting { entry: &pin.library });
            let target = folder.join(name);
            fs::write(&target, wheel.read_named(&pin.library)?).map_err(CorpusError::write("write", &target))
        })?;
        Ok(library.path().to_path_buf())
    }
}

#[cfg(test)]
mod tests;
