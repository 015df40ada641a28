//! `--generated`: cases that are made, with the outputs of a witness as the expected ones.

use clap::Args;
use harness_conformance::generated::{self, Generated, Request, WITNESS};
use harness_console::note;
use harness_corpus::{CorpusError, Fetcher, Filter, Lockfile};
use harness_worker::Cancel;
use harness_worker::backend;

use super::CliError;
use super::conformance::Backends;
use super::repeat::Arguments;
use super::selection::{Cases, Selected};

/// Which cases are generated, and by whom they are answered.
#[derive(Args, Clone, Debug)]
pub struct Generating {
    /// Generated cases instead: at most N (default 60000) over every operator version, type and attribute value. No answers are
    /// stored: those of the witness are expected.
    #[arg(long, value_name = "N", num_args = 0..=1, require_equals = true, default_missing_value = "60000",
          conflicts_with_all = ["cases", "release", "own"])]
    pub generated: Option<usize>,
    /// What the draws of generated cases depend on: another seed gives other cases.
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "generated")]
    pub generated_seed: u64,
    /// The backend whose outputs are expected of generated cases. It is not judged by them itself.
    #[arg(long, value_name = "BACKEND", default_value = WITNESS, requires = "generated")]
    pub witness: String,
}

impl Generating {
    /// No generated cases.
    pub(super) fn none() -> Generating {
        Generating {
            generated: None,
            generated_seed: 0,
            witness: WITNESS.to_owned(),
        }
    }

    /// What was asked for, as it is typed.
    pub(super) fn arguments(&self) -> Arguments {
        let Some(most) = self.generated else {
            return Arguments::default();
        };
        Arguments::default()
            .switch(&format!("--generated={most}"), true)
            .option(
                "--generated-seed",
                Some(self.generated_seed).filter(|seed| *seed != 0),
            )
            .option("--witness", Some(&self.witness).filter(|name| *name != WITNESS))
    }

    /// The backends that are judged: with the default ones, the witness is left out.
    ///
    /// # Errors
    /// A backend that would be judged by its own outputs.
    pub(super) fn judged(&self, backends: &Backends) -> Result<Backends, CliError> {
        let mut judged = backends.clone();
        if self.generated.is_none() {
            return Ok(judged);
        }
        let circular = |name: &String| generated::circular(&self.witness, name);
        if backends.backends == backend::ALL {
            judged.backends.retain(|name| !circular(name));
        }
        match judged.backends.iter().find(|name| circular(name)) {
            Some(name) => Err(CliError::Usage(format!(
                "backend `{name}` would be judged by its own outputs: the expected values of generated cases come from `{}`; name \
                 another --witness, as ort or reference:functions=bodies",
                self.witness
            ))),
            None => Ok(judged),
        }
    }

    /// The cases, if generated ones are wanted.
    ///
    /// # Errors
    /// A witness that does not start, and patterns that are none.
    pub(super) fn select(
        &self,
        cases: &Cases,
        backends: &Backends,
        lock: &Lockfile,
        fetcher: &Fetcher,
        cancel: &Cancel,
    ) -> Result<Option<Selected>, CliError> {
        let Some(most) = self.generated else {
            return Ok(None);
        };
        let filter = Filter::new(&cases.filters).map_err(CorpusError::from)?;
        let request = Request {
            most,
            seed: self.generated_seed,
            witness: self.witness.clone(),
            bodies: backends
                .backends
                .iter()
                .any(|name| generated::by_bodies(&self.witness, name)),
        };
        let witness = backends.workers.spec(&self.witness, lock, fetcher)?;
        let workers = &backends.workers;
        let wanted = |id: &harness_corpus::CaseId| filter.matches(id);
        let Generated { corpus, declined } = generated::corpus(
            &request,
            wanted,
            witness,
            workers.count(),
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
            note(format_args!(
                "{total} more have no expected values, by operator version:"
            ));
        }
        for (suite, (count, reason)) in &declined {
            note(format_args!("  {suite}: {count}, as {reason}"));
        }
        let selection = filter.select(&[corpus])?;
        let release = format!(
            "generated cases (seed {}, expected values by {})",
            self.generated_seed, self.witness
        );
        Ok(Some(Selected {
            selection,
            release,
            variants: Vec::new(),
        }))
    }
}
