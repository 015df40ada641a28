//! Decides the verdict on an observation: one pure function.
//!
//! A crash, a hang or an error never counts as unsupported; *unsupported* is only what a backend itself
//! reports, in a typed answer.

use harness_worker::Failure;
use run_record::Verdict;

pub use crate::declined::Judgement;
use crate::declined::{of_declined, of_failure};
use crate::observe::{Event, Observation};
use crate::readings::Followed;

/// Judges an observation of a case on a backend.
pub fn judge(observed: &Result<Observation, Failure>) -> Judgement {
    match observed {
        Ok(observation) => {
            let judgement = judge_event(&observation.event);
            explained(judgement, &observation.readings)
        }
        Err(failure) => of_failure(failure),
    }
}

/// The judgement of a mismatch, with the readings that explain it.
fn explained(mut judgement: Judgement, readings: &[Followed]) -> Judgement {
    if let Verdict::Mismatch(_) = judgement.verdict {
        for note in readings.iter().filter_map(Followed::note) {
            judgement.reason = format!("{}; {note}", judgement.reason);
        }
    }
    judgement
}

/// Judges a case that no backend could be given.
pub fn judge_unusable(error: &dyn std::error::Error) -> Judgement {
    Judgement::new(Verdict::Skipped, format!("the case cannot be read: {error}"))
}

