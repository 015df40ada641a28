//! The official cases and the own ones on each backend, one test each: `cargo test -p onnx-tests -- tract::node::test_softmax`.
//!
//! A case that the backend's baseline lists runs as well, and must fail in the way the baseline says: a fix that nobody
//! notices would hide the next regression.

use std::error::Error;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use harness::backend;
use harness::corpus::{Cache, CaseFiles, CaseId, Corpus, Fetcher, Lockfile};
use harness::errata::Errata;
use harness::gate::Baseline;
use harness::observe::Conduct;
use harness::own;
use harness::policy::{OFFICIAL, Policies};
use harness::run::run_case;
use harness::worker::{Cancel, Pool, WorkerSpec};
use libtest_mimic::{Arguments, Failed, Trial};
use reports::record::{CaseRecord, VerdictKind};

const CORPUS: &str = "onnx-1.22.0";
const BACKENDS: [&str; 3] = ["reference", "ort", "tract"];
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
    let corpora = [Corpus::pinned(CORPUS, &lock, &fetcher)?, own::corpus()?];
    if !arguments.list {
        onnx_tests::workers::build()?;
    }
    let mut trials = Vec::new();
    for name in BACKENDS {
        let backend = Arc::new(Backend::new(name)?);
        for case in corpora.iter().flat_map(Corpus::cases) {
            let (backend, case) = (Arc::clone(&backend), case.clone());
            let title = format!("{name}::{}", title(&case.id));
            trials.push(Trial::test(title, move || backend.check(&case)));
        }
    }
    Ok(trials)
}

/// `node::test_softmax`, `own::Softmax::name`.
fn title(id: &CaseId) -> String {
    match id.corpus() {
        own::CORPUS => format!("{}::{}::{}", own::CORPUS, id.suite(), id.name()),
        _ => format!("{}::{}", id.suite(), id.name()),
    }
}

/// A backend whose workers start with its first test.
struct Backend {
    name: &'static str,
    baseline: Baseline,
    errata: Errata,
    conduct: Conduct,
    pool: OnceLock<Result<(WorkerSpec, Pool), String>>,
}

impl Backend {
    fn new(name: &'static str) -> Result<Backend, Box<dyn Error>> {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("baselines/{name}.toml"));
        Ok(Backend {
            name,
            baseline: Baseline::read(&path, name)?,
            errata: Errata::embedded()?,
            conduct: Conduct {
                timeout: Duration::from_secs(60),
                runs: 1,
                policy: Policies::embedded()?.get(OFFICIAL)?,
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
            run_case(pool, spec, case, &self.conduct, &self.errata).ok_or("the run was cancelled")?;
        judge(self.name, self.baseline.expected(&record.case), &record)
    }
}

/// What was observed must be what is expected.
fn judge(backend: &str, expected: VerdictKind, record: &CaseRecord) -> Result<(), Failed> {
    let observed = record.verdict.kind();
    // What the errata dispute is run, so that it is known to be answered somehow, and proves nothing.
    if observed == expected || observed == VerdictKind::Disputed {
        return Ok(());
    }
    let advice = format!("cargo xtask gate --backend {backend} --accept {}", record.case);
    let (expected, observed) = (expected.label(), observed.label());
    Err(format!(
        "expected {expected}, observed {observed} {}\nif that is right: {advice}",
        record.reason
    )
    .into())
}
