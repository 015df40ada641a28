//! The bounded smoke test: each surface with a fixed number of inputs from a fixed seed.

use std::process::Command;

use onnx_fuzz::surface::{Budget, SURFACES, search};

/// Tests the surface with this name.
#[track_caller]
fn check(name: &str, count: usize) {
    let surface = SURFACES
        .into_iter()
        .find(|(known, _)| *known == name)
        .expect("a surface of this name");
    search(surface, Budget { count, seed: 1 }).unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn files() {
    check("model-file", 20_000);
    check("value-file", 20_000);
    check("archive", 1_000);
}

#[test]
fn the_protocol() {
    check("frame", 10_000);
    check("message", 10_000);
    check("measurements", 2_000);
}

#[test]
fn tables() {
    for name in ["own-cases", "errata", "baseline", "tolerances", "lock-file"] {
        check(name, 1_000);
    }
    check("run-log", 200);
    check("configuration", 2_000);
}

#[test]
fn statements_and_histories() {
    check("envelope", 5_000);
    check("statement", 200);
    check("history", 500);
    check("history-table", 200);
}

#[test]
fn models_through_the_checker_the_reference_and_the_native_backend() {
    let out = tempfile::tempdir().expect("a folder");
    let output = Command::new(env!("CARGO_BIN_EXE_campaign"))
        .args([
            "--count", "2000", "--seed", "1", "--jobs", "2", "--time", "30", "--out",
        ])
        .arg(out.path())
        .output()
        .expect("the campaign starts");
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let texts = std::fs::read_dir(out.path())
        .expect("the folder")
        .flatten()
        .map(|entry| entry.path());
    let texts = texts.filter(|path| path.extension().is_some_and(|extension| extension == "txt"));
    let culprits: String = texts
        .map(|path| std::fs::read_to_string(path).unwrap_or_default())
        .collect();
    assert!(
        output.status.success(),
        "{said}\n{culprits}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
