//! How far rounding can lead, asked of a worker of the reference.

use std::time::{Duration, Instant};

use backend_api::{Bounded, Reach};
use ndarray::ArrayD;

use crate::case::{Case, DataSet};
use crate::compare::{Envelope, Envelopes, leaves};
use crate::observe::load;
use crate::worker::{Death, Worker};

/// The error model of outputs that have but one right answer.
const EXACT: &str = "exact";

/// The envelopes of each data set of `case`; those of a data set are empty where the reference declines it.
///
/// # Errors
/// The worker's death.
pub fn bounds(worker: &mut Worker, case: &Case, timeout: Duration) -> Result<Vec<Envelopes>, Death> {
    let deadline = Instant::now() + timeout;
    let mut bounds = vec![Envelopes::default(); case.data_sets.len()];
    let Some(first) = case.data_sets.first() else {
        return Ok(bounds);
    };
    let Ok(loaded) = worker.load(load(case, first, false), deadline)? else {
        return Ok(bounds);
    };
    for (set, envelopes) in case.data_sets.iter().zip(&mut bounds) {
        *envelopes = of_set(worker, loaded.session, set, deadline)?;
    }
    let _ = worker.unload(loaded.session, deadline)?;
    Ok(bounds)
}

fn of_set(worker: &mut Worker, session: u64, set: &DataSet, deadline: Instant) -> Result<Envelopes, Death> {
    let mut envelopes = Envelopes::default();
    // What is drawn is judged by its distribution.
    if set.draws.is_some() {
        return Ok(envelopes);
    }
    let bounded = worker.bound(session, set.inputs.clone(), deadline)?;
    bounded
        .into_iter()
        .flatten()
        .for_each(|bounded| insert(&mut envelopes, bounded));
    Ok(envelopes)
}

fn insert(envelopes: &mut Envelopes, bounded: Bounded) {
    let Bounded { name, value, reach } = bounded;
    let tensors = leaves(&[(name, value)]);
    match reach {
        Reach::Exact => {
            for (name, center) in tensors {
                let radius = ArrayD::zeros(center.shape());
                let model = EXACT.to_owned();
                envelopes.insert(
                    name,
                    Envelope {
                        center,
                        radius,
                        model,
                    },
                );
            }
        }
        Reach::Within { radius, model } => {
            // A radius belongs to one tensor.
            let radius = radius.array::<f64>().map(|radius| radius.to_owned());
            if let ([(name, center)], Ok(radius)) = (tensors.as_slice(), radius) {
                let (name, center, radius) = (name.clone(), center.clone(), radius.into_owned());
                envelopes.insert(
                    name,
                    Envelope {
                        center,
                        radius,
                        model,
                    },
                );
            }
        }
        Reach::Unknown { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{DType, Sequence, Tensor, Value, ValueType};

    use super::*;

    #[test]
    fn every_tensor_gets_the_envelope_of_its_output() {
        let one = Tensor::vector(vec![1.0_f32, 2.0]);
        let bounded = |name: &str, value: Value, reach: Reach| Bounded {
            name: name.to_owned(),
            value,
            reach,
        };
        let within = Reach::Within {
            radius: Tensor::vector(vec![0.5, f64::INFINITY]),
            model: "m".to_owned(),
        };
        let unknown = Reach::Unknown {
            reason: "r".to_owned(),
        };
        let sequence = Value::Sequence(Sequence {
            element: ValueType::tensor(DType::Float),
            values: vec![one.clone().into()],
        });
        let mut envelopes = Envelopes::default();
        insert(&mut envelopes, bounded("a", one.clone().into(), within));
        insert(&mut envelopes, bounded("b", one.clone().into(), unknown));
        insert(&mut envelopes, bounded("c", sequence, Reach::Exact));
        let radius = |name: &str| {
            envelopes
                .of(name, &one)
                .map(|envelope| envelope.radius.iter().copied().collect())
        };
        assert_eq!(radius("a"), Some(vec![0.5, f64::INFINITY]));
        assert_eq!(radius("b"), None);
        assert_eq!(radius("c[0]"), Some(vec![0.0, 0.0]));
        assert!(envelopes.of("a", &Tensor::vector(vec![1.0_f64, 2.0])).is_none());
    }
}
