//! Repeats failing cases: a case with different verdicts is flaky.

use harness_worker::{Completion, Pool, WorkerSpec};
use run_record::{CaseRecord, Event, LogError, Outcome, Verdict, VerdictKind};

use super::prepared::Prepared;
use super::{Plan, Running, case_record, seen};
use crate::readings::Followed;
use crate::referee::Referee;

/// A result that is repeated before it is recorded.
pub(super) struct Unconfirmed {
    /// The index of the case among the cases of the backend.
    pub index: usize,
    /// The result.
    pub record: CaseRecord,
    /// How a worker ended on the case before, if one did.
    pub died: Option<String>,
    /// The readings that the answer follows.
    pub followed: Vec<Followed>,
}

/// Whether the answer is wrong or missing.
pub(super) fn fails(record: &CaseRecord) -> bool {
    matches!(record.verdict.kind().outcome(), Outcome::Wrong | Outcome::Broken)
}

/// Whether a result is repeated: it fails, or it passes after a worker ended on the case.
pub(super) fn is_unconfirmed(record: &CaseRecord, died: bool) -> bool {
    fails(record) || died && record.verdict == Verdict::Pass
}

impl Running<'_> {
    /// Repeats unconfirmed results until each has two verdicts, or the same in all repetitions, and
    /// records them. Returns whether all were confirmed. A result that was not, because the run was
    /// interrupted, is not recorded; a resumed run repeats it.
    pub(super) fn retries(
        &mut self,
        plan: &Plan,
        backend: (&WorkerSpec, &Pool),
        referee: Option<&Referee>,
        todo: &[&Prepared],
        unconfirmed: Vec<Unconfirmed>,
    ) -> Result<bool, LogError> {
        // A worker that ended and a pass in the next worker are two different verdicts.
        let (passed, mut open): (Vec<Unconfirmed>, Vec<Unconfirmed>) = unconfirmed
            .into_iter()
            .partition(|one| one.record.verdict == Verdict::Pass);
        let mut settled: Vec<Unconfirmed> = passed
            .into_iter()
            .map(|one| {
                let exit = one.died.clone().unwrap_or_default();
                one.flaky(VerdictKind::Crash, &exit, VerdictKind::Pass)
            })
            .collect();
        for _ in 0..plan.retries {
            let jobs: Vec<&Prepared> = open
                .iter()
                .filter_map(|one| todo.get(one.index).copied())
                .collect();
            let Some(found) = repeat(plan, backend, referee, &jobs) else {
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
            self.followed(&case, &backend.0.name, one.followed)?;
            if let Some(prepared) = todo.get(one.index) {
                prepared.done();
            }
        }
        Ok(true)
    }
}

/// The verdict of each case in one more run; `None` if the run was interrupted.
fn repeat(
    plan: &Plan,
    (spec, pool): (&WorkerSpec, &Pool),
    referee: Option<&Referee>,
    jobs: &[&Prepared],
) -> Option<Vec<Option<VerdictKind>>> {
    let mut found = vec![None; jobs.len()];
    let completion = pool.run_jobs(
        jobs,
        |worker, prepared| seen(worker, prepared, &plan.options, referee),
        |place, outcome| {
            if let (Some(slot), Some(prepared)) = (found.get_mut(place), jobs.get(place)) {
                *slot = Some(case_record(spec, prepared, outcome, &plan.errata).verdict.kind());
            }
        },
    );
    (completion == Completion::Complete).then_some(found)
}

/// Whether a repetition has another verdict. A case that was not run does not count.
fn differs(first: VerdictKind, again: VerdictKind) -> bool {
    again != first && !matches!(again, VerdictKind::NotRun | VerdictKind::Skipped)
}

impl Unconfirmed {
    /// The result of a case with two different verdicts.
    fn flaky(self, first: VerdictKind, reason: &str, again: VerdictKind) -> Unconfirmed {
        let reason = format!(
            "first {}, then {} in a repetition: {reason}",
            first.label(),
            again.label()
        );
        Unconfirmed {
            record: CaseRecord {
                verdict: Verdict::Flaky(first),
                reason,
                ..self.record
            },
            ..self
        }
    }
}
