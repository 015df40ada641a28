//! Every renderer, on one small report.
//!
//! The files in `tests/golden` are the expected output of the renderers, byte for byte. After an
//! intended change, `UPDATE_GOLDEN=1 cargo test -p reports` rewrites them; review the difference before
//! the commit.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use reports::{View, render, write_all};
use run_record::{CaseExercises, Event, Exercise, Verdict, VerdictKind};

use crate::sample;

fn check_golden(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden")
        .join(name);
    if env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, actual).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(actual, expected, "{name} changed; see the start of this file");
}

pub fn sample_report() -> View {
    crate::fold(sample::events())
}

#[test]
fn every_report_says_where_native_is_no_second_opinion() {
    let mut report = sample_report();
    let reports = |report: &View| {
        [
            render::terminal(report, run_record::Look::Plain),
            render::markdown(report).unwrap(),
            render::html(report).unwrap(),
            render::junit(report).unwrap(),
        ]
        .map(|text| text.contains("no second opinion on ai.onnx.ml"))
    };
    report.report.backends[0].info.kind = "native".to_owned();
    assert_eq!(reports(&report), [false; 4]);
    let exercise = Exercise {
        operator: "ai.onnx.ml.Scaler-1".to_owned(),
        types: BTreeMap::new(),
        attributes: BTreeMap::new(),
        optional: Vec::new(),
    };
    report.report.exercises.push(CaseExercises {
        case: "onnx-1.22.0/node/test_scaler".to_owned(),
        exercises: vec![exercise],
    });
    assert_eq!(reports(&report), [true; 4]);
}

#[test]
fn summary_json() {
    check_golden("summary.json", &render::summary_json(&sample_report()).unwrap());
}

#[test]
fn results_csv() {
    check_golden("results.csv", &render::results_csv(&sample_report()).unwrap());
}

#[test]
fn latency_csv() {
    check_golden("latency.csv", &render::latency_csv(&sample_report()).unwrap());
}

#[test]
fn models_csv() {
    check_golden("models.csv", &render::models_csv(&sample_report()).unwrap());
}

#[test]
fn model_table() {
    let table = |look| render::model_table(&sample_report(), look);
    check_golden("models.txt", &table(run_record::Look::Plain));
    assert!(render::model_table(&crate::fold([]), run_record::Look::Plain).is_empty());
}

#[test]
fn page_shows_models_beside_their_noise() {
    let page = render::html(&sample_report()).unwrap();
    for text in [
        "<a href=\"#models\">Models</a>",
        "title=\"at [1, 2]; noise of this size stays within 6.50×\">9.50×</td>",
        "1 of 2",
        "<b>✗</b> 1 beyond noise",
        "<td title=\"1 masks (above 0.5)\">0.875, least 0.875</td>",
        "title=\"± 1.00e-6; intercept -2.00e-8\"><b>✗</b> 9.77e-4</td>",
    ] {
        assert!(page.contains(text), "the page does not say: {text}");
    }
    let quiet = render::html(&crate::fold([])).unwrap();
    assert!(!quiet.contains("#models"), "no link may lead nowhere");
}

#[test]
fn latency_table() {
    let table = |look| render::latency_table(&sample_report(), look).unwrap();
    check_golden("latency.txt", &table(run_record::Look::Plain));
    assert!(table(run_record::Look::Colour).contains('\u{1b}'));
}

#[test]
fn networks_markdown() {
    let mut report = sample_report();
    check_golden("networks.md", &render::networks_markdown(&report).unwrap());
    // A name must not end its cell.
    report.report.latencies[0].model = "a|b".to_owned();
    let text = render::networks_markdown(&report).unwrap();
    assert!(text.contains("| a&#124;b |"), "{text}");
}

