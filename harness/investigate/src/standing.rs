//! What an answer is worth beside the model's own noise, for a person.

use reports::record::{CaseRecord, Level, MismatchKind, Noise, OutputStats, Verdict};

/// What a backend's answer to a model is worth.
///
/// The verdict of a policy stays beside it: noise decides none. A policy's tolerance knows nothing of the model, so that it can
/// refuse an answer as good as any, for example of a model of halves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Every element is that of the expected output.
    Exact,
    /// No element is farther away than the model's own noise reaches.
    WithinNoise,
    /// Some element is farther away than noise reaches, but the policy allows the difference.
    Tolerated,
    /// The answer is wrong by the policy, and noise does not explain it.
    Wrong,
    /// The backend says that it does not support the model.
    Unsupported,
    /// There is no answer, or it is not one.
    Failed,
    /// The case was not run.
    NotRun,
}

impl Standing {
    /// Of a record.
    pub fn of(record: &CaseRecord) -> Standing {
        match record.verdict {
            Verdict::Pass if record.level == Some(Level::Exact) => Standing::Exact,
            Verdict::Pass | Verdict::Mismatch(MismatchKind::Numeric) if within_noise(&record.outputs) => {
                Standing::WithinNoise
            }
            Verdict::Pass => Standing::Tolerated,
            Verdict::Mismatch(_) => Standing::Wrong,
            Verdict::Unsupported => Standing::Unsupported,
            Verdict::Error(_)
            | Verdict::Crash { .. }
            | Verdict::Timeout
            | Verdict::OutOfMemory
            | Verdict::Protocol
            | Verdict::Nondeterministic
            | Verdict::VariantDiffers(_)
            | Verdict::Flaky(_)
            | Verdict::Disputed(_) => Standing::Failed,
            Verdict::Skipped | Verdict::NotRun => Standing::NotRun,
        }
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Standing::Exact => "right, exact",
            Standing::WithinNoise => "right, within the model's noise",
            Standing::Tolerated => "within tolerance, beyond noise",
            Standing::Wrong => "WRONG",
            Standing::Unsupported => "unsupported",
            Standing::Failed => "FAILED",
            Standing::NotRun => "not run",
        }
    }

    /// Whether the backend is to blame.
    pub fn is_fault(self) -> bool {
        matches!(self, Standing::Wrong | Standing::Failed)
    }
}

fn within_noise(outputs: &[OutputStats]) -> bool {
    let within = |output: &OutputStats| match &output.noise {
        Some(noise) => noise.deviation.beyond == 0,
        None => output.unequal == 0,
    };
    outputs.iter().any(|output| output.noise.is_some()) && outputs.iter().all(within)
}

/// The output that agrees in the fewest digits.
pub fn worst(outputs: &[OutputStats]) -> Option<(&OutputStats, &Noise)> {
    let noisy = outputs
        .iter()
        .filter_map(|output| Some((output, output.noise.as_deref()?)));
    noisy.min_by(|(_, a), (_, b)| a.deviation.digits.total_cmp(&b.deviation.digits))
}
