//! Errors of investigations.

use std::io;
use std::path::PathBuf;

use harness_conformance::case::CaseError;
use harness_conformance::reference::runner::RunnerError;
use harness_corpus::{CorpusError, DefectKind};
use onnx_model::ModelError;
use onnx_tensor::TensorError;
use run_record::WriteError;

use crate::property::{Property, words};

/// Why an investigation stops. None of these errors is a fault of the backend.
#[derive(Debug, thiserror::Error)]
pub enum InvestigateError {
    /// A file or folder cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Read {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A folder has no model.
    #[error("no model in `{}`: expected a file `*.onnx`, or a folder that holds one", path.display())]
    NoModel { path: PathBuf },
    /// A file is not a model, or its external data is missing.
    #[error("cannot decode the model: {0}")]
    Decode(#[from] ModelError),
    /// A data set has inputs without outputs.
    #[error("`{}` has no `output_0.pb`; give its inputs by `--input NAME={}/input_0.pb`", .0.display(), .0.display())]
    NoOutputs(PathBuf),
    /// A file of a data set is missing.
    #[error(transparent)]
    Defect(DefectKind),
    /// Stored data of a case folder cannot be decoded.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// Stored data of a case folder cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Input values do not fit the model, or cannot be generated.
    #[error("model `{model}`: {problem}")]
    Input {
        /// The name of the model.
        model: String,
        problem: InputProblem,
    },
    /// Neither the reference nor an agreement of backends gives expected outputs.
    #[error("model `{model}`: the right outputs are unknown: {reason}")]
    Undecided {
        /// The name of the model.
        model: String,
        reason: String,
    },
    /// A worker cannot be started again, or the user interrupted the command.
    #[error(transparent)]
    Runner(#[from] RunnerError),
    /// The reference does not answer, but its answer is needed.
    #[error("the reference does not answer ({reason}); without its answer nothing can be {purpose}")]
    NoReference {
        reason: String,
        /// The purpose: `located`, `reduced`.
        purpose: &'static str,
    },
    /// The backend passes, so that there is no failure to reduce.
    #[error("backend `{backend}` does not fail on the model: there is nothing to reduce")]
    NoFailure { backend: String },
    /// The backend fails on the file, but not in the same way on a model of the same nodes.
    #[error(
        "backend `{backend}` fails on the file, but on no model that is written anew from its nodes in the same way: \
         the failure needs the whole file; {}",
        words(properties)
    )]
    WholeFile {
        backend: String,
        /// The properties of the file without which it does not fail.
        properties: Vec<Property>,
    },
    /// The backend failed in the same way on a smaller model, but not when the model was run again.
    #[error("backend `{backend}` does not fail in the same way each time: the failure cannot be reduced")]
    NotRepeated { backend: String },
    /// The folder was not written by `reduce`.
    #[error("`{}` is not a folder that `reduce` wrote: {reason}", path.display())]
    NotReduced {
        /// The folder.
        path: PathBuf,
        /// The missing or malformed part.
        reason: String,
    },
    /// A folder of `reduce` has no expected outputs, so that it is no case.
    #[error("`{}` cannot be kept as a case: {reason}", path.display())]
    NotACase {
        /// The folder.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A reduced model does not fail as `reduce` said.
    #[error("`{}` is not kept: `{reduced}` failed with {said} when the model was reduced, and `{backend}` now {seen}", path.display())]
    NotKept {
        /// The folder.
        path: PathBuf,
        /// The backend that ran the case.
        backend: String,
        /// The backend that failed.
        reduced: String,
        /// The failure that `reduce` wrote.
        said: String,
        /// The result of the run.
        seen: String,
    },
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A value cannot be constructed.
    #[error(transparent)]
    Tensor(#[from] TensorError),
}

/// Why the input values of a model are invalid.
#[derive(Debug, thiserror::Error)]
pub enum InputProblem {
    /// The name is not an input of the graph.
    #[error("no input `{name}`; the inputs are {known}")]
    UnknownInput {
        name: String,
        /// The inputs of the graph.
        known: String,
    },
    /// The name is not a symbolic dimension of the inputs.
    #[error("no symbolic dimension `{name}`; the inputs have {known}")]
    UnknownDim {
        name: String,
        /// The symbolic dimensions of the inputs.
        known: String,
    },
    /// The given shape does not fit the input.
    #[error("input `{name}`: shape {given} does not fit {declared}")]
    Shape {
        /// The input.
        name: String,
        /// The given shape.
        given: String,
        /// The declared type and shape.
        declared: String,
    },
    /// One dimension has two extents.
    #[error("dimension `{name}` has the extents {one} and {other}; give one of them")]
    DimConflict {
        /// The dimension.
        name: String,
        /// An extent and its source.
        one: String,
        /// The other extent and its source.
        other: String,
    },
    /// An input has two values.
    #[error("input `{name}` is given twice; give one value")]
    Twice {
        /// The input.
        name: String,
    },
    /// A value has another element type or shape than declared.
    #[error("input `{name}`: expected {expected}, {origin} holds {found}")]
    Unfit {
        /// The input.
        name: String,
        /// The file.
        origin: String,
        /// Type and shape of the value.
        found: String,
        /// The declared type and shape.
        expected: String,
    },
    /// A file cannot be read as values.
    #[error("{file}: {reason}")]
    File { file: String, reason: String },
    /// A folder of samples where one sample is expected.
    #[error("`{file}` is a folder; samples are for `compare`, here name one of its files")]
    Folder {
        /// The folder.
        file: String,
    },
    /// Folders of samples have different numbers of files.
    #[error("{one} files, {other}: a sample needs one file of each folder")]
    SampleCounts {
        /// A folder with its number of files.
        one: String,
        /// Another folder with its number of files.
        other: String,
    },
    /// Values of this type cannot be generated.
    #[error("input `{name}`: {reason}; give it as --input {name}=FILE")]
    NotDrawn {
        /// The input.
        name: String,
        reason: String,
    },
    /// An argument has another form.
    #[error("`{text}` is not of the form {form}")]
    Form {
        /// The argument.
        text: String,
        /// The expected form.
        form: &'static str,
    },
}
