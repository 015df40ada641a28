//! Repetitions of failing cases: one that comes to another verdict is flaky.

use harness_worker::{Completion, Pool, WorkerSpec};
use reports::record::{CaseRecord, Event, LogError, Outcome, Verdict, VerdictKind};

use super::prepared::Prepared;
use super::{Plan, Running, case_record, seen};
use crate::readings::Followed;

/// A result that is repeated before it is noted.
pub(super) struct Doubtful {
    /// The place of the case among the cases of the backend.
    pub index: usize,
    /// The result.
    pub record: CaseRecord,
    /// How a worker died on the case before, where one did.
    pub died: Option<String>,
    /// The readings that its answer follows.
    pub followed: Vec<Followed>,
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
        doubtful: Vec<Doubtful>,
    ) -> Result<bool, LogError> {
        // That a worker died and the next one passed are two verdicts already.
        let (passed, mut open): (Vec<Doubtful>, Vec<Doubtful>) = doubtful
            .into_iter()
            .partition(|one| one.record.verdict == Verdict::Pass);
        let mut settled: Vec<Doubtful> = passed
            .into_iter()
            .map(|one| {
                let death = one.died.clone().unwrap_or_default();
                one.flaky(VerdictKind::Crash, &death, VerdictKind::Pass)
            })
            .collect();
        for _ in 0..plan.retries {
            let jobs: Vec<&Prepared> = open
                .iter()
                .filter_map(|one| todo.get(one.index).copied())
                .collect();
            let Some(found) = repeat(plan, spec, pool, &jobs) else {
                return Ok(false);
            };
            let mut still = Vec::new();
            for (one, again) in open.into_iter().zip(found) {
                let (first, reason) = (one.record.verdict.kind(), one.record.reason.clone());
                match again.filter(|again| differs(first, *again)) {
                    Some(again) => settled.push(one.flaky(first, &reason, again)),
                    None => still.push(one),
                }
            }
            open = still;
        }
        settled.extend(open);
        settled.sort_by_key(|one| one.index);
        for one in settled {
            let case = one.record.case.clone();
            self.note(Event::CaseFinished(Box::new(one.record)))?;
            self.followed(&case, &spec.name, one.followed)?;
            if let Some(prepared) = todo.get(one.index) {
                prepared.done();
            }
        }
        Ok(true)
    }
}

/// What each case comes to in one more run; none if the run was interrupted.
fn repeat(
    plan: &Plan,
    spec: &WorkerSpec,
    pool: &Pool,
    jobs: &[&Prepared],
) -> Option<Vec<Option<VerdictKind>>> {
    let mut found = vec![None; jobs.len()];
    let completion = pool.run_jobs(
        jobs,
        |worker, prepared| seen(worker, prepared, &plan.conduct),
        |place, outcome| {
            if let (Some(slot), Some(prepared)) = (found.get_mut(place), jobs.get(place)) {
                *slot = Some(case_record(spec, prepared, outcome, &plan.errata).verdict.kind());
            }
        },
    );
    (completion == Completion::Complete).then_some(found)
}

/// Whether a repetition came to another verdict. That it was not run says nothing.
fn differs(first: VerdictKind, again: VerdictKind) -> bool {
    again != first && !matches!(again, VerdictKind::NotRun | VerdictKind::Skipped)
}

impl Doubtful {
    /// The result of a case that came first to one verdict and then to another.
    fn flaky(self, first: VerdictKind, reason: &str, again: VerdictKind) -> Doubtful {
        let reason = format!(
            "first {}, then {} in a repetition: {reason}",
            first.label(),
            again.label()
        );
        Doubtful {
            record: CaseRecord {
                verdict: Verdict::Flaky(first),
                reason,
                ..self.record
            },
            ..self
        }
    }
}
