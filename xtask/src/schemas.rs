//! `cargo xtask generate schemas`: the JSON Schemas in `docs/schemas`, and the page that lists them.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use harness_cli::schemas::{FORMATS, page};

/// Writes the files of `folder`, or with `check` only compares. A file that belongs to no format is
/// removed. Returns the files that differ.
pub fn generate(folder: &Path, check: bool) -> io::Result<Vec<PathBuf>> {
    let mut wanted: BTreeMap<PathBuf, String> = BTreeMap::new();
    for format in FORMATS {
        wanted.insert(folder.join(format.name).with_extension("json"), format.text()?);
    }
    wanted.insert(folder.join("README.md"), page());
    let mut drifted = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if !wanted.contains_key(&path) {
            drifted.push(path);
        }
    }
    if !check {
        drifted.iter().try_for_each(fs::remove_file)?;
    }
    for (path, text) in wanted {
        if fs::read_to_string(&path).is_ok_and(|current| current == text) {
            continue;
        }
        if !check {
            run_record::replace(&path, text.as_bytes()).map_err(|error| error.source)?;
        }
        drifted.push(path);
    }
    Ok(drifted)
}
