//! Models that must be refused: the reference and the native backend accept none wrongly, and a
//! strict reference accepts none.

use std::num::NonZeroUsize;
use std::time::Duration;

use harness_conformance::rejections::{Verdict, rejected};
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::{Cancel, backend};

/// The verdicts of a backend that are not among these, with the names of the models.
fn others(text: &str, allowed: &[Verdict]) -> Vec<String> {
    onnx_tests::workers::build(&["reference", "native"]).unwrap_or_else(|error| panic!("{error}"));
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let spec = backend::parse(text, &Lockfile::embedded().unwrap(), &fetcher).unwrap();
    let models = onnx_rejections::all();
    let (workers, cancel) = (NonZeroUsize::MIN, Cancel::default());
    let rejected = rejected(spec, &models, workers, Duration::from_secs(60), &cancel).unwrap();
    assert_eq!(rejected.verdicts.len(), models.len());
    let other = rejected
        .verdicts
        .iter()
        .filter(|(_, verdict)| !allowed.contains(verdict));
    other
        .map(|(index, verdict)| format!("{}: {}", models[*index].name, verdict.label()))
        .collect()
}

#[test]
fn the_reference_accepts_no_model_wrongly() {
    let allowed = [Verdict::Refused, Verdict::Unsupported, Verdict::Allowed];
    assert_eq!(others("reference", &allowed), Vec::<String>::new());
}

#[test]
fn the_native_backend_takes_no_model_wrongly() {
    let allowed = [Verdict::Refused, Verdict::Unsupported, Verdict::Allowed];
    assert_eq!(others("native", &allowed), Vec::<String>::new());
}

#[test]
fn a_strict_reference_refuses_every_model() {
    assert_eq!(
        others("reference:strict=on", &[Verdict::Refused]),
        Vec::<String>::new()
    );
}
