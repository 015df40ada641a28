//! The quality of an answer relative to the model's own noise.

use reports::record::{CaseRecord, Level, MismatchKind, Noise, OutputStats, Verdict};

/// The quality of a backend's answer to a model.
///
/// The verdict of a policy is separate: noise decides no verdict. The tolerance of a policy does not
/// depend on the model, so that it can reject an answer that is as good as any, for example of a float16
/// model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Every element equals that of the expected output.
    Exact,
    /// No element differs by more than the model's own noise.
    WithinNoise,
    /// Some element differs by more than the noise, but the policy allows the difference.
    Tolerated,
    /// The policy rejects the answer, and the noise does not explain the difference.
    Wrong,
    /// The backend reports that it does not support the model.
    Unsupported,
    /// There is no answer, or it is malformed.
    Failed,
    /// The case was not run.
    NotRun,
}

impl Standing {
    /// The standing of a record.
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

    /// A description.
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

    /// Whether the standing is a fault of the backend.
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

/// The output with the fewest correct digits.
pub fn worst(outputs: &[OutputStats]) -> Option<(&OutputStats, &Noise)> {
    let noisy = outputs
        .iter()
        .filter_map(|output| Some((output, output.noise.as_deref()?)));
    noisy.min_by(|(_, a), (_, b)| a.deviation.digits.total_cmp(&b.deviation.digits))
}