#[test]
fn a_page_of_latencies_alone_has_no_verdicts() {
    let is_bench = |event: &Event| !matches!(event, Event::CaseFinished(_));
    let mut report = crate::fold(sample::events().into_iter().filter(is_bench));
    report.report.started.cases = 0;
    let page = render::html(&report).unwrap();
    assert!(page.contains(r#"id="latency""#) && !page.contains(r#"id="backends""#));
    assert!(!page.contains("href=\"#backends\""), "no link may lead nowhere");
}

#[test]
fn junit() {
    check_golden("junit.xml", &render::junit(&sample_report()).unwrap());
}

/// The sample with the decisions of gates on it.
fn gated() -> View {
    let mut report = sample_report();
    report.gates = sample::gates();
    report
}

#[test]
fn formats_of_ci_systems_know_the_baseline() {
    let report = gated();
    check_golden("gate/junit.xml", &render::junit(&report).unwrap());
    check_golden("gate/annotations.txt", &render::annotations(&report).unwrap());
    check_golden("gate/code-quality.json", &render::code_quality(&report).unwrap());
    check_golden("gate/ctrf.json", &render::ctrf(&report).unwrap());
    check_golden("gate/summary.md", &render::markdown(&report).unwrap());
}

#[test]
fn ctrf_counts_every_result_once() {
    for report in [sample_report(), gated()] {
        let ctrf: serde_json::Value = serde_json::from_str(&render::ctrf(&report).unwrap()).unwrap();
        let (summary, tests) = (
            &ctrf["results"]["summary"],
            ctrf["results"]["tests"].as_array().unwrap(),
        );
        assert_eq!(tests.len(), report.cases.len());
        assert_eq!(summary["tests"], tests.len());
        for status in ["passed", "failed", "skipped", "pending", "other"] {
            let count = tests.iter().filter(|test| test["status"] == status).count();
            assert_eq!(summary[status], count, "{status}");
        }
    }
}

#[test]
fn more_annotations_than_github_shows_are_counted() {
    let mut report = gated();
    let change = report.gates[0].changes[0].clone();
    report.gates[0].changes = vec![change; 25];
    let text = render::annotations(&report).unwrap();
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with("::error ")).collect();
    assert_eq!(errors.len(), 10, "{text}");
    assert!(
        errors[9].ends_with("::16 more changes, see report.html"),
        "{text}"
    );
    // Waivers are notices, which have a limit of their own.
    assert_eq!(
        text.lines().filter(|line| line.starts_with("::notice ")).count(),
        2,
        "{text}"
    );
}

#[test]
fn a_summary_stays_within_what_github_takes() {
    let reason = "word ".repeat(200);
    let mut report = gated();
    report.gates[0].reasons = vec![reason; 5_000];
    let text = render::markdown(&report).unwrap();
    assert!(text.len() < 1 << 20, "{} bytes", text.len());
    assert!(text.ends_with("the page has all of it.\n"));
}

#[test]
fn markdown() {
    check_golden("summary.md", &render::markdown(&sample_report()).unwrap());
}

#[test]
fn terminal() {
    check_golden(
        "terminal.txt",
        &render::terminal(&sample_report(), run_record::Look::Plain),
    );
    let coloured = render::terminal(&sample_report(), run_record::Look::Colour);
    assert!(coloured.contains("\u{1b}["), "no colour in {coloured:?}");
    assert!(!render::terminal(&sample_report(), run_record::Look::Lines).contains('\u{1b}'));
}

#[test]
fn all_verdict_keys_are_in_the_summary() {
    let empty = crate::fold([Event::BackendStarted(Default::default())]);
    let summary: serde_json::Value = serde_json::from_str(&render::summary_json(&empty).unwrap()).unwrap();
    let verdicts = summary["backends"][0]["verdicts"].as_object().unwrap();
    let keys = [
        "pass",
        "mismatch",
        "unsupported",
        "not_taken",
        "error",
        "crash",
        "timeout",
        "out_of_memory",
        "protocol",
        "nondeterministic",
        "variant_differs",
        "flaky",
        "disputed",
        "undecided",
        "skipped",
        "not_run",
    ];
    assert_eq!(VerdictKind::ALL.map(VerdictKind::key), keys);
    assert_eq!(verdicts.len(), keys.len());
    keys.iter()
        .for_each(|key| assert_eq!(verdicts.get(*key), Some(&0.into()), "{key}"));
}

#[test]
fn page_escapes_hostile_text() {
    let page = render::html(&sample_report()).unwrap();
    assert!(
        page.contains("test_&#60;script&#62;alert"),
        "the hostile case is missing"
    );
    assert!(!page.contains("<script>alert"), "a case's name became markup");
    assert!(!page.contains("<img"), "a reason became markup");
    assert_eq!(
        page.matches("<script>").count(),
        1,
        "the page's own script, and no other"
    );
}

#[test]
fn page_needs_no_network() {
    let page = render::html(&sample_report()).unwrap();
    let page = page.replace("http://www.w3.org/2000/svg", "");
    for token in ["http:", "https:", "src=\"", "@import", "url(", "<link"] {
        assert!(
            !page.contains(token),
            "the page asks for something elsewhere: {token}"
        );
    }
}

#[test]
fn page_says_what_failed_and_how_to_repeat_it() {
    let page = render::html(&sample_report()).unwrap();
    for text in [
        "cargo xtask conformance --release 1.22.0 --backend tract:plain --filter onnx-1.22.0/node/test_div",
        "crash · SIGFPE",
        "at [0, 1] got 0.25, expected 0.251",
        "official rule",
        "1 not run",
    ] {
        assert!(page.contains(text), "the page does not say: {text}");
    }
}

#[test]
fn page_says_what_is_unexplained_and_what_ran_elsewhere() {
    let page = render::html(&sample_report()).unwrap();
    for text in [
        "Policy</a> bound, version 3",
        "<td class=\"n\">2.50×</td>",
        "1 CPUExecutionProvider for CUDAExecutionProvider: &#60;abs&#62; (Abs)",
        "off by 2 to 4 ULP",
    ] {
        assert!(page.contains(text), "the page does not say: {text}");
    }
}

/// The page's data, as its script reads it.
fn data(page: &str) -> serde_json::Value {
    let (_, rest) = page
        .split_once(r#"<script type="application/json" id="data">"#)
        .unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn the_data_of_the_page_holds_every_result_that_is_no_pass_once() {
    let report = sample_report();
    let data = data(&render::html(&report).unwrap());
    let not_passed = report
        .cases
        .iter()
        .filter(|record| record.verdict != Verdict::Pass);
    let mut expected: Vec<(&str, &str)> = not_passed
        .map(|record| match record.verdict {
            // It belongs to no backend.
            Verdict::Disputed(_) => (record.case.as_str(), ""),
            _ => (record.case.as_str(), record.backend.as_str()),
        })
        .collect();
    let text = |value: &'_ serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<(String, String)> = data["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| {
            let case = &data["cases"][result[0].as_u64().unwrap() as usize];
            let backend = result[1].as_i64().unwrap();
            let backend = usize::try_from(backend).map_or(String::new(), |at| text(&data["backends"][at]));
            (text(&case[0]), backend)
        })
        .collect();
    expected.sort_unstable();
    found.sort_unstable();
    let found: Vec<(&str, &str)> = found
        .iter()
        .map(|(case, backend)| (&**case, &**backend))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn commands_of_the_data_are_those_that_repeat_a_result() {
    let report = sample_report();
    let data = data(&render::html(&report).unwrap());
    for result in data["results"].as_array().unwrap() {
        let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
        let case = text(&data["cases"][result[0].as_u64().unwrap() as usize][0]);
        let named = text(&result[6]);
        let named = if named.is_empty() { case.clone() } else { named };
        let command = text(&data["commands"][result[5].as_u64().unwrap() as usize]) + &named;
        let expected = report.cases.iter().filter(|record| record.case == case);
        let expected: Vec<String> = expected
            .map(|record| render::repeat_command(&report.started.repeat, &record.backend, &record.case))
            .collect();
        assert!(expected.contains(&command), "{command} is none of {expected:?}");
    }
}

#[test]
fn cards_say_what_follows_and_worst_findings_begin_with_wrong_answers() {
    let page = render::html(&sample_report()).unwrap();
    for text in [
        "Gives a wrong answer in 1 of 5 cases (Softmax-13); 2 end in an error, a crash or a timeout.",
        "No wrong answer in 3 cases, but 2 end in an error, a crash or a timeout (Softmax-13).",
        "Only ort fails",
        "3 cases were not run: the result is incomplete.",
    ] {
        assert!(page.contains(text), "the page does not say: {text}");
    }
    let worst = page.split_once("id=\"worst\"").unwrap().1;
    let at = |text: &str| worst.find(text).unwrap();
    assert!(at("mismatch · numeric") < at("crash · SIGFPE") && at("crash · SIGFPE") < at("error · load"));
}

#[test]
fn the_page_shows_what_a_gate_decided() {
    let mut report = sample_report();
    assert!(!render::html(&report).unwrap().contains("id=\"decision\""));
    report.gates = sample::gates();
    let page = render::html(&report).unwrap();
    for text in [
        "✗ Do not release <b>ort</b>",
        "<li>2 regressions: &#60;a&#62; and another</li>",
        "✓ Release <b>tract:plain</b>",
        "onnx-tests/baselines/ort.toml",
    ] {
        assert!(page.contains(text), "the page does not say: {text}");
    }
}

#[test]
fn an_empty_report_renders() {
    let report = crate::fold([Event::RunStarted(Box::default())]);
    assert!(render::html(&report).unwrap().contains("No backend took part"));
    assert!(render::junit(&report).unwrap().contains("the run is incomplete"));
    assert_eq!(render::results_csv(&report).unwrap().lines().count(), 1);
}

#[test]
fn passes_are_counted_not_listed() {
    let passes = (0..500).map(|n| sample::case(&format!("node/test_passing_{n}"), "ort", Verdict::Pass, ""));
    let report = crate::fold(passes.map(|record| Event::CaseFinished(Box::new(record))));
    assert!(!render::html(&report).unwrap().contains("test_passing_"));
}

#[test]
fn files_are_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("deep/report");
    write_all(&sample_report(), &out).unwrap();
    let files = write_all(&sample_report(), &out).unwrap();
    let mut names = files_of(&out);
    names.sort();
    let mut expected = files.clone();
    expected.sort();
    assert_eq!(names, expected, "something else was left in the folder");
    // A picture that a later run has nothing for does not stay.
    assert!(out.join("pictures/opset-support.svg").exists());
    write_all(&View::default(), &out).unwrap();
    assert_eq!(files_of(&out.join("pictures")), Vec::<PathBuf>::new());
}

/// The files of a folder and of the folders in it.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = |path: PathBuf| {
        if path.is_dir() {
            files_of(&path)
        } else {
            vec![path]
        }
    };
    entries.flat_map(files).collect()
}

