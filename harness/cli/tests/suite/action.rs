//! Tests of the GitHub action: runs its script like a runner, and checks that its file names existing
//! things.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::program::{Ended, MOCK, Place, ended};
use regex::Regex;

fn action() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../action")
}

/// Runs the script with a command, like the action.
fn run(place: &Place, command: &str) -> Ended {
    let mut script = Command::new("bash");
    script
        .arg(action().join("run.sh"))
        .arg("run")
        .current_dir(place.at(""))
        .env("PROGRAM", env!("CARGO_BIN_EXE_onnx-conformance"))
        .env("COMMAND", command.replace("MOCK", MOCK))
        .env("OUT", "out")
        .env("GITHUB_STEP_SUMMARY", place.at("summary"))
        .env("GITHUB_OUTPUT", place.at("output"));
    ended(&mut script)
}

#[test]
fn the_command_runs_and_its_exit_code_is_the_step_s() {
    let place = Place::with_cases(&[("good", "healthy"), ("wrong", "run:wrong-shape")]);
    let line = "conformance --no-bounds --noise 0 --cases cases --backend 'cmd:MOCK slow 0'";
    let passed = run(&place, line);
    assert_eq!(passed.code, Some(0), "{}", passed.stderr);
    assert!(
        place.read("summary").contains("mismatch"),
        "{}",
        place.read("summary")
    );
    assert_eq!(place.read("output"), "exit-code=0\nreport=out\n");
    let failed = run(&place, &format!("{line} --floor 'cmd:MOCK slow 0=2'"));
    assert_eq!(failed.code, Some(1), "{}", failed.stderr);
    assert!(place.read("output").ends_with("exit-code=1\nreport=out\n"));
    assert_eq!(run(&place, "").code, Some(2));
}

#[test]
fn a_gate_annotates() {
    let place = Place::with_cases(&[("wrong", "run:wrong-shape")]);
    place.write("base.toml", "format = 1\nbackend = \"mock-worker\"\n\n[cases]\n");
    let gate = run(
        &place,
        "gate --no-bounds --policy official --cases cases --backend mock-worker=cmd:MOCK --baseline base.toml",
    );
    assert_eq!(gate.code, Some(1), "{}{}", gate.stdout, gate.stderr);
    assert!(gate.stdout.contains("::error "), "{}", gate.stdout);
}

#[test]
fn the_action_names_existing_inputs_and_files() {
    let text = fs::read_to_string(action().join("action.yml")).unwrap();
    let declared = |section: &str| {
        let block = text.split(&format!("\n{section}:\n")).nth(1).unwrap_or_default();
        let names = Regex::new(r"(?m)^  ([a-z-]+):$").unwrap();
        let end = Regex::new(r"(?m)^\S").unwrap();
        let block = end.find(block).map_or(block, |end| &block[..end.start()]);
        names
            .captures_iter(block)
            .map(|name| name[1].to_owned())
            .collect::<Vec<_>>()
    };
    let used = Regex::new(r"inputs\.([a-z-]+)").unwrap();
    let inputs = declared("inputs");
    assert_eq!(inputs, ["command", "out", "artifact", "package"]);
    for name in used.captures_iter(&text) {
        assert!(inputs.contains(&name[1].to_owned()), "{}", &name[0]);
    }
    let script = fs::read_to_string(action().join("run.sh")).unwrap();
    let outputs = Regex::new(r"steps\.run\.outputs\.([a-z-]+)").unwrap();
    for name in outputs.captures_iter(&text) {
        assert!(script.contains(&format!("{}=%s", &name[1])), "{}", &name[0]);
    }
}
