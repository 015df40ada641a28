//! What each backend makes of a model, with its time and memory: one row for each. Only a comparison of
//! models measures memory; other runs have no such section.

use super::case_link;
use run_record::Report;
use run_record::standing::{Standing, sample_words, samples};
use run_record::text::{mebibytes, nanoseconds};
use run_record::{CaseRecord, Verdict};

pub(super) struct Answers {
    pub rows: Vec<Row>,
    /// Whether a model has several samples: the columns for them exist only then.
    pub sampled: bool,
}

/// One model on one backend.
pub(super) struct Row {
    pub case: String,
    /// The address of its page; empty for a right answer, which may have none.
    pub link: String,
    pub backend: String,
    pub answer: &'static str,
    /// Whether the answer is a fault of the backend.
    pub fault: bool,
    /// `98 of 100`.
    pub right: String,
    pub worst: String,
    pub load: Figure,
    pub run: Figure,
    pub memory: Figure,
}

/// A number with its text; both are empty if it was not measured.
#[derive(Default)]
pub(super) struct Figure {
    pub sort: String,
    pub text: String,
}

pub(super) fn answers(report: &Report) -> Result<Answers, askama::Error> {
    let measured = report.cases.iter().any(|record| record.peak_bytes.is_some());
    let records = report.cases.iter().filter(|_| measured);
    Ok(Answers {
        sampled: records.clone().any(|record| !record.data_sets.is_empty()),
        rows: records.map(row).collect::<Result<_, _>>()?,
    })
}

fn row(record: &CaseRecord) -> Result<Row, askama::Error> {
    let standing = Standing::of(record);
    let samples = samples(record);
    Ok(Row {
        case: record.case.clone(),
        link: if record.verdict == Verdict::Pass {
            String::new()
        } else {
            case_link(&record.case)?
        },
        backend: record.backend.clone(),
        answer: standing.words(),
        fault: standing.is_fault(),
        right: samples
            .map(|samples| format!("{} of {}", samples.right, samples.run))
            .unwrap_or_default(),
        worst: samples
            .and_then(|samples| sample_words(record, samples.worst))
            .unwrap_or_default(),
        load: figure(record.load_ns, nanoseconds),
        run: figure(record.run_ns, nanoseconds),
        memory: figure(record.peak_bytes, mebibytes),
    })
}

fn figure(number: Option<u64>, text: fn(u64) -> String) -> Figure {
    number.map_or(Figure::default(), |number| Figure {
        sort: number.to_string(),
        text: text(number),
    })
}
