//! `--trust`: the judge where the reference does not answer.

use clap::Args;
use harness_console::note;
use harness_fetch::{Fetcher, Lockfile};
use harness_investigate::runner::{RunRequest, Runner};
use harness_worker::{BackendArg, Cancel};

use super::CliError;
use super::workers::{Workers, runner};

/// The judge where the reference does not answer.
#[derive(Args, Clone, Default, Debug)]
pub struct Trust {
    /// Where the reference does not answer, as on an operator of a domain that it does not know: take the
    /// answer of this backend as the expected one. Nothing verifies it; every line and file says so, and
    /// the backend itself is not judged.
    #[arg(long = "trust", value_name = "BACKEND")]
    trusted: Option<BackendArg>,
}

impl Trust {
    /// The name of the trusted backend.
    pub(super) fn name(&self) -> Option<&str> {
        self.trusted.as_ref().map(BackendArg::name)
    }

    /// Whether a backend is the trusted one, under any alias.
    pub(super) fn is(&self, backend: &BackendArg) -> bool {
        self.trusted
            .as_ref()
            .is_some_and(|trusted| trusted.text() == backend.text())
    }

    /// Starts the trusted backend.
    pub(super) fn start(
        &self,
        workers: &Workers,
        lock: &Lockfile,
        fetcher: &Fetcher,
        cancel: &Cancel,
    ) -> Result<Option<Runner>, CliError> {
        let started = self
            .trusted
            .as_ref()
            .map(|backend| runner(workers, backend, lock, fetcher, cancel));
        started.transpose()
    }

    /// Puts the trusted backend in the place of a reference that does not answer on a model; returns whether
    /// it did.
    pub(super) fn replace(
        &self,
        reference: &mut Runner,
        request: &RunRequest,
        subject: &BackendArg,
        started: impl FnOnce() -> Result<Option<Runner>, CliError>,
    ) -> Result<bool, CliError> {
        let Some(name) = self.name() else {
            return Ok(false);
        };
        if self.is(subject) {
            return Err(CliError::Usage(format!(
                "`{name}` is trusted, so that it is not judged: name another backend by --backend or --trust"
            )));
        }
        let Err(judgement) = reference.run(request)? else {
            note(format_args!(
                "the reference answers: `{name}` is not needed as a judge"
            ));
            return Ok(false);
        };
        note(format_args!(
            "no answer of the reference ({}): the expected values are those of `{name}`, which you trust; nothing verifies them",
            judgement.reason
        ));
        if let Some(trusted) = started()? {
            *reference = trusted;
        }
        Ok(true)
    }

    /// A sentence about the reference, where the trusted backend took its place.
    pub(super) fn words(&self, sentence: &str) -> String {
        let name = self.name().unwrap_or_default();
        sentence.replace("the reference", &format!("`{name}` (trusted)"))
    }
}
