//! A case as files: the model, its data sets, and what else belongs to it. Nothing is decoded here.

use super::{CaseId, CorpusError, FileRef, Folder, InvalidCaseId, Sha256};
use crate::form::Form;

/// One case that can be run: it has a model and at least one data set, each with at least one expected output.
#[derive(Clone, Debug)]
pub struct CaseFiles {
    /// The case's id.
    pub id: CaseId,
    /// Other corpora that have this very case, as [`distinct`](super::distinct) found; oldest first.
    pub also_in: Vec<String>,
    /// The model, a `ModelProto`.
    pub model: FileRef,
    /// The data sets, at least one, in the order of their numbers.
    pub data_sets: Vec<DataSetFiles>,
    /// How far a float may be off by the official rule.
    pub tolerance: OfficialTolerance,
    /// The form in which it is run; none of a plain case.
    pub form: Option<Form>,
    pub(super) folder: Folder,
    /// Of all its bytes; known only of pinned corpora that were asked for it.
    pub(super) digest: Option<Sha256>,
}

/// One `test_data_set_N`. Files hold what the graph's input or output type says: a `TensorProto`, `SequenceProto`,
/// `OptionalProto`, or `MapProto`.
#[derive(Clone, Debug)]
pub struct DataSetFiles {
    /// The folder's name, `test_data_set_0`.
    pub name: String,
    /// `input_K.pb` at position K, for the K-th graph input; None where an optional input is left out.
    pub inputs: Vec<Option<FileRef>>,
    /// `output_K.pb` at position K, for the K-th graph output, without gaps.
    pub outputs: Vec<FileRef>,
    /// Whether `inputs` is empty because [`super::official_input`] makes them from the graph inputs' shapes.
    pub generated_inputs: bool,
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

/// Something in a corpus that looks like a case and cannot be run. It is reported, never passed over.
#[derive(Clone, Debug)]
pub struct CaseDefect {
    /// The id the case would have.
    pub id: CaseId,
    /// Other corpora in which it lacks the same; oldest first.
    pub also_in: Vec<String>,
    /// What it lacks.
    pub kind: DefectKind,
}

/// What a case lacks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DefectKind {
    /// There is no model.
    #[error("the folder has no `model.onnx`")]
    NoModel,
    /// The model has to be had from elsewhere, and the corpus does not carry it.
    #[error("the model is not part of the corpus, only its address: {url}")]
    RemoteModel {
        /// The address that `data.json` gives.
        url: String,
    },
    /// There is a model and nothing to hold its outputs against.
    #[error(
        "the model has no `test_data_set_0`, so there is nothing to compare its outputs with; `compare` asks the reference"
    )]
    NoDataSet,
    /// A data set without expected outputs passes whatever a backend answers.
    #[error("`{data_set}` has no `output_0.pb`, so there is nothing to compare")]
    NoExpectedOutput {
        /// The data set.
        data_set: String,
    },
    /// A later output is there, an earlier one is not.
    #[error("`{data_set}` lacks `output_{number}.pb`, but has a later one")]
    OutputGap {
        /// The data set.
        data_set: String,
        /// The number of the output that is missing.
        number: usize,
    },
    /// A `.pb` file whose role cannot be told.
    #[error("`{data_set}` has `{file}`, which is neither `input_K.pb` nor `output_K.pb`")]
    UnknownFile {
        /// The data set.
        data_set: String,
        /// The file.
        file: String,
    },
    /// A file or folder of it cannot be read.
    #[error("{reason}")]
    Unreadable {
        /// What the corpus layer says.
        reason: String,
    },
    /// The folder's name cannot stand in an id; the defect has the name as it can be shown.
    #[error("the folder's name has characters that are not UTF-8 or control something: rename it")]
    OddName,
    /// The case's `data.json` cannot be used.
    #[error("`data.json`: {reason}")]
    Description {
        /// What is wrong with it.
        reason: String,
    },
}

impl CaseDefect {
    /// Its ids in all corpora in which it lacks the same.
    pub fn ids(&self) -> impl Iterator<Item = CaseId> {
        ids(&self.id, &self.also_in)
    }
}

/// The newest id of a case first, then those in the other corpora that have it.
fn ids(newest: &CaseId, also_in: &[String]) -> impl Iterator<Item = CaseId> + use<> {
    let twin = |corpus: &String| CaseId::new(corpus, newest.suite(), newest.name()).ok();
    let twins: Vec<CaseId> = also_in.iter().filter_map(twin).collect();
    std::iter::once(newest.clone()).chain(twins)
}

impl CaseFiles {
    /// The file that the model names as lying beside it (external data), if it is there.
    ///
    /// # Errors
    /// [`CorpusError::OutsideFolder`] for a name that leaves the model's folder.
    pub fn sibling(&self, name: &str) -> Result<Option<FileRef>, CorpusError> {
        self.folder.sibling(name)
    }

    /// Its ids in all corpora that have it; of a variant those of its plain case.
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
    /// None for an id that is one.
    pub fn in_form(&self, form: Form) -> Result<CaseFiles, InvalidCaseId> {
        Ok(CaseFiles {
            id: self.id.variant(form)?,
            form: Some(form),
            ..self.clone()
        })
    }

    /// The folder that the model lies in.
    pub fn folder(&self) -> &Folder {
        &self.folder
    }
}
