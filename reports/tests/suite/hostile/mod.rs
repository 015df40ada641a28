//! Hostile names in every renderer, read back by a real parser of each format.
//!
//! A report in which every name and message is hostile must have the structure of the same report with
//! harmless names, contain the name as data, and contain no character that must not be shown.

mod names;
mod page;
mod read;
mod report;

use reports::View;
use reports::render::{self, RenderError};
use run_record::Look;
use run_record::diff::Diff;
use run_record::graph::{Layer, Mark, ModelGraph};
use run_record::past::{Past, PastBackend};
use run_record::profile::{BackendProfile, Cost, ModelNode, Peak, Profile, ProfiledStep};
use run_record::trends::{BackendBad, Bad, Measure, Series, SeriesChange, Trend, TrendRun, Trends};
use run_record::{KnownFailure, shown};
use run_record::{Verdict, VerdictKind};

use self::names::{HARMLESS, names};
use self::read::Content;
pub use self::report::measured;
use self::report::{report, with_sums};
use crate::sample;

/// Renders, reads back, and compares with the result for a harmless name.
///
/// `as_data` is the form of the name in the format.
#[track_caller]
fn check(
    renderer: impl Fn(&View) -> Result<String, RenderError>,
    read: impl Fn(&str) -> Content,
    as_data: impl Fn(&str) -> String,
) {
    check_names(|name| renderer(&report(name)), read, as_data);
}

/// As [`check`], for what is no report.
#[track_caller]
fn check_names(
    renderer: impl Fn(&str) -> Result<String, RenderError>,
    read: impl Fn(&str) -> Content,
    as_data: impl Fn(&str) -> String,
) {
    let render = |name: &str| renderer(name).unwrap_or_else(|error| panic!("{name:?}: {error}"));
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

/// A profile in which every text is `name`.
fn profile(name: &str) -> Profile {
    let text = || name.to_owned();
    Profile {
        model: text(),
        threads: 1,
        nodes: vec![
            ModelNode {
                name: text(),
                operator: text(),
                inputs: vec![text()],
                outputs: vec!["y".to_owned()],
                result: text(),
                cost: Some(Cost {
                    operations: 100.0,
                    bytes: 10.0,
                }),
                ..ModelNode::default()
            },
            ModelNode {
                name: text(),
                operator: text(),
                parent: Some(0),
                body: text(),
                ..ModelNode::default()
            },
            ModelNode {
                name: text(),
                function: text(),
                ..ModelNode::default()
            },
        ],
        peak: Some(Peak {
            operations: 1e9,
            bytes: vec![(1 << 20, 1e9)],
        }),
        backends: vec![
            BackendProfile {
                name: text(),
                version: text(),
                runs_ns: vec![1000],
                steps: vec![ProfiledStep {
                    name: text(),
                    operator: text(),
                    nodes: vec![0, 1],
                    calls: 1.0,
                    own_ns: 500.0,
                    slice: Some((0, 500)),
                    cost: Some(Cost {
                        operations: 100.0,
                        bytes: 10.0,
                    }),
                }],
                ..BackendProfile::default()
            },
            BackendProfile {
                name: text(),
                problem: text(),
                ..BackendProfile::default()
            },
        ],
    }
}

#[test]
fn profiles() {
    check_names(|name| render::profile_html(&profile(name)), page::html, lines);
    check_names(|name| render::graph_html(&graph(name)), page::html, lines);
    check_names(|name| render::profile_csv(&profile(name)), read::csv, lines);
    check_names(|name| render::profile_trace(&profile(name)), read::json, lines);
}

/// A graph in which every text is `name`.
fn graph(name: &str) -> ModelGraph {
    ModelGraph {
        model: name.to_owned(),
        inputs: vec![name.to_owned()],
        outputs: vec!["y".to_owned()],
        nodes: profile(name).nodes,
        layers: vec![Layer {
            name: name.to_owned(),
            about: name.to_owned(),
            marks: vec![Some(Mark {
                strength: 0.5,
                text: name.to_owned(),
            })],
        }],
    }
}

#[test]
fn pages() {
    check(render::html, page::html, lines);
    check(|report| render::html(&with_sums(report)), page::html, lines);
    check(|report| render::operators_html(report), page::with_blocks, lines);
    check(render::cases_html, page::with_blocks, lines);
    check(
        |report| render::cases_html(&with_past(report)),
        page::with_blocks,
        lines,
    );
}

/// The report with a run before it, in which each case passed.
fn with_past(report: &View) -> View {
    let name = &report.backends[0].info.name;
    let cases = report.cases.iter();
    let past = Past {
        backends: vec![PastBackend {
            name: name.clone(),
            runs: vec![TrendRun {
                started: name.clone(),
                version: name.clone(),
                label: name.clone(),
            }],
        }],
        cases: cases
            .map(|record| (record.case.clone(), vec![vec![Some(VerdictKind::Pass)]]))
            .collect(),
    };
    View {
        past: Some(past),
        ..report.clone()
    }
}

/// The report compared with one in which half of the results passed.
fn diff(report: &View) -> Diff {
    let mut before = report.report.clone();
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
        |report| render::diff_markdown(&diff(report), false),
        read::markdown,
        one_line,
    );
    check(
        |report| render::diff_json(&diff(report)),
        read::json,
        str::to_owned,
    );
    check(
        |report| Ok(render::diff_text(&diff(report), false)),
        read::terminal,
        one_line,
    );
}

