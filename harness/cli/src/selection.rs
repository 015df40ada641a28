//! The selection of cases: of pinned releases, of a local folder or of the project itself, with filters.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use harness_conformance::variants::expand;
use harness_console::note;
use harness_corpus::own;
use harness_corpus::{CaseId, Corpus, CorpusError, Filter, Releases, Selection};
use harness_fetch::{Cache, FetchError, Fetcher, Lockfile};
use run_record::{Release, VariantPlan};

use super::CliError;
use super::arguments::Arguments;
use super::variants::{self, VariantKinds};

/// The selection of cases.
#[derive(Args, Clone, Debug)]
pub struct Cases {
    /// The ONNX releases whose official tests are run: `1.22`, a range `1.2..1.10`, several with commas,
    /// or `all`. Default: the newest release whose data can be downloaded.
    #[arg(long, value_name = "RELEASES", conflicts_with = "cases")]
    pub release: Option<Releases>,
    /// Local cases instead: a folder in the official layout, the folder of one case, or a model.onnx
    /// beside its test_data_set_0.
    #[arg(long, value_name = "PATH")]
    pub cases: Option<PathBuf>,
    /// The project's own cases instead, which cover the operator versions that no official case
    /// exercises.
    #[arg(long = "builtin", alias = "own", conflicts_with_all = ["cases", "release"])]
    pub own: bool,
    /// A collection that `fetch --zoo` built instead: `architectures`, exported by frameworks, or `hub`,
    /// models of the ONNX model zoo.
    #[arg(long, value_enum, conflicts_with_all = ["cases", "release", "own"])]
    pub corpus: Option<Collection>,
    /// Also run metamorphic variants, forms of each case that must not change its answer: all kinds, or some
    /// of initializers, shapes, outputs, branch, function, identity, reshape, separated by commas.
    #[arg(long, value_name = "KINDS", num_args = 0..=1, require_equals = true, default_missing_value = VariantKinds::ALL)]
    pub variants: Option<VariantKinds>,
    /// Only the case with this id, the cases that match this glob (with any of *?[{), or those whose id
    /// contains this word (repeatable).
    #[arg(long = "filter", value_name = "PATTERN")]
    pub filters: Vec<String>,
}

/// A collection of models in the cache.
#[derive(ValueEnum, Clone, Copy, Debug)]
pub enum Collection {
    /// Networks exported by frameworks.
    Architectures,
    /// Models of the ONNX model zoo with data sets.
    Hub,
}

impl Collection {
    /// The name of the option's value.
    fn name(self) -> &'static str {
        match self {
            Self::Architectures => "architectures",
            Self::Hub => "hub",
        }
    }
}

/// Selected cases with information about them.
pub struct Selected {
    /// The cases.
    pub selection: Selection,
    /// The releases as given, or an empty text for other cases.
    pub release: String,
    /// The variants among the cases.
    pub variants: Vec<VariantPlan>,
}

/// A fetcher that reports its progress on stderr.
pub fn fetcher() -> Result<Fetcher, CliError> {
    Ok(Fetcher::new(Cache::from_env()?, |event| {
        note(format_args!("{event}"))
    }))
}

/// The selected cases; a pattern that selects none beside others that do is named.
fn select(filter: &Filter, corpora: &[Corpus]) -> Result<Selection, CorpusError> {
    let selection = filter.select(corpora)?;
    for pattern in filter.unmatched(corpora) {
        note(format_args!("no case matches `{pattern}`"));
    }
    Ok(selection)
}

impl Cases {
    /// Finds the cases, and downloads the corpora if necessary.
    pub fn select(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<Selected, CliError> {
        let (corpora, release) = self.corpora(lock, fetcher)?;
        let plain = self.filters.iter().map(|filter| variants::plain(filter));
        let selection = select(&Filter::new(plain).map_err(CorpusError::from)?, &corpora)?;
        let (selection, variants) = self.with_variants(selection)?;
        Ok(Selected {
            selection,
            release,
            variants,
        })
    }

    /// The selection with the requested variants, and a description of them.
    pub(super) fn with_variants(
        &self,
        mut selection: Selection,
    ) -> Result<(Selection, Vec<VariantPlan>), CliError> {
        let kinds = variants::asked(self.variants.as_ref(), &self.filters);
        if kinds.is_empty() {
            return Ok((selection, Vec::new()));
        }
        let filter = Filter::new(&self.filters).map_err(CorpusError::from)?;
        let wanted = |id: &CaseId| filter.matches(id) || filter.matches(&id.plain());
        let expanded = expand(selection.cases, &kinds, wanted);
        selection.cases = expanded.cases;
        Ok((selection, expanded.plans))
    }

    /// Like [`Self::select`], with the project's own cases in addition to official ones.
    ///
    /// # Errors
    /// Variants are requested.
    pub fn select_with_own(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<Selected, CliError> {
        if self.variants.is_some() {
            return Err(CliError::Usage(
                "--variants changes nothing here: a variant exercises what its case does".to_owned(),
            ));
        }
        let (mut corpora, release) = self.corpora(lock, fetcher)?;
        if self.official() {
            corpora.push(own::corpus()?);
        }
        let selection = select(&Filter::new(&self.filters).map_err(CorpusError::from)?, &corpora)?;
        Ok(Selected {
            selection,
            release,
            variants: Vec::new(),
        })
    }

    /// The source of the cases as arguments; empty for official ones, whose ids contain their release.
    pub(super) fn arguments(&self) -> Arguments {
        Arguments::default()
            .path("--cases", self.cases.as_deref())
            .option("--corpus", self.corpus.map(Collection::name))
            .switch("--builtin", self.own)
    }

    /// Whether these are all cases of releases, whose coverage is measured for the complete
    /// specification.
    pub fn is_everything(&self) -> bool {
        self.official() && self.filters.is_empty()
    }

    fn official(&self) -> bool {
        self.cases.is_none() && self.corpus.is_none() && !self.own
    }

    /// The corpora, and the names of their releases in reports.
    fn corpora(&self, lock: &Lockfile, fetcher: &Fetcher) -> Result<(Vec<Corpus>, String), CliError> {
        let collection = match self.corpus {
            Some(Collection::Architectures) => Some(harness_fetch::architectures::corpus(fetcher.cache())?),
            Some(Collection::Hub) => Some(harness_fetch::hub::corpus(fetcher.cache())?),
            None => None,
        };
        if let Some(corpus) = collection {
            return Ok((vec![corpus], String::new()));
        }
        Ok(match &self.cases {
            _ if self.own => (vec![own::corpus()?], String::new()),
            Some(path) => (vec![Corpus::local(path)?], String::new()),
            None => {
                let releases = releases(self.release.as_ref(), lock)?;
                (
                    harness_fetch::releases(&releases, lock, fetcher)?,
                    span(&releases),
                )
            }
        })
    }
}

/// The pinned releases that `asked` selects; by default the release of the newest wheel.
pub(super) fn releases(asked: Option<&Releases>, lock: &Lockfile) -> Result<Vec<Release>, CliError> {
    match asked {
        Some(asked) => Ok(asked.select(&lock.releases()).map_err(FetchError::from)?),
        None => Ok(lock.newest_wheel().into_iter().collect()),
    }
}

/// The name of these releases in reports: `1.22.0`, or `1.2.1..1.22.0`.
fn span(releases: &[Release]) -> String {
    match releases {
        [] => String::new(),
        [only] => only.to_string(),
        [first, .., last] => format!("{first}..{last}"),
    }
}
