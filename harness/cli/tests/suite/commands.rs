//! Tests of completions, manual pages, lists, and verbosity.

use std::fs;
use std::process::Command;

use crate::program::{Place, ended};

const RUN: &str = "conformance --no-bounds --noise 0 --cases cases --out out --backend cmd:MOCK";

#[test]
fn a_shell_takes_the_completions() {
    let place = Place::new();
    for (shell, mark) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef"),
        ("fish", "complete -c"),
        ("elvish", "edit:"),
    ] {
        let ended = place.run(&format!("completions {shell}"));
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(
            ended.stdout.contains(mark) && ended.stdout.contains("fail-fast"),
            "{shell}: {}",
            ended.stdout
        );
        place.write(shell, &ended.stdout);
    }
    let read = ended(Command::new("bash").arg("-n").arg(place.at("bash")));
    assert_eq!(read.code, Some(0), "{}", read.stderr);
}

#[test]
fn every_command_has_a_manual_page() {
    let place = Place::new();
    assert_eq!(place.run("man pages").code, Some(0));
    let help = place.run("--help").stdout;
    let commands = help
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let mut pages = 0;
    for command in commands {
        let path = place.at(format!("pages/onnx-conformance-{command}.1"));
        // Lines of descriptions and options name no command.
        if let Ok(page) = fs::read_to_string(path) {
            assert!(page.contains(".TH") && page.contains(".SH SYNOPSIS"), "{command}");
            pages += 1;
        }
    }
    assert!(pages >= 29, "{help}");
}

#[test]
fn cases_are_listed_and_nothing_is_run() {
    let place = Place::with_cases(&[("a", "healthy"), ("b", "healthy")]);
    let ended = place.run(&format!("{RUN} --list"));
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), "local/cases/a\nlocal/cases/b\n")
    );
    let ended = place.run(&format!("{RUN} --list=json --filter local/cases/a"));
    let listed: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(listed["cases"][0]["id"], "local/cases/a");
    assert_eq!(listed["cases"].as_array().unwrap().len(), 1);
    assert!(!place.at("out").exists(), "a list writes nothing");
    place.write("cases/b/model.onnx", "no model");
    fs::remove_dir_all(place.at("cases/a")).unwrap();
    assert_eq!(place.run(&format!("{RUN} --list --filter none")).code, Some(4));
}

#[test]
fn open_questions_are_listed_and_nothing_is_run() {
    let place = Place::new();
    let ended = place.run("ambiguities --list resize-extent");
    assert_eq!(
        (ended.code, ended.stdout.as_str()),
        (Some(0), "resize-extent=f32 or real\n")
    );
    assert!(place.run("ambiguities --list").stdout.lines().count() > 20);
    let ended = place.run("ambiguities --list resize");
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("`resize` is not an open question"),
        "{}",
        ended.stderr
    );
}

#[test]
fn models_that_must_be_refused_are_counted() {
    let place = Place::new();
    // The mock worker answers only its own models.
    let ended = place.run("conformance --rejections --backend cmd:MOCK");
    assert!(
        ended.stdout.contains("models that must be refused"),
        "{}{}",
        ended.stdout,
        ended.stderr
    );
    assert!(ended.stdout.contains("accepted wrongly"), "{}", ended.stdout);
}

#[test]
fn populations_of_a_worker_without_sums_are_no_result() {
    let place = Place::new();
    // The mock worker returns its inputs.
    let ended = place.run("accumulation --backend cmd:MOCK --operator ReduceSum");
    assert_eq!(ended.code, Some(4), "{}{}", ended.stdout, ended.stderr);
    assert!(
        ended.stdout.contains("0 populations explained"),
        "{}",
        ended.stdout
    );
    let ended = place.run("accumulation --backend cmd:MOCK --operator ReduceSum --format json");
    let document: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let rows = document["backends"][0]["populations"].as_array().unwrap();
    assert_eq!(rows.len(), 48);
    assert!(
        rows.iter()
            .all(|row| row["verdict"].is_null() && row["reason"].is_string())
    );
    let ended = place.run("accumulation --backend cmd:MOCK --operator ReduceSum --out sums");
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let table = fs::read_to_string(place.at("sums/populations.csv")).unwrap();
    assert_eq!(table.lines().count(), 49, "{table}");
    let ended = place.run("accumulation --backend cmd:MOCK --operator Pad");
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("no sums are tested for Pad"),
        "{}",
        ended.stderr
    );
}

/// The old spelling of a command or an option, and the one that help shows.
const RENAMED: [(&str, &str); 3] = [
    (
        "populations --backend cmd:MOCK --operator Pad",
        "accumulation --backend cmd:MOCK --operator Pad",
    ),
    ("readings --list", "ambiguities --list"),
    (
        "merge a --populations none.json",
        "merge a --accumulation none.json",
    ),
];

#[test]
fn old_spellings_still_run_and_help_shows_the_new_ones() {
    let place = Place::new();
    for (old, new) in RENAMED {
        let [old, new] = [old, new].map(|command| place.run(command));
        assert_eq!(
            (old.code, old.stdout, old.stderr),
            (new.code, new.stdout, new.stderr)
        );
    }
    for command in ["", "conformance ", "merge "] {
        let help = place.run(&format!("{command}--help")).stdout;
        for old in [" populations  ", " readings  ", "--populations"] {
            assert!(!help.contains(old), "{command}--help shows {old}");
        }
    }
}

#[test]
fn with_fail_fast_a_run_ends_at_its_first_failure() {
    // The run does not wait for the second case, which never ends.
    let place = Place::with_cases(&[("a", "run:wrong-shape"), ("b", "run:hang"), ("c", "healthy")]);
    let ended = place.run(&format!("{RUN} --fail-fast --jobs 1 --timeout 50"));
    assert_eq!(ended.code, Some(1), "{}", ended.stderr);
    assert!(ended.stderr.contains("--fail-fast"), "{}", ended.stderr);
    let report = place.report("out");
    let wrong = report.backends[0].tally.get(run_record::VerdictKind::Mismatch);
    assert_eq!((wrong, report.backends[0].not_run()), (1, 2));
}

#[test]
fn verbosity_follows_the_options() {
    let place = Place::with_cases(&[("good", "healthy"), ("wrong", "run:wrong-shape")]);
    let ended = place.run(&format!("{RUN} --quiet"));
    assert_eq!(ended.stderr, "");
    assert!(ended.stdout.contains("mismatch"), "{}", ended.stdout);
    let ended = place.run(&format!("{RUN} -v"));
    assert!(
        ended.stderr.contains("mismatch: local/cases/wrong: "),
        "{}",
        ended.stderr
    );
    assert_eq!(place.run(&format!("{RUN} -q -v")).code, Some(2));
}

#[test]
fn colours_follow_the_option() {
    let place = Place::with_cases(&[("good", "healthy")]);
    for (arguments, coloured) in [("", false), (" --color always", true), (" --color never", false)] {
        let ended = place.run(&format!("{RUN}{arguments}"));
        assert_eq!(
            ended.stdout.contains('\u{1b}'),
            coloured,
            "{arguments}: {}",
            ended.stdout
        );
    }
}
