//! Pinned corpora: fetched, read, and held against their pins.

use harness_corpus::Corpus;
use rayon::prelude::*;
use run_record::Release;

use super::{FetchError, Fetcher, Lockfile};

/// The corpus that `lock` pins as `id`, fetched if it is not in the cache.
///
/// # Errors
/// Those of [`Fetcher::fetch`] and [`Corpus::from_wheel`], [`FetchError::UnknownCorpus`], and a suite with
/// fewer cases than `lock` pins.
pub fn pinned(id: &str, lock: &Lockfile, fetcher: &Fetcher) -> Result<Corpus, FetchError> {
    let pin = lock.corpus(id)?;
    let file = fetcher.fetch(&pin.artifact)?;
    let corpus = Corpus::from_wheel(id, &file)?;
    corpus.check_floors(&pin.cases)?;
    Ok(corpus)
}

/// The corpora of several releases, in order. Every case has its digest, so that duplicates are found
/// ([`harness_corpus::Filter::select`] returns each once).
///
/// # Errors
/// Those of [`pinned`], and a case that cannot be read.
pub fn releases(releases: &[Release], lock: &Lockfile, fetcher: &Fetcher) -> Result<Vec<Corpus>, FetchError> {
    let digests = fetcher.cache().root().join("digests");
    let corpora = releases.par_iter().map(|release| {
        let id = release.corpus();
        let mut corpus = pinned(&id, lock, fetcher)?;
        corpus.digest_cases(lock.corpus(&id)?.artifact.sha256, &digests)?;
        Ok(corpus)
    });
    corpora.collect()
}
