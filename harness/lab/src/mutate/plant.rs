//! Plants faults into the outputs of one data set and judges them.

use backend_api::Named;
use harness_compare::policy::{Policy, Scope};
use harness_compare::{Criteria, compare, signed_zeros, tensors, with_leaf};
use harness_conformance::case::{Case, DataSet};
use onnx_model::Model;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use sha2::{Digest, Sha256};

use super::fault::{Fault, Leaf, Plant};
use super::wrong::wrong;

/// Correct outputs of a data set, into which faults are planted.
pub struct Subject<'a> {
    pub case: &'a Case,
    /// Its decoded model, if faults can be planted into it.
    pub model: Option<&'a Model>,
    /// The data set, with expected outputs and bounds.
    pub set: &'a DataSet,
    /// Correct outputs: the expected ones, or those of a backend.
    pub outputs: &'a [Named],
    /// The source of the outputs; another source has other positions for the same fault.
    pub source: &'a str,
}

/// Plants `fault` once: at the first position, from a random one on, that makes the outputs wrong. `None`
/// if the fault does not apply or has no effect. `run` returns the outputs of a modified model.
pub fn plant<E>(
    subject: &Subject<'_>,
    fault: &Fault,
    seed: u64,
    mut run: impl FnMut(&Model) -> Result<Option<Vec<Named>>, E>,
) -> Result<Option<Vec<Named>>, E> {
    let Subject {
        case, set, outputs, ..
    } = subject;
    let copied = signed_zeros(&case.operators);
    let is_wrong =
        |planted: &Vec<Named>| wrong(&set.expected, planted, &set.envelopes, case.tolerance, copied);
    let mut rng = rng(subject, fault, seed);
    Ok(match fault.plant {
        Plant::Model(change) => {
            let changed = subject.model.and_then(|model| change(model, set));
            let planted = changed.map_or(Ok(None), |model| run(&model))?;
            planted.filter(is_wrong)
        }
        Plant::Outputs(change) => change(outputs, &mut rng).filter(is_wrong),
        Plant::Value(change) => (0..outputs.len()).find_map(|index| {
            let mut planted = outputs.to_vec();
            let (_, value) = planted.get_mut(index)?;
            *value = change(value, &mut rng)?;
            Some(planted).filter(is_wrong)
        }),
        Plant::Tensor(change) => {
            let parts = tensors(outputs);
            let mut order: Vec<usize> = (0..parts.len()).collect();
            order.shuffle(&mut rng);
            order.into_iter().find_map(|index| {
                let (name, tensor) = parts.get(index)?;
                let leaf = Leaf {
                    tensor,
                    envelope: set.envelopes.of(name, tensor),
                    copied,
                };
                let planted = change(&leaf, &mut rng)?;
                Some(with_leaf(outputs, index, &planted)).filter(is_wrong)
            })
        }
    })
}

/// A random generator for one fault in one data set: reproducible by this seed, independent of other
/// faults.
fn rng(subject: &Subject<'_>, fault: &Fault, seed: u64) -> ChaCha8Rng {
    let mut hash = Sha256::new();
    hash.update(seed.to_le_bytes());
    let (case, set) = (subject.case.id.to_string(), &subject.set.name);
    for part in [&case, set, subject.source, fault.name] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    ChaCha8Rng::from_seed(hash.finalize().into())
}

/// Whether `policy` accepts `outputs`, by the comparison of a run.
pub fn judge(subject: &Subject<'_>, policy: &Policy, outputs: &[Named]) -> bool {
    let Subject { case, set, .. } = subject;
    let id = case.id.to_string();
    let scope = Scope {
        case: &id,
        operators: &case.operators,
    };
    let criteria = Criteria {
        official: case.tolerance,
        allowance: &|output, dtype| policy.allowance(scope, output, dtype),
        envelopes: &set.envelopes,
        signed_zeros: signed_zeros(&case.operators),
    };
    compare(&set.expected, outputs, criteria).mismatch.is_none()
}