/// Judges the event of a case or of one data set.
pub(crate) fn judge_event(event: &Event) -> Judgement {
    match event {
        Event::Answered(comparison) => match &comparison.mismatch {
            None => Judgement::new(Verdict::Pass, ""),
            Some(mismatch) if comparison.open => Judgement::new(Verdict::Undecided, &mismatch.reason),
            Some(mismatch) => Judgement::new(Verdict::Mismatch(mismatch.kind), &mismatch.reason),
        },
        Event::Differed { reason } => Judgement::new(Verdict::Nondeterministic, reason),
        Event::Declined { declined, .. } => of_declined(declined),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use backend_api::BackendError;
    use backend_api::protocol::{Refusal, RefusalKind};
    use harness_compare::{Comparison, Mismatch};
    use harness_worker::{Declined, WorkerExit, WorkerExitKind};
    use run_record::{ErrorStage, MismatchKind};

    use super::*;

    #[track_caller]
    fn check(observed: Result<Event, WorkerExitKind>, verdict: Verdict, reason: &str) {
        let observed = match observed {
            Ok(event) => Ok(Observation {
                event,
                load_ns: None,
                run_ns: None,
                place: None,
                data_sets: Vec::new(),
                peak_bytes: None,
                readings: Vec::new(),
            }),
            Err(kind) => Err(Failure::Died(WorkerExit {
                kind,
                during: "run",
                stderr: String::new(),
            })),
        };
        assert_eq!(
            judge(&observed),
            Judgement {
                verdict,
                reason: reason.to_owned()
            }
        );
    }

    fn answered(mismatch: Option<(MismatchKind, &str)>) -> Event {
        let mismatch = mismatch.map(|(kind, reason)| Mismatch {
            kind,
            reason: reason.to_owned(),
        });
        Event::Answered(Comparison {
            outputs: Vec::new(),
            mismatch,
            official: true,
            open: false,
        })
    }

    fn declined(stage: ErrorStage, error: BackendError) -> Event {
        Event::Declined {
            stage,
            declined: Declined::Backend(error),
        }
    }

    #[test]
    fn every_kind_of_event_has_its_verdict() {
        let message = || "x\n  y".to_owned();
        let refusal = Refusal {
            reason: RefusalKind::Malformed,
            message: "z".to_owned(),
        };
        let (load, run) = (ErrorStage::Load, ErrorStage::Run);
        check(Ok(answered(None)), Verdict::Pass, "");
        check(
            Ok(answered(Some((MismatchKind::Shape, "s")))),
            Verdict::Mismatch(MismatchKind::Shape),
            "s",
        );
        let open = Event::Answered(Comparison {
            outputs: Vec::new(),
            mismatch: Some(Mismatch {
                kind: MismatchKind::Numeric,
                reason: "o".to_owned(),
            }),
            official: false,
            open: true,
        });
        check(Ok(open), Verdict::Undecided, "o");
        check(
            Ok(Event::Differed {
                reason: "d".to_owned(),
            }),
            Verdict::Nondeterministic,
            "d",
        );
        check(
            Ok(declined(run, BackendError::unsupported("u"))),
            Verdict::Unsupported,
            "not supported: u",
        );
        check(
            Ok(declined(load, BackendError::not_taken("n"))),
            Verdict::NotTaken,
            "not taken: n",
        );
        check(
            Ok(declined(load, BackendError::load(message()))),
            Verdict::Error(load),
            "load failed: x y",
        );
        check(
            Ok(declined(run, BackendError::run("r"))),
            Verdict::Error(run),
            "run failed: r",
        );
        let memory = BackendError::OutOfMemory {
            message: "m".to_owned(),
        };
        check(
            Ok(declined(run, memory)),
            Verdict::OutOfMemory,
            "out of memory: m",
        );
        let option = BackendError::Option {
            option: "o".to_owned(),
            message: "p".to_owned(),
        };
        let missing = BackendError::Missing {
            message: "q".to_owned(),
        };
        check(Ok(declined(load, option)), Verdict::NotRun, "option `o`: p");
        check(
            Ok(declined(run, missing)),
            Verdict::NotRun,
            "backend not available: q",
        );
        let not_sent = Event::Declined {
            stage: load,
            declined: Declined::Refused(Refusal {
                reason: RefusalKind::NotSent,
                message: "too large".to_owned(),
            }),
        };
        check(Ok(not_sent), Verdict::Skipped, "too large");
        let refused = Event::Declined {
            stage: run,
            declined: Declined::Refused(refusal),
        };
        check(
            Ok(refused),
            Verdict::Protocol,
            "the worker refuses the request: z",
        );
    }

    #[test]
    fn a_mismatch_names_the_reading_that_explains_it() {
        let check = |mismatch, answer: &str, expected: &str| {
            let observed = Ok(Observation {
                event: answered(mismatch),
                load_ns: None,
                run_ns: None,
                place: None,
                data_sets: Vec::new(),
                peak_bytes: None,
                readings: vec![Followed {
                    question: "q".to_owned(),
                    answer: Some(answer.to_owned()),
                    default: "a".to_owned(),
                }],
            });
            assert_eq!(judge(&observed).reason, expected);
        };
        check(
            Some((MismatchKind::Shape, "s")),
            "b",
            "s; follows the reading q=b",
        );
        check(Some((MismatchKind::Shape, "s")), "a", "s");
        check(None, "b", "");
    }

    #[test]
    fn every_exit_has_a_verdict_and_none_is_unsupported() {
        let crash = |signal| Verdict::Crash { signal };
        let timeout = WorkerExitKind::Timeout {
            after: Duration::from_secs(1),
            ignored_sigterm: false,
        };
        let memory = WorkerExitKind::OutOfMemory {
            evidence: "e".to_owned(),
        };
        let protocol = WorkerExitKind::Protocol {
            problem: "p".to_owned(),
        };
        check(
            Err(WorkerExitKind::Crash { signal: 8 }),
            crash(Some(8)),
            "killed by SIGFPE (8) during run",
        );
        check(
            Err(WorkerExitKind::Exit { code: 0 }),
            crash(None),
            "exited with code 0 during run",
        );
        check(Err(timeout), Verdict::Timeout, "no answer within 1s during run");
        check(Err(memory), Verdict::OutOfMemory, "out of memory (e) during run");
        check(
            Err(protocol),
            Verdict::Protocol,
            "protocol violated: p during run",
        );
        check(
            Err(WorkerExitKind::Disconnected {
                problem: "`ssh` exited with code 255".to_owned(),
            }),
            Verdict::NotRun,
            "the connection broke: `ssh` exited with code 255 during run",
        );
        check(
            Err(WorkerExitKind::Cancelled),
            Verdict::NotRun,
            "cancelled during run",
        );
    }
}
