//! Pins a version of ONNX Runtime for this machine.

use std::path::Path;

use harness_corpus::{Archive, VerifiedFile};
use run_record::Release;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TomlError, value};

use super::artifact::{Artifact, Origin};
use super::download::{DownloadError, find_wheel};
use super::lockfile::target;
use super::pin::{keep_file, library_line, open_file, pin_line};
use super::{FetchError, Fetcher, PinError, npm};

/// The table of the lock file.
const TABLE: &str = "onnxruntime";

/// The npm package of versions whose wheels have no shared library.
const NPM: &str = "onnxruntime-node";

/// The oldest version that the adapter can use, and the oldest with a library in its wheel.
const OLDEST: Release = Release([1, 10, 0]);
const FIRST_WHEEL: Release = Release([1, 19, 0]);

/// The folder of the wheel with the shared library.
const FOLDER: &str = "onnxruntime/capi/";

/// Pins this version of ONNX Runtime for this machine in the lock file at `path`, and stores its wheel or
/// npm package in the cache. Returns the line. A version that is already pinned is pinned again. Comments
/// are kept.
///
/// # Errors
/// [`PinError`]; the lock file is then unchanged.
pub fn pin_runtime(version: Release, path: &Path, fetcher: &Fetcher) -> Result<String, PinError> {
    pin_line(
        path,
        &target(),
        |_, scratch| obtain(version, scratch, fetcher),
        |text, line| with_line(text, version, line),
    )
}

/// Downloads the package and returns its line.
fn obtain(version: Release, scratch: &Path, fetcher: &Fetcher) -> Result<InlineTable, PinError> {
    if version < OLDEST {
        return Err(PinError::TooOld { release: version });
    }
    let number = version.to_string();
    let found = if version < FIRST_WHEEL {
        npm::download(NPM, &number, scratch).map_err(DownloadError::from)
    } else {
        find_wheel(TABLE, &number, scratch)
    };
    let path = found.map_err(|source| PinError::Download {
        release: version,
        source,
    })?;
    let (artifact, package) = open_file(&path, &number, &[])?;
    let found = read_library(&artifact, &package, version)?;
    let (library, bytes) = found.ok_or_else(|| PinError::NoLibrary {
        file: artifact.file.clone(),
        release: version,
        target: target(),
    })?;
    keep_file(&artifact, &path, fetcher)?;
    Ok(library_line(&artifact, &library, &bytes))
}

/// The name and the bytes of the shared library in a package; `None` if it has none for this machine.
fn read_library(
    artifact: &Artifact,
    package: &VerifiedFile,
    version: Release,
) -> Result<Option<(String, Vec<u8>)>, FetchError> {
    match artifact.origin {
        Origin::Npm { .. } => {
            let names = npm::names(package)?;
            let name = npm_library(names.iter().map(String::as_str), version, &target());
            name.map(|name| Ok((name.clone(), npm::read_named(package, &name)?)))
                .transpose()
        }
        Origin::Wheel(_) | Origin::Materialised { .. } => {
            let archive = Archive::open(package)?;
            let name = library(archive.names_below(FOLDER).map(|name| &**name), version);
            name.map(|name| Ok((name.clone(), archive.read_named(&name)?)))
                .transpose()
        }
    }
}

/// The names of the shared library: `libonnxruntime.so.1.20.1`, `libonnxruntime.1.20.1.dylib`,
/// `onnxruntime.dll`.
fn files(version: Release) -> [String; 3] {
    [
        format!("libonnxruntime.so.{version}"),
        format!("libonnxruntime.{version}.dylib"),
        "onnxruntime.dll".to_owned(),
    ]
}

/// The shared library among the files of a wheel.
fn library<'a>(mut names: impl Iterator<Item = &'a str>, version: Release) -> Option<String> {
    let files = files(version);
    let is_library = |name: &&str| {
        let file = name.strip_prefix(FOLDER);
        file.is_some_and(|file| files.iter().any(|known| known == file))
    };
    names.find(is_library).map(str::to_owned)
}

/// The shared library for a target (`linux-x86_64`) among the files of an npm package, which has a folder
/// for each system and architecture.
fn npm_library<'a>(
    mut names: impl Iterator<Item = &'a str>,
    version: Release,
    target: &str,
) -> Option<String> {
    let folder = match target {
        "linux-x86_64" => "/linux/x64/",
        "linux-aarch64" => "/linux/arm64/",
        "macos-x86_64" => "/darwin/x64/",
        "macos-aarch64" => "/darwin/arm64/",
        "windows-x86_64" => "/win32/x64/",
        "windows-aarch64" => "/win32/arm64/",
        _ => return None,
    };
    let files = files(version);
    let is_library = |name: &&str| {
        files
            .iter()
            .any(|file| name.ends_with(&format!("{folder}{file}")))
    };
    names.find(is_library).map(str::to_owned)
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

    #[test]
    fn the_library_of_an_npm_package_is_that_of_the_machine() {
        let names = [
            "package/bin/napi-v3/linux/x64/libonnxruntime_providers_shared.so",
            "package/bin/napi-v3/linux/x64/libonnxruntime.so.1.12.1",
            "package/bin/napi-v3/linux/arm64/libonnxruntime.so.1.12.1",
            "package/bin/napi-v3/win32/x64/onnxruntime.dll",
        ];
        let found = |target| npm_library(names.into_iter(), release("1.12.1"), target);
        assert_eq!(found("linux-x86_64").as_deref(), Some(names[1]));
        assert_eq!(found("linux-aarch64").as_deref(), Some(names[2]));
        assert_eq!(found("windows-x86_64").as_deref(), Some(names[3]));
        assert_eq!((found("macos-aarch64"), found("freebsd-x86_64")), (None, None));
    }
}
