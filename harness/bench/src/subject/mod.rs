//! A model to measure: its bytes, a ring of inputs, and the expected outputs for each.

mod batch;
mod gross;
mod light;
mod user;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use backend_api::Named;
use backend_api::protocol::External;
use harness_compare::{Tolerance, compare};
use harness_conformance::case::CaseError;
use harness_conformance::noise::settle;
use harness_conformance::referee::{Collected, Referee};
use harness_corpus::{CaseFiles, OfficialTolerance};
use harness_investigate::InvestigateError;
use harness_investigate::runner::RunRequest;
use harness_investigate::truth::agree_within;
use onnx_model::{Bytes, ModelError};
use onnx_tensor::TensorError;
use run_record::{CheckedBy, ModelSource, Weights};

use super::oracle::{Oracle, OracleError};
use super::random_weights::RandomWeightsError;
use super::ring::Ring;

pub(super) use light::light_name;
pub use user::{UserModel, user_model};

/// A selected model, before its expected outputs are known.
#[derive(Debug)]
pub enum ToMeasure {
    /// A light model of the official tests.
    Light {
        /// The case.
        files: Box<CaseFiles>,
        /// Whether it keeps its own weights.
        weights: Weights,
    },
    /// A user's model.
    User(Box<UserModel>),
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
            ToMeasure::User(model) => &model.name,
        }
    }

    /// The model's name without extents.
    pub(super) fn network(&self) -> &str {
        match self {
            ToMeasure::Light { files, .. } => light_name(&files.id),
            ToMeasure::User(model) => &model.network,
        }
    }

    /// The number of samples that one run computes ([`batch`]); 1 for the light models.
    pub(super) fn batch(&self) -> Option<u64> {
        match self {
            ToMeasure::Light { .. } => Some(1),
            ToMeasure::User(model) => model.batch,
        }
    }

    pub(super) fn weights(&self) -> Weights {
        match self {
            ToMeasure::Light { weights, .. } => *weights,
            ToMeasure::User(_) => Weights::Own,
        }
    }

    pub(super) fn dims(&self) -> BTreeMap<String, u64> {
        match self {
            ToMeasure::Light { .. } => BTreeMap::new(),
            ToMeasure::User(model) => model.dims.clone(),
        }
    }

    pub(super) fn source(&self, seed: u64) -> ModelSource {
        match self {
            ToMeasure::Light { files, .. } => ModelSource {
                path: light_name(&files.id).to_owned(),
                seed,
                ..ModelSource::default()
            },
            ToMeasure::User(model) => model.source.clone(),
        }
    }
}

/// A model to measure, with expected outputs.
pub(super) struct Subject {
    /// The bytes of the file.
    pub model: Bytes,
    /// External data that the model refers to.
    pub external: External,
    /// Sets of inputs.
    pub ring: Ring,
    /// The expected outputs for each set of the ring; `None` if they are unknown.
    pub expected: Vec<Option<Expected>>,
    /// The difference of outputs from those of the first run that is an error, as a fraction of the largest
    /// element ([`gross`]).
    pub gross: f64,
    /// Why expected outputs are missing; empty if none are.
    pub unknown: String,
}

/// Expected outputs.
pub(super) struct Expected {
    pub outputs: Vec<Named>,
    pub rule: Rule,
}

/// How closely outputs must agree.
#[derive(Debug)]
pub(super) enum Rule {
    /// Within a tolerance.
    Within(Tolerance),
    /// As two backends agree ([`agree_within`]): within this fraction of the largest element.
    Agreement(f64),
    /// As `compare` decides.
    Judged(Box<Judged>),
}

/// The judge of `compare`, for the answers to one input.
#[derive(Debug)]
pub(super) struct Judged {
    pub referee: Arc<Referee>,
    pub request: RunRequest,
    pub collected: Mutex<Collected>,
}

impl Judged {
    /// Why an answer is wrong; `None` if it is not, or if it cannot be judged.
    fn fault(&self, expected: &[Named], outputs: &[Named]) -> Option<String> {
        let mut comparison = compare(expected, outputs, Tolerance::from(OfficialTolerance::default()));
        self.referee
            .judge(&self.collected, &mut comparison, outputs, &self.request);
        settle(&mut comparison);
        let mismatch = comparison.mismatch.filter(|_| !comparison.open)?;
        Some(mismatch.reason)
    }
}

impl Expected {
    /// The difference from `outputs`; `None` if they agree.
    pub fn fault(&self, outputs: &[Named]) -> Option<String> {
        let tolerance = match &self.rule {
            Rule::Within(tolerance) => *tolerance,
            Rule::Agreement(part) if agree_within(&self.outputs, outputs, *part) => return None,
            Rule::Agreement(_) => OfficialTolerance::default().into(),
            Rule::Judged(judged) => return judged.fault(&self.outputs, outputs),
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
    /// The reference gives no expected outputs.
    #[error(transparent)]
    Oracle(#[from] OracleError),
    /// An input cannot be made.
    #[error(transparent)]
    Tensor(#[from] TensorError),
    /// A model file cannot be read.
    #[error(transparent)]
    Investigate(#[from] InvestigateError),
    /// A model file is not the one whose inputs were prepared.
    #[error("`{}` changed after the start of the bench; start it again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The case has no inputs.
    #[error("the case has no data set")]
    NoDataSet,
}

impl Subject {
    /// Reads the model and determines the expected outputs.
    pub fn prepare(
        model: &ToMeasure,
        seed: u64,
        budget: std::time::Duration,
        oracle: &mut Oracle,
        referee: &Arc<Referee>,
    ) -> Result<Subject, SubjectError> {
        match model {
            ToMeasure::Light { files, weights } => Subject::light(files, *weights, seed, oracle),
            ToMeasure::User(model) => Subject::user(model, budget, oracle, referee),
        }
    }

    /// The source of the expected outputs.
    pub fn checked_by(&self) -> CheckedBy {
        if self.expected.iter().all(Option::is_some) {
            CheckedBy::Reference
        } else {
            CheckedBy::FirstRun
        }
    }
}
