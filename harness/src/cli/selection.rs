//! Which cases: of a pinned release, a local folder or the project itself, filtered.

use std::path::PathBuf;

use clap::Args;

use super::CliError;
use crate::corpus::{Cache, Corpus, Fetcher, Filter, Lockfile, Selection};
use crate::own;

/// Which cases.
#[derive(Args, Clone, Debug)]
pub struct Cases {
    /// The ONNX release whose official tests are run.
    #[arg(
        long,
        default_value = "1.22.0",
        value_name = "VERSION",
        conflicts_with = "cases"
    )]
    pub release: String,
    /// Local cases instead: a folder in the official layout, one case's folder, or a model.onnx beside its test_data_set_0.
    #[arg(long, value_name = "PATH")]
    pub cases: Option<PathBuf>,
    /// The project's own cases instead, which cover the operator versions that no official case exercises.
    #[arg(long, conflicts_with_all = ["cases", "release"])]
    pub own: bool,
    /// Only cases whose id contains this, or matches it as a glob if it has any of *?[ (repeatable).
    #[arg(long = "filter", value_name = "PATTERN")]
    pub filters: Vec<String>,
}

/// Selected cases with what was needed to find them.
pub struct Selected {
    /// The cases.
    pub selection: Selection,
    /// The release, or an empty text for other cases.
    pub release: String,
}

/// A fetcher that tells what it does on stderr.
pub fn fetcher() -> Result<Fetcher, CliError> {
    Ok(Fetcher::new(Cache::from_env()?, |event| eprintln!("{event}")))
}

impl Cases {
    /// Finds the cases, fetching the corpus if need be.
    pub fn select(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<Selected, CliError> {
        let (corpus, release) = match &self.cases {
            _ if self.own => (own::corpus()?, String::new()),
            Some(path) => (Corpus::local(path)?, String::new()),
            None => (
                Corpus::pinned(&format!("onnx-{}", self.release), lock, fetcher)?,
                self.release.clone(),
            ),
        };
        let selection = Filter::new(&self.filters)?.select(&[corpus])?;
        Ok(Selected { selection, release })
    }
}
