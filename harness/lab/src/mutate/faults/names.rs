//! Faults in the names and the number of outputs.

use backend_api::Named;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Renames one output to an unused name.
pub fn renamed(outputs: &[Named], rng: &mut ChaCha8Rng) -> Option<Vec<Named>> {
    let mut planted = outputs.to_vec();
    let index = any(outputs, rng)?;
    planted.get_mut(index)?.0 = unused(outputs);
    Some(planted)
}

/// Removes one of the outputs.
pub fn missing(outputs: &[Named], rng: &mut ChaCha8Rng) -> Option<Vec<Named>> {
    let mut planted = outputs.to_vec();
    planted.remove(any(outputs, rng)?);
    Some(planted)
}

/// Repeats one of the outputs.
pub fn repeated(outputs: &[Named], rng: &mut ChaCha8Rng) -> Option<Vec<Named>> {
    let again = outputs.get(any(outputs, rng)?)?.clone();
    Some(outputs.iter().cloned().chain([again]).collect())
}

/// Adds the value of one of the outputs with an unused name.
pub fn additional(outputs: &[Named], rng: &mut ChaCha8Rng) -> Option<Vec<Named>> {
    let (_, value) = outputs.get(any(outputs, rng)?)?.clone();
    Some(
        outputs
            .iter()
            .cloned()
            .chain([(unused(outputs), value)])
            .collect(),
    )
}

fn any(outputs: &[Named], rng: &mut ChaCha8Rng) -> Option<usize> {
    (!outputs.is_empty()).then(|| rng.random_range(0..outputs.len()))
}

/// A name that is longer than every other name.
fn unused(outputs: &[Named]) -> String {
    outputs
        .iter()
        .map(|(name, _)| name.as_str())
        .chain(["_"])
        .collect()
}
