//! Tests the comparison with planted faults, over the outputs of the official node tests. The bound is a
//! substitute, a few units of a float's precision around the expected values; the program uses that of
//! the reference.

use std::convert::Infallible;

use harness_compare::policy::{OFFICIAL, Policies};
use harness_compare::{Envelope, Envelopes};
use harness_conformance::case::Case;
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_lab::mutate::{CORPUS, FAULTS, KillTable, Subject, judge, plant};
use ndarray::ArrayD;
use onnx_tensor::{Real, Tensor, Value};

/// The relative radius of the substitute: two units of a float's precision.
const RADIUS: f64 = 1.0 / (1 << 22) as f64;

fn stand_in(center: &Tensor) -> Option<Envelope> {
    let radius: Vec<f64> = match center {
        Tensor::Float(array) => array.iter().map(|x| f64::from(x.abs()) * RADIUS).collect(),
        Tensor::Float16(array) => array
            .iter()
            .map(|x| Real::to_f64(Real::abs(*x)) * RADIUS)
            .collect(),
        Tensor::Double(array) => array.iter().map(|x| x.abs() * RADIUS).collect(),
        _ => return None,
    };
    // An infinity has no bound.
    let radius = radius
        .iter()
        .map(|r| if r.is_finite() { *r } else { 0.0 })
        .collect();
    Some(Envelope {
        center: center.clone(),
        radius: ArrayD::from_shape_vec(center.shape(), radius).ok()?.into(),
        model: "stand-in".to_owned(),
        answers: Default::default(),
    })
}

#[test]
fn every_fault_beyond_the_bound_is_detected() {
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let lock = Lockfile::embedded().unwrap();
    let corpus =
        harness_fetch::pinned("onnx-1.22.0", &lock, &fetcher).unwrap_or_else(|error| panic!("{error}"));
    // `power` measures the policy that asks the reference's own runs.
    let policies = Policies::embedded().unwrap();
    let policies: Vec<_> = policies.iter().filter(|policy| !policy.judge).collect();
    let mut kills = KillTable::default();
    for files in corpus.cases().iter().filter(|files| files.id.suite() == "node") {
        let mut case = Case::decode(files).unwrap_or_else(|error| panic!("{}: {error}", files.id));
        for set in &mut case.data_sets {
            let mut envelopes = Envelopes::default();
            for (name, value) in &set.expected {
                if let Value::Tensor(tensor) = value
                    && let Some(envelope) = stand_in(tensor)
                {
                    envelopes.insert(name.clone(), envelope);
                }
            }
            set.envelopes = envelopes;
        }
        for set in case.data_sets.iter().filter(|set| set.draws.is_none()) {
            let subject = Subject {
                case: &case,
                model: None,
                set,
                outputs: &set.expected,
                source: CORPUS,
            };
            for fault in &FAULTS {
                let planted = plant::<Infallible>(&subject, fault, 0, |_| Ok(None));
                let Ok(Some(planted)) = planted else { continue };
                for &policy in &policies {
                    let killed = !judge(&subject, policy, &planted);
                    kills.add(
                        &policy.used.name,
                        CORPUS,
                        &case.id.to_string(),
                        fault.name,
                        killed,
                    );
                }
            }
        }
    }
    for fault in &FAULTS {
        let count = |policy: &str| kills.count(policy, None, Some(fault.name));
        eprintln!(
            "{}: bound {:?}, official {:?}",
            fault.name,
            count("bound"),
            count(OFFICIAL)
        );
    }
    let survivors: Vec<_> = kills
        .survivors()
        .iter()
        .filter(|survivor| survivor.policy != OFFICIAL)
        .collect();
    assert!(survivors.is_empty(), "{survivors:#?}");
    let (bound, official) = (
        kills.count("bound", None, None),
        kills.count(OFFICIAL, None, None),
    );
    assert!(
        bound.planted > 5000 && official.killed < bound.killed,
        "{bound:?} {official:?}"
    );
}
