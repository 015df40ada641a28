//! Produces each exit code that README.md documents; 3 in `bench_models.rs`.

use std::fs;
use std::process::Stdio;

use crate::program::{self, Place, ended, signal, until, wait};
use rustix::process::Signal;

/// A run of one good case on the mock worker.
const RUN: &str = "conformance --no-bounds --noise 0 --cases cases --out out --backend cmd:MOCK";

/// A baseline of the mock worker with this line.
fn baseline(line: &str) -> String {
    format!("format = 1\nbackend = \"cmd:mock-worker\"\n\n[cases]\n{line}\n")
}

/// Cases and files that a table of command lines shares.
fn place() -> Place {
    let place = Place::with_cases(&[("good", "healthy"), ("bad/wrong", "run:wrong-dtype")]);
    fs::rename(place.at("cases/bad"), place.at("wrong")).unwrap();
    fs::create_dir_all(place.at("mixed")).unwrap();
    program::write_case(&place.at("mixed/good"), "healthy");
    program::write_case(&place.at("mixed/torn"), "healthy");
    place.write("mixed/torn/model.onnx", "no model");
    fs::create_dir_all(place.at("bare")).unwrap();
    fs::copy(place.at("cases/good/model.onnx"), place.at("bare/model.onnx")).unwrap();
    fs::create_dir_all(place.at("no outputs/a/test_data_set_0")).unwrap();
    fs::copy(
        place.at("cases/good/model.onnx"),
        place.at("no outputs/a/model.onnx"),
    )
    .unwrap();
    let input = "test_data_set_0/input_0.pb";
    fs::copy(
        place.at("cases/good").join(input),
        place.at("no outputs/a").join(input),
    )
    .unwrap();
    place.write("empty.toml", &baseline(""));
    place.write(
        "stale.toml",
        &baseline("\"local/cases/good\" = { verdict = \"crash\", reason = \"r\" }"),
    );
    place.write("other.toml", &baseline("").replace("mock-worker", "another"));
    place.write(
        "skipping.toml",
        &baseline("\"local/cases/good\" = { verdict = \"skipped\", reason = \"r\" }"),
    );
    place.write("torn.toml", "format = [");
    place.write("file", "");
    place
}

/// Checks the exit code of a command line, and a part of its stderr.
#[track_caller]
fn check(place: &Place, line: &str, code: i32, said: &str) {
    let _ = fs::remove_dir_all(place.at("out"));
    let ended = place.run(line);
    assert_eq!(ended.code, Some(code), "{line}\n{}", ended.stderr);
    assert!(
        ended.stderr.contains(said),
        "{line}: wanted `{said}` in\n{}",
        ended.stderr
    );
}

