//! Prints the result of a comparison.

use harness_conformance::run::RIGHT_ALONE;
use harness_investigate::replay;
use harness_investigate::truth::Truth;
use run_record::Report;
use run_record::standing::{SampleCounts, Standing, judged_outputs, sample_words, samples, worst};
use run_record::text::{counted, milliseconds};
use run_record::{CaseId, CaseRecord, Fit, MismatchKind, Noise, OutputStats, Verdict};

use super::Prepared;
use crate::columns::columns;

/// A column: its header and the cell of a record, [`NOTHING`] if it has no value.
type Column = (&'static str, fn(&CaseRecord) -> String);

const COLUMNS: [Column; 11] = [
    ("backend", |record| record.backend.clone()),
    ("answer", answer),
    ("samples", right_samples),
    ("digits", |record| {
        of_noise(record, |noise| {
            if noise.floor.digits.is_nan() {
                NOTHING.to_owned()
            } else {
                format!("{:.1} of {:.1}", noise.deviation.digits, noise.floor.digits)
            }
        })
    }),
    ("classes", classes),
    ("regions", regions),
    ("cosine", |record| {
        of_noise(record, |noise| {
            if noise.deviation.cosine.is_nan() {
                NOTHING.to_owned()
            } else {
                format!("{:.6}", noise.deviation.cosine)
            }
        })
    }),
    ("slope", |record| {
        of_noise(record, |noise| {
            let slope = |fit: &Fit| format!("{:.6}", fit.slope);
            noise.fit.as_ref().map_or(NOTHING.to_owned(), slope)
        })
    }),
    ("load", |record| of_runtime(record, || time(record.load_ns))),
    ("first run", |record| of_runtime(record, || time(record.run_ns))),
    ("memory", |record| {
        let mebibytes = |bytes: u64| format!("{} MiB", bytes.div_ceil(1 << 20));
        of_runtime(record, || record.peak_bytes.map_or(NOTHING.to_owned(), mebibytes))
    }),
];

/// What only a runtime has, and no stored file.
fn of_runtime(record: &CaseRecord, cell: impl FnOnce() -> String) -> String {
    if record.backend == replay::NAME {
        NOTHING.to_owned()
    } else {
        cell()
    }
}

/// The cell of a record without a value.
const NOTHING: &str = "-";

/// The lines for all models, each with the source of its expected outputs.
pub(super) fn lines(report: &Report, models: &[Prepared]) -> Vec<String> {
    let mut lines = Vec::new();
    for model in models {
        let name = &model.subject.name;
        let of_model = |record: &&CaseRecord| CaseId::parse(&record.case).name == *name;
        let records: Vec<&CaseRecord> = report.cases.iter().filter(of_model).collect();
        lines.extend(head(name, &model.truth, &records));
        lines.extend(columns("  ", &rows(&records, &model.truth)));
        lines.extend(conversion(&records));
        for record in records {
            lines.extend(worst_sample(record));
            lines.extend(remark(record));
            if record.reason.ends_with(RIGHT_ALONE) {
                lines.push(format!("  {}: {RIGHT_ALONE}", record.backend));
            }
            let remarks = run_record::standing::remarks(&record.outputs);
            lines.extend(
                remarks
                    .into_iter()
                    .map(|remark| format!("  {}: {remark}", record.backend)),
            );
        }
    }
    lines
}

/// The remark on stored outputs that disagree with the reference and with every backend.
fn conversion(records: &[&CaseRecord]) -> Option<String> {
    let (stored, backends): (Vec<&&CaseRecord>, Vec<&&CaseRecord>) =
        records.iter().partition(|record| record.backend == replay::NAME);
    let wrong = stored.iter().any(|record| Standing::of(record).is_wrong());
    let agree = backends.iter().all(|record| !Standing::of(record).is_fault());
    (wrong && agree && !backends.is_empty()).then(|| {
        "  the conversion to ONNX, or the stored data, differs: the reference and all backends agree with each other, and not with the stored outputs"
            .to_owned()
    })
}

/// The table without the columns in which no record has a value.
fn rows(records: &[&CaseRecord], truth: &Truth) -> Vec<Vec<String>> {
    let mut cells = COLUMNS.map(|(_, cell)| records.iter().map(|record| cell(record)).collect::<Vec<_>>());
    if let (Truth::Trusted { backend, .. }, [names, answers, ..]) = (truth, &mut cells) {
        answers
            .iter_mut()
            .for_each(|answer| *answer = format!("{answer}, if `{backend}` is"));
        names.push(backend.clone());
        answers.push("trusted, not judged".to_owned());
    }
    let shown: Vec<(&str, &Vec<String>)> = COLUMNS
        .iter()
        .map(|(header, _)| *header)
        .zip(&cells)
        .filter(|(_, cells)| cells.iter().any(|cell| cell != NOTHING))
        .collect();
    let header = shown.iter().map(|(header, _)| (*header).to_owned()).collect();
    let row = |index: usize| {
        let cells = shown.iter().map(|(_, cells)| cells.get(index));
        cells
            .map(|cell| cell.map_or(NOTHING, String::as_str).to_owned())
            .collect()
    };
    std::iter::once(header)
        .chain((0..cells.first().map_or(0, Vec::len)).map(row))
        .collect()
}

/// The lines about the model that apply to all backends.
fn head(name: &str, truth: &Truth, records: &[&CaseRecord]) -> Vec<String> {
    let mut lines = vec![format!("{name}: {}", origin(truth))];
    let outputs = measured(records);
    lines.extend(outputs.into_iter().map(|(output, noise)| {
        let of = format!("  output {}: {}{:?}", output.name, output.dtype, output.shape);
        if noise.floor.digits.is_nan() {
            format!("{of}, no element is a finite number other than 0")
        } else {
            format!(
                "{of}, {:.1} significant digits (worst element {:.1}; {} with random rounding)",
                noise.floor.digits,
                noise.floor.least_digits,
                counted(noise.floor.runs, "run")
            )
        }
    }));
    lines
}

/// The source of the expected outputs.
pub(crate) fn origin(truth: &Truth) -> String {
    match truth {
        Truth::Reference => "the expected outputs are those of the reference".to_owned(),
        Truth::Trusted { reason, backend } => format!(
            "no answer of the reference ({reason}): the expected outputs are those of `{backend}`, which you trust; nothing verifies them"
        ),
        Truth::Agreement {
            reason,
            agreeing,
            others,
        } => {
            let others = if others.is_empty() {
                String::new()
            } else {
                format!("; {} answered differently", others.join(", "))
            };
            format!(
                "no answer of the reference ({reason}): the expected outputs are those on which {} agree{others}",
                agreeing.join(", ")
            )
        }
    }
}

/// The outputs with a known noise.
pub(super) fn measured<'r>(records: &[&'r CaseRecord]) -> Vec<(&'r OutputStats, &'r Noise)> {
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

fn answer(record: &CaseRecord) -> String {
    let standing = Standing::of(record);
    let fell_back = record.place.as_ref().is_some_and(run_record::Place::fell_back);
    // An output that cannot be judged says nothing about the others.
    let judged = judged_outputs(&record.outputs).filter(|_| standing <= Standing::Tolerated);
    let judged = judged.map_or(String::new(), |(judged, all)| {
        format!(" ({judged} of {all} outputs)")
    });
    // Elements that are drawn are not compared one by one.
    let words = if standing == Standing::Exact && record.outputs.is_empty() {
        "right, by the distribution of its draws"
    } else {
        standing.words()
    };
    let fallen = if fell_back { ", on a fall-back" } else { "" };
    let rejected = if Standing::is_rejected(record) {
        ", rejected by the policy"
    } else {
        ""
    };
    format!("{words}{judged}{fallen}{rejected}")
}

/// `98 of 100`, if there are several samples.
fn right_samples(record: &CaseRecord) -> String {
    let of = |counts: SampleCounts| format!("{} of {}", counts.right, counts.run);
    samples(record).map_or(NOTHING.to_owned(), of)
}

/// A measure of the output with the fewest correct digits.
fn of_noise(record: &CaseRecord, text: impl Fn(&Noise) -> String) -> String {
    worst(&record.outputs).map_or(NOTHING.to_owned(), |(_, noise)| text(noise))
}

/// `1/1 top-1, 1/1 top-5` over all outputs with the form of scores.
fn classes(record: &CaseRecord) -> String {
    let noises = record.outputs.iter().filter_map(|output| output.noise.as_deref());
    let scores: Vec<_> = noises.filter_map(|noise| noise.scores.as_ref()).collect();
    if scores.is_empty() {
        return NOTHING.to_owned();
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
        None => NOTHING.to_owned(),
    }
}

fn time(nanoseconds: Option<u64>) -> String {
    nanoseconds.map_or(NOTHING.to_owned(), milliseconds)
}

/// The worst of several samples, unless every answer is exact.
fn worst_sample(record: &CaseRecord) -> Option<String> {
    let words = sample_words(record, samples(record)?.worst)?;
    Some(format!("  {}: worst sample {words}", record.backend))
}

/// The remark for an answer that is not simply right.
fn remark(record: &CaseRecord) -> Option<String> {
    // The worst sample has the reason of several. The evidence explains differences in values.
    let unjudged = |output: &OutputStats| output.judgement.is_none() && output.differing > 0;
    let by_policy =
        record.outputs.iter().all(|output| output.judgement.is_none()) || record.outputs.iter().any(unjudged);
    let values = matches!(
        record.verdict,
        Verdict::Mismatch(MismatchKind::Numeric) | Verdict::Undecided
    );
    let of_node = record.verdict == Verdict::Mismatch(MismatchKind::Node);
    let of_one = record.data_sets.is_empty() && (by_policy || !values);
    (!record.reason.is_empty() && (of_node || of_one)).then(|| {
        format!(
            "  {}: {} ({})",
            record.backend,
            record.reason,
            record.verdict.kind().key()
        )
    })
}
