//! The locale en_US.UTF-8 for workers on machines without it: StringNormalizer of ONNX Runtime requires it.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::Cache;

/// The environment variable with an additional folder of locales for the C library.
pub const VARIABLE: &str = "LOCPATH";

const NAME: &str = "en_US.UTF-8";

/// Why there is no locale.
#[derive(Debug, thiserror::Error)]
pub enum LocaleError {
    /// The program that compiles locales did not start.
    #[error(
        "cannot start `localedef`, which compiles the locale {NAME} (install the C library's tools): {0}"
    )]
    Start(#[source] io::Error),
    /// The program failed.
    #[error("`localedef` could not compile the locale {NAME} (install the C library's locale sources): {0}")]
    Failed(String),
    /// The cache folder cannot be written.
    #[error("cannot keep the locale in `{}`: {source}", folder.display())]
    Cache {
        folder: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

/// A folder for [`VARIABLE`], compiled once and stored in the cache.
pub fn folder(cache: &Cache) -> Result<PathBuf, LocaleError> {
    let folder = cache.root().join("locale");
    let kept = |source| LocaleError::Cache {
        folder: folder.clone(),
        source,
    };
    if folder.join(NAME).is_dir() {
        return Ok(folder);
    }
    fs::create_dir_all(&folder).map_err(kept)?;
    // Compiled in a temporary folder and moved, so that another run sees no partial result.
    let scratch = tempfile::tempdir_in(cache.root()).map_err(kept)?;
    let compiled = scratch.path().join(NAME);
    let output = Command::new("localedef")
        .args(["--no-archive", "-i", "en_US", "-f", "UTF-8"])
        .arg(&compiled)
        .stdin(Stdio::null())
        .output()
        .map_err(LocaleError::Start)?;
    if !compiled.is_dir() {
        return Err(LocaleError::Failed(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ));
    }
    match fs::rename(&compiled, folder.join(NAME)) {
        Err(_) if folder.join(NAME).is_dir() => Ok(folder),
        Err(source) => Err(kept(source)),
        Ok(()) => Ok(folder),
    }
}
