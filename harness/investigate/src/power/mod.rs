//! Measures the judge: how often it calls an honest answer wrong, and which planted faults it finds.
//!
//! An honest answer is that of a backend to a model. A faulty one is the answer of the same backend to the
//! model with a fault ([`FAULTS`]) in one node, judged as an answer to the original. The *effect* of a
//! fault is the root mean square of the change of the outputs, in multiples of the noise of the original
//! model, of the reference or of the backend, whichever is less: a fault below it cannot be told from
//! rounding.

mod faults;
mod plants;
mod site;
mod tally;

use backend_api::Named;
use harness_compare::leaves;
use harness_conformance::noise::effect;
use onnx_model::Model;
use onnx_randomness::Draws;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use run_record::standing::Standing;

pub use faults::{FAULTS, Fault};
pub use site::{Change, Site};
pub use tally::{Answer, BINS, Tally};

use crate::InvestigateError;
use crate::runner::{RunRequest, Runner};
use crate::trial::{Reference, refer_to_model};

/// A model with values of its inputs.
#[derive(Clone, Debug)]
pub struct Network {
    /// The name in the result.
    pub name: String,
    /// The model.
    pub model: Model,
    pub request: RunRequest,
}

/// The backends of a measurement.
pub struct Judges<'r> {
    pub reference: &'r mut Runner,
    /// The backends whose answers are judged.
    pub backends: &'r mut [Runner],
}

/// Judges the honest and the faulty answers on one network; at most `most` faults, each of another kind if
/// possible. The result is added to `tally`.
///
/// # Errors
/// A worker cannot be started again, or the command is interrupted.
pub fn measure(
    network: &Network,
    (most, seed): (usize, u64),
    judges: &mut Judges<'_>,
    tally: &mut Tally,
) -> Result<(), InvestigateError> {
    if Draws::of_model(&network.model, &network.request.inputs).is_some() {
        return Ok(());
    }
    let mut expected = match refer_to_model(judges.reference, &network.request)? {
        Ok(expected) => expected,
        Err(judgement) => {
            tally.unanswered.push((network.name.clone(), judgement.reason));
            return Ok(());
        }
    };
    tally.networks += 1;
    let mut able = Vec::new();
    for (place, backend) in judges.backends.iter_mut().enumerate() {
        let Ok(outputs) = backend.run(&network.request)? else {
            tally.failed += 1;
            continue;
        };
        let local = expected.local(&network.model, &outputs.values, judges.reference)?;
        // A backend that is wrong on the original says nothing about a fault.
        if !local.is_wrong() {
            able.push(place);
        }
        tally.honest.push(Answer {
            network: network.name.clone(),
            backend: backend.name().to_owned(),
            fault: String::new(),
            effect: 0.0,
            standing: local.standing,
            reason: local.reason,
        });
    }
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut left = most;
    for (fault, changed) in sites(&network.model, &mut rng) {
        if left == 0 || able.is_empty() {
            break;
        }
        let place = able[rng.random_range(0..able.len())];
        let measured = faulty(network, &mut expected, (fault, &changed), place, judges)?;
        if let Some(answer) = measured {
            left -= 1;
            tally.faulty.push(answer);
        }
    }
    Ok(())
}

/// The faults that apply to a model, with the changed models: one site of each kind, in random order, then a
/// second one.
fn sites(model: &Model, rng: &mut ChaCha8Rng) -> Vec<(&'static Fault, Model)> {
    const ROUNDS: usize = 2;
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        let mut kinds: Vec<&Fault> = FAULTS.iter().collect();
        kinds.shuffle(rng);
        for fault in kinds {
            let mut order: Vec<usize> = (0..model.graph.nodes.len()).collect();
            order.shuffle(rng);
            let planted = order.into_iter().find_map(|index| {
                let site = Site {
                    model,
                    index,
                    node: &model.graph.nodes[index],
                };
                (fault.plant)(&site).map(|change| site.changed(change))
            });
            found.extend(planted.map(|changed| (fault, changed)));
        }
    }
    found
}

/// The judged answer of a backend to a changed model; `None` if the change has no effect on the reference,
/// changes a type or shape, or the backend does not answer.
fn faulty(
    network: &Network,
    expected: &mut Reference,
    (fault, changed): (&Fault, &Model),
    place: usize,
    judges: &mut Judges<'_>,
) -> Result<Option<Answer>, InvestigateError> {
    let request = RunRequest {
        model: changed.encode().into(),
        ..network.request.clone()
    };
    let Ok(truth) = judges.reference.run(&request)? else {
        return Ok(None);
    };
    if !same_form(&expected.values, &truth.values) {
        return Ok(None);
    }
    let Some(backend) = judges.backends.get_mut(place) else {
        return Ok(None);
    };
    let Ok(outputs) = backend.run(&request)? else {
        return Ok(None);
    };
    let name = backend.name().to_owned();
    let evidence = expected.evidence(judges.reference)?;
    // A backend that ignores the change, as one that removes a cast and its inverse, has no fault.
    let effects = effect(evidence, &truth.values).zip(effect(evidence, &outputs.values));
    let Some(effect) = effects
        .map(|(a, b)| f64::min(a, b))
        .filter(|effect| *effect > 0.0)
    else {
        return Ok(None);
    };
    let local = expected.local(&network.model, &outputs.values, judges.reference)?;
    Ok(Some(Answer {
        network: network.name.clone(),
        backend: name,
        fault: fault.name.to_owned(),
        effect,
        standing: local.standing,
        reason: local.reason,
    }))
}

fn same_form(a: &[Named], b: &[Named]) -> bool {
    let (a, b) = (leaves(a), leaves(b));
    a.len() == b.len()
        && a.iter().zip(&b).all(|((a_name, a), (b_name, b))| {
            a_name == b_name && a.dtype() == b.dtype() && a.shape() == b.shape()
        })
}

/// Whether a verdict finds a fault.
pub fn finds(standing: Standing) -> bool {
    standing.is_fault()
}
