//! The verdict on a request without an answer: the worker declined it, or ended.

use backend_api::BackendError;
use backend_api::protocol::RefusalKind;
use harness_worker::{Declined, Failure, WorkerExit, WorkerExitKind};
use run_record::{ErrorStage, Verdict};

/// A verdict with its reason.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judgement {
    pub verdict: Verdict,
    /// The reason in one line; empty for a pass.
    pub reason: String,
}

impl Judgement {
    pub(crate) fn new(verdict: Verdict, reason: impl ToString) -> Judgement {
        // Reports show one line; a backend may write several.
        let reason = reason
            .to_string()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        Judgement { verdict, reason }
    }
}

/// The verdict on a request that a worker declined.
pub(crate) fn of_declined(declined: &Declined) -> Judgement {
    let verdict = match declined {
        Declined::Refused(refusal) if refusal.reason == RefusalKind::NotSent => {
            return Judgement::new(Verdict::Skipped, &refusal.message);
        }
        Declined::Refused(_) => Verdict::Protocol,
        Declined::Backend(BackendError::Unsupported { .. }) => Verdict::Unsupported,
        Declined::Backend(BackendError::NotTaken { .. }) => Verdict::NotTaken,
        Declined::Backend(BackendError::OutOfMemory { .. }) => Verdict::OutOfMemory,
        Declined::Backend(BackendError::Load { .. }) => Verdict::Error(ErrorStage::Load),
        Declined::Backend(BackendError::Run { .. }) => Verdict::Error(ErrorStage::Run),
        // It accepted its options in the handshake: whatever changed, the case was not tried.
        Declined::Backend(BackendError::Option { .. } | BackendError::Missing { .. }) => Verdict::NotRun,
    };
    Judgement::new(verdict, declined)
}

/// The verdict on a request that a worker did not answer.
pub(crate) fn of_failure(failure: &Failure) -> Judgement {
    match failure {
        Failure::Died(exit) => of_exit(exit),
        Failure::NotStarted(error) => Judgement::new(Verdict::NotRun, error),
    }
}

fn of_exit(exit: &WorkerExit) -> Judgement {
    let verdict = match &exit.kind {
        WorkerExitKind::Crash { signal } => Verdict::Crash {
            signal: Some(*signal),
        },
        WorkerExitKind::Exit { .. } => Verdict::Crash { signal: None },
        WorkerExitKind::Timeout { .. } => Verdict::Timeout,
        WorkerExitKind::OutOfMemory { .. } => Verdict::OutOfMemory,
        WorkerExitKind::Protocol { .. } => Verdict::Protocol,
        WorkerExitKind::Disconnected { .. } | WorkerExitKind::Cancelled => Verdict::NotRun,
    };
    Judgement::new(verdict, exit)
}
