//! The official and the own cases on each backend, one test each: `cargo test -p onnx-tests --
//! tract::node::test_softmax`.
//!
//! The official cases are those of the newest release whose data can be downloaded, which keeps `cargo
//! test` short. `ONNX_RELEASES=all`, as in CI, or `ONNX_RELEASES=1.2..1.10` selects others, like
//! `--release`. A case in several of them is one test; a case that only older releases have includes its
//! newest: `tract::1.10.2::node::test_softmax`.
//!
//! A case in the backend's baseline also runs, and must fail as the baseline expects: an unnoticed fix
//! would hide the next regression.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use harness_compare::policy::{OFFICIAL, Policies};
use harness_conformance::gate::{Baseline, transition};
use harness_conformance::observe::RunOptions;
use harness_conformance::run::run_case;
use harness_corpus::errata::Errata;
use harness_corpus::own;
use harness_corpus::{CaseFiles, CaseId, Filter, Releases};
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::backend;
use harness_worker::{Cancel, Pool, WorkerSpec};
use libtest_mimic::{Arguments, Failed, Trial};
use run_record::{CaseRecord, Release, VerdictKind};

/// The releases that are tested.
const RELEASES: &str = "ONNX_RELEASES";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials(&arguments) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: the official cases cannot be run: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials(arguments: &Arguments) -> Result<Vec<Trial>, Box<dyn Error>> {
    let (lock, fetcher) = (
        Lockfile::embedded()?,
        Fetcher::new(Cache::from_env()?, |event| eprintln!("{event}")),
    );
    let releases = releases(&lock)?;
    let mut corpora = harness_fetch::releases(&releases, &lock, &fetcher)?;
    corpora.push(own::corpus()?);
    let cases = Filter::default().select(&corpora)?.cases;
    if !arguments.list {
        onnx_tests::workers::build(backend::ALL)?;
    }
    let mut trials = Vec::new();
    for &name in backend::ALL {
        let backend = Arc::new(Backend::new(name)?);
        for case in &cases {
            let (backend, case) = (Arc::clone(&backend), case.clone());
            let title = format!("{name}::{}", title(&case.id, releases.last()));
            trials.push(Trial::test(title, move || backend.check(&case)));
        }
    }
    Ok(trials)
}

fn releases(lock: &Lockfile) -> Result<Vec<Release>, Box<dyn Error>> {
    match std::env::var(RELEASES) {
        Ok(text) => Ok(text.parse::<Releases>()?.select(&lock.releases())?),
        Err(_) => Ok(lock.newest_wheel().into_iter().collect()),
    }
}

/// `node::test_softmax`, `1.10.2::node::test_softmax`, `own::Softmax::name`.
fn title(id: &CaseId, newest: Option<&Release>) -> String {
    let case = format!("{}::{}", id.suite(), id.name());
    match Release::of_corpus(id.corpus()) {
        None => format!("{}::{case}", id.corpus()),
        Some(release) if Some(&release) == newest => case,
        Some(release) => format!("{release}::{case}"),
    }
}

/// A backend whose workers start with its first test.
struct Backend {
    name: &'static str,
    baseline: Baseline,
    errata: Errata,
    options: RunOptions,
    pool: OnceLock<Result<(WorkerSpec, Pool), String>>,
}

impl Backend {
    fn new(name: &'static str) -> Result<Backend, Box<dyn Error>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("baselines/{name}.toml"));
        Ok(Backend {
            name,
            baseline: Baseline::read(&path, name)?,
            errata: Errata::embedded()?,
            options: RunOptions {
                timeout: Duration::from_secs(60),
                runs: 1,
                policy: Policies::embedded()?.get(OFFICIAL)?,
                memory: false,
            },
            pool: OnceLock::new(),
        })
    }

    fn start(&self) -> Result<(WorkerSpec, Pool), Box<dyn Error>> {
        let (lock, fetcher) = (
            Lockfile::embedded()?,
            Fetcher::new(Cache::from_env()?, |event| eprintln!("{event}")),
        );
        let spec = backend::parse(self.name, &lock, &fetcher)?;
        let workers = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let pool = Pool::start(spec.clone(), workers, Cancel::default())?;
        Ok((spec, pool))
    }

    fn check(&self, case: &CaseFiles) -> Result<(), Failed> {
        let pool = self
            .pool
            .get_or_init(|| self.start().map_err(|error| error.to_string()));
        let (spec, pool) = pool.as_ref().map_err(Failed::from)?;
        let record =
            run_case(pool, spec, case, &self.options, &self.errata).ok_or("the run was cancelled")?;
        // The project's baselines have no terms and no quarantine, which only the gate handles.
        for said in self.baseline.says(&record) {
            let expected = said.map_or(VerdictKind::Pass, |said| said.verdict);
            judge(self.name, expected, &record)?;
        }
        Ok(())
    }
}

/// Compares the observed verdict with the expected one as the gate does: a disputed case is run to check that
/// it is answered, and a flaky one may pass or fail.
fn judge(backend: &str, expected: VerdictKind, record: &CaseRecord) -> Result<(), Failed> {
    let observed = record.verdict.kind();
    let Some(transition) = transition(expected, observed) else {
        return Ok(());
    };
    let advice = format!("cargo xtask gate --backend {backend} --accept {}", record.case);
    let (expected, observed) = (expected.label(), observed.label());
    Err(format!(
        "{transition}: expected {expected}, observed {observed} {}\nif that is right: {advice}",
        record.reason
    )
    .into())
}
