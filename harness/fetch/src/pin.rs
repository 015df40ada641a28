//! Pins a release: finds its file, counts its cases, and writes its line to the lock file.

use std::fs;
use std::path::{Path, PathBuf};

use harness_console::note;
use harness_corpus::{Corpus, CorpusError, Sha256, VerifiedFile};
use run_record::Release;
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TomlError, value};

use super::artifact::{Artifact, Origin};
use super::cache::Slot;
use super::download::{DownloadError, find_wheel, materialise};
use super::{FetchError, Fetcher, Lockfile};

/// The suite that a wheel must contain to count as having the official data.
const NODE: &str = "node";

/// Why a release could not be pinned. The lock file is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PinError {
    /// A file cannot be obtained or stored.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A file cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// No package could be downloaded, or the data could not be computed.
    #[error("release {release}: {source}")]
    Download {
        release: Release,
        /// The error.
        source: DownloadError,
    },
    /// The wheel has no data, and the lock file has no release with packages to compute it.
    #[error(
        "the wheel of {release} has no node data, and no release in the lock file names `packages` to compute it with"
    )]
    NoPackages { release: Release },
    /// The file has no cases.
    #[error("`{file}` has no node case: nothing is pinned")]
    NoCases { file: String },
    /// The package of ONNX Runtime has no shared library for this machine.
    #[error(
        "`{file}` has no shared library of ONNX Runtime {release} for {target}: take one from ONNX Runtime's own \
         releases, and set it with `library=FILE`"
    )]
    NoLibrary {
        /// The wheel or npm package.
        file: String,
        /// The version.
        release: Release,
        /// `<os>-<arch>` of this machine.
        target: String,
    },
    /// The version of ONNX Runtime is too old for the adapter.
    #[error("ONNX Runtime {release} is too old: the adapter uses 1.10 and later")]
    TooOld {
        /// The version.
        release: Release,
    },
    /// A text names no package.
    #[error("`{text}` is not a package: write `NAME==VERSION`, with a version of up to three numbers")]
    Package { text: String },
    /// The package does not have one library with a provider.
    #[error(
        "`{file}` does not have exactly one library named like `libonnxruntime_providers_NAME.so`: set the library by \
         `ep-library=FILE`"
    )]
    NoProvider {
        /// The wheel.
        file: String,
    },
    /// The lock file is not TOML.
    #[error("`{}` is not TOML: {source}", path.display())]
    Syntax {
        /// The lock file.
        path: PathBuf,
        /// The error.
        source: Box<TomlError>,
    },
}

/// Pins `release` in the lock file at `path` and stores its file in the cache; returns the line. A release
/// that is already pinned is pinned again. Comments are kept.
///
/// # Errors
/// [`PinError`].
pub fn pin(release: Release, path: &Path, fetcher: &Fetcher) -> Result<String, PinError> {
    pin_line(
        path,
        &format!("\"{release}\""),
        |lock, scratch| Ok(line(&obtain(release, lock, scratch, fetcher)?)),
        |text, line| with_line(text, release, line),
    )
}

/// The text of a lock file with the line of this release; everything else is unchanged.
fn with_line(text: &str, release: Release, line: &InlineTable) -> Result<String, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let key = release.to_string();
    let releases = document
        .entry("releases")
        .or_insert_with(|| Item::Table(Table::new()));
    if let Some(releases) = releases.as_table_mut() {
        // Only the value of an existing line changes: the comment above belongs to the key, the one after
        // it is kept here.
        match releases.get_mut(&key) {
            Some(Item::Value(pinned)) => {
                let decor = pinned.decor().clone();
                *pinned = line.clone().into();
                *pinned.decor_mut() = decor;
            }
            _ => drop(releases.insert(&key, value(line.clone()))),
        }
        let release = |key: &toml_edit::Key| key.get().parse::<Release>().ok();
        releases.sort_values_by(|a, _, b, _| release(a).cmp(&release(b)));
    }
    Ok(document.to_string())
}

