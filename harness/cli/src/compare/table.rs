//! Prints the result of a comparison.

use harness_investigate::standing::{Standing, worst};
use harness_investigate::truth::Truth;
use reports::Report;
use reports::record::{CaseId, CaseRecord, Noise, OutputStats};

use crate::columns::columns;

/// The lines for all models, each with the source of its expected outputs.
pub(super) fn lines(report: &Report, truths: &[(&str, &Truth)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, truth) in truths {
        let of_model = |record: &&CaseRecord| CaseId::parse(&record.case).name == *name;
        let records: Vec<&CaseRecord> = report.cases.iter().filter(of_model).collect();
        lines.extend(head(name, truth, &records));
        let header = [
            "backend", "answer", "digits", "classes", "regions", "cosine", "slope", "load", "run",
        ];
        let mut rows = vec![header.map(str::to_owned).to_vec()];
        rows.extend(records.iter().map(|record| row(record)));
        lines.extend(columns("  ", &rows));
        lines.extend(records.iter().filter_map(|record| remark(record)));
    }
    lines
}

/// The lines about the model that apply to all backends.
fn head(name: &str, truth: &Truth, records: &[&CaseRecord]) -> Vec<String> {
    let mut lines = vec![format!("{name}: {}", origin(truth))];
    let outputs = measured(records);
    lines.extend(outputs.into_iter().map(|(output, noise)| {
        format!(
            "  output {}: {}{:?}, {:.1} significant digits (worst element {:.1}; {} runs with random rounding)",
            output.name,
            output.dtype,
            output.shape,
            noise.floor.digits,
            noise.floor.least_digits,
            noise.floor.runs
        )
    }));
    lines
}

/// The source of the expected outputs.
pub(crate) fn origin(truth: &Truth) -> String {
    match truth {
        Truth::Reference => "the expected outputs are those of the reference".to_owned(),
        Truth::Agreement {
            reason,
            agreeing,
            others,
        } => {
            let others = match others.is_empty() {
                true => String::new(),
                false => format!("; {} answered differently", others.join(", ")),
            };
            format!(
                "no answer of the reference ({reason}): the expected outputs are those on which {} agree{others}",
                agreeing.join(", ")
            )
        }
    }
}

/// The outputs with a known noise.
fn measured<'r>(records: &[&'r CaseRecord]) -> Vec<(&'r OutputStats, &'r Noise)> {
    let measured = records
        .iter()
        .find(|record| record.outputs.iter().any(|output| output.noise.is_some()));
    let mut outputs: Vec<(&OutputStats, &Noise)> = Vec::new();
    for output in measured.iter().flat_map(|record| &record.outputs) {
        let Some(noise) = output.noise.as_deref() else {
            continue;
        };
        // If there are several data sets, the one in which the output has the fewest significant digits.
        match outputs.iter_mut().find(|(known, _)| known.name == output.name) {
            Some(known) if known.1.floor.digits > noise.floor.digits => *known = (output, noise),
            Some(_) => {}
            None => outputs.push((output, noise)),
        }
    }
    outputs
}

fn row(record: &CaseRecord) -> Vec<String> {
    let standing = Standing::of(record);
    let fell_back = record
        .place
        .as_ref()
        .is_some_and(reports::record::Place::fell_back);
    let answer = match fell_back {
        true => format!("{}, on a fall-back", standing.words()),
        false => standing.words().to_owned(),
    };
    let noise = worst(&record.outputs).map(|(_, noise)| noise);
    let part = |text: &dyn Fn(&Noise) -> String| noise.map_or("-".to_owned(), text);
    vec![
        record.backend.clone(),
        answer,
        part(&|noise| format!("{:.1} of {:.1}", noise.deviation.digits, noise.floor.digits)),
        classes(record),
        regions(record),
        part(&|noise| format!("{:.6}", noise.deviation.cosine)),
        part(&|noise| {
            noise
                .fit
                .as_ref()
                .map_or("-".to_owned(), |fit| format!("{:.6}", fit.slope))
        }),
        time(record.load_ns),
        time(record.run_ns),
    ]
}

/// `1/1 top-1, 1/1 top-5` over all outputs with the form of scores.
fn classes(record: &CaseRecord) -> String {
    let noises = record.outputs.iter().filter_map(|output| output.noise.as_deref());
    let scores: Vec<_> = noises.filter_map(|noise| noise.scores.as_ref()).collect();
    if scores.is_empty() {
        return "-".to_owned();
    }
    let rows: u64 = scores.iter().map(|scores| scores.rows).sum();
    let top1: u64 = scores.iter().map(|scores| scores.top1).sum();
    let with5 = scores
        .iter()
        .filter_map(|scores| Some((scores.top5?, scores.rows)));
    let (top5, of) = with5.fold((0, 0), |(top5, of), (same, rows)| (top5 + same, of + rows));
    match of {
        0 => format!("top-1 {top1}/{rows}"),
        of => format!("top-1 {top1}/{rows}, top-5 {top5}/{of}"),
    }
}

/// The minimum overlap of boxes and masks.
fn regions(record: &CaseRecord) -> String {
    let noises = record.outputs.iter().filter_map(|output| output.noise.as_deref());
    let overlaps = noises.flat_map(|noise| noise.boxes.iter().chain(&noise.masks));
    match overlaps.map(|overlap| overlap.least).reduce(f64::min) {
        Some(least) => format!("IoU ≥ {least:.4}"),
        None => "-".to_owned(),
    }
}

fn time(nanoseconds: Option<u64>) -> String {
    nanoseconds.map_or("-".to_owned(), |ns| format!("{:.1} ms", ns as f64 / 1e6))
}

/// The remark for an answer that is not simply right.
fn remark(record: &CaseRecord) -> Option<String> {
    (!record.reason.is_empty()).then(|| {
        format!(
            "  {}: {} ({})",
            record.backend,
            record.reason,
            record.verdict.kind().key()
        )
    })
}
