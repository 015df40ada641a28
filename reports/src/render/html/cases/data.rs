//! The data of the page: an index of all its cases, and blocks with their details.

use std::collections::BTreeMap;

use serde::Serialize;

use super::graph_view::{GraphView, graph_view};
use crate::View;
use crate::render::RenderError;
use crate::render::html::blocks::{block, plain};
use crate::render::html::facts::{Fact, output_facts, result_facts};
use crate::render::html::failures::verdict_words;
use crate::render::html::rows::Row;
use crate::render::news::Newness;
use crate::render::repeat::case_commands;
use crate::render::severity::{Class, sign};
use run_record::{CaseDetail, CaseRecord, OutputStats, ReadingFollowed, VerdictKind};

/// The number of cases of one block: few enough to be read at once, many enough to compress well.
const CASES: usize = 64;

#[derive(Serialize)]
struct Index<'a> {
    backends: Vec<&'a str>,
    /// Key, label, class and sign of each verdict; cases refer to them by index.
    verdicts: Vec<(&'static str, &'static str, &'static str, &'static str)>,
    /// The backends of earlier runs.
    past: Vec<PastBackend<'a>>,
    /// The number of cases of one block.
    block: usize,
    /// Id, verdict by backend (−1 if there is none), and what is new: `new`, `fixed` or nothing.
    cases: Vec<(String, Vec<i32>, &'static str)>,
}

#[derive(Serialize)]
struct Case<'a> {
    id: &'a str,
    also_in: &'a [String],
    operators: &'a [String],
    detail: Option<&'a CaseDetail>,
    graph_view: Option<GraphView>,
    results: Vec<Shown<'a>>,
    readings: Vec<Reading<'a>>,
    /// The verdicts of earlier runs, of each backend as in the index: a letter for each run, `A`
    /// for the first verdict of the index, a full stop where the run does not have the case.
    past: Vec<String>,
}

/// A backend of earlier runs; of each run when it began and which version it had.
#[derive(Serialize)]
struct PastBackend<'a> {
    name: &'a str,
    runs: Vec<(&'a str, &'a str)>,
}

/// An open question of the specification on which the case depends.
#[derive(Serialize)]
struct Reading<'a> {
    question: &'a str,
    default: &'a str,
    /// A backend's place, and the answer that it follows; none where it follows no known one.
    answers: Vec<(usize, Option<&'a str>)>,
}

/// One result.
#[derive(Serialize)]
struct Shown<'a> {
    backend: usize,
    /// The class and key of the verdict.
    kind: [&'static str; 2],
    verdict: String,
    reason: &'a str,
    facts: Vec<Fact>,
    outputs: Vec<Output<'a>>,
    /// The action and its command; `None` for a pass.
    commands: Vec<(&'static str, String)>,
}

#[derive(Serialize)]
struct Output<'a> {
    name: &'a str,
    facts: Vec<Fact>,
    ulps: &'a [u64],
    spread: &'a [u64],
    /// The shape of the output, for the indices of the window.
    shape: &'a [u64],
    window: Option<&'a run_record::Window>,
}

