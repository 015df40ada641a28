//! Options that several commands have: each command has only those that it follows, and follows them.

use std::collections::BTreeMap;

use clap::{Command, Subcommand};

use crate::program::Place;

/// The options of workers, judgement and cases, each with the commands that follow it.
const FOLLOWED: &[(&str, &str)] = &[
    (
        "timeout",
        "accumulation, ambiguities, backends choose, bench, bisect, check, compare, conformance, exhaustive, gate, keep, locate, mutate, power, profile, randomize, reduce, statement verify, upgrade",
    ),
    (
        "memory",
        "accumulation, ambiguities, backends choose, bench, bisect, check, compare, conformance, coverage, exhaustive, gate, keep, locate, mutate, power, profile, randomize, reduce, statement verify, upgrade",
    ),
    (
        "locale",
        "accumulation, ambiguities, backends choose, bisect, check, compare, conformance, exhaustive, gate, keep, locate, reduce, statement verify, upgrade",
    ),
    (
        "jobs",
        "accumulation, ambiguities, backends choose, compare, conformance, exhaustive, gate, mutate, reduce, statement verify",
    ),
    (
        "policy",
        "compare, conformance, gate, statement verify, tolerance add",
    ),
    (
        "tolerances",
        "compare, conformance, gate, mutate, statement make, statement verify, tolerance add, tolerance list",
    ),
    ("runs", "compare, conformance, gate, profile, statement verify"),
    ("no-bounds", "conformance, gate, statement verify"),
    ("noise", "backends choose, compare, conformance"),
    ("trust", "backends choose, compare, keep, locate, reduce"),
    (
        "filter",
        "conformance, coverage, gate, kit make, mutate, statement verify, upgrade",
    ),
    (
        "variants",
        "conformance, coverage, gate, kit make, mutate, statement verify, upgrade",
    ),
    ("generated-graphs", "conformance"),
    (
        "special",
        "backends choose, bisect, compare, locate, profile, reduce, upgrade",
    ),
];

/// An option, its value, a command line with it, the exit code, and what is said.
const REFUSED: &[(&str, &str, i32, &str)] = &[
    (
        "conformance --cases cases --backend cmd:MOCK",
        "--policy nonsense",
        2,
        "nonsense",
    ),
    (
        "gate --cases cases --backend cmd:MOCK --baseline b.toml --accept '*'",
        "--policy nonsense",
        2,
        "nonsense",
    ),
    (
        "conformance --cases cases --backend cmd:MOCK",
        "--tolerances nowhere.toml",
        2,
        "nowhere.toml",
    ),
    (
        "gate --policy official --cases cases --backend cmd:MOCK --baseline b.toml --accept '*'",
        "--tolerances nowhere.toml",
        2,
        "nowhere.toml",
    ),
    ("tolerance list", "--tolerances nowhere.toml", 2, "nowhere.toml"),
    ("conformance --backend cmd:MOCK", "--cases nowhere", 2, "nowhere"),
    ("coverage", "--cases nowhere", 2, "nowhere"),
    ("mutate --backend cmd:MOCK", "--cases nowhere", 2, "nowhere"),
    ("kit make", "--cases nowhere", 2, "nowhere"),
    ("upgrade --suite --to 21", "--cases nowhere", 2, "nowhere"),
    (
        "coverage --cases cases",
        "--variants",
        2,
        "--variants changes nothing",
    ),
    (
        "conformance --cases cases --backend cmd:MOCK",
        "--filter none",
        4,
        "no case",
    ),
    ("coverage --cases cases", "--filter none", 4, ""),
    (
        "conformance --cases cases",
        "--backend cmd:",
        2,
        "is not a command",
    ),
    (
        "locate cases/a/model.onnx",
        "--backend ort:threads",
        2,
        "is not of the form key=value",
    ),
    (
        "bisect cases/a/model.onnx --over threads=1,2",
        "--backend onnx-backend:",
        2,
        "names no module",
    ),
    (
        "locate cases/a/model.onnx --backend ort",
        "--with cmd:",
        2,
        "is not a command",
    ),
    (
        "reduce cases/a/model.onnx --backend ort",
        "--trust cmd:",
        2,
        "is not a command",
    ),
    ("keep reduced", "--on cmd:", 2, "is not a command"),
    (
        "bench m.onnx --backend ort",
        "--against cmd:",
        2,
        "is not a command",
    ),
    ("conformance --generated", "--witness cmd:", 2, "is not a command"),
];

/// The commands below a command that do something, by the words that call them.
fn leaves(command: &Command, words: &str, found: &mut BTreeMap<String, Vec<String>>) {
    for below in command.get_subcommands() {
        let words = format!("{words} {}", below.get_name()).trim().to_owned();
        if below.has_subcommands() {
            leaves(below, &words, found)
        } else {
            let options = below.get_arguments().filter_map(|arg| arg.get_long());
            found.insert(words, options.map(str::to_owned).collect());
        }
    }
}

#[test]
fn no_command_has_an_option_that_it_does_not_follow() {
    let root = harness_cli::Command::augment_subcommands(Command::new("onnx-conformance"));
    let mut commands = BTreeMap::new();
    leaves(&root, "", &mut commands);
    assert!(commands.len() > 40, "{commands:?}");
    for (option, expected) in FOLLOWED {
        let with = commands
            .iter()
            .filter(|(_, options)| options.iter().any(|known| known == option));
        let with: Vec<&str> = with.map(|(command, _)| command.as_str()).collect();
        assert_eq!(with.join(", "), *expected, "--{option}");
    }
}

#[test]
fn a_value_that_cannot_be_followed_is_refused() {
    for (line, option, code, said) in REFUSED {
        let place = Place::with_cases(&[("a", "healthy")]);
        let ended = place.run(&format!("{line} {option}"));
        assert_eq!(
            ended.code,
            Some(*code),
            "{line} {option}: {}{}",
            ended.stdout,
            ended.stderr
        );
        assert!(ended.stderr.contains(said), "{line} {option}: {}", ended.stderr);
    }
}
