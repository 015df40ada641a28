//! A model to measure: its bytes, several inputs, and the outputs that each must give.

use backend_api::Named;
use backend_api::protocol::ExternalFile;
use harness_compare::Tolerance;
use harness_conformance::case::{Case, CaseError};
use harness_corpus::{CaseFiles, CaseId};
use onnx_model::{Bytes, Limits, Model, ModelError, Source};
use onnx_tensor::{DType, TensorError, Value};
use reports::record::Weights;

use super::inputs::{Style, seeded};
use super::oracle::{Oracle, OracleError};
use super::random_weights::{RandomWeightsError, randomize};

/// How many inputs rotate.
const INPUTS: u64 = 3;

/// Beside the case's own tolerance, how far an output under random weights may be off, as a part of the largest expected
/// one. An element near zero is the difference of larger numbers, and its error is of their size.
const OF_LARGEST: f64 = 1e-5;

/// A model to measure.
pub(super) struct Subject {
    /// The model's name in reports.
    pub name: String,
    /// The bytes of the file.
    pub model: Bytes,
    /// External data that the model refers to.
    pub files: Vec<ExternalFile>,
    /// Several sets of inputs, at least one.
    pub inputs: Vec<Vec<Named>>,
    /// Those inputs that are the same in every set.
    pub fixed: Vec<Named>,
    /// What each set must give, and how exactly.
    pub expected: Vec<(Vec<Named>, Tolerance)>,
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

/// The name of a case's model: `resnet50` of `onnx-1.22.0/light/test_resnet50`.
pub(super) fn name(id: &CaseId) -> &str {
    id.name().strip_prefix("test_").unwrap_or(id.name())
}

impl Subject {
    /// Reads the case and finds what outputs are right. With random weights the reference says so for every input; with the
    /// model's own the stored outputs do for the case's input.
    pub fn prepare(
        files: &CaseFiles,
        weights: Weights,
        seed: u64,
        oracle: &mut Oracle,
    ) -> Result<Subject, SubjectError> {
        let case = Case::decode(files)?;
        let set = case.data_sets.first().ok_or(SubjectError::NoDataSet)?;
        let fixed = set
            .inputs
            .iter()
            .filter(|(_, value)| !rotates(value))
            .cloned()
            .collect();
        let mut subject = Subject {
            name: name(&case.id).to_owned(),
            model: case.model.clone(),
            files: case.files.clone(),
            inputs: Vec::new(),
            fixed,
            expected: Vec::new(),
        };
        match weights {
            Weights::Constant => {
                subject.add_inputs(&set.inputs, Style::Positive, seed, 1..INPUTS)?;
                subject.expect(oracle, |_| case.tolerance)?;
                subject.inputs.insert(0, set.inputs.clone());
                subject.expected.insert(0, (set.expected.clone(), case.tolerance));
            }
            Weights::Random => {
                subject.add_inputs(&set.inputs, Style::Picture, seed, 0..INPUTS)?;
                subject.bake(seed, oracle)?;
                subject.expect(oracle, |outputs| scaled(case.tolerance, outputs))?;
            }
        }
        Ok(subject)
    }

    fn add_inputs(
        &mut self,
        template: &[Named],
        style: Style,
        seed: u64,
        numbers: std::ops::Range<u64>,
    ) -> Result<(), TensorError> {
        for number in numbers {
            self.inputs.push(seeded(template, style, seed, number)?);
        }
        Ok(())
    }

    /// Puts random weights in place of the model's own.
    fn bake(&mut self, seed: u64, oracle: &mut Oracle) -> Result<(), SubjectError> {
        let model = Model::decode(self.model.clone(), &Source::named(&self.name), &Limits::default())?;
        let inputs = self.inputs.first().ok_or(SubjectError::NoDataSet)?;
        let mut run = |probe: &Model| {
            let outputs = oracle.outputs(&probe.encode().into(), &[], std::slice::from_ref(inputs))?;
            Ok(outputs.into_iter().flatten().collect())
        };
        self.model = randomize(model, seed, &mut run)?.encode().into();
        self.files.clear();
        Ok(())
    }

    fn expect(
        &mut self,
        oracle: &mut Oracle,
        tolerance: impl Fn(&[Named]) -> Tolerance,
    ) -> Result<(), OracleError> {
        let outputs = oracle.outputs(&self.model, &self.files, &self.inputs)?;
        self.expected = outputs
            .into_iter()
            .map(|outputs| {
                let tolerance = tolerance(&outputs);
                (outputs, tolerance)
            })
            .collect();
        Ok(())
    }
}

/// Whether an input is varied; integers may be shapes or indices, which have to stay what they are.
pub(super) fn rotates(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if tensor.dtype() == DType::Float)
}

fn scaled(tolerance: Tolerance, outputs: &[Named]) -> Tolerance {
    let largest = outputs.iter().filter_map(|(_, value)| match value {
        Value::Tensor(tensor) => tensor.array::<f32>().ok(),
        _ => None,
    });
    let largest = largest.flatten().fold(0.0_f32, |largest, x| largest.max(x.abs()));
    Tolerance {
        absolute: tolerance.absolute.max(OF_LARGEST * f64::from(largest)),
        ..tolerance
    }
}
