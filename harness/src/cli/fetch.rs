//! `fetch`: the pinned files, into the cache.

use clap::Args;

use super::selection::fetcher;
use super::{CliError, Exit};
use crate::corpus::{Corpus, Lockfile};

/// Bring the pinned corpora and runtimes into the cache, verified; what is there already is only verified.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  cargo xtask fetch\n  cargo xtask fetch --release 1.22.0\n\n\
    The cache is the folder in ONNX_CONFORMANCE_CACHE, else `onnx-conformance` in the user's cache folder."
)]
pub struct Fetch {
    /// One release of ONNX; all that are pinned when left out.
    #[arg(long, value_name = "VERSION")]
    release: Option<String>,
    /// Leave out the runtime library of ONNX Runtime.
    #[arg(long)]
    no_runtime: bool,
}

impl Fetch {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        let ids = match self.release {
            Some(release) => vec![format!("onnx-{release}")],
            None => lock.corpus_ids().map(str::to_owned).collect(),
        };
        for id in ids {
            let corpus = Corpus::pinned(&id, &lock, &fetcher)?;
            let suites: Vec<String> = corpus
                .counts()
                .iter()
                .map(|(suite, count)| format!("{suite} {count}"))
                .collect();
            outln(format_args!(
                "{id}: {} cases ({})",
                corpus.cases().len(),
                suites.join(", ")
            ));
        }
        if !self.no_runtime {
            let library = fetcher.runtime_library(lock.runtime()?)?;
            outln(format_args!("onnxruntime: {}", library.display()));
        }
        Ok(Exit::Passed)
    }
}

/// A line of a command's result.
#[allow(clippy::print_stdout, reason = "the results of a command go to stdout")]
pub(super) fn outln(line: std::fmt::Arguments<'_>) {
    println!("{line}");
}
