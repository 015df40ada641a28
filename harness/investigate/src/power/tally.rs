//! The counts of a measurement.

use std::collections::BTreeMap;

use run_record::standing::Standing;

use super::finds;

/// The lower ends of the ranges of effects, in multiples of the noise.
pub const BINS: [f64; 7] = [0.0, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0];

/// The effect from which on a fault must be found.
const CLEAR: f64 = 4.0;

/// A judged answer.
#[derive(Clone, Debug)]
pub struct Answer {
    pub network: String,
    pub backend: String,
    /// The fault; empty for an honest answer.
    pub fault: String,
    /// Its effect in multiples of the model's noise.
    pub effect: f64,
    /// The verdict.
    pub standing: Standing,
    /// Why it is wrong.
    pub reason: String,
}

/// The counts.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// The networks with an answer of the reference.
    pub networks: usize,
    /// Those without, with the reason.
    pub unanswered: Vec<(String, String)>,
    /// Backends that gave no answer to a network.
    pub failed: usize,
    /// The honest answers.
    pub honest: Vec<Answer>,
    /// The faulty answers.
    pub faulty: Vec<Answer>,
}

impl Tally {
    /// For each backend, the number of honest answers with each verdict.
    pub fn by_backend(&self) -> BTreeMap<&str, BTreeMap<&'static str, usize>> {
        let mut counts: BTreeMap<&str, BTreeMap<&'static str, usize>> = BTreeMap::new();
        for answer in &self.honest {
            let of_backend = counts.entry(&answer.backend).or_default();
            *of_backend.entry(answer.standing.words()).or_default() += 1;
        }
        counts
    }

    /// The honest answers that are called wrong.
    pub fn false_alarms(&self) -> impl Iterator<Item = &Answer> {
        self.honest
            .iter()
            .filter(|answer| answer.standing == Standing::Wrong)
    }

    /// For each range of effects ([`BINS`]), the faults found and all faults.
    pub fn power(&self) -> Vec<(usize, usize)> {
        let mut counts = vec![(0, 0); BINS.len()];
        for answer in &self.faulty {
            let bin = BINS.iter().rposition(|low| answer.effect >= *low).unwrap_or(0);
            counts[bin].0 += usize::from(finds(answer.standing));
            counts[bin].1 += 1;
        }
        counts
    }

    /// The faults with an effect of at least four times the noise.
    pub fn clear(&self) -> impl Iterator<Item = &Answer> {
        self.faulty.iter().filter(|answer| answer.effect >= CLEAR)
    }

    /// Those of them that are not found.
    pub fn missed(&self) -> impl Iterator<Item = &Answer> {
        self.clear().filter(|answer| !finds(answer.standing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_fall_into_their_range() {
        let answer = |effect, standing| Answer {
            network: "n".to_owned(),
            backend: "b".to_owned(),
            fault: "f".to_owned(),
            effect,
            standing,
            reason: String::new(),
        };
        let tally = Tally {
            faulty: vec![
                answer(0.5, Standing::WithinNoise),
                answer(4.0, Standing::Wrong),
                answer(f64::INFINITY, Standing::WithinNoise),
            ],
            honest: vec![answer(0.0, Standing::Exact), answer(0.0, Standing::Wrong)],
            ..Tally::default()
        };
        let power = tally.power();
        assert_eq!((power[0], power[3], power[6]), ((0, 1), (1, 1), (0, 1)));
        assert_eq!((tally.clear().count(), tally.missed().count()), (2, 1));
        assert_eq!(tally.false_alarms().count(), 1);
        assert_eq!(tally.by_backend()["b"]["WRONG"], 1);
    }
}