/// The index as JSON that can be inserted into a script element.
pub(super) fn index(report: &View, rows: &[&Row<'_>], newness: &[Newness]) -> Result<String, RenderError> {
    let place = |kind: Option<VerdictKind>| {
        let place = kind.and_then(|kind| VerdictKind::ALL.iter().position(|other| *other == kind));
        place.and_then(|place| i32::try_from(place).ok()).unwrap_or(-1)
    };
    let case = |(row, newness): (&&Row<'_>, &Newness)| {
        let kinds = row.kinds().into_iter().map(place).collect();
        (row.case.to_owned(), kinds, newness.key())
    };
    let cases = rows.iter().zip(newness).map(case).collect();
    let index = Index {
        backends: report
            .backends
            .iter()
            .map(|backend| backend.info.name.as_str())
            .collect(),
        verdicts: VerdictKind::ALL
            .map(|kind| (kind.key(), kind.label(), Class::of(kind).key(), sign(kind)))
            .into(),
        past: past_backends(report),
        block: CASES,
        cases,
    };
    plain(&index)
}

/// The blocks, each of [`CASES`] cases.
pub(super) fn blocks(report: &View, rows: &[&Row<'_>]) -> Result<Vec<String>, RenderError> {
    let mut readings: BTreeMap<&str, Vec<&ReadingFollowed>> = BTreeMap::new();
    for one in &report.readings {
        readings.entry(&one.case).or_default().push(one);
    }
    let of = |rows: &[&Row<'_>]| {
        let cases = rows.iter().map(|row| Case {
            readings: of_questions(report, readings.get(row.case).map_or(&[][..], Vec::as_slice)),
            ..case(report, row)
        });
        block(&cases.collect::<Vec<_>>())
    };
    rows.chunks(CASES).map(of).collect()
}

fn case<'a>(report: &'a View, row: &Row<'a>) -> Case<'a> {
    let any = row.any();
    let detail = report.details.get(row.case);
    let results = row.records.iter().enumerate();
    let results = results.filter_map(|(backend, record)| Some(result(report, backend, (*record)?)));
    Case {
        id: row.case,
        also_in: any.map_or(&[][..], |record| &record.also_in),
        operators: any.map_or(&[][..], |record| &record.operators),
        graph_view: detail.and_then(graph_view),
        detail,
        results: results.collect(),
        readings: Vec::new(),
        past: letters(report, row.case),
    }
}

fn past_backends(report: &View) -> Vec<PastBackend<'_>> {
    let backends = report.past.iter().flat_map(|past| &past.backends);
    backends
        .map(|backend| PastBackend {
            name: &backend.name,
            runs: backend
                .runs
                .iter()
                .map(|run| (run.started.as_str(), run.version.as_str()))
                .collect(),
        })
        .collect()
}

/// A letter for each verdict of earlier runs.
fn letters(report: &View, case: &str) -> Vec<String> {
    let letter = |kind: &Option<VerdictKind>| {
        let place = kind.and_then(|kind| VerdictKind::ALL.iter().position(|other| *other == kind));
        place.map_or('.', |place| char::from(b'A' + place as u8))
    };
    let rows = report
        .past
        .iter()
        .filter_map(|past| past.cases.get(case))
        .flatten();
    rows.map(|row| row.iter().map(letter).collect()).collect()
}

/// The answers of one case by question.
fn of_questions<'a>(report: &View, followed: &[&'a ReadingFollowed]) -> Vec<Reading<'a>> {
    let mut readings: Vec<Reading<'a>> = Vec::new();
    for one in followed {
        let Some(backend) = report
            .backends
            .iter()
            .position(|backend| backend.info.name == one.backend)
        else {
            continue;
        };
        let answer = (backend, one.answer.as_deref());
        // The answers to one question follow each other.
        match readings.last_mut().filter(|last| last.question == one.question) {
            Some(last) => last.answers.push(answer),
            None => readings.push(Reading {
                question: &one.question,
                default: &one.default,
                answers: vec![answer],
            }),
        }
    }
    readings
}

fn result<'a>(report: &View, backend: usize, record: &'a CaseRecord) -> Shown<'a> {
    let kind = record.verdict.kind();
    Shown {
        backend,
        kind: [Class::of(kind).key(), kind.key()],
        verdict: verdict_words(record),
        reason: &record.reason,
        facts: result_facts(record),
        outputs: record.outputs.iter().map(output).collect(),
        commands: match kind {
            VerdictKind::Pass => Vec::new(),
            _ => case_commands(&report.started.repeat, &record.backend, &record.case),
        },
    }
}

fn output(output: &OutputStats) -> Output<'_> {
    Output {
        name: &output.name,
        facts: output_facts(output),
        ulps: &output.ulps,
        spread: &output.spread,
        shape: &output.shape,
        window: output.window.as_deref(),
    }
}
