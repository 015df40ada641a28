//! The workers of this repository follow the protocol: no check of `backends verify` fails. What a runtime
//! does not support is not a failure.

use harness_conformance::verify::{Finding, Outcome, verify};
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::{Cancel, backend};

#[track_caller]
fn check(name: &str) {
    onnx_tests::workers::build(&[name]).unwrap_or_else(|error| panic!("{error}"));
    let lock = Lockfile::embedded().unwrap();
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let spec = backend::parse(name, &lock, &fetcher).unwrap();
    let findings = verify(spec, &Cancel::default(), |_| {}).unwrap();
    let failed: Vec<&Finding> = findings
        .iter()
        .filter(|finding| matches!(finding.outcome, Outcome::Failed(_)))
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
    assert!(findings.len() > 100, "{} checks", findings.len());
}

#[test]
fn the_reference_follows_the_protocol() {
    check("reference");
}

#[test]
fn native_follows_the_protocol() {
    check("native");
}

#[test]
fn onnx_runtime_follows_the_protocol() {
    check("ort");
}

#[test]
fn tract_follows_the_protocol() {
    check("tract");
}
