//! The corpus `hub`: models of the ONNX model zoo, taken from a mirror that a person names.
//!
//! The zoo's manifest ([`Manifest`]) names each model with its opset, its size and SHA-256, and an
//! archive with the model and data sets. [`fetch`] copies from a folder or a URL into the cache,
//! hashing as it copies: bytes that have not the SHA-256 of the manifest are never unpacked and
//! never kept. A model with data sets becomes a case in the official layout, one without only a
//! model.

mod error;
mod manifest;
mod source;
mod unpack;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub use error::HubError;
pub use manifest::{HubModel, MANIFEST, Manifest};
pub use source::Source;

use harness_corpus::{CaseId, Corpus, MODEL, Sha256, models_in};

use super::{Cache, FetchError};

/// The corpus's name in case ids.
const CORPUS: &str = "hub";

/// What became of a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fetched {
    /// It lies in the cache with data sets, as a case.
    Case,
    /// It lies in the cache without data sets: the mirror has no archive of it.
    Model,
}

/// The folder of the cases in `cache`.
fn cases(cache: &Cache) -> PathBuf {
    cache.root().join(CORPUS).join("cases")
}

/// The folder of the models without data sets.
fn bare(cache: &Cache) -> PathBuf {
    cache.root().join(CORPUS).join("models")
}

/// Brings a model into the cache, if it is not there yet.
///
/// # Errors
/// A mirror that does not have it, bytes that are not those of the manifest, an archive of another
/// form, a cache that cannot be written.
pub fn fetch(model: &HubModel, source: &Source, cache: &Cache) -> Result<Fetched, FetchError> {
    let place = |root: PathBuf| root.join(&model.category).join(&model.name);
    let (case, alone) = (place(cases(cache)), place(bare(cache)));
    if case.join(MODEL).is_file() {
        return Ok(Fetched::Case);
    }
    let root = cache.root().join(CORPUS);
    fs::create_dir_all(&root).map_err(FetchError::write("make the folder", &root))?;
    let staging = tempfile::tempdir_in(&root).map_err(FetchError::write("make a folder in", &root))?;
    let folder = staging.path().join("case");
    fs::create_dir_all(&folder).map_err(FetchError::write("make the folder", &folder))?;
    let copy = staging.path().join("copy");
    if let Some(data) = &model.data
        && source.copy(&data.path, &copy)?
    {
        verify(&copy, &data.path, data.sha256)?;
        unpack::unpack(&copy, &data.path, &folder)?;
        return keep(&folder, &case).map(|()| Fetched::Case);
    }
    if alone.join(MODEL).is_file() {
        return Ok(Fetched::Model);
    }
    let target = folder.join(MODEL);
    if !source.copy(&model.file.path, &target)? {
        return Err(HubError::Missing {
            model: model.name.clone(),
            mirror: source.to_string(),
        }
        .into());
    }
    verify(&target, &model.file.path, model.file.sha256)?;
    keep(&folder, &alone).map(|()| Fetched::Model)
}

/// Moves a complete folder to its place.
fn keep(folder: &Path, place: &Path) -> Result<(), FetchError> {
    let parent = place.parent().unwrap_or(place);
    fs::create_dir_all(parent).map_err(FetchError::write("make the folder", parent))?;
    // Another process may have been faster; then its copy of the same bytes stays.
    match fs::rename(folder, place) {
        Err(_) if place.join(MODEL).is_file() => Ok(()),
        moved => moved.map_err(FetchError::write("move a model to", place)),
    }
}

fn verify(copy: &Path, name: &str, expected: Sha256) -> Result<(), FetchError> {
    let mut file = fs::File::open(copy).map_err(FetchError::io("read", copy))?;
    let found = Sha256::of_reader(&mut file).map_err(FetchError::io("read", copy))?;
    if found == expected {
        Ok(())
    } else {
        Err(HubError::Digest {
            file: name.to_owned(),
            expected,
            found,
        }
        .into())
    }
}

/// The models in `cache` by their ids `hub/<category>/<name>`, those without data sets too.
///
/// # Errors
/// A folder that cannot be read, and [`HubError::Empty`] where there is none.
pub fn models(cache: &Cache) -> Result<Vec<(CaseId, PathBuf)>, FetchError> {
    let found = models_in(CORPUS, [cases(cache), bare(cache)])?;
    if found.is_empty() {
        Err(HubError::Empty { path: cases(cache) }.into())
    } else {
        Ok(found)
    }
}

/// Models with data sets, as [`fetch`] left them in `cache`.
///
/// # Errors
/// [`HubError::Empty`] where there is no model, and an unreadable folder.
pub fn corpus(cache: &Cache) -> Result<Corpus, FetchError> {
    models(cache)?;
    Ok(match cases(cache) {
        path if path.is_dir() => Corpus::in_folder(CORPUS, &path)?,
        _ => Corpus::of_files(CORPUS, BTreeMap::new())?,
    })
}

#[cfg(test)]
mod tests;
