//! The noise of a complete model, from random weights to the report, with backends whose distance from
//! the reference is known.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use harness_bench::export;
use harness_compare::policy::{OFFICIAL, Policies};
use harness_conformance::observe::RunOptions;
use harness_conformance::referee::Effort;
use harness_conformance::run::{Earlier, Measured, NoisePlan, Participants, Plan, RunDirectory, run};
use harness_console::Progress;
use harness_corpus::errata::Errata;
use harness_corpus::{Corpus, Filter};
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::Cancel;
use harness_worker::backend;
use run_record::Report;
use run_record::{Arithmetic, Noise, RunStarted};

const TIMEOUT: Duration = Duration::from_secs(60);

/// The reference, and the reference with a random rounding that no run of the measurement has.
const EXACT: &str = "reference";
const NOISY: &str = "reference:noise=1000";

fn report() -> Report {
    onnx_tests::workers::build(&[EXACT]).unwrap_or_else(|error| panic!("{error}"));
    let lock = Lockfile::embedded().unwrap();
    let fetcher = Fetcher::new(Cache::from_env().unwrap(), |event| eprintln!("{event}"));
    let official =
        harness_fetch::pinned("onnx-1.22.0", &lock, &fetcher).unwrap_or_else(|error| panic!("{error}"));
    let light = Filter::new(&["light/test_squeezenet".to_owned()]).unwrap();
    let light = light.select(&[official]).unwrap().cases;
    let spec = |text| backend::parse(text, &lock, &fetcher).unwrap();
    let cancel = Cancel::default();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("noise");
    export(&light, 0, spec(EXACT), TIMEOUT, &cancel, &folder).unwrap();
    let plan = Plan {
        cases: Corpus::local(&folder.join("squeezenet"))
            .unwrap()
            .cases()
            .to_vec(),
        defects: Vec::new(),
        variants: Vec::new(),
        backends: vec![spec(EXACT), spec(NOISY)],
        missing: Vec::new(),
        workers: NonZeroUsize::new(2).unwrap(),
        measured: Measured::Cases,
        options: RunOptions {
            timeout: TIMEOUT,
            runs: 1,
            policy: Policies::embedded().unwrap().get(OFFICIAL).unwrap(),
            memory: false,
        },
        reference: None,
        noise: Some(NoisePlan {
            reference: spec(EXACT),
            effort: Effort {
                runs: Some(8),
                classes: &[Arithmetic::Rounded],
                always: true,
                ..Effort::ADAPTIVE
            },
            nodes: None,
        }),
        errata: Errata::none(),
        started: RunStarted::default(),
        fail_fast: false,
        retries: 0,
        selected: String::new(),
        corpus_s: 0.0,
    };
    let participants = Participants::start(&plan, &cancel).unwrap();
    let started = plan.started(&participants);
    let directory = RunDirectory::take(&folder).unwrap();
    let log = directory.open_log(&started, Earlier::REPLACED).unwrap();
    run(&plan, participants, started, log, &cancel, &Progress::Silent).unwrap()
}

/// The noise of every data set on a backend.
fn of<'r>(report: &'r Report, backend: &'r str) -> Vec<&'r Noise> {
    let outputs = report.cases_of(backend).flat_map(|record| &record.outputs);
    let found: Vec<&Noise> = outputs.filter_map(|output| output.noise.as_deref()).collect();
    assert_eq!(found.len(), 4, "one for each data set on {backend}");
    found
}

#[test]
fn a_backend_that_differs_only_in_rounding_is_within_the_noise() {
    let report = report();
    for (exact, noisy) in of(&report, EXACT).into_iter().zip(of(&report, NOISY)) {
        assert_eq!(exact.floor, noisy.floor, "the floor is the model's");
        assert_eq!((exact.floor.runs, exact.floor.elements), (8, 1000));
        assert!((5.0..7.3).contains(&exact.floor.digits), "{:?}", exact.floor);
        assert_eq!((exact.deviation.max, exact.deviation.beyond), (0.0, 0));
        assert!(
            (0.3..2.0).contains(&noisy.deviation.median),
            "{:?}",
            noisy.deviation
        );
        assert_eq!(noisy.deviation.beyond, 0, "{:?}", noisy.deviation);
        for noise in [exact, noisy] {
            let scores = noise.scores.as_ref().expect("probabilities look like scores");
            assert_eq!((scores.rows, scores.top1, scores.flips()), (1, 1, 0));
            assert!(noise.fit.as_ref().is_some_and(|fit| !fit.is_scaled(&noise.floor)));
        }
    }
}
