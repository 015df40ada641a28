//! Hostile names in every renderer, read back by a real parser of each format.
//!
//! A report in which every name and message is hostile must have the structure of the same report with
//! harmless names, contain the name as data, and contain no character that must not be shown.

#[path = "../sample/mod.rs"]
mod sample;

mod names;
mod page;
mod read;
mod report;

use reports::diff::Diff;
use reports::record::Verdict;
use reports::render::{self, Look, RenderError};
use reports::{KnownFailure, Report, shown};

use crate::names::{HARMLESS, names};
use crate::read::Content;
use crate::report::report;

/// Renders, reads back, and compares with the result for a harmless name.
///
/// `as_data` is the form of the name in the format.
#[track_caller]
fn check(
    renderer: impl Fn(&Report) -> Result<String, RenderError>,
    read: impl Fn(&str) -> Content,
    as_data: impl Fn(&str) -> String,
) {
    let render = |name: &str| renderer(&report(name)).unwrap_or_else(|error| panic!("{name:?}: {error}"));
    let harmless = read(&render(HARMLESS));
    assert!(harmless.holds(HARMLESS), "the harmless name is not in the file");
    for name in names() {
        let text = render(&name);
        let hidden = text
            .chars()
            .find(|&c| shown::one_line(&c.to_string()) != c.to_string() && c != '\n' && c != '\t');
        assert_eq!(hidden, None, "{name:?}: a character that must not be shown");
        let hostile = read(&text);
        assert_eq!(
            hostile.structure, harmless.structure,
            "{name:?} changes the structure"
        );
        assert!(
            hostile.holds(&as_data(&name)),
            "{name:?} is not in the file as data"
        );
    }
}

fn lines(name: &str) -> String {
    shown::lines(name).into_owned()
}

fn one_line(name: &str) -> String {
    shown::one_line(name).into_owned()
}

#[test]
fn pages() {
    check(render::html, page::html, lines);
    check(render::operators_html, page::with_blocks, lines);
    check(render::cases_html, page::with_blocks, lines);
}

/// The report compared with one in which half of the results passed.
fn diff(report: &Report) -> Diff {
    let mut before = report.clone();
    for record in before.cases.iter_mut().step_by(2) {
        record.verdict = Verdict::Pass;
        record.reason.clear();
    }
    Diff::of(&before, report)
}

#[test]
fn two_runs_beside_each_other() {
    check(|report| render::diff_html(&diff(report)), page::html, lines);
    check(
        |report| render::diff_markdown(&diff(report)),
        read::markdown,
        one_line,
    );
    check(
        |report| render::diff_json(&diff(report)),
        read::json,
        str::to_owned,
    );
    check(
        |report| Ok(render::diff_text(&diff(report))),
        read::terminal,
        one_line,
    );
}

#[test]
fn junit() {
    check(render::junit, read::xml, one_line);
    check(|report| render::junit(&gated(report)), read::xml, one_line);
}

/// The report with the decision of a gate on each backend, in which each text is the name.
fn gated(report: &Report) -> Report {
    let mut report = report.clone();
    let name = report.backends[0].info.name.clone();
    for mut gate in sample::gates() {
        gate.backend = if gate.open {
            "tract:plain".to_owned()
        } else {
            name.clone()
        };
        gate.baseline = name.clone();
        gate.reasons
            .iter_mut()
            .for_each(|reason| reason.clone_from(&name));
        for change in &mut gate.changes {
            change.case.clone_from(&name);
            change.reason.clone_from(&name);
        }
        for waiver in &mut gate.waivers {
            waiver.case.clone_from(&name);
            waiver.reason.clone_from(&name);
            waiver.owner = Some(name.clone());
        }
        for case in &mut gate.quarantined {
            for text in [&mut case.case, &mut case.why, &mut case.owner, &mut case.reason] {
                text.clone_from(&name);
            }
        }
        for (record, known) in report.cases.iter().zip(gate.known.clone().into_values()) {
            let known = KnownFailure {
                verdict: record.verdict.kind(),
                reason: name.clone(),
                ..known
            };
            gate.known.insert(record.case.clone(), known);
        }
        report.gates.push(gate);
    }
    report
}

#[test]
fn decisions_of_a_gate() {
    check(|report| render::html(&gated(report)), page::html, lines);
    check(
        |report| render::markdown(&gated(report)),
        read::markdown,
        one_line,
    );
    check(
        |report| render::code_quality(&gated(report)),
        read::json,
        str::to_owned,
    );
    check(|report| render::ctrf(&gated(report)), read::json, str::to_owned);
    // Characters that a workflow command must escape.
    let as_data = |name: &str| clip_to(&one_line(name), 1000).replace('%', "%25");
    check(
        |report| render::annotations(&gated(report)),
        read::workflow_commands,
        as_data,
    );
}

/// The first characters of a text.
fn clip_to(text: &str, characters: usize) -> String {
    text.chars().take(characters).collect()
}

#[test]
fn markdown() {
    check(render::markdown, read::markdown, one_line);
}

#[test]
fn json_holds_the_very_name() {
    check(render::summary_json, read::json, str::to_owned);
    check(render::matrix_json, read::json, str::to_owned);
    check(render::ctrf, read::json, str::to_owned);
}

#[test]
fn tables_have_no_formula() {
    for table in [
        render::results_csv,
        render::latency_csv,
        render::models_csv,
        render::releases_csv,
        render::matrix_csv,
    ] {
        check(table, read::csv, lines);
    }
}

#[test]
fn terminal() {
    let of_terminal: [fn(&Report, Look) -> String; 3] =
        [render::terminal, render::model_table, render::release_table];
    for look in [Look::Plain, Look::Lines, Look::Colour] {
        for table in of_terminal {
            check(
                |report| Ok(read::without_colours(&table(report, look))),
                read::terminal,
                one_line,
            );
        }
        check(
            |report| Ok(read::without_colours(&render::latency_table(report, look)?)),
            read::terminal,
            one_line,
        );
    }
}

#[test]
fn coverage_in_the_terminal() {
    let of_coverage = |text: fn(&reports::coverage::Coverage<'_>) -> String| {
        move |report: &Report| {
            let coverage = reports::coverage::Coverage::of(&report.catalogue, &report.exercises);
            Ok(text(&coverage))
        }
    };
    check(
        of_coverage(|coverage| render::coverage_text(coverage, &Default::default(), Look::Plain)),
        read::terminal,
        one_line,
    );
    check(
        of_coverage(|coverage| render::coverage_details(coverage, &Default::default())),
        read::terminal,
        one_line,
    );
    check(of_coverage(render::gaps_text), read::terminal, one_line);
}
