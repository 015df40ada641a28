//! The files of a case: the model, its data sets, and other files. Nothing is decoded here.

use std::path::{Path, PathBuf};

use super::{CaseId, CorpusError, FileRef, Folder, InvalidCaseId, Sha256};
use crate::form::Form;

/// A case that can be run: it has a model and at least one data set, each with at least one expected
/// output.
#[derive(Clone, Debug)]
pub struct CaseFiles {
    /// The case's id.
    pub id: CaseId,
    /// Other corpora that contain the same case, as found by [`distinct`](super::distinct); oldest first.
    pub also_in: Vec<String>,
    /// The model, a `ModelProto`.
    pub model: FileRef,
    /// The data sets, at least one, sorted by number.
    pub data_sets: Vec<DataSetFiles>,
    /// The tolerance of floats by the official rule.
    pub tolerance: OfficialTolerance,
    /// The form of a variant; `None` for a plain case.
    pub form: Option<Form>,
    pub(super) folder: Folder,
    /// The folder of its external data if that is too large to stand beside the model.
    pub(super) external: Option<PathBuf>,
    /// The digest of all its bytes; known only for pinned corpora for which it was requested.
    pub(super) digest: Option<Sha256>,
}

/// One `test_data_set_N`. The files hold messages of the type of the graph's input or output:
/// `TensorProto`, `SequenceProto`, `OptionalProto`, or `MapProto`.
#[derive(Clone, Debug)]
pub struct DataSetFiles {
    /// The folder's name, `test_data_set_0`.
    pub name: String,
    /// `input_K.pb` at position K, for the K-th graph input; `None` for an omitted optional input.
    pub inputs: Vec<Option<FileRef>>,
    /// `output_K.pb` at position K, for the K-th graph output, without gaps.
    pub outputs: Vec<FileRef>,
    /// Whether `inputs` is empty because [`super::official_input`] generates them from the shapes of the
    /// graph inputs.
    pub generated_inputs: bool,
    /// Whether the outputs are an answer of the reference in which the specification determines every result.
    pub settled: bool,
}

/// The tolerance of the official runner: `|actual − expected| ≤ atol + rtol · |expected|`.
///
/// A case may widen it with a `data.json` in its folder (of the official ones, densenet121 does).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OfficialTolerance {
    /// Relative part.
    pub rtol: f64,
    /// Absolute part.
    pub atol: f64,
}

impl Default for OfficialTolerance {
    fn default() -> Self {
        Self {
            rtol: 1e-3,
            atol: 1e-7,
        }
    }
}

/// An item of a corpus that looks like a case and cannot be run. It is reported, never ignored.
#[derive(Clone, Debug)]
pub struct CaseDefect {
    /// The id that the case would have.
    pub id: CaseId,
    /// Other corpora with the same defect; oldest first.
    pub also_in: Vec<String>,
    /// The defect.
    pub kind: DefectKind,
}

/// A defect of a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefectKind {
    /// There is no model.
    #[error("the folder has no `model.onnx`")]
    NoModel,
    /// The corpus does not contain the model, only its URL.
    #[error("the model is not part of the corpus, only its address: {url}")]
    RemoteModel {
        /// The URL in `data.json`.
        url: String,
    },
    /// There is a model, but no expected outputs.
    #[error(
        "the model has no `test_data_set_0`, so there is nothing to compare its outputs with; `compare MODEL` asks the reference for the outputs of a model that has some"
    )]
    NoDataSet,
    /// Without expected outputs, a data set would pass with any output of a backend.
    #[error("`{data_set}` has no `output_0.pb`, so there is nothing to compare")]
    NoExpectedOutput { data_set: String },
    /// A later output exists, but an earlier one does not.
    #[error("`{data_set}` has no `output_{number}.pb`, but a later one")]
    OutputGap {
        data_set: String,
        /// The number of the output that is missing.
        number: usize,
    },
    /// A `.pb` file with an unknown role.
    #[error("`{data_set}` has `{file}`, which is neither `input_K.pb` nor `output_K.pb`")]
    UnknownFile { data_set: String, file: String },
    /// A file or folder of the case cannot be read.
    #[error("{reason}")]
    Unreadable {
        /// The error.
        reason: String,
    },
    /// The folder's name is not allowed in an id; the defect has the escaped name.
    #[error("the folder's name is not UTF-8 or has control characters: rename it")]
    InvalidName,
    /// The case's `data.json` is invalid.
    #[error("`data.json`: {reason}")]
    Description {
        /// What is wrong with it.
        reason: String,
    },
}

impl CaseDefect {
    /// Its ids in all corpora with the same defect.
    pub fn ids(&self) -> impl Iterator<Item = CaseId> {
        ids(&self.id, &self.also_in)
    }
}

/// The newest id of a case, followed by those in the other corpora that contain it.
fn ids(newest: &CaseId, also_in: &[String]) -> impl Iterator<Item = CaseId> + use<> {
    let other = |corpus: &String| CaseId::new(corpus, newest.suite(), newest.name()).ok();
    let others: Vec<CaseId> = also_in.iter().filter_map(other).collect();
    std::iter::once(newest.clone()).chain(others)
}

impl CaseFiles {
    /// The file that the model refers to as external data in its own folder, if it exists.
    ///
    /// # Errors
    /// [`CorpusError::OutsideFolder`] for a name outside the model's folder.
    pub fn sibling(&self, name: &str) -> Result<Option<FileRef>, CorpusError> {
        self.folder.sibling(name)
    }

    /// Declares that the external data of the model is in another folder than its own.
    pub fn set_external_folder(&mut self, folder: PathBuf) {
        self.external = Some(folder);
    }

    /// The folder of [`Self::set_external_folder`].
    pub fn external_folder(&self) -> Option<&Path> {
        self.external.as_deref()
    }

    /// Its ids in all corpora that contain it; for a variant those of its plain case.
    pub fn ids(&self) -> impl Iterator<Item = CaseId> {
        let newest = match self.form {
            Some(_) => self.id.plain(),
            None => self.id.clone(),
        };
        ids(&newest, &self.also_in)
    }

    /// The variant of a plain case in this form.
    ///
    /// # Errors
    /// None for a valid id.
    pub fn in_form(&self, form: Form) -> Result<CaseFiles, InvalidCaseId> {
        Ok(CaseFiles {
            id: self.id.variant(form)?,
            form: Some(form),
            ..self.clone()
        })
    }

    /// The folder of the model.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }
}
