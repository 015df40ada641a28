//! Complete models compared with their own noise: one row for each output and backend.

use crate::render::models::{self, Answer, Output};
use run_record::Report;
use run_record::text::{clip, error, multiple, shape, signed_error, thousands};
use run_record::{Fit, NoiseFloor, Overlap, Scores};

pub(super) struct Models {
    pub rows: Vec<Row>,
    /// The reach of the runs, usually the same for all outputs.
    pub runs: String,
    pub margin: String,
    /// Whether any output has the form of scores, and of boxes or masks: the columns for them exist only
    /// then.
    pub scored: bool,
    pub overlapping: bool,
}

/// One output of a model.
pub(super) struct Row {
    /// The case, shown only for its first output.
    pub case: String,
    pub output: String,
    pub form: String,
    pub digits: String,
    pub least: String,
    pub sigma: String,
    pub cells: Vec<Cell>,
}

/// One backend.
pub(super) struct Cell {
    pub backend: String,
    pub median: String,
    pub max: String,
    /// The index of the maximum, and the limit of the noise.
    pub max_title: String,
    pub beyond: String,
    pub top1: String,
    pub top5: String,
    pub flips: String,
    /// Whether a flip is more than noise.
    pub flipped: bool,
    pub overlap: String,
    /// The number of regions, and their recognised form.
    pub overlap_title: String,
    pub slope: String,
    /// The standard error of the slope, and the intercept.
    pub slope_title: String,
    /// Whether the slope differs from 1 by more than the digits allow.
    pub scaled: bool,
    pub unexplained: String,
}

pub(super) fn models(report: &Report) -> Models {
    let found = models::models(report);
    let floor = found
        .iter()
        .flat_map(|model| &model.outputs)
        .map(|output| output.floor)
        .next();
    let rows = found.iter().flat_map(|model| {
        let outputs = model.outputs.iter().enumerate();
        outputs.map(|(index, output)| row(if index == 0 { model.case } else { "" }, output))
    });
    let answers = || {
        found
            .iter()
            .flat_map(|model| &model.outputs)
            .flat_map(|output| &output.backends)
    };
    Models {
        scored: answers().any(|answer| answer.scores.is_some()),
        overlapping: answers().any(|answer| answer.boxes.is_some() || answer.masks.is_some()),
        runs: floor.map_or(String::new(), |floor| floor.runs.to_string()),
        margin: floor.map_or(String::new(), |floor| digits(floor.margin)),
        rows: rows.collect(),
    }
}

fn row(case: &str, output: &Output<'_>) -> Row {
    let floor = output.floor;
    Row {
        case: case.to_owned(),
        output: clip(output.name, 60),
        form: format!(
            "{} {}, data set {}",
            output.dtype,
            shape(output.shape),
            output.data_set
        ),
        digits: digits(floor.digits),
        least: digits(floor.least_digits),
        sigma: error(floor.sigma),
        cells: output.backends.iter().map(|answer| cell(answer, floor)).collect(),
    }
}

fn cell(answer: &Answer<'_>, floor: &NoiseFloor) -> Cell {
    let deviation = answer.deviation;
    let scores = answer.scores;
    // An output with both forms is shown as boxes.
    let masks = || Some(("masks", answer.masks?));
    let overlap = answer.boxes.map(|boxes| ("boxes", boxes)).or_else(masks);
    let fit = |part: fn(&Fit) -> String| answer.fit.map(part).unwrap_or_default();
    Cell {
        backend: answer.backend.to_owned(),
        median: times(deviation.median),
        max: times(deviation.max),
        max_title: format!(
            "at {}; noise of this size stays within {}",
            shape(&deviation.at),
            times(floor.reach)
        ),
        beyond: match deviation.beyond {
            0 => String::new(),
            beyond => thousands(beyond),
        },
        top1: scores
            .map(|scores| share(scores.top1, scores.rows))
            .unwrap_or_default(),
        top5: scores
            .and_then(|scores| Some(share(scores.top5?, scores.rows)))
            .unwrap_or_default(),
        flips: scores.map(flips).unwrap_or_default(),
        flipped: scores.is_some_and(|scores| scores.flips_beyond > 0),
        overlap: overlap.map(|(_, overlap)| covered(overlap)).unwrap_or_default(),
        overlap_title: overlap
            .map(|(what, overlap)| regions(what, overlap))
            .unwrap_or_default(),
        slope: fit(|fit| signed_error(fit.slope - 1.0)),
        slope_title: fit(|fit| {
            format!(
                "± {}; intercept {}",
                error(fit.slope_error),
                signed_error(fit.intercept)
            )
        }),
        scaled: answer.fit.is_some_and(|fit| fit.is_scaled(floor)),
        unexplained: fit(|fit| error((1.0 - fit.r_squared).max(0.0))),
    }
}

/// `0.71×`.
fn times(value: f64) -> String {
    match multiple(value) {
        text if text.is_empty() => text,
        text => format!("{text}×"),
    }
}

/// Digits with one decimal; a few runs do not justify more.
fn digits(digits: f64) -> String {
    if digits.is_nan() {
        String::new()
    } else {
        format!("{digits:.1}")
    }
}

fn share(part: u64, whole: u64) -> String {
    format!("{} of {}", thousands(part), thousands(whole))
}

fn flips(scores: &Scores) -> String {
    match (scores.flips_within, scores.flips_beyond) {
        (0, 0) => "none".to_owned(),
        (within, 0) => format!("{} within noise", thousands(within)),
        (0, beyond) => format!("{} beyond noise", thousands(beyond)),
        (within, beyond) => format!("{} within noise, {} beyond", thousands(within), thousands(beyond)),
    }
}

/// `0.9998, least 0.91`, rounded down, so that only a complete overlap is 1.
fn covered(overlap: &Overlap) -> String {
    let cut = |part: f64| (part * 1e4).floor() / 1e4;
    format!("{}, least {}", cut(overlap.mean), cut(overlap.least))
}

/// `4,420 boxes (corners)`.
fn regions(what: &str, overlap: &Overlap) -> String {
    format!("{} {what} ({})", thousands(overlap.regions), overlap.form)
}
