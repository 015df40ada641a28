//! Output that cannot be written: no panic, no lost report, and the documented exit code.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

use crate::program::{Ended, Place, ended};

const RUN: &str = "conformance --no-bounds --noise 0 --cases cases --out out --backend cmd:MOCK";

fn full() -> Stdio {
    OpenOptions::new().write(true).open("/dev/full").unwrap().into()
}

/// The end of a pipe whose reader is closed.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// Runs one good case; the log and all reports must exist even if its output cannot be written.
#[track_caller]
fn check(code: i32, stdout: Stdio, stderr: Stdio) {
    let place = Place::with_cases(&[("a", "healthy")]);
    let status = place.command(RUN).stdout(stdout).stderr(stderr).status().unwrap();
    assert_eq!(status.code(), Some(code), "{status}");
    for name in ["run.jsonl", "report.html", "junit.xml", "summary.json"] {
        assert!(place.read(&format!("out/{name}")).len() > 100, "{name}");
    }
}

#[test]
fn notes_that_cannot_be_written_are_ignored() {
    check(0, Stdio::null(), full());
    check(0, Stdio::null(), closed());
}

#[test]
fn results_that_cannot_be_written_are_an_error_unless_the_reader_is_closed() {
    check(73, full(), Stdio::null());
    check(73, full(), full());
    check(0, closed(), Stdio::null());
    check(0, closed(), closed());
}

#[test]
fn every_command_reports_a_full_stdout() {
    let place = Place::with_cases(&[("a", "healthy")]);
    for line in [
        "--help",
        "conformance --help",
        "--version",
        "check cases/a/model.onnx",
        "check --format json cases/a/model.onnx",
        "tolerance list",
        "coverage --cases cases --gaps",
    ] {
        let status = place.command(line).stdout(full()).stderr(Stdio::null()).status();
        assert_eq!(status.unwrap().code(), Some(73), "{line}");
        let Ended { code, stderr, .. } = ended(place.command(line).stdout(closed()));
        assert!(matches!(code, Some(0 | 1)), "{line}: {code:?} {stderr}");
    }
}

#[test]
fn a_file_beyond_the_size_limit_cannot_be_written() {
    let place = Place::with_cases(&[("a", "healthy")]);
    let program = place.command(RUN);
    let mut shell = Command::new("sh");
    // The limit in blocks of 512 bytes.
    shell
        .args(["-c", "ulimit -f 4 && exec \"$0\" \"$@\""])
        .arg(program.get_program())
        .args(program.get_args())
        .current_dir(place.at(""));
    let Ended { code, stderr, .. } = ended(&mut shell);
    assert_eq!(code, Some(73), "{stderr}");
    assert!(stderr.contains("File too large"), "{stderr}");
}

#[test]
fn links_and_modes_of_written_files_are_kept() {
    let place = Place::with_cases(&[("a", "run:wrong-dtype")]);
    place.write(
        "real.toml",
        "format = 1\nbackend = \"cmd:mock-worker\"\n\n[cases]\n",
    );
    fs::set_permissions(place.at("real.toml"), fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real.toml", place.at("link.toml")).unwrap();
    let line = "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --baseline link.toml --accept '*'";
    assert_eq!(place.run(line).code, Some(0));
    assert!(place.at("link.toml").is_symlink());
    assert_eq!(
        File::open(place.at("real.toml"))
            .unwrap()
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o640
    );
    let text = place.read("real.toml");
    assert!(
        text.contains("local/cases/a") && text.contains("\"cmd:mock-worker\""),
        "{text}"
    );
}

#[test]
fn the_reasons_of_few_failures_are_printed() {
    let run = "conformance --no-bounds --noise 0 --cases cases --backend b=cmd:MOCK --out out --force";
    let place = Place::with_cases(&[("good", "healthy"), ("bad", "run:exit-3")]);
    let ended = place.run(run);
    assert!(
        ended.stdout.contains("local/cases/bad on b: crash: "),
        "{}",
        ended.stdout
    );
    let many = ["a", "b", "c", "d", "e", "f"].map(|name| (name, "run:exit-3"));
    let ended = Place::with_cases(&many).run(run);
    assert!(!ended.stdout.contains(" on b: crash: "), "{}", ended.stdout);
}
