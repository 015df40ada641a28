//! Pins a Python package with a plug-in execution provider for this machine.

use std::path::Path;

use harness_corpus::Archive;
use run_record::Release;
use toml_edit::{DocumentMut, InlineTable, Item, Table, TomlError, value};

use super::download::find_wheel;
use super::lockfile::{split_package, target};
use super::pin::{keep_file, library_line, open_file, pin_line};
use super::{Fetcher, PinError};

/// The table of the lock file.
const TABLE: &str = "provider";

/// Pins `package`, `NAME==VERSION`, in the lock file at `path`, and stores its wheel in the cache. Returns
/// the line. Comments are kept.
///
/// # Errors
/// [`PinError`]; the lock file is then unchanged.
pub fn pin_provider(package: &str, path: &Path, fetcher: &Fetcher) -> Result<String, PinError> {
    let (name, version) = split_package(package).ok_or_else(|| PinError::Package {
        text: package.to_owned(),
    })?;
    pin_line(
        path,
        &target(),
        |_, scratch| obtain(name, version, scratch, fetcher),
        |text, line| with_line(text, name, version, line),
    )
}

/// Downloads the wheel and returns its line.
fn obtain(
    package: &str,
    version: Release,
    scratch: &Path,
    fetcher: &Fetcher,
) -> Result<InlineTable, PinError> {
    let wheel = find_wheel(package, &version.to_string(), scratch).map_err(|source| PinError::Download {
        release: version,
        source,
    })?;
    let (artifact, file) = open_file(&wheel, package, &[])?;
    let archive = Archive::open(&file)?;
    let libraries = archive.names_below("").filter_map(|name| library(name));
    let [(library, provider)] = libraries.collect::<Vec<_>>()[..] else {
        let file = artifact.file;
        return Err(PinError::NoProvider { file });
    };
    let content = archive.read_named(library)?;
    keep_file(&artifact, &wheel, fetcher)?;
    let mut line = InlineTable::new();
    line.insert("provider", provider.into());
    line.extend(library_line(&artifact, library, &content));
    Ok(line)
}

/// The path and the provider of an entry that is a provider's library, by the names that ONNX Runtime's own
/// packages use: `libonnxruntime_providers_webgpu.so` is that of `webgpu`.
fn library(entry: &str) -> Option<(&str, &str)> {
    let file = entry.rsplit('/').next()?;
    let stem = [".so", ".dylib", ".dll"]
        .iter()
        .find_map(|end| file.strip_suffix(end))?;
    let name = stem
        .strip_prefix("lib")
        .unwrap_or(stem)
        .strip_prefix("onnxruntime_")?;
    let name = name.strip_prefix("providers_").unwrap_or(name);
    let name = name.strip_suffix("_plugin").unwrap_or(name);
    (name != "shared" && !name.is_empty()).then_some((entry, name))
}

/// The text of a lock file with this line added; everything else is unchanged.
fn with_line(text: &str, package: &str, version: Release, line: &InlineTable) -> Result<String, TomlError> {
    let implicit = || {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    };
    let mut document: DocumentMut = text.parse()?;
    let packages = document.entry(TABLE).or_insert_with(implicit);
    if let Some(packages) = packages.as_table_mut() {
        let versions = packages.entry(package).or_insert_with(implicit);
        if let Some(versions) = versions.as_table_mut() {
            let pins = versions
                .entry(&version.to_string())
                .or_insert_with(|| Item::Table(Table::new()));
            if let Some(pins) = pins.as_table_mut() {
                pins.insert(&target(), value(line.clone()));
                pins.sort_values();
            }
        }
        packages.sort_values();
    }
    Ok(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_library_of_a_provider_is_found_by_its_name() {
        for (entry, expected) in [
            (
                "onnxruntime_ep_webgpu/libonnxruntime_providers_webgpu.so",
                Some("webgpu"),
            ),
            ("onnxruntime_ggml/lib/libonnxruntime_ggml.so", Some("ggml")),
            ("a/libonnxruntime_providers_openvino_plugin.so", Some("openvino")),
            ("a/libonnxruntime_providers_openvino_plugin.so.1", None),
            ("a/onnxruntime_providers_qnn.dll", Some("qnn")),
            ("onnxruntime/capi/libonnxruntime_providers_shared.so", None),
            ("onnxruntime/capi/libonnxruntime.so", None),
            ("a/libQnnHtp.so", None),
        ] {
            assert_eq!(library(entry), expected.map(|name| (entry, name)));
        }
    }

    #[test]
    fn a_line_is_added_below_its_package() {
        let mut line = InlineTable::new();
        line.insert("file", "w".into());
        let lock = "# The file.\nformat = 2\n";
        let text = with_line(lock, "p-b", Release([0, 4, 0]), &line).unwrap();
        let text = with_line(&text, "p-a", Release([1, 0, 0]), &line).unwrap();
        let entry = |package: &str, version: &str| {
            format!(
                "\n[provider.{package}.\"{version}\"]\n{} = {{ file = \"w\" }}\n",
                target()
            )
        };
        assert_eq!(
            text,
            format!("{lock}{}{}", entry("p-a", "1.0.0"), entry("p-b", "0.4.0"))
        );
    }
}
