//! The quality of an answer to a person's own model, as the reference's own runs judge it.

use crate::{
    Arithmetic, CaseRecord, DataSetResult, Explanation, Level, MismatchKind, Noise, OutputStats, Verdict,
    outputs_of_data_sets,
};

/// The quality of a backend's answer to a model.
///
/// It is independent of the verdict of a policy, whose tolerance does not depend on the model: each output is
/// judged by the evidence of the reference's own runs ([`crate::Judgement`]), and only an output
/// without evidence by the policy. From best to worst.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Standing {
    /// Every element equals that of the expected output.
    Exact,
    /// No element differs by more than the model's own noise.
    WithinNoise,
    /// The differences are those of a less accurate, but honest, arithmetic.
    LessAccurate(Arithmetic),
    /// There is no evidence about some output, and the policy allows its difference.
    Tolerated,
    /// No output can be judged: its right values are NaN, drawn at random, or without a significant digit.
    CannotJudge,
    /// No known arithmetic explains the answer, or it has another form.
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

    /// Whether a policy that the user names rejects an answer that the judge does not.
    pub fn is_rejected(record: &CaseRecord) -> bool {
        let is_mismatch = matches!(record.verdict, Verdict::Mismatch(_));
        let standing = Standing::of(record);
        is_mismatch && standing <= Standing::Tolerated && !standing.is_fault()
    }

    /// The standing of one data set with its outputs.
    pub fn of_data_set(set: &DataSetResult, outputs: &[OutputStats]) -> Standing {
        Standing::of_answer(set.verdict, outputs)
    }

    /// The standing of an answer with its outputs.
    pub fn of_answer(verdict: Verdict, outputs: &[OutputStats]) -> Standing {
        let level = outputs.iter().map(|output| output.level).max();
        Standing::judged(verdict, level, outputs)
    }

    fn judged(verdict: Verdict, level: Option<Level>, outputs: &[OutputStats]) -> Standing {
        match verdict {
            Verdict::Mismatch(kind) if kind != MismatchKind::Numeric => Standing::Wrong,
            Verdict::Pass | Verdict::Mismatch(_) => of_outputs(verdict, level, outputs),
            Verdict::Unsupported | Verdict::NotTaken => Standing::Unsupported,
            Verdict::Error(_)
            | Verdict::Crash { .. }
            | Verdict::Timeout
            | Verdict::OutOfMemory
            | Verdict::Protocol
            | Verdict::Nondeterministic
            | Verdict::VariantDiffers(_)
            | Verdict::Flaky(_)
            | Verdict::Disputed(_) => Standing::Failed,
            Verdict::Undecided if outputs.iter().any(|output| output.judgement.is_some()) => {
                of_outputs(verdict, level, outputs)
            }
            Verdict::Undecided | Verdict::Skipped | Verdict::NotRun => Standing::NotRun,
        }
    }

    /// The name in documents for programs.
    pub fn key(self) -> &'static str {
        match self {
            Standing::Exact => "exact",
            Standing::WithinNoise => "within_noise",
            Standing::LessAccurate(class) => class.key(),
            Standing::Tolerated => "within_tolerance",
            Standing::CannotJudge => "cannot_be_judged",
            Standing::Wrong => "wrong",
            Standing::Unsupported => "unsupported",
            Standing::Failed => "failed",
            Standing::NotRun => "not_run",
        }
    }

    /// A description.
    pub fn words(self) -> &'static str {
        match self {
            Standing::Exact => "right, exact",
            Standing::WithinNoise | Standing::LessAccurate(Arithmetic::Rounded) => {
                "right, within the model's noise"
            }
            Standing::LessAccurate(Arithmetic::Approximated) => {
                "right, less accurate: approximated functions"
            }
            Standing::LessAccurate(Arithmetic::Wide) => {
                "right, other arithmetic: 16-bit values kept in float"
            }
            Standing::LessAccurate(Arithmetic::Narrow) => "right, less accurate: sums in 16 bits",
            Standing::LessAccurate(Arithmetic::Reduced) => {
                "LESS ACCURATE than float: factors of 8 to 10 bits"
            }
            Standing::Tolerated => "within tolerance, noise unknown",
            Standing::CannotJudge => "cannot be judged",
            Standing::Wrong => "WRONG",
            Standing::Unsupported => "unsupported",
            Standing::Failed => "FAILED",
            Standing::NotRun => "not run",
        }
    }

    /// Whether an answer does not pass: it is wrong, or less accurate than its type promises.
    pub fn is_wrong(self) -> bool {
        match self {
            Standing::Wrong => true,
            Standing::LessAccurate(class) => !class.passes(),
            Standing::Exact
            | Standing::WithinNoise
            | Standing::Tolerated
            | Standing::CannotJudge
            | Standing::Unsupported
            | Standing::Failed
            | Standing::NotRun => false,
        }
    }

    /// Whether the standing is a fault of the backend.
    pub fn is_fault(self) -> bool {
        self.is_wrong() || self == Standing::Failed
    }
}

/// The worst standing of the outputs that can be judged.
fn of_outputs(verdict: Verdict, level: Option<Level>, outputs: &[OutputStats]) -> Standing {
    if outputs.iter().all(|output| output.judgement.is_none()) {
        return of_policy(verdict, level, outputs);
    }
    let judged = outputs.iter().filter_map(|output| of_output(verdict, output));
    judged.max().unwrap_or(Standing::CannotJudge)
}

