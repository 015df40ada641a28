//! File names on disk, which need not be valid text, and their form in case ids.

use std::ffi::OsStr;
use std::fs::{self, FileType};
use std::path::{Path, PathBuf};

use super::CorpusError;

/// Whether this name is invalid in a case id.
pub(super) fn has_invalid_characters(name: &str) -> bool {
    name.contains(char::is_control)
}

/// The form of a name in an id: a byte that is not UTF-8 becomes `\xff`, a control character `\u{7}`; a
/// slash cannot occur.
pub(super) fn shown(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            if c.is_control() {
                text.extend(c.escape_unicode())
            } else {
                text.push(c)
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// The UTF-8 names directly in a folder, sorted.
pub(super) fn names_on_disk(
    folder: &Path,
    wanted: fn(&FileType) -> bool,
) -> Result<Vec<String>, CorpusError> {
    let paths = paths_on_disk(folder, wanted)?;
    let name = |path: &PathBuf| Some(path.file_name()?.to_str()?.to_owned());
    Ok(paths.iter().filter_map(name).collect())
}

/// The paths directly in a folder, sorted. Links are followed, because collections of large models often
/// link into a store. A dangling link is not a file.
pub(super) fn paths_on_disk(
    folder: &Path,
    wanted: fn(&FileType) -> bool,
) -> Result<Vec<PathBuf>, CorpusError> {
    let fail = |error| CorpusError::io("list", folder)(error);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(fail)? {
        let path = entry.map_err(fail)?.path();
        if fs::metadata(&path).is_ok_and(|metadata| wanted(&metadata.file_type())) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}