#[test]
fn command_lines_have_the_documented_exit_codes() {
    let place = place();
    let gate = "gate --no-bounds --policy official --cases cases --backend cmd:MOCK --baseline";
    for (line, code, said) in [
        (RUN, 0, "wrote out/report.html"),
        ("check bare/model.onnx", 1, ""),
        (
            &format!("{RUN} --floor 'cmd:MOCK=2'"),
            1,
            "passes 1 case, its floor is 2",
        ),
        (&RUN.replace("--cases cases", "--cases wrong"), 0, ""),
        (&format!("{gate} empty.toml"), 0, ""),
        (
            &format!("{gate} empty.toml").replace("cases cases", "cases wrong"),
            1,
            "",
        ),
        ("conformance --nonsense", 2, "unexpected argument"),
        (
            "conformance --generated-graphs=5 --rulings",
            2,
            "cannot be used with",
        ),
        ("conformance --rulings", 2, "--generated"),
        (
            "conformance --generated=300 --backend cmd:MOCK",
            2,
            "is less than one case for each",
        ),
        (
            &format!("{RUN} --policy nonsense"),
            2,
            "there is no policy `nonsense`",
        ),
        (
            &format!("{RUN} --tolerances none.toml"),
            2,
            "cannot read the tolerances `none.toml`",
        ),
        (&format!("{RUN} --filter '*[a'"), 2, "is not a pattern of cases"),
        (&format!("{RUN} --floor nobody=1"), 2, "--floor names `nobody`"),
        (
            &format!(
                "{} --fail-on crash,wrong",
                RUN.replace("--cases cases", "--cases wrong")
            ),
            1,
            "fails by --fail-on: 1 mismatch; results.csv lists the cases",
        ),
        (&format!("{RUN} --fail-on crash,wrong"), 0, ""),
        (
            &format!("{RUN} --fail-on crashed"),
            2,
            "expected wrong, broken, or one of",
        ),
        (&format!("{RUN} --resume"), 2, "there is no run to resume"),
        (&format!("{RUN} --backend cmd:MOCK"), 2, "is given twice"),
        (&format!("{RUN} --backend 'cmd:'"), 2, "is not a command"),
        (
            &format!("{RUN} --backend 'ort:threads'"),
            2,
            "is not of the form key=value",
        ),
        (
            &format!("{RUN} --backend 'cmd:MOCK --opt any=1'"),
            2,
            "option `any`: unknown",
        ),
        (
            &format!("{gate} none.toml"),
            2,
            "there is no baseline `none.toml`",
        ),
        (&format!("{gate} torn.toml"), 2, "`torn.toml` is not valid TOML"),
        (
            &format!("{gate} other.toml"),
            2,
            "this is the baseline of `cmd:another`, not of `cmd:mock-worker`",
        ),
        (
            &format!("{gate} skipping.toml"),
            2,
            "`skipped` is not a result of the backend",
        ),
        (
            &format!("{gate} empty.toml --run nowhere"),
            2,
            "cannot read the run log nowhere/run.jsonl",
        ),
        (
            "tolerance add --policy nonsense --dtype float --allow exact --reason r --tolerances file",
            2,
            "file:",
        ),
        (&format!("{RUN} --filter nothing"), 4, "no case matches `nothing`"),
        (
            &RUN.replace("--cases cases", "--cases bare"),
            4,
            "has no `test_data_set_0`",
        ),
        (
            &RUN.replace("--cases cases", "--cases 'no outputs'"),
            4,
            "has no `output_0.pb`",
        ),
        ("coverage --gaps --cases mixed", 4, "1 of 2 cases cannot be read"),
        (
            &RUN.replace("--cases cases", "--cases mixed"),
            4,
            "1 of 2 cases cannot be read",
        ),
        (
            &RUN.replace("cmd:MOCK", "nowhere"),
            6,
            "there is no executable `onnx-worker-nowhere`",
        ),
        (
            &RUN.replace("cmd:MOCK", "cmd:/no/such/worker"),
            6,
            "cannot start `/no/such/worker`",
        ),
        (
            &format!("{RUN} --backend cmd:false"),
            6,
            "the handshake failed: exited with code 1",
        ),
        (&format!("{gate} stale.toml --strict"), 8, ""),
        (&format!("{gate} stale.toml"), 0, ""),
        (
            &RUN.replace("--out out", "--out file/below"),
            73,
            "cannot lock `file/below/run.lock`",
        ),
        (
            &format!("{gate} file/below.toml --accept '*'").replace("--cases cases", "--cases wrong"),
            73,
            "cannot write file/below.toml",
        ),
    ] {
        check(&place, line, code, said);
    }
    place.assert_no_process_left();
}

#[test]
fn nothing_is_written_if_no_case_can_be_run() {
    let place = place();
    check(
        &place,
        &RUN.replace("--cases cases", "--cases bare"),
        4,
        "no case can be run: ",
    );
    assert!(!place.at("out").exists());
}