/// The files of a release.
struct Found {
    artifact: Artifact,
    corpus: Corpus,
    /// The wheel, if the corpus is another file.
    wheel: Option<Artifact>,
}

/// The wheel of the release if it contains the node data, otherwise a file computed with the packages of
/// the newest release that has packages, and the wheel beside it.
fn obtain(release: Release, lock: &Lockfile, scratch: &Path, fetcher: &Fetcher) -> Result<Found, PinError> {
    let failed = |source| PinError::Download { release, source };
    let wheel = find_wheel("onnx", &release.to_string(), scratch).map_err(failed)?;
    let (of_wheel, corpus) = open(release, &wheel, &[])?;
    keep_file(&of_wheel, &wheel, fetcher)?;
    if corpus.counts().contains_key(NODE) {
        return Ok(Found {
            artifact: of_wheel,
            corpus,
            wheel: None,
        });
    }
    let packages = packages(release, lock).ok_or(PinError::NoPackages { release })?;
    let file = scratch.join(format!("{}-cases.zip", release.corpus()));
    materialise(&packages, &file).map_err(failed)?;
    let (artifact, corpus) = open(release, &file, &packages)?;
    if !corpus.counts().contains_key(NODE) {
        let file = artifact.file;
        return Err(PinError::NoCases { file });
    }
    keep_file(&artifact, &file, fetcher)?;
    Ok(Found {
        artifact,
        corpus,
        wheel: Some(of_wheel),
    })
}

/// The packages of the newest release that has packages, with the onnx version of this release.
fn packages(release: Release, lock: &Lockfile) -> Option<Vec<String>> {
    let mut newest_first = lock.releases().into_iter().rev();
    let packages =
        newest_first.find_map(
            |known| match &lock.corpus(&known.corpus()).ok()?.artifact.origin {
                Origin::Materialised { packages } => Some(packages.clone()),
                Origin::Wheel(_) | Origin::Npm { .. } => None,
            },
        )?;
    let others = packages
        .into_iter()
        .filter(|package| !package.starts_with("onnx=="));
    Some(
        std::iter::once(format!("onnx=={release}"))
            .chain(others)
            .collect(),
    )
}

fn open(release: Release, path: &Path, packages: &[String]) -> Result<(Artifact, Corpus), FetchError> {
    let (artifact, file) = open_file(path, &release.to_string(), packages)?;
    let corpus = Corpus::from_wheel(&release.corpus(), &file)?;
    Ok((artifact, corpus))
}

/// Opens a downloaded or computed file as an artifact of the lock file; `entry` names it in errors.
pub(super) fn open_file(
    path: &Path,
    entry: &str,
    packages: &[String],
) -> Result<(Artifact, VerifiedFile), FetchError> {
    let bytes = fs::read(path).map_err(FetchError::io("read", path))?;
    let sha256 = Sha256::of(&bytes);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let artifact = Artifact::new(&name, sha256, packages).map_err(|reason| FetchError::LockEntry {
        path: path.to_path_buf(),
        entry: entry.to_owned(),
        reason,
    })?;
    Ok((artifact, VerifiedFile::open(path, sha256)?))
}

/// Adds a line to the lock file at `path`, and returns it as `KEY = LINE`. `obtain` downloads files to a
/// temporary folder and describes them; `with_line` adds their line to the text of the lock file.
///
/// # Errors
/// [`PinError`]; the lock file is then unchanged.
pub(super) fn pin_line(
    path: &Path,
    key: &str,
    obtain: impl FnOnce(&Lockfile, &Path) -> Result<InlineTable, PinError>,
    with_line: impl FnOnce(&str, &InlineTable) -> Result<String, TomlError>,
) -> Result<String, PinError> {
    let lock = Lockfile::load(path)?;
    let text = fs::read_to_string(path).map_err(FetchError::io("read", path))?;
    let scratch =
        tempfile::tempdir().map_err(FetchError::write("make a folder in", &std::env::temp_dir()))?;
    let line = obtain(&lock, scratch.path())?;
    let text = with_line(&text, &line).map_err(|source| PinError::Syntax {
        path: path.to_path_buf(),
        source: Box::new(source),
    })?;
    // The result must be readable; otherwise every later command would fail.
    Lockfile::parse(&text, path)?;
    run_record::replace(path, text.as_bytes()).map_err(CorpusError::from)?;
    Ok(format!("{key} = {line}"))
}

