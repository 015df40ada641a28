//! `--generated`: generated cases with the outputs of a witness as expected outputs.

use clap::Args;
use harness_conformance::generated::{self, Generated, Kind, Request, WITNESS};
use harness_console::note;
use harness_corpus::{CorpusError, Filter};
use harness_fetch::{Fetcher, Lockfile};
use harness_worker::{BackendArg, Cancel};

use super::CliError;
use super::arguments::Arguments;
use super::selection::{Cases, Selected};
use super::variants;
use super::workers::Backends;

/// Which cases are generated, and the witness.
#[derive(Args, Clone, Debug)]
pub struct Generating {
    /// Generated cases instead: at most N (default 60000) over every operator version, type and
    /// attribute value. Expected outputs are not stored; the witness computes them.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "60000",
          conflicts_with_all = ["cases", "release", "own"])]
    pub generated: Option<usize>,
    /// Generated graphs instead: N (default 300) of 5 to 50 nodes, in the patterns that frameworks
    /// export and backends fuse.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "300",
          conflicts_with_all = ["cases", "release", "own", "generated"])]
    pub generated_graphs: Option<usize>,
    /// Generated cases of the operators that ONNX Runtime adds (domain `com.microsoft`) instead: at most N
    /// (default 6000).
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "6000",
          conflicts_with_all = ["cases", "release", "own", "generated", "generated_graphs"])]
    pub contrib: Option<usize>,
    /// The seed of generated cases.
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub generated_seed: u64,
    /// Group the wrong answers to generated cases by cause, and match them with the ledger of rulings:
    /// fail (exit 1) if a group has no ruling, or a ruling matches no group. Writes rulings.md and the
    /// smallest model of each group to --out.
    #[arg(long, requires = "generated", conflicts_with = "generated_graphs")]
    pub rulings: bool,
    /// The backend whose outputs are expected for generated cases. It is not judged by them itself.
    #[arg(long, value_name = "BACKEND", default_value = WITNESS)]
    pub witness: BackendArg,
}

impl Generating {
    /// No generated cases.
    pub(super) fn none() -> Generating {
        Generating {
            generated: None,
            generated_graphs: None,
            contrib: None,
            generated_seed: 0,
            rulings: false,
            witness: BackendArg::installed(WITNESS),
        }
    }

    /// What is generated, and the maximum number; `None` if the cases have another source.
    pub(super) fn asked(&self) -> Option<(Kind, usize)> {
        let operators = self.generated.map(|most| (Kind::Operators, most));
        let contrib = self.contrib.map(|most| (Kind::Contrib, most));
        operators
            .or(contrib)
            .or(self.generated_graphs.map(|most| (Kind::Graphs, most)))
    }

    /// The options as arguments.
    pub(super) fn arguments(&self) -> Arguments {
        let option = match self.asked() {
            None => return Arguments::default(),
            Some((Kind::Operators, most)) => format!("--generated={most}"),
            Some((Kind::Contrib, most)) => format!("--contrib={most}"),
            Some((Kind::Graphs, most)) => format!("--generated-graphs={most}"),
        };
        Arguments::default()
            .switch(&option, true)
            .option(
                "--generated-seed",
                Some(self.generated_seed).filter(|seed| *seed != 0),
            )
            .option(
                "--witness",
                Some(&self.witness).filter(|witness| witness.name() != WITNESS),
            )
    }

    /// The backends that are judged: without the witness if the backends are the default ones.
    ///
    /// # Errors
    /// A backend would be judged by its own outputs.
    pub(super) fn judged(&self, backends: &Backends) -> Result<Backends, CliError> {
        let mut judged = backends.clone();
        if self.asked().is_none() {
            return Ok(judged);
        }
        let circular = |backend: &BackendArg| generated::circular(&self.witness, backend);
        if backends.are_default() {
            judged.backends.retain(|backend| !circular(backend));
        }
        match judged.backends.iter().find(|backend| circular(backend)) {
            Some(backend) => Err(CliError::Usage(format!(
                "backend `{backend}` would be judged by its own outputs: the expected values of generated cases come from `{}`; give \
                 another --witness, as ort or reference:functions=bodies",
                self.witness
            ))),
            None => Ok(judged),
        }
    }

    /// The generated cases, if requested.
    ///
    /// # Errors
    /// The witness does not start, or a pattern is invalid.
    pub(super) fn select(
        &self,
        cases: &Cases,
        backends: &Backends,
        lock: &Lockfile,
        fetcher: &Fetcher,
        cancel: &Cancel,
    ) -> Result<Option<Selected>, CliError> {
        let Some((kind, most)) = self.asked() else {
            return Ok(None);
        };
        let plain = cases.filters.iter().map(|filter| variants::plain(filter));
        let filter = Filter::new(plain).map_err(CorpusError::from)?;
        let request = Request {
            kind,
            most,
            seed: self.generated_seed,
            witness: self.witness.to_string(),
            bodies: backends
                .backends
                .iter()
                .any(|backend| generated::by_bodies(&self.witness, backend)),
        };
        let versions = onnx_schema::all().count();
        if kind == Kind::Operators && most < versions {
            return Err(CliError::Usage(format!(
                "--generated={most} is less than one case for each of the {versions} operator versions: give at least {versions}, and select by --filter"
            )));
        }
        let witness = backends.workers.spec(&self.witness, lock, fetcher)?;
        let workers = &backends.workers;
        let wanted = |id: &harness_corpus::CaseId| filter.matches(id);
        let Generated { corpus, declined } = generated::corpus(
            &request,
            wanted,
            witness,
            backends.jobs.count(),
            workers.timeout,
            cancel,
        )?;
        let total: usize = declined.values().map(|(count, _)| count).sum();
        note(format_args!(
            "{} generated cases of seed {}; expected values: {}",
            corpus.cases().len(),
            self.generated_seed,
            self.witness
        ));
        if total > 0 {
            note(format_args!("{total} more have no expected values:"));
        }
        for (suite, (count, reason)) in &declined {
            note(format_args!("  {suite}: {count}, reason: {reason}"));
        }
        let (selection, variants) = cases.with_variants(filter.select(&[corpus])?)?;
        let what = match kind {
            Kind::Operators => "cases",
            Kind::Contrib => "contrib cases",
            Kind::Graphs => "graphs",
        };
        let release = format!(
            "generated {what} (seed {}, expected values by {})",
            self.generated_seed, self.witness
        );
        Ok(Some(Selected {
            selection,
            release,
            variants,
        }))
    }
}
