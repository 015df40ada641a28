//! The model under investigation, with the files beside it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use backend_api::Named;
use backend_api::protocol::External;
use harness_conformance::case::external::in_folder;
use harness_conformance::case::{Case, CaseError};
use harness_corpus::{CaseDefect, Corpus, DefectKind, read_file};
use onnx_model::{Bytes, Model};

use crate::InvestigateError;

/// A model with its external data and stored data sets.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The file.
    pub path: PathBuf,
    /// A short name: the stem of the file, or, of a `model.onnx` that was found in a folder, the name of the
    /// folder.
    pub name: String,
    /// The bytes of the file.
    pub bytes: Bytes,
    /// The decoded model. Of large external data, a part stays in its files.
    pub model: Model,
    /// External data of the model.
    pub external: External,
    /// Data sets in the official layout beside the model; empty if there are none.
    pub stored: Vec<StoredSet>,
    /// Why the data sets beside the model are not used, if there are some.
    pub unfit: Option<Unfit>,
}

/// Data sets beside a model that are not used.
#[derive(Clone, Debug)]
pub struct Unfit {
    pub reason: String,
    /// Whether a file is damaged or missing. Others may belong to another model in the same folder.
    pub is_damaged: bool,
}

/// Inputs with stored outputs of unknown origin.
#[derive(Clone, Debug)]
pub struct StoredSet {
    /// The name of the folder, `test_data_set_0`.
    pub name: String,
    /// Values of graph inputs.
    pub inputs: Vec<Named>,
    /// Values of graph outputs.
    pub outputs: Vec<Named>,
}

/// The models at `path`: a file, a case folder with `model.onnx`, or a folder of either. A model is read when
/// the iterator reaches it, so that a folder of large models does not fill the memory. The inner error is
/// that of one file.
///
/// # Errors
/// The path cannot be read or has no model.
pub fn open(
    path: &Path,
) -> Result<impl Iterator<Item = Result<Subject, InvestigateError>> + use<>, InvestigateError> {
    let is_named = !path.is_dir();
    Ok(files(path)?
        .into_iter()
        .map(move |file| open_file(&file, is_named)))
}

/// Makes names unique: the second subject of a name gets the suffix `-2`.
#[derive(Debug, Default)]
pub struct Names {
    taken: BTreeSet<String>,
}

impl Names {
    /// Gives `subject` a name that no earlier one has.
    pub fn make_unique(&mut self, subject: &mut Subject) {
        let base = subject.name.clone();
        let mut number = 2;
        while !self.taken.insert(subject.name.clone()) {
            subject.name = format!("{base}-{number}");
            number += 1;
        }
    }
}

fn read_error(path: &Path) -> impl FnOnce(std::io::Error) -> InvestigateError {
    let path = path.to_owned();
    move |source| InvestigateError::Read { path, source }
}

/// The model files at a path, sorted.
///
/// # Errors
/// The path cannot be read or has no model.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, InvestigateError> {
    let kind = fs::metadata(path).map_err(read_error(path))?;
    if !kind.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let own = path.join("model.onnx");
    if own.is_file() {
        return Ok(vec![own]);
    }
    let entries = fs::read_dir(path).map_err(read_error(path))?;
    let mut found: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter_map(|entry| {
            if entry.is_dir() {
                Some(entry.join("model.onnx")).filter(|file| file.is_file())
            } else {
                entry
                    .extension()
                    .is_some_and(|kind| kind == "onnx")
                    .then_some(entry)
            }
        })
        .collect();
    found.sort();
    if found.is_empty() {
        Err(InvestigateError::NoModel {
            path: path.to_owned(),
        })
    } else {
        Ok(found)
    }
}

fn open_file(path: &Path, is_named: bool) -> Result<Subject, InvestigateError> {
    let bytes = read_file(path)?;
    let folder = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let (model, external) = in_folder(&bytes, &path.display().to_string(), folder)?;
    let (stored, unfit) = match stored(path) {
        Ok(stored) => (stored, None),
        Err(error) => {
            let unfit = Unfit {
                reason: error.to_string(),
                is_damaged: matches!(
                    error,
                    InvestigateError::Case(CaseError::Decode { .. }) | InvestigateError::Defect(_)
                ),
            };
            (Vec::new(), Some(unfit))
        }
    };
    Ok(Subject {
        name: name(path, is_named),
        path: path.to_owned(),
        bytes,
        model,
        external,
        stored,
        unfit,
    })
}

/// The stem of the file, or the folder of a `model.onnx` that the user did not name.
fn name(path: &Path, is_named: bool) -> String {
    let full = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let stem = full.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let folder = full.parent().and_then(Path::file_name);
    let name = match (stem, folder) {
        (Some(stem), Some(folder)) if stem == "model" && !is_named => folder.to_string_lossy().into_owned(),
        (Some(stem), _) => stem,
        (None, _) => "model".to_owned(),
    };
    // The name becomes a part of a case id and of a path.
    let plain = |c: char| if c.is_control() || c == '/' { '_' } else { c };
    let name: String = name.chars().map(plain).collect();
    // A folder of cases leaves out what begins so.
    match name.trim_start_matches(['.', '_']) {
        "" => "model".to_owned(),
        name => name.to_owned(),
    }
}

/// The data sets beside a model; empty if none is complete in the official layout.
fn stored(path: &Path) -> Result<Vec<StoredSet>, InvestigateError> {
    if path.extension().is_none_or(|kind| kind != "onnx") {
        return Ok(Vec::new());
    }
    let corpus = Corpus::local(path)?;
    let Some(files) = corpus.cases().first() else {
        let gap = |defect: &&CaseDefect| matches!(defect.kind, DefectKind::OutputGap { .. });
        if let Some(defect) = corpus.defects().iter().find(gap) {
            return Err(InvestigateError::Defect(defect.kind.clone()));
        }
        return match path.parent().map(|folder| folder.join("test_data_set_0")) {
            Some(set) if set.join("input_0.pb").is_file() => Err(InvestigateError::NoOutputs(set)),
            _ => Ok(Vec::new()),
        };
    };
    let sets = Case::decode(files)?.data_sets.into_iter();
    Ok(sets
        .map(|set| StoredSet {
            name: set.name,
            inputs: set.inputs,
            outputs: set.expected,
        })
        .collect())
}