/// The line of an artifact with the library in it.
pub(super) fn library_line(artifact: &Artifact, library: &str, content: &[u8]) -> InlineTable {
    let mut line = pinned(artifact);
    line.insert("library", library.into());
    line.insert("library_sha256", Sha256::of(content).to_string().into());
    line
}

/// Copies the file at `path` to the cache.
pub(super) fn keep_file(artifact: &Artifact, path: &Path, fetcher: &Fetcher) -> Result<(), FetchError> {
    let slot = Slot {
        folder: artifact.folder(),
        file: &artifact.file,
        sha256: artifact.sha256,
    };
    fetcher
        .cache()
        .ensure(&slot, &|event| note(format_args!("{event}")), |folder| {
            let target = folder.join(&artifact.file);
            fs::copy(path, &target)
                .map(drop)
                .map_err(FetchError::write("write", &target))
        })?;
    Ok(())
}

fn line(found: &Found) -> InlineTable {
    let Found {
        artifact,
        corpus,
        wheel,
    } = found;
    let mut line = pinned(artifact);
    if let Origin::Materialised { packages } = &artifact.origin {
        line.insert("packages", Array::from_iter(packages).into());
    }
    if let Some(wheel) = wheel {
        line.insert("wheel", pinned(wheel).into());
    }
    let counts = corpus.counts().into_iter();
    let cases: InlineTable = counts
        .map(|(suite, count)| {
            (
                suite,
                toml_edit::Value::from(i64::try_from(count).unwrap_or(i64::MAX)),
            )
        })
        .collect();
    line.insert("cases", cases.into());
    line
}

fn pinned(artifact: &Artifact) -> InlineTable {
    let mut line = InlineTable::new();
    line.insert("file", artifact.file.as_str().into());
    line.insert("sha256", artifact.sha256.to_string().into());
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = "\
# The file.
format = 2

[releases]
# Before the first.
\"1.9.0\" = { file = \"a\" }
# Before the second.
\"1.11.0\" = { file = \"b\" } # and behind it

# Of the runtime.
[runtime.linux]
file = \"c\"
";

    /// Compares the lock file after `release` is pinned with [`LOCK`] with `there` replaced by `line`.
    #[track_caller]
    fn check(release: &str, there: &str, line: &str) {
        let mut pinned = InlineTable::new();
        pinned.insert("file", "new".into());
        let written = with_line(LOCK, release.parse().unwrap(), &pinned).unwrap();
        assert!(LOCK.contains(there), "{there}");
        assert_eq!(written, LOCK.replacen(there, line, 1));
    }

    #[test]
    fn a_line_is_inserted_in_order_and_comments_are_kept() {
        let first = "\"1.9.0\" = { file = \"a\" }\n";
        let new = "= { file = \"new\" }\n";
        check("1.10.2", first, &format!("{first}\"1.10.2\" {new}"));
        check("1.9.0", first, &format!("\"1.9.0\" {new}"));
        let comment = "# Before the first.\n";
        check("1.8.1", comment, &format!("\"1.8.1\" {new}{comment}"));
        let last = "\"1.11.0\" = { file = \"b\" } # and behind it\n";
        check("1.12.0", last, &format!("{last}\"1.12.0\" {new}"));
        check(
            "1.11.0",
            last,
            "\"1.11.0\" = { file = \"new\" } # and behind it\n",
        );
    }
}
