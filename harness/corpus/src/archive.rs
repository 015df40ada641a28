//! A zip archive in memory whose entries are read in place, without extraction.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use zip::{ZipArchive, ZipWriter};

use super::relative::relative_name;
use super::verified::SharedBytes;
use super::{CorpusError, VerifiedFile};

/// Limits of the uncompressed size of one entry, checked before memory is allocated.
#[derive(Clone, Copy)]
struct Limits {
    /// Bytes of one entry.
    bytes: u64,
    /// Uncompressed bytes per stored byte.
    ratio: u64,
}

/// The largest entries are shared libraries of about 35 MB. The maximum ratio of DEFLATE is 1,032 to 1, and
/// the official corpus has an entry with 1,015 to 1: a higher ratio means a forged header.
const LIMITS: Limits = Limits {
    bytes: 256 << 20,
    ratio: 1_032,
};

/// An archive that several threads can read at the same time.
pub struct Archive {
    path: PathBuf,
    stored_bytes: u64,
    /// Cloned for each read: a clone shares the directory and the bytes and has a separate position.
    zip: ZipArchive<Cursor<SharedBytes>>,
    /// The files (not folders) by name.
    entries: BTreeMap<Arc<str>, usize>,
    limits: Limits,
}

impl Archive {
    /// Reads the directory of the archive and checks every name in it.
    pub fn open(file: &VerifiedFile) -> Result<Self, CorpusError> {
        Self::new(file.path(), file.bytes().clone(), LIMITS)
    }

    fn new(path: &Path, bytes: SharedBytes, limits: Limits) -> Result<Self, CorpusError> {
        let stored_bytes = bytes.as_ref().len() as u64;
        let broken = |error: zip::result::ZipError| CorpusError::Archive {
            archive: path.to_path_buf(),
            reason: error.to_string(),
        };
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(broken)?;
        if zip.has_duplicate_names() {
            let reason = "two entries have the same name".to_owned();
            return Err(CorpusError::Archive {
                archive: path.to_path_buf(),
                reason,
            });
        }
        let mut entries = BTreeMap::new();
        for (index, name) in zip.file_names().enumerate() {
            let name = name.map_err(broken)?;
            let file = name.strip_suffix('/');
            if relative_name(file.unwrap_or(&name)).as_deref() != Some(file.unwrap_or(&name)) {
                return Err(CorpusError::UnsafeName {
                    archive: path.to_path_buf(),
                    name: name.into_owned(),
                });
            }
            if file.is_none() {
                entries.insert(Arc::from(&*name), index);
            }
        }
        Ok(Self {
            path: path.to_path_buf(),
            stored_bytes,
            zip,
            entries,
            limits,
        })
    }

    /// The same archive with only the files whose names start with one of `prefixes`, still compressed.
    ///
    /// # Errors
    /// An entry is not found in the directory.
    pub fn only<'p>(&self, prefixes: impl IntoIterator<Item = &'p str>) -> Result<Self, CorpusError> {
        let broken = |error: zip::result::ZipError| CorpusError::Archive {
            archive: self.path.clone(),
            reason: error.to_string(),
        };
        let (mut zip, mut writer) = (self.zip.clone(), ZipWriter::new(Cursor::new(Vec::new())));
        let below = prefixes.into_iter().flat_map(|prefix| self.names_below(prefix));
        let below: BTreeSet<Arc<str>> = below.cloned().collect();
        for name in &below {
            if let Some(&index) = self.entries.get(name) {
                let entry = zip.by_index_raw(index).map_err(broken)?;
                writer.raw_copy_file(entry).map_err(broken)?;
            }
        }
        let bytes = writer.finish().map_err(broken)?.into_inner();
        let zip = ZipArchive::new(Cursor::new(SharedBytes::from(bytes))).map_err(broken)?;
        Ok(Self {
            path: self.path.clone(),
            stored_bytes: self.stored_bytes,
            entries: below.into_iter().zip(0..).collect(),
            zip,
            limits: self.limits,
        })
    }

    /// The path of the archive.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The names of the files that start with `prefix`, sorted.
    pub fn names_below<'a, 'p>(
        &'a self,
        prefix: &'p str,
    ) -> impl Iterator<Item = &'a Arc<str>> + use<'a, 'p> {
        let from = (Bound::Included(prefix), Bound::Unbounded);
        self.entries
            .range::<str, _>(from)
            .map(|(name, _)| name)
            .take_while(move |name| name.starts_with(prefix))
    }

    /// The archive's own copy of `name`, if there is such a file.
    pub fn entry(&self, name: &str) -> Option<&Arc<str>> {
        self.entries.get_key_value(name).map(|(name, _)| name)
    }

    /// The bytes of the file `name`, checked against the CRC-32 in the archive.
    pub fn read_named(&self, name: &str) -> Result<Vec<u8>, CorpusError> {
        let fail = |reason: String| CorpusError::Entry {
            archive: self.path.clone(),
            entry: name.to_owned(),
            reason,
        };
        let index = *self
            .entries
            .get(name)
            .ok_or_else(|| fail("there is no such entry".to_owned()))?;
        self.read_index(index).map_err(fail)
    }

    fn read_index(&self, index: usize) -> Result<Vec<u8>, String> {
        let mut zip = self.zip.clone();
        let mut entry = zip.by_index(index).map_err(|error| error.to_string())?;
        let (size, stored) = (entry.entry().size(), entry.entry().compressed_size());
        if size > self.limits.bytes {
            return Err(format!(
                "it has {size} bytes, but the limit is {}",
                self.limits.bytes
            ));
        }
        if stored > self.stored_bytes || size > stored.saturating_mul(self.limits.ratio) {
            return Err(format!("it claims to expand {stored} bytes to {size}"));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(size).map_err(|error| error.to_string())?);
        // Reads one byte more than declared, to detect a longer entry and to reach the check of the CRC.
        entry
            .by_ref()
            .take(size + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        if bytes.len() as u64 != size {
            return Err(format!(
                "it does not have the {size} bytes that the directory declares"
            ));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
pub(super) mod tests;
