//! A case on its way through a run.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use backend_api::Named;
use harness_corpus::CaseFiles;
use harness_corpus::readings::Question;
use harness_worker::{Worker, WorkerExit};
use reports::record::Exercise;

use super::readings;
use crate::case::SetBounds;
use crate::case::{Case, CaseError};
use crate::reference::bounds;

/// Bytes of decoded cases that a run keeps for the backends to come. A case beyond is decoded again for each backend.
const KEPT_BYTES: usize = 32 << 20;

/// What is left of the bytes that decoded cases may take.
#[derive(Debug)]
pub(super) struct Budget(AtomicUsize);

impl Budget {
    /// The budget of a run.
    pub fn new() -> Arc<Budget> {
        Arc::new(Budget(AtomicUsize::new(KEPT_BYTES)))
    }

    /// Takes bytes, if there are as many.
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

/// A case that is decoded when the first backend comes to it, kept for the others while there is room, and released after the last.
pub(super) struct Prepared {
    /// Its files.
    pub files: CaseFiles,
    budget: Arc<Budget>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Backends that have not had their turn.
    left: usize,
    case: Option<Arc<Case>>,
    /// What `case` takes of the budget.
    taken: usize,
    /// What the reference said of each data set.
    bounds: Option<Vec<SetBounds>>,
    facts: Option<Facts>,
}

/// What is known of a case once it was decoded.
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
    /// A case that so many backends will ask for.
    pub fn new(files: CaseFiles, backends: usize, budget: Arc<Budget>) -> Prepared {
        let state = State {
            left: backends,
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

    /// What was learnt when the case was decoded; it is decoded for it if `needed`. None if it cannot be read.
    pub fn facts(&self, needed: bool) -> Option<Facts> {
        let known = self.state().facts.clone();
        match known {
            None if needed => self.case().ok().and_then(|_| self.state().facts.clone()),
            known => known,
        }
    }

    /// Decodes the case, and asks the reference about it.
    pub fn bound(&self, worker: &mut Worker, timeout: Duration) -> Result<(), WorkerExit> {
        // A case that cannot be read says so when a backend comes to it.
        let Ok(case) = self.case() else { return Ok(()) };
        let bounds = bounds(worker, &case, timeout)?;
        let mut state = self.state();
        if state.case.take().is_some() {
            // Only the bounds are new, and the values are shared.
            state.case = Some(Arc::new(Case::clone(&case).with_bounds(bounds.clone())));
        }
        state.bounds = Some(bounds);
        Ok(())
    }

    /// Notes an answer of the reference under another reading, for each data set whose answer by default is another.
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

    /// The name of each data set whose stored outputs the reference does not confirm, and how they differ.
    pub fn disagreements(&self) -> Vec<(String, String)> {
        let state = self.state();
        let sets = self.files.data_sets.iter().zip(state.bounds.iter().flatten());
        sets.filter_map(|(set, bounds)| Some((set.name.clone(), bounds.disagreement.clone()?)))
            .collect()
    }

    /// Keeps a case, with what was learnt of it, whatever it takes.
    pub fn keep(&self, case: Arc<Case>) {
        let mut state = self.state();
        if state.left > 0 {
            state.case = Some(case);
        }
    }

    /// One more backend has had its turn; after the last nothing of the case stays but the facts.
    pub fn done(&self) {
        let mut state = self.state();
        state.left = state.left.saturating_sub(1);
        if state.left == 0 {
            (state.case, state.bounds) = (None, None);
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
        assert!(released.upgrade().is_none(), "nobody needs it");
        assert_eq!(budget.0.load(Ordering::Relaxed), KEPT_BYTES);
        assert!(
            !prepared.facts(false).unwrap().operators.is_empty(),
            "what is told of it stays"
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
