//! A case during a run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use backend_api::Named;
use harness_corpus::CaseFiles;
use harness_corpus::readings::Question;
use harness_worker::{Worker, WorkerExit};
use run_record::Exercise;

use super::readings;
use crate::case::SetBounds;
use crate::case::{Case, CaseError};
use crate::referee::Collected;
use crate::reference::bounds;

/// The maximum memory of decoded cases that a run keeps for later backends, in bytes. Other cases are
/// decoded again for each backend.
const KEPT_BYTES: usize = 32 << 20;

/// The remaining memory for decoded cases, in bytes.
#[derive(Debug)]
pub(super) struct Budget(AtomicUsize);

impl Budget {
    /// The budget of a run.
    pub fn new() -> Arc<Budget> {
        Arc::new(Budget(AtomicUsize::new(KEPT_BYTES)))
    }

    /// Reserves bytes, if available.
    fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// A case that is decoded when the first backend needs it, kept for the others if memory permits, and
/// released after the last.
pub(super) struct Prepared {
    pub files: CaseFiles,
    budget: Arc<Budget>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The number of backends that still need it.
    left: usize,
    case: Option<Arc<Case>>,
    /// The reserved memory of `case`, in bytes.
    taken: usize,
    /// The reference's result for each data set.
    bounds: Option<Vec<SetBounds>>,
    /// What runs of the reference showed about each data set.
    collected: Arc<[Mutex<Collected>]>,
    facts: Option<Facts>,
}

/// The facts known after a case was decoded.
#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// [`Case::operators`].
    pub operators: Vec<String>,
    /// [`Case::exercises`].
    pub exercises: Arc<[Exercise]>,
    /// [`readings::is_small`].
    pub small: bool,
}

impl Prepared {
    /// A case for `backends` backends.
    pub fn new(files: CaseFiles, backends: usize, budget: Arc<Budget>) -> Prepared {
        let collected = files.data_sets.iter().map(|_| Mutex::default());
        let state = State {
            left: backends,
            collected: collected.collect(),
            ..State::default()
        };
        Prepared {
            files,
            budget,
            state: Mutex::new(state),
        }
    }

    /// The case with its bounds, or why it cannot be read.
    pub fn case(&self) -> Result<Arc<Case>, Arc<CaseError>> {
        let known = self.state().case.clone();
        if let Some(case) = known {
            return Ok(case);
        }
        let case = Case::decode(&self.files).map_err(Arc::new)?;
        let mut state = self.state();
        let case = Arc::new(match state.bounds.clone() {
            Some(bounds) => case.with_bounds(bounds),
            None => case,
        });
        state.facts.get_or_insert_with(|| facts(&case));
        let bytes = case.memory();
        if state.left > 1 && state.case.is_none() && self.budget.take(bytes) {
            (state.case, state.taken) = (Some(Arc::clone(&case)), bytes);
        }
        Ok(case)
    }

    /// The facts of the case; if `needed`, it is decoded for them. `None` if it cannot be read.
    pub fn facts(&self, needed: bool) -> Option<Facts> {
        let known = self.state().facts.clone();
        match known {
            None if needed => self.case().ok().and_then(|_| self.state().facts.clone()),
            known => known,
        }
    }

    /// Decodes the case and requests its bounds from the reference.
    pub fn bound(&self, worker: &mut Worker, timeout: Duration) -> Result<(), WorkerExit> {
        // The run on backends reports a case that cannot be read.
        let Ok(case) = self.case() else { return Ok(()) };
        let bounds = bounds(worker, &case, timeout)?;
        let mut state = self.state();
        if state.case.take().is_some() {
            // Only the bounds are new; the values are shared.
            state.case = Some(Arc::new(Case::clone(&case).with_bounds(bounds.clone())));
        }
        state.bounds = Some(bounds);
        Ok(())
    }

    /// Records an answer of the reference with another reading, for each data set whose default answer
    /// differs.
    pub fn note_reading(
        &self,
        question: &Question,
        name: &str,
        defaults: &[Option<Vec<Named>>],
        answers: Vec<Option<Vec<Named>>>,
    ) {
        let Ok(case) = self.case() else { return };
        let mut state = self.state();
        let sets = case.data_sets.len();
        let bounds = state
            .bounds
            .get_or_insert_with(|| vec![SetBounds::default(); sets]);
        for ((bounds, default), answer) in bounds.iter_mut().zip(defaults).zip(answers) {
            readings::add(
                &mut bounds.open,
                question,
                name,
                (default.as_ref(), answer),
                case.tolerance,
            );
        }
        if state.case.is_some() {
            let bounds = state.bounds.clone().unwrap_or_default();
            state.case = Some(Arc::new(Case::clone(&case).with_bounds(bounds)));
        }
    }

    /// The name of each data set with whose stored outputs the reference disagrees, and the difference.
    pub fn disagreements(&self) -> Vec<(String, String)> {
        let state = self.state();
        let sets = self.files.data_sets.iter().zip(state.bounds.iter().flatten());
        sets.filter_map(|(set, bounds)| Some((set.name.clone(), bounds.disagreement.clone()?)))
            .collect()
    }

    /// What runs of the reference showed about each data set.
    pub fn collected(&self) -> Arc<[Mutex<Collected>]> {
        Arc::clone(&self.state().collected)
    }

    /// Called when a backend is done with the case; after the last only the facts remain.
    pub fn done(&self) {
        let mut state = self.state();
        state.left = state.left.saturating_sub(1);
        if state.left == 0 {
            (state.case, state.bounds, state.collected) = (None, None, Arc::default());
            self.budget.give_back(std::mem::take(&mut state.taken));
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn facts(case: &Case) -> Facts {
    Facts {
        operators: case.operators.clone(),
        exercises: case.exercises.clone().into(),
        small: readings::is_small(case),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness_corpus::own;

    fn first() -> CaseFiles {
        own::corpus().unwrap().cases()[0].clone()
    }

    #[test]
    fn a_case_is_kept_until_its_last_backend() {
        let budget = Budget::new();
        let prepared = Prepared::new(first(), 2, Arc::clone(&budget));
        let (one, two) = (prepared.case().unwrap(), prepared.case().unwrap());
        assert!(Arc::ptr_eq(&one, &two), "decoded once");
        assert!(budget.0.load(Ordering::Relaxed) < KEPT_BYTES);
        let released = Arc::downgrade(&one);
        drop((one, two));
        prepared.done();
        assert!(released.upgrade().is_some(), "another backend needs it");
        prepared.done();
        assert!(released.upgrade().is_none(), "no backend needs it");
        assert_eq!(budget.0.load(Ordering::Relaxed), KEPT_BYTES);
        assert!(
            !prepared.facts(false).unwrap().operators.is_empty(),
            "the facts remain"
        );
    }

    #[test]
    fn a_case_beyond_the_budget_is_decoded_again() {
        let budget = Arc::new(Budget(AtomicUsize::new(0)));
        let prepared = Prepared::new(first(), 2, budget);
        let case = prepared.case().unwrap();
        let released = Arc::downgrade(&case);
        drop(case);
        assert!(released.upgrade().is_none());
        assert_eq!(prepared.case().unwrap().id, first().id);
    }
}
