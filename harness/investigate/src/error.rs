//! Why an investigation cannot go on.

use std::io;
use std::path::PathBuf;

use harness_conformance::case::CaseError;
use harness_corpus::CorpusError;
use harness_worker::StartError;
use onnx_model::ModelError;
use onnx_tensor::TensorError;
use reports::WriteError;

/// Why an investigation cannot go on. None of them says anything of a backend.
#[derive(Debug, thiserror::Error)]
pub enum InvestigateError {
    /// A file or folder cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder holds no model.
    #[error("no model in `{}`: expected a file `*.onnx`, or a folder that holds one", path.display())]
    NoModel {
        /// The path.
        path: PathBuf,
    },
    /// A file is no model, or its external data is missing.
    #[error("cannot decode the model: {0}")]
    Decode(#[from] ModelError),
    /// Stored data of a case folder cannot be decoded.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// Stored data of a case folder cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Input values do not fit the model, or cannot be made.
    #[error("model `{model}`: {problem}")]
    Input {
        /// The name of the model.
        model: String,
        /// What is wrong.
        problem: InputProblem,
    },
    /// Neither the reference nor an agreement of backends says what is right.
    #[error("model `{model}`: nobody knows what is right: {reason}")]
    Undecided {
        /// The name of the model.
        model: String,
        /// Why.
        reason: String,
    },
    /// A worker does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The user interrupted the command.
    #[error("interrupted")]
    Cancelled,
    /// The reference does not answer, and the question needs its answer.
    #[error("the reference does not answer ({reason}), and without it nothing can be {purpose}")]
    NoReference {
        /// Why it does not.
        reason: String,
        /// `located`, `reduced`.
        purpose: &'static str,
    },
    /// The backend passes, so that there is no failure to reduce.
    #[error("backend `{backend}` does not fail on the model: there is nothing to reduce")]
    NoFailure {
        /// The backend.
        backend: String,
    },
    /// A folder is not one that `reduce` wrote.
    #[error("`{}` is not a folder that `reduce` wrote: {reason}", path.display())]
    NotReduced {
        /// The folder.
        path: PathBuf,
        /// What is missing or malformed.
        reason: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A value cannot be built.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

/// What is wrong with the input values of a model.
#[derive(Debug, thiserror::Error)]
pub enum InputProblem {
    /// A name that is no input of the graph.
    #[error("no input `{name}`; the inputs are {known}")]
    UnknownInput {
        /// The name.
        name: String,
        /// Those of the graph.
        known: String,
    },
    /// A name that is no symbolic dimension of the inputs.
    #[error("no symbolic dimension `{name}`; the inputs have {known}")]
    UnknownDim {
        /// The name.
        name: String,
        /// Those of the inputs.
        known: String,
    },
    /// A given shape is not one that the input can have.
    #[error("input `{name}`: shape {given} does not fit {declared}")]
    Shape {
        /// The input.
        name: String,
        /// The shape as it was typed.
        given: String,
        /// Type and shape that the input declares.
        declared: String,
    },
    /// Two extents are given for one dimension.
    #[error("dimension `{name}` is {one} and {other}; give one of them")]
    DimConflict {
        /// The dimension.
        name: String,
        /// An extent and who gave it.
        one: String,
        /// The other.
        other: String,
    },
    /// A value has another element type or shape than the input declares.
    #[error("input `{name}`: {origin} holds {found}, expected {expected}")]
    Unfit {
        /// The input.
        name: String,
        /// The file.
        origin: String,
        /// Type and shape of the value.
        found: String,
        /// Type and shape that the input declares.
        expected: String,
    },
    /// A file cannot be read as values.
    #[error("{file}: {reason}")]
    File {
        /// The file.
        file: String,
        /// Why not.
        reason: String,
    },
    /// No value is drawn for an input of this type.
    #[error("input `{name}`: {reason}; give it as --input {name}=FILE")]
    NotDrawn {
        /// The input.
        name: String,
        /// Why not.
        reason: String,
    },
    /// A given text is not NAME=VALUE.
    #[error("`{text}` is not of the form {form}")]
    Form {
        /// The text.
        text: String,
        /// What is expected.
        form: &'static str,
    },
}
