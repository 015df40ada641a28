//! `fetch`: downloads the pinned files to the cache.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use harness_console::{note, outln};
use harness_corpus::{Corpus, CorpusError, Filter, Releases};
use harness_fetch::architectures::build_architectures;
use harness_fetch::{Fetcher, Lockfile};
use run_record::Release;
use run_record::text::counted;

use super::hub::HubZoo;
use super::selection::{fetcher, releases};
use super::{CliError, Exit};

/// Download the pinned corpora and runtimes to the cache and verify them; files in the cache are only
/// verified.
#[derive(Args, Debug)]
#[command(
    group = clap::ArgGroup::new("pinning").args(["pin", "pin_runtime", "pin_provider"]),
    after_help = "Examples:\n  cargo xtask fetch\n  cargo xtask fetch --release all\n  \
    cargo xtask fetch --release 1.2..1.10,1.22\n  \
    cargo xtask fetch --zoo architectures --model 'architectures/full-size/*'\n  \
    cargo xtask fetch --zoo hub --manifest ONNX_HUB_MANIFEST.json\n  \
    cargo xtask fetch --zoo hub --from ./models --model mnist-8\n  \
    cargo xtask fetch --pin 1.24.0\n  \
    cargo xtask fetch --pin-runtime 1.12.1\n  \
    cargo xtask fetch --pin-provider onnxruntime-ep-webgpu==0.4.0\n\n\
    The cache is the folder in ONNX_CONFORMANCE_CACHE, else `onnx-conformance` in the user's cache folder."
)]
pub struct Fetch {
    /// Releases of ONNX, as for `conformance`: `1.22`, `1.2..1.10`, `all`.
    #[arg(long, value_name = "RELEASES")]
    release: Option<Releases>,
    /// Pin this release of ONNX instead: find its wheel, or compute its data, count its cases, and write
    /// its line to the lock file. Rebuild to use it.
    #[arg(long, value_name = "VERSION", conflicts_with = "release")]
    pin: Option<Release>,
    /// Pin this version of ONNX Runtime, from 1.10 on, for this machine instead, for
    /// `--backend ort:version=VERSION`: its wheel, or before 1.19 its npm package onnxruntime-node.
    /// Rebuild to use it.
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["release", "pin", "pin_runtime"])]
    pin_runtime: Option<Release>,
    /// Pin this Python package with a plug-in execution provider, for this machine instead, for
    /// `--backend ort:ep-package=PACKAGE==VERSION`. Rebuild to use it.
    #[arg(long, value_name = "PACKAGE==VERSION", conflicts_with_all = ["release", "pin", "pin_runtime"])]
    pin_provider: Option<String>,
    /// The lock file that --pin, --pin-runtime and --pin-provider write.
    #[arg(
        long,
        value_name = "FILE",
        default_value = "onnx-tests/corpora.lock",
        requires = "pinning"
    )]
    lock: PathBuf,
    /// Build this collection of models instead. `architectures`: networks exported by PyTorch,
    /// scikit-learn, TensorFlow, Paddle, LightGBM and XGBoost, about an hour and 14 GB in the cache, or
    /// only those of --model.
    /// `hub`: models of the ONNX model zoo, from --from; without it they are listed.
    #[arg(long, value_enum, conflicts_with_all = ["release", "pin", "pin_runtime", "pin_provider"])]
    zoo: Option<Zoo>,
    /// A mirror of the zoo: a folder or an address with the paths of the manifest, or a folder with all
    /// files.
    #[arg(long, value_name = "DIR|URL", requires = "zoo")]
    from: Option<String>,
    /// The zoo's manifest. Default: ONNX_HUB_MANIFEST.json in the folder of --from.
    #[arg(long, value_name = "FILE", requires = "zoo")]
    manifest: Option<PathBuf>,
    /// Only models whose id contains this word, or matches it as a glob: `hub/<category>/<name>` or
    /// `architectures/<family>/<name>` (repeatable).
    #[arg(long = "model", value_name = "PATTERN", requires = "zoo")]
    models: Vec<String>,
    /// Omit the runtime library of ONNX Runtime.
    #[arg(long)]
    no_runtime: bool,
}

/// Collections of models that are built on this machine.
#[derive(ValueEnum, Clone, Copy, Debug)]
enum Zoo {
    /// Networks exported by frameworks.
    Architectures,
    /// Models of the ONNX model zoo.
    Hub,
}

impl Fetch {
    pub(super) fn execute(self) -> Result<Exit, CliError> {
        let (lock, fetcher) = (Lockfile::embedded()?, fetcher()?);
        match self.zoo {
            Some(Zoo::Architectures) => return build(&self.models, &fetcher),
            Some(Zoo::Hub) => {
                let zoo = HubZoo {
                    from: self.from.as_deref(),
                    manifest: self.manifest.as_deref(),
                    patterns: &self.models,
                };
                return zoo.execute(&fetcher);
            }
            None => {}
        }
        let pinned = match (self.pin, self.pin_runtime, &self.pin_provider) {
            (Some(release), ..) => Some(harness_fetch::pin(release, &self.lock, &fetcher)?),
            (None, Some(version), _) => Some(harness_fetch::pin_runtime(version, &self.lock, &fetcher)?),
            (None, None, Some(package)) => Some(harness_fetch::pin_provider(package, &self.lock, &fetcher)?),
            (None, None, None) => None,
        };
        if let Some(line) = pinned {
            outln(format_args!("{line}"))?;
            if self.pin.is_some() {
                note(format_args!(
                    "for its operators: raise the version of onnx in xtask/src/generate.rs, then `cargo xtask generate \
                     schema`, which lists what new operator versions lack"
                ));
            }
            return Ok(Exit::Passed);
        }
        for release in releases(self.release.as_ref(), &lock)? {
            let id = release.corpus();
            let corpus = harness_fetch::pinned(&id, &lock, &fetcher)?;
            outln(format_args!(
                "{id}: {} ({})",
                counted(corpus.cases().len(), "case"),
                suites(&corpus)
            ))?;
        }
        if !self.no_runtime {
            let library = fetcher.runtime_library(lock.runtime()?)?;
            outln(format_args!("onnxruntime: {}", library.display()))?;
        }
        Ok(Exit::Passed)
    }
}

/// Builds the exported networks and reports the number of cases of each suite.
fn build(patterns: &[String], fetcher: &Fetcher) -> Result<Exit, CliError> {
    let filter = Filter::new(patterns).map_err(CorpusError::from)?;
    build_architectures(fetcher.cache(), &filter, &|step| note(format_args!("{step}")))?;
    let corpus = harness_fetch::architectures::corpus(fetcher.cache())?;
    outln(format_args!(
        "{}: {} ({})",
        corpus.id(),
        counted(corpus.cases().len(), "case"),
        suites(&corpus)
    ))?;
    Ok(Exit::Passed)
}

fn suites(corpus: &Corpus) -> String {
    let counts = corpus.counts();
    let suites: Vec<String> = counts
        .iter()
        .map(|(suite, count)| format!("{suite} {count}"))
        .collect();
    suites.join(", ")
}
