//! The verdict on a case on a backend.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Erratum;

/// The verdict on one case on one backend, with the details of its kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "detail", rename_all = "snake_case")]
pub enum Verdict {
    /// Every output agrees with the expected one.
    Pass,
    /// The backend answered, and the answer is wrong.
    Mismatch(MismatchKind),
    /// The backend reported, in a typed answer, that it does not support the model.
    Unsupported,
    /// The runtime runs the model, but the requested provider or device does not take every node.
    NotTaken,
    /// The backend answered with an error.
    Error(ErrorStage),
    /// The worker ended.
    Crash {
        /// The signal that ended it; `None` if it exited by itself.
        signal: Option<i32>,
    },
    /// The worker did not answer within the case's deadline.
    Timeout,
    /// The worker exceeded its memory limit.
    OutOfMemory,
    /// The worker violated the protocol.
    Protocol,
    /// Two runs of the same case gave different outputs.
    Nondeterministic,
    /// A variant of a case has another result than the plain case; with its own verdict. A report
    /// assigns this verdict, because it has both results.
    VariantDiffers(VerdictKind),
    /// Repetitions of the case have other verdicts (`--retries`); with the verdict of the first run.
    Flaky(VerdictKind),
    /// The case is in the errata: no backend is judged by it.
    Disputed(Erratum),
    /// The backend answered, and nothing says whether the answer is right: in a generated graph, the errors
    /// of earlier values admit any value where it differs.
    Undecided,
    /// The case was skipped, with a reason.
    Skipped,
    /// The run ended before the case.
    #[default]
    NotRun,
}

/// How an answer is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MismatchKind {
    /// Some element is outside the tolerance.
    Numeric,
    /// An output has another shape.
    Shape,
    /// An output has another element type, or is another kind of value.
    Dtype,
    /// There are more or fewer outputs than expected.
    Count,
    /// An output has a name that the graph does not give to an output.
    Name,
    /// The outputs say little of single nodes, and one of these, alone on the inputs of the reference, is
    /// wrong.
    Node,
}

/// The stage in which a backend failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorStage {
    /// The load of the model.
    Load,
    /// The run of the model.
    Run,
}

impl Verdict {
    /// The verdict without its detail.
    pub const fn kind(self) -> VerdictKind {
        match self {
            Self::Pass => VerdictKind::Pass,
            Self::Mismatch(_) => VerdictKind::Mismatch,
            Self::Unsupported => VerdictKind::Unsupported,
            Self::NotTaken => VerdictKind::NotTaken,
            Self::Error(_) => VerdictKind::Error,
            Self::Crash { .. } => VerdictKind::Crash,
            Self::Timeout => VerdictKind::Timeout,
            Self::OutOfMemory => VerdictKind::OutOfMemory,
            Self::Protocol => VerdictKind::Protocol,
            Self::Nondeterministic => VerdictKind::Nondeterministic,
            Self::VariantDiffers(_) => VerdictKind::VariantDiffers,
            Self::Flaky(_) => VerdictKind::Flaky,
            Self::Disputed(_) => VerdictKind::Disputed,
            Self::Undecided => VerdictKind::Undecided,
            Self::Skipped => VerdictKind::Skipped,
            Self::NotRun => VerdictKind::NotRun,
        }
    }

    /// The stable lower-case key of [`Verdict::kind`] in files.
    pub const fn key(self) -> &'static str {
        self.kind().key()
    }

    /// The detail as text: `numeric`, `load`, `SIGSEGV`, `wrong data`; empty if the kind is sufficient.
    pub fn detail(self) -> Cow<'static, str> {
        match self {
            Self::Mismatch(MismatchKind::Numeric) => "numeric".into(),
            Self::Mismatch(MismatchKind::Shape) => "shape".into(),
            Self::Mismatch(MismatchKind::Dtype) => "dtype".into(),
            Self::Mismatch(MismatchKind::Count) => "count".into(),
            Self::Mismatch(MismatchKind::Name) => "name".into(),
            Self::Mismatch(MismatchKind::Node) => "node".into(),
            Self::Error(ErrorStage::Load) => "load".into(),
            Self::Error(ErrorStage::Run) => "run".into(),
            Self::Crash { signal: Some(number) } => signal_name(number),
            Self::Disputed(erratum) => erratum.label().into(),
            Self::VariantDiffers(observed) | Self::Flaky(observed) => observed.label().into(),
            Self::Pass
            | Self::Unsupported
            | Self::NotTaken
            | Self::Crash { signal: None }
            | Self::Timeout
            | Self::OutOfMemory
            | Self::Protocol
            | Self::Nondeterministic
            | Self::Undecided
            | Self::Skipped
            | Self::NotRun => "".into(),
        }
    }
}

