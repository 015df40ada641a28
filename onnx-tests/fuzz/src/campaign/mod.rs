//! The long search: mutants in worker processes, deaths attributed to the mutant in flight.
//!
//! The program starts itself as a worker ([`work`]) for a range of mutants. A worker notes in a file of fixed layout
//! ([`journal`]) which mutant and which stage it is in, and how each stage ended. When a worker dies or does not get on, the
//! parent ([`search`]) reads there what was in flight, makes a [`Culprit`] of it and starts the next worker behind it.

mod culprit;
mod death;
mod journal;
mod process;
mod search;
mod tally;
mod worker;

use std::path::PathBuf;
use std::time::Duration;

pub use culprit::{Culprit, write_mutant};
pub use death::Fault;
pub use search::search;
pub use tally::Tally;
pub use worker::{Work, work};

/// What to search, and within which limits.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Mutants.
    pub count: u64,
    /// The number that all mutants are drawn from.
    pub seed: u64,
    /// Worker processes at a time.
    pub jobs: usize,
    /// Bytes of memory of a worker (`RLIMIT_DATA`).
    pub memory: u64,
    /// What one stage of one mutant may take.
    pub time: Duration,
    /// Where culprits are written to.
    pub out: PathBuf,
    /// The seeds, as [`crate::write_seeds`] wrote them for the workers.
    pub seeds: PathBuf,
}

/// Why a search cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A file or process of the campaign's own failed.
    #[error("cannot {what}: {source}")]
    Io {
        /// What was to be done.
        what: String,
        /// Why not.
        source: std::io::Error,
    },
    /// There are no seeds.
    #[error(transparent)]
    Seeds(#[from] crate::SeedError),
    /// A backend does not start.
    #[error(transparent)]
    Backend(#[from] backend_api::BackendError),
    /// A worker ended without having been in a stage.
    #[error("a worker ended before its first mutant ({status}): {said}")]
    Worker {
        /// How it ended.
        status: String,
        /// The end of what it wrote to stderr.
        said: String,
    },
}

impl CampaignError {
    fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> CampaignError {
        let what = what.into();
        |source| CampaignError::Io { what, source }
    }
}
