//! The quality of an answer relative to the model's own noise.

use crate::record::{
    CaseRecord, DataSetResult, Level, MismatchKind, Noise, OutputStats, Verdict, outputs_of_data_sets,
};

/// The quality of a backend's answer to a model.
///
/// The verdict of a policy is separate: noise decides no verdict. The tolerance of a policy does not
/// depend on the model, so that it can reject an answer that is as good as any, for example of a float16
/// model. From best to worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
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
        Standing::judged(record.verdict, record.level, &record.outputs)
    }

    /// The standing of one data set with its outputs.
    pub fn of_data_set(set: &DataSetResult, outputs: &[OutputStats]) -> Standing {
        let level = outputs.iter().map(|output| output.level).max();
        Standing::judged(set.verdict, level, outputs)
    }

    fn judged(verdict: Verdict, level: Option<Level>, outputs: &[OutputStats]) -> Standing {
        match verdict {
            Verdict::Pass if level == Some(Level::Exact) => Standing::Exact,
            Verdict::Pass | Verdict::Mismatch(MismatchKind::Numeric) if within_noise(outputs) => {
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
            Verdict::Undecided | Verdict::Skipped | Verdict::NotRun => Standing::NotRun,
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

/// The results of a backend on the samples of a model: the data sets of its case.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampleCounts {
    /// The samples that were run.
    pub run: usize,
    /// Those with a right answer.
    pub right: usize,
    /// The position of the worst sample: the one with the worst standing, of these the one with the
    /// largest error.
    pub worst: usize,
}

/// The results on the samples of a record; `None` if it has one sample.
pub fn samples(record: &CaseRecord) -> Option<SampleCounts> {
    let sets = outputs_of_data_sets(&record.data_sets, &record.outputs);
    let standings: Vec<(Standing, f64)> = sets
        .map(|(set, outputs)| (Standing::of_data_set(set, outputs), error(outputs)))
        .collect();
    let worse = |(_, a): &(usize, &(Standing, f64)), (_, b): &(usize, &(Standing, f64))| {
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    };
    // Of equal samples the first.
    let (worst, _) = standings.iter().enumerate().rev().max_by(worse)?;
    let is_right = |(standing, _): &&(Standing, f64)| *standing <= Standing::Tolerated;
    Some(SampleCounts {
        run: standings.len(),
        right: standings.iter().filter(is_right).count(),
        worst,
    })
}

/// The sample `at` in one line: its name, the quality of its answer, the digits of the least accurate
/// output, and the reason. `None` if every sample is exact, or there is no such sample.
pub fn sample_words(record: &CaseRecord, at: usize) -> Option<String> {
    let (set, outputs) = outputs_of_data_sets(&record.data_sets, &record.outputs).nth(at)?;
    let standing = Standing::of_data_set(set, outputs);
    let digits = worst(outputs)
        .map(|(output, noise)| format!(", {:.1} digits of `{}`", noise.deviation.digits, output.name));
    let reason = Some(format!(": {}", set.reason)).filter(|_| !set.reason.is_empty());
    (standing != Standing::Exact).then(|| {
        format!(
            "`{}`: {}{}{}",
            set.name,
            standing.words(),
            digits.unwrap_or_default(),
            reason.unwrap_or_default()
        )
    })
}

/// The size of an error, to find the largest: the missing digits if the noise is known, or else ULP.
fn error(outputs: &[OutputStats]) -> f64 {
    match worst(outputs) {
        Some((_, noise)) => -noise.deviation.digits,
        None => outputs
            .iter()
            .map(|output| output.max_ulp)
            .filter(|ulp| !ulp.is_nan())
            .fold(0.0, f64::max),
    }
}

/// The output with the fewest correct digits.
pub fn worst(outputs: &[OutputStats]) -> Option<(&OutputStats, &Noise)> {
    let noisy = outputs
        .iter()
        .filter_map(|output| Some((output, output.noise.as_deref()?)));
    noisy.min_by(|(_, a), (_, b)| a.deviation.digits.total_cmp(&b.deviation.digits))
}