/// The names of the common fatal signals. These numbers are the same on Linux's common architectures;
/// any other signal is shown as a number.
fn signal_name(number: i32) -> Cow<'static, str> {
    match number {
        4 => "SIGILL".into(),
        6 => "SIGABRT".into(),
        7 => "SIGBUS".into(),
        8 => "SIGFPE".into(),
        9 => "SIGKILL".into(),
        11 => "SIGSEGV".into(),
        15 => "SIGTERM".into(),
        _ => format!("signal {number}").into(),
    }
}

/// A [`Verdict`] without its detail, for counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each is documented at the verdict of the same name")]
pub enum VerdictKind {
    Pass,
    Mismatch,
    Unsupported,
    NotTaken,
    Error,
    Crash,
    Timeout,
    OutOfMemory,
    Protocol,
    Nondeterministic,
    VariantDiffers,
    Flaky,
    Disputed,
    Undecided,
    Skipped,
    NotRun,
}

/// The severity of a verdict. A wrong answer is the most severe, because it remains unnoticed. Reports
/// and gates use this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The answer is right.
    Passed,
    /// The backend, or the requested provider of it, does not support the model.
    Unsupported,
    /// The backend answers with an error.
    Error,
    /// The worker ended, hung, used too much memory, or violated the protocol.
    Crash,
    /// An answer is wrong or unreliable.
    Wrong,
}

/// The outcome for the backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The answer is right.
    Passed,
    /// There is a wrong answer.
    Wrong,
    /// There is no answer, and the backend did not report the model as unsupported.
    Broken,
    /// Nothing was judged.
    NotJudged,
}

impl VerdictKind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 16] = [
        Self::Pass,
        Self::Mismatch,
        Self::Unsupported,
        Self::NotTaken,
        Self::Error,
        Self::Crash,
        Self::Timeout,
        Self::OutOfMemory,
        Self::Protocol,
        Self::Nondeterministic,
        Self::VariantDiffers,
        Self::Flaky,
        Self::Disputed,
        Self::Undecided,
        Self::Skipped,
        Self::NotRun,
    ];

    /// The stable key: lower case, words joined by underscores.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Mismatch => "mismatch",
            Self::Unsupported => "unsupported",
            Self::NotTaken => "not_taken",
            Self::Error => "error",
            Self::Crash => "crash",
            Self::Timeout => "timeout",
            Self::OutOfMemory => "out_of_memory",
            Self::Protocol => "protocol",
            Self::Nondeterministic => "nondeterministic",
            Self::VariantDiffers => "variant_differs",
            Self::Flaky => "flaky",
            Self::Disputed => "disputed",
            Self::Undecided => "undecided",
            Self::Skipped => "skipped",
            Self::NotRun => "not_run",
        }
    }

    /// The name in reports.
    pub const fn label(self) -> &'static str {
        match self {
            Self::OutOfMemory => "out of memory",
            Self::NotRun => "not run",
            Self::NotTaken => "not taken",
            Self::VariantDiffers => "variant differs",
            Self::Disputed => "excluded",
            other => other.key(),
        }
    }

    /// The severity of the verdict; `None` for a verdict that is not a result of the backend.
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Pass => Some(Severity::Passed),
            Self::Unsupported | Self::NotTaken => Some(Severity::Unsupported),
            Self::Error => Some(Severity::Error),
            Self::Crash | Self::Timeout | Self::OutOfMemory | Self::Protocol => Some(Severity::Crash),
            Self::Mismatch | Self::Nondeterministic | Self::VariantDiffers | Self::Flaky => {
                Some(Severity::Wrong)
            }
            Self::Disputed | Self::Undecided | Self::Skipped | Self::NotRun => None,
        }
    }

    /// The outcome for the backend.
    pub const fn outcome(self) -> Outcome {
        match self.severity() {
            Some(Severity::Passed) => Outcome::Passed,
            Some(Severity::Wrong) => Outcome::Wrong,
            Some(Severity::Error | Severity::Crash) => Outcome::Broken,
            Some(Severity::Unsupported) | None => Outcome::NotJudged,
        }
    }
}
