//! What happens while files are fetched, for a person who waits.

use std::fmt;
use std::path::Path;

use super::Sha256;

/// An event of a fetch, shown as a line of text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum FetchEvent<'a> {
    /// Another process fetches the same file.
    Waiting {
        /// The file's name.
        file: &'a str,
    },
    /// A file in the cache has other bytes than the pinned ones; it is removed and fetched again.
    Damaged {
        /// The file.
        path: &'a Path,
        /// The digest pinned.
        expected: Sha256,
        /// The digest found.
        found: Sha256,
    },
    /// A download begins.
    Downloading {
        /// The file's name.
        file: &'a str,
        /// Where it will be kept.
        place: &'a Path,
    },
    /// A script begins to make the file, which takes a minute.
    Materialising {
        /// The file's name.
        file: &'a str,
        /// Where it will be kept.
        place: &'a Path,
    },
    /// A library is taken out of its wheel.
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
                    "{path} is damaged (SHA-256 {found}, pinned {expected}): removed, to be fetched again"
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
