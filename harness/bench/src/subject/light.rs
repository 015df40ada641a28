//! Light models of the official tests, with their own weights or random ones.

use backend_api::Named;
use backend_api::protocol::External;
use harness_compare::Tolerance;
use harness_conformance::case::Case;
use harness_corpus::{CaseFiles, CaseId};
use harness_investigate::truth::AGREEMENT;
use onnx_model::{Limits, Model, Source};
use onnx_tensor::Value;
use run_record::Weights;

use super::{Expected, Rule, Subject, SubjectError};
use crate::inputs::Style;
use crate::oracle::{Oracle, OracleError};
use crate::random_weights::randomize;
use crate::ring::Ring;

/// The permitted error of an output under random weights, in addition to the tolerance of the case, as a
/// fraction of the largest expected element. An element near zero is the difference of larger numbers,
/// and its error is proportional to them.
const OF_LARGEST: f64 = 1e-5;

/// The name of a case's model: `resnet50` of `onnx-1.22.0/light/test_resnet50`.
pub(crate) fn light_name(id: &CaseId) -> &str {
    id.name().strip_prefix("test_").unwrap_or(id.name())
}

impl Subject {
    /// Reads the case and determines the expected outputs. With random weights the reference computes
    /// them for every input; with the model's own weights the stored outputs are expected for the case's
    /// input.
    pub fn light(
        files: &CaseFiles,
        weights: Weights,
        seed: u64,
        oracle: &mut Oracle,
    ) -> Result<Subject, SubjectError> {
        let case = Case::decode(files)?;
        let set = case.data_sets.first().ok_or(SubjectError::NoDataSet)?;
        let style = match weights {
            Weights::Random => Style::Picture,
            Weights::Constant | Weights::Own => Style::Positive,
        };
        let mut subject = Subject {
            model: case.model.clone(),
            external: case.external.clone(),
            ring: Ring::drawn(&set.inputs, style, seed)?,
            expected: Vec::new(),
            gross: AGREEMENT,
            unknown: String::new(),
        };
        match weights {
            Weights::Random => {
                subject.bake(light_name(&case.id), seed, oracle)?;
                subject.expect(oracle, |outputs| scaled(case.tolerance, outputs))?;
            }
            Weights::Constant | Weights::Own => {
                subject.expect(oracle, |_| case.tolerance)?;
                subject.ring = subject.ring.beginning_with(set.inputs.clone());
                if let Some(first) = subject.expected.first_mut() {
                    *first = Some(Expected {
                        outputs: set.expected.clone(),
                        rule: Rule::Within(case.tolerance),
                    });
                }
            }
        }
        Ok(subject)
    }

    /// Puts random weights in place of the model's own.
    fn bake(&mut self, name: &str, seed: u64, oracle: &mut Oracle) -> Result<(), SubjectError> {
        let model = Model::decode(self.model.clone(), &Source::named(name), &Limits::default())?;
        let inputs = self.ring.sets.first().ok_or(SubjectError::NoDataSet)?;
        let mut run = |probe: &Model| {
            let outputs = oracle.outputs(
                &probe.encode().into(),
                &External::of(probe),
                std::slice::from_ref(inputs),
            )?;
            Ok(outputs.into_iter().flatten().collect())
        };
        self.model = randomize(model, seed, &mut run)?.encode().into();
        self.external = External::default();
        Ok(())
    }

    fn expect(
        &mut self,
        oracle: &mut Oracle,
        tolerance: impl Fn(&[Named]) -> Tolerance,
    ) -> Result<(), OracleError> {
        let outputs = oracle.outputs(&self.model, &self.external, &self.ring.sets)?;
        let expected = outputs.into_iter().map(|outputs| {
            let rule = Rule::Within(tolerance(&outputs));
            Some(Expected { outputs, rule })
        });
        self.expected = expected.collect();
        Ok(())
    }
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
