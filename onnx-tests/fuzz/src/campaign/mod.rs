//! The long search: runs mutants in worker processes, and attributes exits to the current mutant.
//!
//! The program starts itself as a worker ([`work`]) for a range of mutants. A worker records in a file
//! of fixed layout ([`journal`]) its current mutant and stage, and the result of each stage. When a
//! worker ends or hangs, the parent ([`search`]) reads the current step, makes a [`Culprit`] of it and
//! starts the next worker after it.

mod culprit;
mod fault;
mod journal;
mod process;
mod search;
mod tally;
mod worker;

use std::path::PathBuf;
use std::time::Duration;

pub use culprit::{Culprit, write_mutant};
pub use fault::Fault;
pub use search::search;
pub use tally::Tally;
pub use worker::{Work, work};

/// The parameters and limits of a search.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The number of mutants.
    pub count: u64,
    /// The seed of all mutants.
    pub seed: u64,
    /// The number of parallel worker processes.
    pub jobs: usize,
    /// The memory limit of a worker in bytes (`RLIMIT_DATA`).
    pub memory: u64,
    /// The time limit of one stage of one mutant.
    pub time: Duration,
    /// The folder for culprits.
    pub out: PathBuf,
    /// The seeds, written by [`crate::write_seeds`] for the workers.
    pub seeds: PathBuf,
}

/// Why a search stops.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// A file or process of the campaign failed.
    #[error("cannot {what}: {source}")]
    Io {
        /// The failed action.
        what: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// There are no seeds.
    #[error(transparent)]
    Seeds(#[from] crate::SeedError),
    /// A backend does not start.
    #[error(transparent)]
    Backend(#[from] backend_api::BackendError),
    /// A worker ended outside of any stage.
    #[error("a worker ended before its first mutant ({status}): {said}")]
    Worker {
        /// How it ended.
        status: String,
        /// The end of its stderr.
        said: String,
    },
}

impl CampaignError {
    fn io(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> CampaignError {
        let what = what.into();
        |source| CampaignError::Io { what, source }
    }
}
