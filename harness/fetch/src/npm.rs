//! Packages of the npm registry: obtained with an installed npm, and read in place.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flate2::read::GzDecoder;
use harness_corpus::{CorpusError, VerifiedFile};
use serde::Deserialize;
use tar::{Archive, EntryType};

use super::python::stderr_tail;

/// Why npm delivered no package.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpmError {
    /// npm is not installed.
    #[error("npm, which downloads packages of the npm registry, does not start: {source}")]
    NotStarted {
        /// The error.
        source: io::Error,
    },
    /// The registry has no such package or version.
    #[error("the npm registry has no version {version} of the package {package}")]
    NoVersion { package: String, version: String },
    /// npm failed.
    #[error("npm failed ({status}): {message}")]
    Failed {
        /// Its exit status.
        status: String,
        /// The last lines of its stderr.
        message: String,
    },
}

/// The largest file of a package that is read: a shared library has about 20 MB.
const MAX_BYTES: u64 = 256 << 20;

/// The most bytes and files of a package.
const MAX_PACKAGE: u64 = 4 << 30;
const MAX_FILES: usize = 100_000;

/// The folder of all files in a package.
const ROOT: &str = "package/";

/// What `npm pack --json` prints when it fails.
#[derive(Deserialize)]
struct Failure {
    error: FailureCode,
}

#[derive(Deserialize)]
struct FailureCode {
    code: String,
}

/// Codes of npm for a package or a version that is not in the registry.
const ABSENT: [&str; 2] = ["E404", "ETARGET"];

/// Downloads a version of a package into the folder `into`. npm checks the registry's digest. Returns the
/// path of the file, `NAME-VERSION.tgz`.
pub(super) fn download(package: &str, version: &str, into: &Path) -> Result<PathBuf, NpmError> {
    let output = Command::new("npm")
        .args(["pack", "--json", "--ignore-scripts", "--loglevel=error"])
        .arg(format!("{package}@{version}"))
        .current_dir(into)
        .stdin(Stdio::null())
        .output()
        .map_err(|source| NpmError::NotStarted { source })?;
    if output.status.success() {
        return Ok(into.join(format!("{package}-{version}.tgz")));
    }
    if is_absent(&output.stdout) {
        return Err(NpmError::NoVersion {
            package: package.to_owned(),
            version: version.to_owned(),
        });
    }
    Err(NpmError::Failed {
        status: output.status.to_string(),
        message: stderr_tail(&output.stderr),
    })
}

/// Whether npm says that the registry has no such package or version.
fn is_absent(stdout: &[u8]) -> bool {
    let failure = serde_json::from_slice::<Failure>(stdout);
    failure.is_ok_and(|failure| ABSENT.contains(&&*failure.error.code))
}

/// The names of the files of a package.
pub(super) fn names(file: &VerifiedFile) -> Result<Vec<String>, CorpusError> {
    let mut names = Vec::new();
    visit(file, |name, _| {
        names.push(name.to_owned());
        Ok(None::<()>)
    })?;
    Ok(names)
}

/// The bytes of the file `name` of a package.
pub(super) fn read_named(file: &VerifiedFile, name: &str) -> Result<Vec<u8>, CorpusError> {
    let found = visit(file, |entry, reader| {
        if entry != name {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        reader
            .take(MAX_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(format!("`{name}` has more than {MAX_BYTES} bytes"));
        }
        Ok(Some(bytes))
    })?;
    found.ok_or_else(|| CorpusError::Entry {
        archive: file.path().to_path_buf(),
        entry: name.to_owned(),
        reason: "there is no such entry".to_owned(),
    })
}

/// Calls `take` with each file of a package, until it returns a value.
fn visit<R>(
    file: &VerifiedFile,
    mut take: impl FnMut(&str, &mut dyn Read) -> Result<Option<R>, String>,
) -> Result<Option<R>, CorpusError> {
    let broken = |reason: String| CorpusError::Archive {
        archive: file.path().to_path_buf(),
        reason,
    };
    let mut archive = Archive::new(GzDecoder::new(file.bytes().as_ref()).take(MAX_PACKAGE));
    let entries = archive.entries().map_err(|error| broken(error.to_string()))?;
    for entry in entries.take(MAX_FILES) {
        let mut entry = entry.map_err(|error| broken(error.to_string()))?;
        let path = entry
            .path()
            .map_err(|error| broken(error.to_string()))?
            .into_owned();
        let Some(name) = path.to_str().filter(|name| name.starts_with(ROOT)) else {
            continue;
        };
        if entry.header().entry_type() != EntryType::Regular {
            continue;
        }
        if let Some(taken) = take(name, &mut entry).map_err(broken)? {
            return Ok(Some(taken));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use harness_corpus::Sha256;

    use super::*;

    /// A package with these files, in a folder of its own.
    fn package(files: &[(&str, &[u8])]) -> (tempfile::TempDir, VerifiedFile) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p-1.0.0.tgz");
        let gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut builder = tar::Builder::new(gz);
        for (name, bytes) in files {
            let mut header = tar::Header::new_gnu();
            header.set_size(bytes.len() as u64);
            header.set_mode(0o644);
            builder.append_data(&mut header, name, *bytes).unwrap();
        }
        let bytes = builder.into_inner().unwrap().finish().unwrap();
        std::fs::write(&path, &bytes).unwrap();
        let file = VerifiedFile::open(&path, Sha256::of(&bytes)).unwrap();
        (folder, file)
    }

    #[test]
    fn files_of_a_package_are_listed_and_read() {
        let (_folder, file) = package(&[("package/a.so", b"library"), ("other/b", b"no")]);
        assert_eq!(names(&file).unwrap(), ["package/a.so"]);
        assert_eq!(read_named(&file, "package/a.so").unwrap(), b"library");
        for absent in ["other/b", "package/c"] {
            let error = read_named(&file, absent).unwrap_err();
            assert!(matches!(error, CorpusError::Entry { .. }), "{error}");
        }
    }

    #[test]
    fn an_absent_version_is_told_from_other_failures() {
        let absent =
            br#"{"error": {"code": "ETARGET", "summary": "No matching version found", "detail": ""}}"#;
        assert!(is_absent(absent));
        for other in [&br#"{"error": {"code": "ENOTFOUND"}}"#[..], b"", b"[]"] {
            assert!(!is_absent(other));
        }
    }

    #[test]
    fn a_file_that_is_no_package_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.tgz");
        std::fs::write(&path, "text").unwrap();
        let file = VerifiedFile::open(&path, Sha256::of(b"text")).unwrap();
        let error = names(&file).unwrap_err();
        assert!(matches!(error, CorpusError::Archive { .. }), "{error}");
    }
}
