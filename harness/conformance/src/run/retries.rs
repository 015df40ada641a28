//! Repetitions of failing cases: one that comes to another verdict is flaky.

use harness_worker::{Completion, Pool, WorkerSpec};
use reports::record::{CaseRecord, Event, LogError, Outcome, Verdict, VerdictKind};

use super::prepared::Prepared;
use super::{Plan, Running, case_record, seen};

/// A result that is repeated before it is noted.
pub(super) struct Doubtful {
    /// The place of the case among the cases of the backend.
    pub index: usize,
    /// The result.
    pub record: CaseRecord,
    /// How a worker died on the case before, where one did.
    pub died: Option<String>,
}

/// Whether the answer is wrong or missing.
pub(super) fn fails(record: &CaseRecord) -> bool {
    matches!(record.verdict.kind().outcome(), Outcome::Wrong | Outcome::Broken)
}

/// Whether a result is worth a repetition: it fails, or it passes after a worker died on the case.
pub(super) fn is_doubtful(record: &CaseRecord, died: bool) -> bool {
    fails(record) || died && record.verdict == Verdict::Pass
}

impl Running<'_> {
    /// Repeats doubtful results until each came to two verdicts or to the same in all repetitions, and notes them. Says whether every one
    /// was settled: one that was not, because the run was interrupted, is not noted, and a resumed run has it again.
    pub(super) fn retries(
        &mut self,
        plan: &Plan,
        spec: &WorkerSpec,
        pool: &Pool,
        todo: &[&Prepared],
        mut doubtful: Vec<Doubtful>,
    ) -> Result<bool, LogError> {
        let mut settled = Vec::new();
        // That a worker died and the next one passed are two verdicts already.
        let (passed, mut open): (Vec<_>, Vec<_>) = doubtful
            .drain(..)
            .partition(|one| one.record.verdict == Verdict::Pass);
        settled.extend(passed.into_iter().map(|one| {
            let death = one.died.unwrap_or_default();
            (
                one.index,
                flaky(one.record, VerdictKind::Crash, &death, VerdictKind::Pass),
            )
        }));
        for _ in 0..plan.retries {
            let jobs: Vec<&Prepared> = open
                .iter()
                .filter_map(|one| todo.get(one.index).copied())
                .collect();
            let mut found: Vec<Option<CaseRecord>> = vec![None; jobs.len()];
            let completion = pool.run_jobs(
                &jobs,
                |worker, prepared| seen(worker, prepared, &plan.conduct),
                |place, outcome| {
                    if let (Some(slot), Some(prepared)) = (found.get_mut(place), jobs.get(place)) {
                        *slot = Some(case_record(spec, prepared, outcome, &plan.errata));
                    }
                },
            );
            if completion != Completion::Complete {
                return Ok(false);
            }
            let mut still = Vec::new();
            for (one, again) in open.into_iter().zip(found) {
                match again.map(|again| again.verdict.kind()) {
                    Some(other) if differs(one.record.verdict.kind(), other) => {
                        let (first, reason) = (one.record.verdict.kind(), one.record.reason.clone());
                        settled.push((one.index, flaky(one.record, first, &reason, other)));
                    }
                    _ => still.push(one),
                }
            }
            open = still;
        }
        settled.extend(open.into_iter().map(|one| (one.index, one.record)));
        settled.sort_by_key(|(index, _)| *index);
        for (index, record) in settled {
            self.note(Event::CaseFinished(Box::new(record)))?;
            if let Some(prepared) = todo.get(index) {
                prepared.done();
            }
        }
        Ok(true)
    }
}

/// Whether a repetition came to another verdict. That it was not run says nothing.
fn differs(first: VerdictKind, again: VerdictKind) -> bool {
    again != first && !matches!(again, VerdictKind::NotRun | VerdictKind::Skipped)
}

/// The record of a case that came first to one verdict and then to another.
fn flaky(record: CaseRecord, first: VerdictKind, reason: &str, again: VerdictKind) -> CaseRecord {
    CaseRecord {
        verdict: Verdict::Flaky(first),
        reason: format!(
            "first {}, then {} in a repetition: {reason}",
            first.label(),
            again.label()
        ),
        ..record
    }
}
