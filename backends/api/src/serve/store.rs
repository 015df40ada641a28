//! Models and files of external data on the disk of the worker, by their SHA-256.
//!
//! The folder is `ONNX_CONFORMANCE_STORE`, or else `onnx-conformance/store` in the user's cache folder, or
//! else in the folder of temporary files. Its size is bounded: the files that were used least recently are
//! removed first.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use onnx_model::Bytes;
use tempfile::NamedTempFile;

use crate::protocol::{Library, MAX_PAYLOAD, is_sha256, sha256};

/// The environment variable with the folder.
const FOLDER: &str = "ONNX_CONFORMANCE_STORE";

/// The environment variable with the maximum size in bytes.
const SIZE: &str = "ONNX_CONFORMANCE_STORE_BYTES";

/// The maximum size in bytes unless the variable sets another.
const DEFAULT_SIZE: u64 = 4 << 30;

/// The beginning of the name of a file that is being written.
const NEW: &str = "new-";

/// A folder with files that are named by their SHA-256.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    size: u64,
}

impl Store {
    /// Opens the store of this machine; `None` if its folder cannot be made. The reason is logged.
    pub fn open() -> Option<Store> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let cache = variable("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| variable("HOME").map(|home| PathBuf::from(home).join(".cache")));
        let folder = variable(FOLDER).map(PathBuf::from).unwrap_or_else(|| {
            cache
                .unwrap_or_else(std::env::temp_dir)
                .join("onnx-conformance/store")
        });
        let size = match variable(SIZE).map(|text| text.to_string_lossy().parse()) {
            None => DEFAULT_SIZE,
            Some(Ok(size)) => size,
            Some(Err(_)) => {
                eprintln!("no store of models: {SIZE} is not a number of bytes");
                return None;
            }
        };
        Store::at(folder, size)
    }

    /// A store in `folder` with at most `size` bytes.
    pub fn at(folder: PathBuf, size: u64) -> Option<Store> {
        match fs::create_dir_all(&folder).and_then(|()| NamedTempFile::with_prefix_in(NEW, &folder)) {
            Ok(_) => Some(Store { folder, size }),
            Err(error) => {
                eprintln!("no store of models: `{}`: {error}", folder.display());
                None
            }
        }
    }

    fn read(&self, digest: &str, bytes: u64) -> io::Result<Option<Bytes>> {
        let path = self.folder.join(digest);
        let file = File::open(&path)?;
        let data = if file.metadata()?.len() == bytes && bytes <= MAX_PAYLOAD {
            let mut data = Vec::new();
            (&file).take(bytes).read_to_end(&mut data)?;
            data
        } else {
            Vec::new()
        };
        if data.len() as u64 != bytes || sha256(&data) != digest {
            fs::remove_file(&path)?;
            return Ok(None);
        }
        // The time of the last use. A file system without it removes files in the order of their arrival.
        let _ = file.set_modified(SystemTime::now());
        Ok(Some(data.into()))
    }

    fn write(&self, digest: &str, bytes: &[u8]) -> io::Result<()> {
        let Some(left) = self.size.checked_sub(bytes.len() as u64) else {
            return Ok(());
        };
        make_room(&self.folder, left)?;
        let mut file = NamedTempFile::with_prefix_in(NEW, &self.folder)?;
        file.write_all(bytes)?;
        file.persist(self.folder.join(digest))?;
        Ok(())
    }
}

impl Library for Store {
    fn find(&mut self, sha256: &str, bytes: u64) -> Option<Bytes> {
        self.read(sha256, bytes).ok().flatten()
    }

    fn keep(&mut self, sha256: &str, bytes: &Bytes) {
        if let Err(error) = self.write(sha256, bytes) {
            eprintln!("the store of models `{}`: {error}", self.folder.display());
        }
    }
}

/// Removes the files that were used least recently until the others have at most `size` bytes. Files with
/// other names are not of the store: they are neither counted nor removed.
fn make_room(folder: &Path, size: u64) -> io::Result<()> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let ours = name
            .to_str()
            .is_some_and(|name| is_sha256(name) || name.starts_with(NEW));
        // Another worker may have removed it.
        if let (true, Ok(data)) = (ours, entry.metadata()) {
            kept.push((data.modified()?, data.len(), entry.path()));
        }
    }
    kept.sort();
    let mut total: u64 = kept.iter().map(|(_, length, _)| length).sum();
    for (_, length, path) in kept {
        if total <= size {
            break;
        }
        let _ = fs::remove_file(path);
        total -= length;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(size: u64) -> (tempfile::TempDir, Store) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::at(folder.path().join("store"), size).expect("a store");
        (folder, store)
    }

    fn keep(store: &mut Store, data: &[u8], age: u64) -> String {
        let digest = sha256(data);
        store.keep(&digest, &Bytes::copy_from_slice(data));
        if let Ok(file) = File::open(store.folder.join(&digest)) {
            let then = SystemTime::now() - std::time::Duration::from_secs(age);
            file.set_modified(then).expect("a time");
        }
        digest
    }

    #[track_caller]
    fn check(store: &mut Store, digest: &str, bytes: u64, expected: Option<&[u8]>) {
        assert_eq!(store.find(digest, bytes).as_deref(), expected);
    }

    #[test]
    fn kept_bytes_are_found_until_they_are_damaged() {
        let (_folder, mut store) = store(100);
        let digest = keep(&mut store, b"model", 0);
        check(&mut store, &digest, 5, Some(b"model"));
        fs::write(store.folder.join(&digest), "medol").expect("a file");
        check(&mut store, &digest, 5, None);
        assert!(!store.folder.join(&digest).exists());
    }

    #[test]
    fn bytes_of_another_length_are_not_found() {
        let (_folder, mut store) = store(100);
        let digest = keep(&mut store, b"model", 0);
        check(&mut store, &digest, u64::MAX, None);
    }

    #[test]
    fn the_least_recently_used_files_are_removed() {
        let (_folder, mut store) = store(10);
        fs::write(store.folder.join("a file of the user"), [0; 100]).expect("a file");
        let digests: Vec<String> = [(b"1111", 30), (b"2222", 20)]
            .map(|(data, age)| keep(&mut store, data, age))
            .into();
        check(&mut store, &digests[0], 4, Some(b"1111"));
        let new = keep(&mut store, b"3333", 10);
        check(&mut store, &digests[1], 4, None);
        check(&mut store, &digests[0], 4, Some(b"1111"));
        check(&mut store, &new, 4, Some(b"3333"));
        assert!(store.folder.join("a file of the user").exists());
        let long = keep(&mut store, b"more than ten bytes", 0);
        check(&mut store, &long, 19, None);
        check(&mut store, &new, 4, Some(b"3333"));
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_no_store() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("file"), "").expect("a file");
        assert!(Store::at(folder.path().join("file/store"), 1).is_none());
    }
}
