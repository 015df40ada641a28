//! The external data of a model: which files it reads, and whether they are sent to workers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use backend_api::protocol::{External, ExternalFile, resident_bytes};
use harness_corpus::CaseFiles;
use onnx_model::{Bytes, ExternalData, ExternalError, Folder, Limits, Model, ModelError, Source};

/// Decodes a model whose external data is in a folder. More of it than [`resident_bytes`] stays there.
///
/// # Errors
/// The model or its external data cannot be decoded or read.
pub fn in_folder(bytes: &Bytes, name: &str, folder: &Path) -> Result<(Model, External), ModelError> {
    let used = UsedFiles {
        folder: Folder::new(folder),
        locations: RefCell::default(),
    };
    let source = Source::named(name)
        .with_external(&used)
        .resident(resident_bytes());
    let model = Model::decode(bytes.clone(), &source, &Limits::default())?;
    let locations = used.locations.into_inner().into_iter();
    if !model.stored().is_empty() {
        let external = External::InFolder {
            folder: folder.to_owned(),
            locations: locations.collect(),
        };
        return Ok((model, external));
    }
    let file = |location: String| {
        let bytes = fs::read(folder.join(&location)).map_err(|error| ExternalError::Read {
            location: location.clone(),
            error,
        })?;
        Ok(ExternalFile {
            location,
            bytes: bytes.into(),
        })
    };
    let files: Result<_, ExternalError> = locations.map(file).collect();
    Ok((model, External::Sent(files?)))
}

/// Decodes the model of a case. All external data is read, because its files may be in an archive.
pub(super) fn beside(bytes: &Bytes, name: &str, case: &CaseFiles) -> Result<(Model, External), ModelError> {
    let siblings = Siblings {
        case,
        read: RefCell::default(),
    };
    let source = Source::named(name).with_external(&siblings);
    let model = Model::decode(bytes.clone(), &source, &Limits::default())?;
    Ok((model, External::Sent(siblings.read.into_inner())))
}

/// Reads external data in a folder and records the files.
struct UsedFiles {
    folder: Folder,
    locations: RefCell<BTreeSet<String>>,
}

impl ExternalData for UsedFiles {
    fn read(&self, location: &str, offset: u64, length: usize) -> Result<Vec<u8>, ExternalError> {
        let bytes = self.folder.read(location, offset, length)?;
        self.locations.borrow_mut().insert(location.to_owned());
        Ok(bytes)
    }

    fn measure(&self, location: &str, offset: u64, length: usize) -> Result<(), ExternalError> {
        self.folder.measure(location, offset, length)?;
        self.locations.borrow_mut().insert(location.to_owned());
        Ok(())
    }

    fn folder(&self) -> Option<&Path> {
        self.folder.folder()
    }
}

/// Reads external data beside the model and keeps it for the workers.
struct Siblings<'a> {
    case: &'a CaseFiles,
    read: RefCell<Vec<ExternalFile>>,
}

impl ExternalData for Siblings<'_> {
    fn read(&self, location: &str, offset: u64, length: usize) -> Result<Vec<u8>, ExternalError> {
        let absent = || ExternalError::Absent {
            location: location.to_owned(),
        };
        let known = self.read.borrow().iter().any(|file| file.location == location);
        if !known {
            let file = self.case.sibling(location).ok().flatten().ok_or_else(absent)?;
            let bytes = file.read().map_err(|_| absent())?;
            self.read.borrow_mut().push(ExternalFile {
                location: location.to_owned(),
                bytes,
            });
        }
        let files = self.read.borrow();
        let bytes = files
            .iter()
            .find(|file| file.location == location)
            .map(|file| &file.bytes)
            .ok_or_else(absent)?;
        let part = usize::try_from(offset)
            .ok()
            .and_then(|from| bytes.get(from..from.checked_add(length)?));
        part.map(<[u8]>::to_vec).ok_or_else(|| ExternalError::Range {
            location: location.to_owned(),
            offset,
            length: length as u64,
            size: bytes.len() as u64,
        })
    }
}
