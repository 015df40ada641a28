//! Pins a version of ONNX Runtime for this machine.

use std::path::Path;

use reports::record::Release;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TomlError, value};

use super::archive::Archive;
use super::artifact::Artifact;
use super::download::find_wheel;
use super::lockfile::target;
use super::pin::keep_file;
use super::{CorpusError, Fetcher, Lockfile, PinError, Sha256, VerifiedFile};

/// The table of the lock file.
const TABLE: &str = "onnxruntime";

/// The folder of the wheel with the shared library.
const FOLDER: &str = "onnxruntime/capi/";

/// Pins this version of ONNX Runtime for this machine in the lock file at `path`, and stores its wheel in
/// the cache. Returns the line. A version that is already pinned is pinned again. Comments are kept.
///
/// # Errors
/// [`PinError`]; the lock file is then unchanged.
pub fn pin_runtime(version: Release, path: &Path, fetcher: &Fetcher) -> Result<String, PinError> {
    Lockfile::load(path)?;
    let text = std::fs::read_to_string(path).map_err(CorpusError::io("read", path))?;
    let scratch =
        tempfile::tempdir().map_err(CorpusError::write("make a folder in", &std::env::temp_dir()))?;
    let line = obtain(version, scratch.path(), fetcher)?;
    let text = with_line(&text, version, &line).map_err(|source| PinError::Syntax {
        path: path.to_path_buf(),
        source: Box::new(source),
    })?;
    Lockfile::parse(&text, path)?;
    reports::replace(path, text.as_bytes()).map_err(CorpusError::from)?;
    Ok(format!("{} = {line}", target()))
}

/// Downloads the wheel and returns its line.
fn obtain(version: Release, scratch: &Path, fetcher: &Fetcher) -> Result<InlineTable, PinError> {
    let wheel = find_wheel(TABLE, &version.to_string(), scratch).map_err(|source| PinError::Download {
        release: version,
        source,
    })?;
    let bytes = std::fs::read(&wheel).map_err(CorpusError::io("read", &wheel))?;
    let sha256 = Sha256::of(&bytes);
    let file = wheel
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let artifact = Artifact::new(&file, sha256, &[]).map_err(|reason| CorpusError::LockEntry {
        path: wheel.clone(),
        entry: version.to_string(),
        reason,
    })?;
    let archive = Archive::open(&VerifiedFile::open(&wheel, sha256)?)?;
    let library = library(archive.names_below(FOLDER).map(|name| &**name), version);
    let library = library.ok_or(PinError::NoLibrary {
        file,
        release: version,
    })?;
    let digest = Sha256::of(&archive.read_named(&library)?);
    keep_file(&artifact, &wheel, fetcher)?;
    let mut line = InlineTable::new();
    line.insert("file", artifact.file.as_str().into());
    line.insert("sha256", sha256.to_string().into());
    line.insert("library", library.into());
    line.insert("library_sha256", digest.to_string().into());
    Ok(line)
}

/// The shared library among the files of a wheel: `libonnxruntime.so.1.20.1`,
/// `libonnxruntime.1.20.1.dylib`, `onnxruntime.dll`.
fn library<'a>(mut names: impl Iterator<Item = &'a str>, version: Release) -> Option<String> {
    let files = [
        format!("{FOLDER}libonnxruntime.so.{version}"),
        format!("{FOLDER}libonnxruntime.{version}.dylib"),
        format!("{FOLDER}onnxruntime.dll"),
    ];
    names
        .find(|name| files.iter().any(|file| file == name))
        .map(str::to_owned)
}

/// The text of a lock file with this line added; everything else is unchanged.
fn with_line(text: &str, version: Release, line: &InlineTable) -> Result<String, TomlError> {
    let mut document: DocumentMut = text.parse()?;
    let versions = document.entry(TABLE).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    if let Some(versions) = versions.as_table_mut() {
        let pins = versions
            .entry(&version.to_string())
            .or_insert_with(|| Item::Table(Table::new()));
        if let Some(pins) = pins.as_table_mut() {
            pins.insert(&target(), value(line.clone()));
            pins.sort_values();
        }
        let release = |key: &toml_edit::Key| key.get().parse::<Release>().ok();
        versions.sort_values_by(|a, _, b, _| release(a).cmp(&release(b)));
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(text: &str) -> Release {
        text.parse().unwrap()
    }

    #[test]
    fn versions_are_sorted_after_existing_entries() {
        let mut line = InlineTable::new();
        line.insert("file", "w".into());
        let lock = "# The file.\nformat = 2\n\n[runtime.linux] # default\nfile = \"c\"\n";
        let text = with_line(lock, release("1.20.1"), &line).unwrap();
        let text = with_line(&text, release("1.9.0"), &line).unwrap();
        let entry = |version: &str| {
            format!(
                "\n[onnxruntime.\"{version}\"]\n{} = {{ file = \"w\" }}\n",
                target()
            )
        };
        assert_eq!(text, format!("{lock}{}{}", entry("1.9.0"), entry("1.20.1")));
        assert_eq!(with_line(&text, release("1.9.0"), &line).unwrap(), text);
    }

    #[test]
    fn the_library_is_the_loadable_one() {
        let found = |names: &[&str]| library(names.iter().copied(), release("1.20.1"));
        let so = "onnxruntime/capi/libonnxruntime.so.1.20.1";
        let shared = "onnxruntime/capi/libonnxruntime_providers_shared.so";
        assert_eq!(found(&[shared, so]).as_deref(), Some(so));
        assert_eq!(found(&[shared]), None);
    }
}
