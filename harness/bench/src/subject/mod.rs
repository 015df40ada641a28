//! A model to measure: its bytes, a ring of inputs, and the outputs that each must give.

mod light;
mod own;

use std::collections::BTreeMap;

use backend_api::Named;
use backend_api::protocol::ExternalFile;
use harness_compare::{Tolerance, compare};
use harness_conformance::case::CaseError;
use harness_corpus::CaseFiles;
use harness_investigate::truth::agree;
use onnx_model::{Bytes, ModelError};
use onnx_tensor::{DType, TensorError, Value};
use reports::record::{CheckedBy, ModelSource, Weights};

use super::oracle::{Oracle, OracleError};
use super::random_weights::RandomWeightsError;
use super::ring::Ring;

pub(super) use light::light_name;
pub use own::{OwnModel, own_model};

/// A model as it is named, before it is known what its outputs must be.
#[derive(Debug)]
pub enum ToMeasure {
    /// A light model of the official tests.
    Light {
        /// The case.
        files: Box<CaseFiles>,
        /// Whether it keeps its own weights.
        weights: Weights,
    },
    /// A person's own.
    Own(Box<OwnModel>),
}

impl ToMeasure {
    /// A light model of the official tests.
    pub fn light(files: CaseFiles, weights: Weights) -> ToMeasure {
        ToMeasure::Light {
            files: Box::new(files),
            weights,
        }
    }

    /// The model's name in reports.
    pub(super) fn name(&self) -> &str {
        match self {
            ToMeasure::Light { files, .. } => light_name(&files.id),
            ToMeasure::Own(model) => &model.name,
        }
    }

    pub(super) fn weights(&self) -> Weights {
        match self {
            ToMeasure::Light { weights, .. } => *weights,
            ToMeasure::Own(_) => Weights::Own,
        }
    }

    pub(super) fn dims(&self) -> BTreeMap<String, u64> {
        match self {
            ToMeasure::Light { .. } => BTreeMap::new(),
            ToMeasure::Own(model) => model.dims.clone(),
        }
    }

    pub(super) fn source(&self, seed: u64) -> ModelSource {
        match self {
            ToMeasure::Light { files, .. } => ModelSource {
                path: light_name(&files.id).to_owned(),
                seed,
                ..ModelSource::default()
            },
            ToMeasure::Own(model) => model.source.clone(),
        }
    }
}

/// A model to measure.
pub(super) struct Subject {
    /// The bytes of the file.
    pub model: Bytes,
    /// External data that the model refers to.
    pub files: Vec<ExternalFile>,
    /// Sets of inputs.
    pub ring: Ring,
    /// What each set of the ring must give; none where nobody knows.
    pub expected: Vec<Option<Expected>>,
    /// Why there are no expected outputs; empty where there are.
    pub unknown: String,
}

/// Outputs that are right.
pub(super) struct Expected {
    pub outputs: Vec<Named>,
    pub rule: Rule,
}

/// How exactly outputs must agree.
#[derive(Clone, Copy, Debug)]
pub(super) enum Rule {
    /// Within a tolerance.
    Within(Tolerance),
    /// As two backends agree ([`agree`]): a bench finds gross errors; how many digits are right, `compare` tells.
    Grossly,
}

impl Expected {
    /// What is wrong with outputs; none where they are right.
    pub fn fault(&self, outputs: &[Named]) -> Option<String> {
        let tolerance = match self.rule {
            Rule::Within(tolerance) => tolerance,
            Rule::Grossly if agree(&self.outputs, outputs) => return None,
            Rule::Grossly => {
                let official = harness_corpus::OfficialTolerance::default();
                Tolerance {
                    relative: official.rtol,
                    absolute: official.atol,
                }
            }
        };
        Some(compare(&self.outputs, outputs, tolerance).mismatch?.reason)
    }
}

/// Why a model cannot be measured on any backend.
#[derive(Debug, thiserror::Error)]
pub(super) enum SubjectError {
    /// The case cannot be read.
    #[error(transparent)]
    Case(#[from] CaseError),
    /// The model cannot be decoded.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The weights cannot be made.
    #[error("random weights: {0}")]
    RandomWeights(#[from] RandomWeightsError),
    /// The reference does not say what is right.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// An input cannot be made.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// There is nothing to feed.
    #[error("the case has no data set")]
    NoDataSet,
}

impl Subject {
    /// Reads the model and finds what outputs are right.
    pub fn prepare(
        model: &ToMeasure,
        seed: u64,
        budget: std::time::Duration,
        oracle: &mut Oracle,
    ) -> Result<Subject, SubjectError> {
        match model {
            ToMeasure::Light { files, weights } => Subject::light(files, *weights, seed, oracle),
            ToMeasure::Own(model) => Ok(Subject::own(model, budget, oracle)),
        }
    }

    /// With what outputs are compared.
    pub fn checked_by(&self) -> CheckedBy {
        match self.expected.iter().all(Option::is_some) {
            true => CheckedBy::Reference,
            false => CheckedBy::FirstRun,
        }
    }
}

/// Whether an input of a light model is varied; integers may be shapes or indices, which have to stay what they are.
pub(super) fn rotates(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if tensor.dtype() == DType::Float)
}