/// The standing without a judgement of any output, as in logs of earlier versions.
fn of_policy(verdict: Verdict, level: Option<Level>, outputs: &[OutputStats]) -> Standing {
    let noises = || outputs.iter().filter_map(|output| output.noise.as_ref());
    match verdict {
        Verdict::Mismatch(_) => Standing::Wrong,
        _ if level.is_none_or(|level| level == Level::Exact) => Standing::Exact,
        _ if noises().next().is_some() && noises().all(|noise| noise.deviation.beyond == 0) => {
            Standing::WithinNoise
        }
        _ => Standing::Tolerated,
    }
}

/// The standing of one output; `None` if it cannot be judged.
fn of_output(verdict: Verdict, output: &OutputStats) -> Option<Standing> {
    let Some(judgement) = &output.judgement else {
        return Some(match (output.level, verdict) {
            (Level::Exact, _) => Standing::Exact,
            (_, Verdict::Mismatch(_)) if output.differing > 0 => Standing::Wrong,
            _ => Standing::Tolerated,
        });
    };
    match &judgement.explanation {
        Explanation::Equal => Some(Standing::Exact),
        Explanation::Arithmetic(Arithmetic::Rounded) => Some(Standing::WithinNoise),
        Explanation::Arithmetic(class) => Some(Standing::LessAccurate(*class)),
        Explanation::Nothing(_) => Some(Standing::Wrong),
        Explanation::Open(_) => None,
        Explanation::Tolerated(_) => Some(Standing::Tolerated),
    }
}

/// The error of an output, relative to its elements, up to which its noise is too small to hide a wrong node.
const TELLING: f64 = 3e-5;

/// Whether the outputs of an answer that is not wrong say little of single nodes: some output differs by more
/// than the rounding of float, or only a less accurate arithmetic explains it, or nothing judges it.
pub fn may_hide_a_node(outputs: &[OutputStats]) -> bool {
    let says_little = |output: &OutputStats| {
        let Some(judgement) = &output.judgement else {
            return false;
        };
        match &judgement.explanation {
            Explanation::Equal | Explanation::Nothing(_) => false,
            Explanation::Arithmetic(Arithmetic::Rounded) => output.noise.as_ref().is_none_or(|noise| {
                let floor = &noise.floor;
                let magnitude = floor.sigma * 10_f64.powf(floor.digits);
                let is_small = output.max_abs <= TELLING * magnitude;
                !is_small
            }),
            Explanation::Arithmetic(_) | Explanation::Open(_) | Explanation::Tolerated(_) => true,
        }
    };
    outputs.iter().any(says_little)
}

/// The numbers of outputs that are judged and of all outputs, if some cannot be judged.
pub fn judged_outputs(outputs: &[OutputStats]) -> Option<(usize, usize)> {
    let open = outputs.iter().filter(|output| output.is_open()).count();
    (open > 0).then_some((outputs.len() - open, outputs.len()))
}

/// What the evidence says about the outputs, one line for each output that is not simply right.
pub fn remarks(outputs: &[OutputStats]) -> Vec<String> {
    let judged = outputs
        .iter()
        .filter_map(|output| Some((output, output.judgement.as_ref()?)));
    let mut lines = Vec::new();
    for (output, judgement) in judged {
        match &judgement.explanation {
            Explanation::Nothing(reason) => lines.push(format!(
                "no known arithmetic explains `{}`: {reason}",
                output.name
            )),
            Explanation::Open(reason) => lines.push(format!("`{}` cannot be judged: {reason}", output.name)),
            Explanation::Tolerated(reason) => lines.push(format!(
                "`{}` is within the tolerance, and its noise is unknown: {reason}",
                output.name
            )),
            Explanation::Arithmetic(class) if *class != Arithmetic::Rounded => lines.push(format!(
                "`{}` is explained by {}: largest absolute error {:.2e}",
                output.name,
                class.words(),
                output.max_abs
            )),
            Explanation::Equal | Explanation::Arithmetic(_) => {}
        }
        if judgement.unspecified > 0 {
            lines.push(format!(
                "{} of {} elements of `{}` are not judged: {}",
                judgement.unspecified, output.elements, output.name, judgement.why
            ));
        }
        if judgement.unsettled > 0 {
            lines.push(format!(
                "honest runs disagree about {} of {} elements of `{}`: any of their values is accepted",
                judgement.unsettled, output.elements, output.name
            ));
        }
    }
    lines.dedup();
    lines
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

/// The output with the fewest correct digits, of the wrong ones if some are: `None` if these have no digits,
/// as integers.
pub fn worst(outputs: &[OutputStats]) -> Option<(&OutputStats, &Noise)> {
    let is_wrong = |output: &OutputStats| {
        let judgement = output.judgement.as_deref();
        judgement.is_some_and(|judgement| matches!(judgement.explanation, Explanation::Nothing(_)))
    };
    let is_right = !outputs.iter().any(is_wrong);
    let noisy = outputs
        .iter()
        .filter(|output| is_right || is_wrong(output))
        .filter_map(|output| Some((output, output.noise.as_deref()?)));
    noisy.min_by(|(_, a), (_, b)| a.deviation.digits.total_cmp(&b.deviation.digits))
}
