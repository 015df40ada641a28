//! `fetch`: the pinned files, into the cache.

use std::io::Write;

use clap::Args;

use super::selection::{fetcher, releases};
use super::{CliError, Exit};
use crate::corpus::{Corpus, Lockfile, Releases};

/// Bring the pinned corpora and runtimes into the cache, verified; what is there already is only verified.
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  cargo xtask fetch\n  cargo xtask fetch --release all\n  \
    cargo xtask fetch --release 1.2..1.10,1.22\n\n\
    The cache is the folder in ONNX_CONFORMANCE_CACHE, else `onnx-conformance` in the user's cache folder."
)]
pub struct Fetch {
    /// Releases of ONNX, as `conformance` takes them: `1.22`, `1.2..1.10`, `all`.
    #[arg(long, value_name = "RELEASES")]
    release: Option<Releases>,
    /// Leave out the runtime library of ONNX Runtime.
    #[arg(long)]
    no_runtime: bool,
}

impl Fetch {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        for release in releases(self.release.as_ref(), &lock)? {
            let id = release.corpus();
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

/// A line of a command's result. A reader that has gone away, as `head` does, wants no more of it.
pub(super) fn outln(line: std::fmt::Arguments<'_>) {
    let _ = writeln!(std::io::stdout(), "{line}");
}
