//! `ONNX_HUB_MANIFEST.json`: which models the zoo has.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::Path;

use harness_corpus::Sha256;
use serde::Deserialize;

use super::HubError;

/// The name of the manifest in a mirror.
pub const MANIFEST: &str = "ONNX_HUB_MANIFEST.json";

/// Bytes of the largest manifest.
const LARGEST: u64 = 64 << 20;

/// The models of the zoo.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// In the order of the file.
    pub models: Vec<HubModel>,
}

/// A model of the zoo.
#[derive(Clone, Debug)]
pub struct HubModel {
    /// The stem of its file: `mnist-8`.
    pub name: String,
    /// The kind of its task: `classification`.
    pub category: String,
    /// The opset that it imports.
    pub opset: i64,
    /// The model.
    pub(super) file: HubFile,
    /// An archive of the model with data sets.
    pub(super) data: Option<HubFile>,
}

/// A file of a mirror.
#[derive(Clone, Debug)]
pub(super) struct HubFile {
    /// Below the root of the mirror; no part leads out of it.
    pub path: String,
    pub sha256: Sha256,
    pub bytes: u64,
}

impl HubModel {
    /// The size of the model in bytes, as the manifest says.
    pub fn bytes(&self) -> u64 {
        self.file.bytes
    }

    /// Whether there is an archive with data sets.
    pub fn has_data(&self) -> bool {
        self.data.is_some()
    }
}

/// An entry as it is written; other fields are of no interest here.
#[derive(Deserialize)]
struct Entry {
    model_path: String,
    opset_version: i64,
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Metadata {
    model_sha: String,
    #[serde(default)]
    model_bytes: u64,
    model_with_data_path: Option<String>,
    model_with_data_sha: Option<String>,
    #[serde(default)]
    model_with_data_bytes: u64,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    /// A file that cannot be read, is no manifest, or has an entry that cannot be used.
    pub fn read(path: &Path) -> Result<Manifest, HubError> {
        let fail = |source| HubError::Read {
            path: path.to_owned(),
            source,
        };
        let mut text = Vec::new();
        let file = fs::File::open(path).map_err(fail)?;
        file.take(LARGEST + 1).read_to_end(&mut text).map_err(fail)?;
        let wrong = |reason: String| HubError::Manifest {
            path: path.to_owned(),
            reason,
        };
        if text.len() as u64 > LARGEST {
            return Err(wrong(format!("it has more than {LARGEST} bytes")));
        }
        let entries: Vec<Entry> = serde_json::from_slice(&text).map_err(|error| wrong(error.to_string()))?;
        let mut names = BTreeSet::new();
        let models = entries.into_iter().map(|entry| {
            let file = entry.model_path.clone();
            let model = model(entry).and_then(|model| {
                if names.insert((model.category.clone(), model.name.clone())) {
                    Ok(model)
                } else {
                    Err("another model has the same name".to_owned())
                }
            });
            model.map_err(|reason| HubError::Entry {
                path: path.to_owned(),
                model: file,
                reason,
            })
        });
        Ok(Manifest {
            models: models.collect::<Result<_, _>>()?,
        })
    }
}

fn model(entry: Entry) -> Result<HubModel, String> {
    let Metadata {
        model_sha,
        model_bytes,
        model_with_data_path,
        model_with_data_sha,
        model_with_data_bytes,
    } = entry.metadata;
    let parts: Vec<&str> = entry.model_path.split('/').collect();
    let name = parts.last().and_then(|file| file.strip_suffix(".onnx"));
    let name = name
        .filter(|name| !name.is_empty())
        .ok_or("its file is not `*.onnx`")?
        .to_owned();
    // validated/vision/classification/mnist/model/mnist-8.onnx
    let category = (*parts.get(2).filter(|_| parts.len() > 3).unwrap_or(&"models")).to_owned();
    let data = match (model_with_data_path, model_with_data_sha) {
        (Some(path), Some(sha)) => Some(file(path, &sha, model_with_data_bytes)?),
        (None, _) => None,
        (Some(path), None) => return Err(format!("`{path}` has no SHA-256")),
    };
    Ok(HubModel {
        name,
        category,
        opset: entry.opset_version,
        file: file(entry.model_path, &model_sha, model_bytes)?,
        data,
    })
}

fn file(path: String, sha: &str, bytes: u64) -> Result<HubFile, String> {
    let plain = |part: &str| {
        !part.is_empty() && !part.starts_with('.') && !part.contains(|c: char| c == '\\' || c.is_control())
    };
    if path.split('/').all(plain) {
        Ok(HubFile {
            sha256: sha.parse()?,
            path,
            bytes,
        })
    } else {
        Err(format!("its path {path:?} is not plain"))
    }
}
