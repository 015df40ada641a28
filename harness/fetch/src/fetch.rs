//! Fetches pinned files into the cache.

use std::fs;
use std::path::PathBuf;

use harness_corpus::{Archive, VerifiedFile};

use super::artifact::{Artifact, Origin};
use super::cache::{Cache, Slot};
use super::download::{Downloader, PackageDownloader};
use super::event::FetchEvent;
use super::lockfile::RuntimePin;
use super::{FetchError, npm};

/// Fetches pinned files into a cache.
pub struct Fetcher {
    cache: Cache,
    downloader: Box<dyn Downloader>,
    notify: Box<dyn Fn(&FetchEvent<'_>) + Send + Sync>,
}

impl Fetcher {
    /// A fetcher that downloads with pip and npm and reports its steps to `notify`; it reports nothing if
    /// all files are in the cache.
    pub fn new(cache: Cache, notify: impl Fn(&FetchEvent<'_>) + Send + Sync + 'static) -> Self {
        Self {
            cache,
            downloader: Box::new(PackageDownloader),
            notify: Box::new(notify),
        }
    }

    /// Reports an event of another step that the user waits for.
    pub fn tell(&self, event: &FetchEvent<'_>) {
        (self.notify)(event);
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
    /// [`FetchError::Download`] without tool or network, [`FetchError::NotDelivered`] and
    /// [`FetchError::WrongHash`] if another file was delivered; the cache is then unchanged.
    pub fn fetch(&self, artifact: &Artifact) -> Result<VerifiedFile, FetchError> {
        let slot = Slot {
            folder: artifact.folder(),
            file: &artifact.file,
            sha256: artifact.sha256,
        };
        let place = self.cache.place(&slot);
        self.cache.ensure(&slot, &self.notify, |folder| {
            let (file, place) = (&*artifact.file, &*place);
            (self.notify)(&match artifact.origin {
                Origin::Wheel(_) | Origin::Npm { .. } => FetchEvent::Downloading { file, place },
                Origin::Materialised { .. } => FetchEvent::Materialising { file, place },
            });
            self.downloader
                .download(artifact, folder)
                .map_err(|source| FetchError::Download {
                    file: artifact.file.clone(),
                    place: place.to_path_buf(),
                    source,
                })
        })
    }

    /// The path of a provider's library. Its package is extracted completely at first use, because the
    /// library loads others of the package.
    ///
    /// # Errors
    /// Those of [`Self::fetch`], and a package without the pinned entry.
    pub fn provider_library(&self, pin: &RuntimePin) -> Result<PathBuf, FetchError> {
        let file = &*pin.artifact.file;
        let root = format!("providers/{}", file.strip_suffix(".whl").unwrap_or(file));
        let (below, name) = pin.library.rsplit_once('/').unwrap_or(("", &pin.library));
        let slot = Slot {
            folder: &format!("{root}/{below}"),
            file: name,
            sha256: pin.library_sha256,
        };
        let library = self.cache.ensure(&slot, &self.notify, |folder| {
            let package = self.fetch(&pin.artifact)?;
            (self.notify)(&FetchEvent::Extracting { entry: file });
            let archive = Archive::open(&package)?;
            // The library is installed after all others, so where it is, they are too.
            for entry in archive.names_below("").filter(|entry| ***entry != *pin.library) {
                let target = self.cache.root().join(&root).join(&**entry);
                if let Some(parent) = target.parent() {
                    fs::create_dir_all(parent).map_err(FetchError::write("make the folder", parent))?;
                }
                let bytes = archive.read_named(entry)?;
                fs::write(&target, bytes).map_err(FetchError::write("write", &target))?;
            }
            let target = folder.join(name);
            let bytes = archive.read_named(&pin.library)?;
            fs::write(&target, bytes).map_err(FetchError::write("write", &target))
        })?;
        Ok(library.path().to_path_buf())
    }

    /// The path of ONNX Runtime's shared library, extracted from its package at first use.
    ///
    /// # Errors
    /// Those of [`Self::fetch`], and a package without the pinned entry.
    pub fn runtime_library(&self, pin: &RuntimePin) -> Result<PathBuf, FetchError> {
        let name = pin.library.rsplit('/').next().unwrap_or(&pin.library);
        let file = &*pin.artifact.file;
        let package = file.strip_suffix(".whl").or_else(|| file.strip_suffix(".tgz"));
        let slot = Slot {
            folder: &format!("runtimes/{}", package.unwrap_or(file)),
            file: name,
            sha256: pin.library_sha256,
        };
        let library = self.cache.ensure(&slot, &self.notify, |folder| {
            let package = self.fetch(&pin.artifact)?;
            (self.notify)(&FetchEvent::Extracting { entry: &pin.library });
            let library = match pin.artifact.origin {
                Origin::Npm { .. } => npm::read_named(&package, &pin.library)?,
                Origin::Wheel(_) | Origin::Materialised { .. } => {
                    Archive::open(&package)?.read_named(&pin.library)?
                }
            };
            let target = folder.join(name);
            fs::write(&target, library).map_err(FetchError::write("write", &target))
        })?;
        Ok(library.path().to_path_buf())
    }
}

#[cfg(test)]
mod tests;