#[test]
fn a_worker_that_cannot_be_started_again_makes_the_run_incomplete() {
    let place = Place::with_cases(&[("a", "run:exit-3"), ("b", "healthy"), ("c", "healthy")]);
    let run = "conformance --no-bounds --noise 0 --jobs 1 --cases cases --out out --backend 'cmd:MOCK once started'";
    check(&place, run, 5, "the run is incomplete: 3 results missing");
    assert!(place.read("out/summary.json").contains("\"complete\": false"));
    assert!(place.read("out/summary.md").contains("3 cases not run"));
    let gate =
        "gate --cases cases --run out --backend 'cmd:MOCK once started' --baseline b.toml --accept '*'";
    check_kept(&place, gate, 5);
    assert!(
        !place.read("b.toml").contains("not_run"),
        "{}",
        place.read("b.toml")
    );
    fs::remove_file(place.at("started")).unwrap();
    // The worker now starts once more, which is enough because no case ends it.
    program::write_case(&place.at("cases/a"), "healthy");
    let again = place.run(&format!("{run} --resume"));
    assert_eq!(
        again.code,
        Some(2),
        "another case is another run: {}",
        again.stderr
    );
    program::write_case(&place.at("cases/a"), "run:exit-3");
    fs::remove_file(place.at("started")).ok();
    let again = place.run(&format!("{run} --resume"));
    assert_eq!(
        again.code,
        Some(5),
        "the cases that were not run are run: {}",
        again.stderr
    );
}

/// Like [`check`], but with the files of an earlier run.
#[track_caller]
fn check_kept(place: &Place, line: &str, code: i32) {
    let ended = place.run(line);
    assert_eq!(ended.code, Some(code), "{line}\n{}", ended.stderr);
}

#[test]
fn an_interrupted_run_is_incomplete_also_during_the_handshake() {
    let place = Place::with_cases(&[("a", "run:hang"), ("b", "healthy")]);
    for (backend, begun) in [("cmd:sleep 600", "out/run.lock"), ("cmd:MOCK", "out/run.jsonl")] {
        let _ = fs::remove_dir_all(place.at("out"));
        let line = format!(
            "conformance --no-bounds --noise 0 --timeout 600 --cases cases --out out --backend '{backend}'"
        );
        let mut child = place
            .command(&line)
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let has_begun = || {
            fs::read(place.at(begun))
                .is_ok_and(|bytes| !bytes.is_empty())
                .then_some(())
        };
        until("the run has begun", has_begun);
        signal(&child, Signal::INT);
        assert_eq!(wait(&mut child).code(), Some(5), "{backend}");
        place.assert_no_process_left();
    }
}

#[test]
fn a_missing_backend_does_not_affect_others_and_is_in_every_report() {
    let place = Place::with_cases(&[("a", "healthy"), ("b", "healthy")]);
    let run = "conformance --no-bounds --noise 0 --cases cases --out out --backend nowhere --backend cmd:MOCK --backend cmd:false";
    let ended = place.run(run);
    assert_eq!(ended.code, Some(6), "{}", ended.stderr);
    let lines = place.read("out/results.csv").lines().count();
    assert_eq!(lines, 3, "a header, and two cases of the available backend");
    for name in ["summary.md", "summary.json", "report.html", "junit.xml"] {
        let text = place.read(&format!("out/{name}"));
        assert!(
            text.contains("onnx-worker-nowhere") && text.contains("cmd:false"),
            "{name}: {text}"
        );
    }
    assert!(
        ended.stdout.contains("nowhere is missing, 2 cases not run"),
        "{}",
        ended.stdout
    );
}

#[test]
fn an_internal_error_has_its_own_exit_code() {
    let place = Place::with_cases(&[("a", "healthy")]);
    // The program cannot start a thread with a stack of this size.
    let mut command = place.command(&RUN.replace("--out out", "--out fault"));
    let ended = ended(command.env("RUST_MIN_STACK", (1_u64 << 46).to_string()));
    assert_eq!(ended.code, Some(70), "{}", ended.stderr);
    assert!(ended.stderr.contains("internal error"), "{}", ended.stderr);
}

#[test]
fn a_bench_without_a_valid_latency_is_inconclusive() {
    let line = "bench --model squeezenet --weights constant --rounds 1 --samples 1 --warmup 0 --threads 1 --out out --backend cmd:MOCK";
    // The mock is both the reference and the backend, and supports no model.
    let ended = ended(&mut Place::new().command_with_mock_reference(line));
    assert_eq!(ended.code, Some(7), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("inconclusive: squeezenet"),
        "{}",
        ended.stderr
    );
}
