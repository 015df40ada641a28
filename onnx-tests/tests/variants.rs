//! Metamorphic variants: each case in forms that must not change its answer, on the reference and on native;
//! one test for a case with all its variants: `cargo test -p onnx-tests --test variants --
//! native::node::test_gemm`.
//!
//! The reference must pass every variant. Native must have the same verdict for each variant as for the
//! plain case; its baseline lists the cases that it does not pass. The light models are omitted: their
//! weights are one constant, and each variant of them would run for seconds. `cargo xtask conformance
//! --variants --filter /light/` runs them.

use std::error::Error;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use harness_compare::policy::{OFFICIAL, Policies};
use harness_conformance::observe::RunOptions;
use harness_conformance::run::run_case;
use harness_conformance::variants::expand;
use harness_corpus::errata::Errata;
use harness_corpus::own;
use harness_corpus::{CaseFiles, Filter};
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::backend;
use harness_worker::{Cancel, Pool, WorkerSpec};
use libtest_mimic::{Arguments, Failed, Trial};
use run_record::Report;
use run_record::{CaseRecord, Event, VariantId, VariantKind, VerdictKind};

const BACKENDS: [&str; 2] = [REFERENCE, "native"];
const REFERENCE: &str = "reference";

/// The omitted suite.
const LIGHT: &str = "light";

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    match trials(&arguments) {
        Ok(trials) => libtest_mimic::run(&arguments, trials).exit_code(),
        Err(error) => {
            eprintln!("error: the variants cannot be run: {error}");
            ExitCode::FAILURE
        }
    }
}

fn trials(arguments: &Arguments) -> Result<Vec<Trial>, Box<dyn Error>> {
    let (lock, fetcher) = (
        Lockfile::embedded()?,
        Fetcher::new(Cache::from_env()?, |event| eprintln!("{event}")),
    );
    let newest: Vec<_> = lock.newest_wheel().into_iter().collect();
    let mut corpora = harness_fetch::releases(&newest, &lock, &fetcher)?;
    corpora.push(own::corpus()?);
    let mut cases = Filter::default().select(&corpora)?.cases;
    cases.retain(|case| case.id.suite() != LIGHT);
    if !arguments.list {
        onnx_tests::workers::build(&BACKENDS)?;
    }
    let mut trials = Vec::new();
    for name in BACKENDS {
        let backend = Arc::new(Backend::new(name)?);
        for case in &cases {
            let (backend, case) = (Arc::clone(&backend), case.clone());
            let title = format!("{name}::{}::{}", case.id.suite(), case.id.name());
            trials.push(Trial::test(title, move || backend.check(&case)));
        }
    }
    Ok(trials)
}

/// A backend whose workers start with its first test.
struct Backend {
    name: &'static str,
    errata: Errata,
    options: RunOptions,
    pool: OnceLock<Result<(WorkerSpec, Pool), String>>,
}

impl Backend {
    fn new(name: &'static str) -> Result<Backend, Box<dyn Error>> {
        Ok(Backend {
            name,
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
        let mut events = Vec::new();
        for files in expand(vec![case.clone()], &VariantKind::ALL, |_| true).cases {
            let record =
                run_case(pool, spec, &files, &self.options, &self.errata).ok_or("the run was cancelled")?;
            events.push(Event::CaseFinished(Box::new(record)));
        }
        let report = Report::fold(events);
        let wrong = report.cases.iter().filter(|record| self.is_wrong(record));
        let wrong: Vec<String> = wrong
            .map(|record| format!("{}: {}", record.case, record.reason))
            .collect();
        if wrong.is_empty() {
            Ok(())
        } else {
            Err(wrong.join("\n").into())
        }
    }

    /// Whether a variant differs from its plain case, or the reference does not pass it.
    fn is_wrong(&self, record: &CaseRecord) -> bool {
        match record.verdict.kind() {
            VerdictKind::Pass | VerdictKind::Disputed => false,
            VerdictKind::VariantDiffers => true,
            _ => self.name == REFERENCE && VariantId::parse(&record.case).is_some(),
        }
    }
}
