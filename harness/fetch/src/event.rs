//! Progress events of fetching files, for the user.

use std::fmt;
use std::path::Path;

use harness_corpus::Sha256;

/// A progress event, displayed as a line of text.
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
    /// A file is sent to another machine.
    Sending {
        file: &'a Path,
        /// Its size.
        bytes: u64,
    },
    /// A library is extracted from its package.
    Extracting {
        /// The entry of the package.
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
            Self::Sending { file, bytes } => {
                write!(f, "sending {} ({} KiB)", file.display(), bytes.div_ceil(1024))
            }
            Self::Extracting { entry } => write!(f, "extracting {entry}"),
        }
    }
}
