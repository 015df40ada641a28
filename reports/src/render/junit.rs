//! `junit.xml`: the results for CI systems.

use std::collections::BTreeMap;
use std::time::Duration;

use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use super::caveats::{kinship, warnings};
use super::news::{Changed, news};
use super::standing::{Standing, Standings, Status, place};
use super::{RenderError, findings, repeat_command};
use crate::View;
use run_record::GateReport;
use run_record::common::Shared;
use run_record::shown::{lines, one_line};
use run_record::{CaseId, CaseRecord, DataFinding, Repeat};

/// One suite for each backend and suite of the corpus. A wrong answer is a failure, a missing one an
/// error, and a result that was not judged is skipped; each has its reason and the command that repeats
/// it. A case that is in several releases occurs once, in the newest, and lists the others. Cases that
/// were not run or cannot be read are errors in a separate suite. If a gate judged a backend, a known
/// failure of its baseline is skipped with its reason, and an unexpected result fails. What is new comes
/// first; the first suite has what it has in common as a property.
pub fn junit(report: &View) -> Result<String, RenderError> {
    let mut document = quick_junit::Report::new("onnx-conformance");
    document.set_time(Duration::try_from_secs_f64(report.wall_s).unwrap_or_default());
    let standings = Standings::of(report);
    let (news, changed) = (news(report), Changed::of(report));
    let kinship = kinship(report);
    for backend in &report.backends {
        let mut suites: BTreeMap<String, Vec<&CaseRecord>> = BTreeMap::new();
        for record in report.cases_of(&backend.info.name) {
            let CaseId { corpus, suite, .. } = CaseId::parse(&record.case);
            suites
                .entry(format!("{}: {corpus}/{suite}", backend.info.name))
                .or_default()
                .push(record);
        }
        let newness = |record: &&CaseRecord| changed.newness(&record.backend, &record.case);
        let mut suites: Vec<(String, Vec<&CaseRecord>)> = suites.into_iter().collect();
        suites
            .iter_mut()
            .for_each(|(_, records)| records.sort_by_key(newness));
        suites.sort_by_key(|(_, records)| records.first().map(newness));
        let context = (&standings, &report.started.repeat);
        let made = suites.iter().map(|(name, records)| suite(name, records, context));
        let mut made: Vec<TestSuite> = made.collect();
        if let (Some(first), Some(news)) = (
            made.first_mut(),
            news.iter()
                .find(|news| news.backend == backend.info.name && !news.is_empty()),
        ) {
            first.add_property(("new", &*one_line(&news.counts())));
            let shared = news.shared.iter().map(Shared::words);
            first.add_properties(shared.map(|words| ("in common".to_owned(), one_line(&words).into_owned())));
        }
        if let (Some(first), "native", Some(note)) = (made.first_mut(), &*backend.info.kind, &kinship) {
            first.add_property(("note", &*one_line(note)));
        }
        document.add_test_suites(made);
    }
    if !report.data_findings.is_empty() {
        document.add_test_suite(data_suite(&report.data_findings));
    }
    document.add_test_suites(report.gates.iter().filter_map(vanished));
    document.add_test_suites(incomplete(report));
    let mut text = document.to_string()?;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// A failure for each data set with whose stored outputs the reference disagrees.
fn data_suite(data_findings: &[DataFinding]) -> TestSuite {
    const NAME: &str = "stored outputs against the reference";
    let mut suite = TestSuite::new(NAME);
    suite.add_test_cases(data_findings.iter().map(|finding| {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status
            .set_message(one_line(&findings::words(finding)))
            .set_type(findings::TITLE)
            .set_description(findings::ABOUT);
        let name = format!("{} {}", finding.case, finding.data_set);
        let mut case = TestCase::new(one_line(&name), status);
        case.set_classname(NAME);
        case
    }));
    suite
}

/// A suite with an error for each reason why the results are incomplete; `None` if they are complete.
fn incomplete(report: &View) -> Option<TestSuite> {
    let mut suite = TestSuite::new("the run");
    for caveat in warnings(report) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(one_line(&caveat)).set_type("incomplete");
        let name = format!("complete {}", suite.test_cases.len() + 1);
        suite.add_test_case(TestCase::new(name, status));
    }
    (!suite.test_cases.is_empty()).then_some(suite)
}

/// A failure for each case of a baseline that no longer exists; `None` if all exist.
fn vanished(gate: &GateReport) -> Option<TestSuite> {
    let name = format!("{}: baseline", gate.backend);
    let mut suite = TestSuite::new(one_line(&name));
    for change in gate.changes.iter().filter(|change| change.observed.is_none()) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let message = format!(
            "{} ({}): {}",
            change.transition,
            place(gate, change.line),
            change.reason
        );
        status
            .set_message(one_line(&message))
            .set_type(one_line(&change.transition));
        let mut case = TestCase::new(one_line(&change.case), status);
        case.set_classname(one_line(&name));
        suite.add_test_case(case);
    }
    (!suite.test_cases.is_empty()).then_some(suite)
}

/// The status of a result, and the command that repeats it.
type Context<'a> = (&'a Standings<'a>, &'a Repeat);

fn suite(name: &str, records: &[&CaseRecord], context: Context<'_>) -> TestSuite {
    let mut suite = TestSuite::new(one_line(name));
    suite.set_time(records.iter().map(|record| time(record)).sum());
    suite.add_test_cases(records.iter().map(|record| case(record, name, context)));
    suite
}

fn case(record: &CaseRecord, suite: &str, (standings, repeat): Context<'_>) -> TestCase {
    let standing = standings.standing(record);
    let status = status(record, &standing, repeat);
    let mut case = TestCase::new(one_line(CaseId::parse(&record.case).name), status);
    case.set_classname(one_line(suite)).set_time(time(record));
    let place = record.place.as_ref().filter(|_| record.passed_on_fall_back());
    let place =
        place.map(|place| format!("passed on a fall-back: {} for {}", place.words(), place.requested));
    let same = (!record.also_in.is_empty()).then(|| format!("the same case: {}", record.also_in.join(", ")));
    // A pass that the baseline does not expect is still a pass, but is reported.
    let unexpected = (standing.status == Status::Passed).then_some(standing.message);
    let unexpected = unexpected.filter(|message| !message.is_empty());
    let notes: Vec<String> = place.into_iter().chain(same).chain(unexpected).collect();
    if !notes.is_empty() {
        case.set_system_out(lines(&notes.join("\n")));
    }
    case
}

fn status(record: &CaseRecord, standing: &Standing, repeat: &Repeat) -> TestCaseStatus {
    let mut status = match standing.status {
        Status::Passed => return TestCaseStatus::success(),
        Status::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::Broken => TestCaseStatus::non_success(NonSuccessKind::Error),
        Status::Skipped | Status::NotRun => TestCaseStatus::skipped(),
    };
    status
        .set_message(one_line(&standing.message))
        .set_type(one_line(&standing.kind));
    if !matches!(status, TestCaseStatus::Skipped { .. }) {
        let command = repeat_command(repeat, &record.backend, &record.case);
        status.set_description(lines(&format!("{}\n{command}", record.reason)));
    }
    status
}

fn time(record: &CaseRecord) -> Duration {
    let ns = record
        .load_ns
        .unwrap_or(0)
        .saturating_add(record.run_ns.unwrap_or(0));
    Duration::from_nanos(ns)
}