#[test]
fn a_folder_that_cannot_be_made_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a-file");
    fs::write(&file, "").unwrap();
    let error = write_all(&sample_report(), &file.join("report")).unwrap_err();
    assert!(error.to_string().contains("a-file/report"), "{error}");
}

/// The cell of operator version Blur-1 on the page of operators, if a case with these operators is
/// wrong.
fn cell_of_blur(case: &str, operators: &[&str]) -> String {
    let version = serde_json::json!({
        "domain": "ai.onnx", "name": "Blur", "since": 1, "parameters": [], "attributes": [],
    });
    let exercises = serde_json::json!({
        "event": "case_exercises", "case": format!("onnx-1.22.0/{case}"), "exercises": [{"operator": "Blur-1"}],
    });
    let wrong = run_record::CaseRecord {
        operators: operators.iter().map(|&name| name.to_owned()).collect(),
        ..sample::case(
            case,
            "ort",
            Verdict::Mismatch(run_record::MismatchKind::Numeric),
            "",
        )
    };
    let report = crate::fold([
        Event::Catalogue {
            versions: vec![serde_json::from_value(version).unwrap()],
        },
        serde_json::from_value(exercises).unwrap(),
        Event::CaseFinished(Box::new(wrong)),
    ]);
    let page = render::operators_html(&report).unwrap();
    let cell = page.split_once("<td class=\"c ").unwrap().1;
    cell.split('"').next().unwrap().to_owned()
}

#[test]
fn a_failure_is_put_down_to_the_operator_that_the_case_is_about() {
    assert_eq!(cell_of_blur("node/test_blur", &["Blur-1"]), "b");
    assert_eq!(cell_of_blur("real/test_model", &["Blur-1", "Abs-13"]), "s");
    assert_eq!(cell_of_blur("node/test_abs", &["Abs-13", "Blur-1"]), "s");
}

#[test]
fn phases_and_the_rest_make_up_the_time_of_the_run() {
    let mut report = sample_report();
    report.report.phases = vec![("reference".to_owned(), 1.0)];
    report.report.wall_s = 4.0;
    let page = render::html(&report).unwrap();
    assert!(
        page.contains("25.0 %") && page.contains("all else") && page.contains("75.0 %"),
        "{page}"
    );
}
