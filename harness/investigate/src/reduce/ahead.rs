//! Tries candidates in advance, at the same time as the next one.

use std::collections::HashMap;
use std::thread;

use super::trials::{Digest32, Original};
use crate::InvestigateError;
use crate::cut::Part;
use crate::runner::Runner;

/// A reference and a backend with workers of their own.
#[derive(Debug)]
pub(super) struct Team {
    pub reference: Runner,
    pub backend: Runner,
}

/// The helpers and what they found. Their results are a cache: they decide nothing.
#[derive(Debug)]
pub(super) struct Ahead {
    helpers: Vec<Team>,
    found: HashMap<Digest32, bool>,
}

impl Ahead {
    /// Without helpers nothing is tried in advance.
    pub fn new(helpers: Vec<Team>) -> Ahead {
        Ahead {
            helpers,
            found: HashMap::new(),
        }
    }

    /// The number of candidates that are tried at the same time.
    pub fn width(&self) -> usize {
        self.helpers.len() + 1
    }

    /// Whether a candidate that was tried in advance fails.
    pub fn known(&self, digest: &Digest32) -> Option<bool> {
        self.found.get(digest).copied()
    }

    /// Tries candidates at the same time: the first by `main`, each of the others by a helper. An error of
    /// a helper is no result: the candidate is tried again if its turn comes.
    pub fn look(
        &mut self,
        candidates: &[&(Digest32, Part)],
        original: &Original,
        main: (&mut Runner, &mut Runner),
    ) -> Result<(), InvestigateError> {
        let mut candidates = candidates
            .iter()
            .copied()
            .filter(|(digest, _)| !self.found.contains_key(digest));
        let (Some((digest, part)), rest) = (candidates.next(), candidates.collect::<Vec<_>>()) else {
            return Ok(());
        };
        let (first, others) = thread::scope(|scope| {
            let helpers = self.helpers.iter_mut().zip(&rest);
            let running: Vec<_> = helpers
                .map(|(team, (digest, part))| {
                    let work = || original.is_like(part, &mut team.reference, &mut team.backend);
                    (*digest, scope.spawn(work))
                })
                .collect();
            let first = original.is_like(part, main.0, main.1);
            let others: Vec<(Digest32, bool)> = running
                .into_iter()
                .filter_map(|(digest, thread)| Some((digest, thread.join().ok()?.ok()?)))
                .collect();
            (first, others)
        });
        self.found.extend(others);
        self.found.insert(*digest, first?);
        Ok(())
    }
}