/// A history in which each text is the backend's name: a count that changes, and a case that began to fail.
fn history(report: &View) -> Trends {
    let name = &report.backends[0].info.name;
    let run = || TrendRun {
        started: name.clone(),
        version: name.clone(),
        label: name.clone(),
    };
    let change = SeriesChange {
        run: 1,
        before: 2.0,
        after: 1.0,
        p: 0.0,
        broke: Some(1),
        fixed: Some(0),
    };
    let series = |measure, subject: &str| Series {
        measure,
        subject: subject.to_owned(),
        values: vec![Some(2.0), Some(1.0)],
        changes: vec![change.clone()],
    };
    Trends {
        runs: 2,
        operator: Some(name.clone()),
        trends: vec![Trend {
            backend: name.clone(),
            about: name.clone(),
            runs: vec![run(), run()],
            series: vec![series(Measure::Pass, ""), series(Measure::Latency, name)],
        }],
        first_bad: vec![BackendBad {
            backend: name.clone(),
            cases: vec![Bad {
                test: name.clone(),
                last_good: name.clone(),
                first_bad: name.clone(),
                verdict: name.clone(),
                reason: name.clone(),
            }],
        }],
    }
}

#[test]
fn history_of_runs() {
    check(|report| render::history_html(&history(report)), page::html, lines);
    // A title is cut where it would leave the picture.
    check(
        |report| render::history_svg(&history(report)),
        read::xml,
        |name| clip(name, 84),
    );
}

#[test]
fn growth_of_an_error() {
    let growth = |report: &View| render::ErrorGrowth {
        title: report.backends[0].info.name.clone(),
        points: vec![(0, 1e-7), (4, 0.5)],
        found: Some(4),
    };
    check(
        |report| render::growth_svg(&growth(report)),
        read::xml,
        |name| clip(name, 84),
    );
}

/// The first characters of a name on one line, as a picture shows them.
fn clip(name: &str, characters: usize) -> String {
    let line = one_line(name);
    if line.chars().count() > characters {
        clip_to(&line, characters) + "…"
    } else {
        line
    }
}

#[test]
fn pictures() {
    for (name, picture) in render::PICTURES {
        let draw =
            |report: &View| Ok(picture(&measured(report))?.unwrap_or_else(|| panic!("{name} is empty")));
        check(draw, read::xml, |name| clip(name, 40));
    }
}

#[test]
fn junit() {
    check(render::junit, read::xml, one_line);
    check(|report| render::junit(&gated(report)), read::xml, one_line);
}

/// The report with the decision of a gate on each backend, in which each text is the name.
fn gated(report: &View) -> View {
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
    check(
        |report| render::networks_markdown(report),
        read::markdown,
        one_line,
    );
}

#[test]
fn json_holds_the_very_name() {
    check(|report| render::summary_json(report), read::json, str::to_owned);
    check(|report| render::matrix_json(report), read::json, str::to_owned);
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
        check(|report| table(report), read::csv, lines);
    }
    let sums = |report: &View| with_sums(report).sums.unwrap_or_default();
    check(|report| render::populations_csv(&sums(report)), read::csv, lines);
}

#[test]
fn terminal() {
    let of_terminal: [fn(&View, Look) -> String; 3] =
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
    let of_coverage = |text: fn(&run_record::coverage::Coverage<'_>) -> String| {
        move |report: &View| {
            let coverage = run_record::coverage::Coverage::of(&report.catalogue, &report.exercises);
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
