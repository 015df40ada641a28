//! External data in files beside a model.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use backend_api::protocol::External;
use run_record::{WriteError, replace, replace_from};

/// Writes the external data of a model to the folder in which the model is written. A file that has the
/// content already is left as it is. Returns the files that were written.
///
/// # Errors
/// A file cannot be read or written.
pub fn write(external: &External, folder: &Path) -> Result<Vec<PathBuf>, WriteError> {
    let mut written = Vec::new();
    for (target, content) in files(external, folder) {
        if !content.is_in(&target) {
            content.write(&target)?;
            written.push(target);
        }
    }
    Ok(written)
}

/// The first file that [`write`] would replace although it has another content.
pub fn first_other(external: &External, folder: &Path) -> Option<PathBuf> {
    files(external, folder)
        .into_iter()
        .find(|(target, content)| target.exists() && !content.is_in(target))
        .map(|(target, _)| target)
}

/// The files in the folder, with their content.
fn files<'e>(external: &'e External, folder: &Path) -> Vec<(PathBuf, Content<'e>)> {
    match external {
        External::Sent(files) => files
            .iter()
            .map(|file| (folder.join(&file.location), Content::Bytes(&file.bytes)))
            .collect(),
        External::InFolder {
            folder: from,
            locations,
        } => locations
            .iter()
            .map(|location| (folder.join(location), Content::File(from.join(location))))
            .collect(),
    }
}

enum Content<'e> {
    Bytes(&'e [u8]),
    File(PathBuf),
}

impl Content<'_> {
    fn is_in(&self, path: &Path) -> bool {
        let same = || match self {
            Content::Bytes(bytes) => same(*bytes, File::open(path)?),
            Content::File(from) if fs::canonicalize(from)? == fs::canonicalize(path)? => Ok(true),
            Content::File(from) if fs::metadata(from)?.len() != fs::metadata(path)?.len() => Ok(false),
            Content::File(from) => same(File::open(from)?, File::open(path)?),
        };
        same().unwrap_or(false)
    }

    fn write(&self, path: &Path) -> Result<(), WriteError> {
        match self {
            Content::Bytes(bytes) => replace(path, bytes),
            Content::File(from) => {
                let mut file = File::open(from).map_err(|source| WriteError {
                    path: from.clone(),
                    source,
                })?;
                replace_from(path, &mut file)
            }
        }
    }
}

/// Whether two readers give the same bytes.
fn same(a: impl Read, b: impl Read) -> io::Result<bool> {
    let (mut a, mut b) = (BufReader::new(a), BufReader::new(b));
    loop {
        let (x, y) = (a.fill_buf()?, b.fill_buf()?);
        let count = x.len().min(y.len());
        if count == 0 {
            return Ok(x.len() == y.len());
        }
        if x[..count] != y[..count] {
            return Ok(false);
        }
        a.consume(count);
        b.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use backend_api::protocol::ExternalFile;

    use super::*;

    fn both(folder: &Path, content: &'static [u8]) -> [External; 2] {
        fs::write(folder.join("w.bin"), content).expect("a file");
        let file = ExternalFile {
            location: "w.bin".to_owned(),
            bytes: content.into(),
        };
        [
            External::Sent(vec![file]),
            External::InFolder {
                folder: folder.to_owned(),
                locations: vec!["w.bin".to_owned()],
            },
        ]
    }

    #[test]
    fn files_are_written_once_and_never_lost_unseen() {
        let from = tempfile::tempdir().expect("a folder");
        for external in both(from.path(), b"weights") {
            let to = tempfile::tempdir().expect("a folder");
            let target = to.path().join("w.bin");
            assert_eq!(first_other(&external, to.path()), None);
            assert_eq!(
                write(&external, to.path()).expect("written"),
                std::slice::from_ref(&target)
            );
            assert_eq!(fs::read(&target).expect("a file"), b"weights");
            assert!(write(&external, to.path()).expect("nothing to do").is_empty());
            for other in [&b"weight"[..], b"weightS", b"weights and more"] {
                fs::write(&target, other).expect("a file");
                assert_eq!(first_other(&external, to.path()), Some(target.clone()));
            }
        }
    }

    #[test]
    fn a_file_is_not_copied_onto_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let [_, external] = both(folder.path(), b"weights");
        assert!(write(&external, folder.path()).expect("nothing to do").is_empty());
    }
}
