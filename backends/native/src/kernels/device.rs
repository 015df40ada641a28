//! What kernels run on: the pool of threads, and the choices of the settings.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use native_kernels::Pool;

use crate::error::{Problem, invalid};
use crate::passes::{Dump, Rewrites};
use crate::settings::Settings;
use backend_api::Switch;

/// The one pool, and what kernels may do.
#[derive(Debug)]
pub struct Device {
    /// Threads.
    pub pool: Pool,
    /// Where the graph is written to after each pass.
    pub dump: Dump,
    /// The passes that run.
    pub rewrites: Rewrites,
    /// Where the mean time of each step is written to after every run.
    pub profile: Option<PathBuf>,
    /// Whether Winograd's filtering may be used.
    pub winograd: bool,
    /// Whether nodes with bodies are folded where all that they read is constant. Not while such a node is computed: what is
    /// inside of it runs once anyway, and folding first would double that at each level.
    pub folds_bodies: bool,
    /// What a run may still do.
    pub steps: Steps,
}

/// The steps that one run may make: each node that runs, in a body each time, and each element of a sequence that a loop
/// hands on, which is copied. A loop without an end, or loops inside one another, are an error then and do not hang.
#[derive(Debug)]
pub struct Steps {
    most: u64,
    left: AtomicU64,
}

impl Steps {
    /// While a constant is computed: what takes longer is left to the run.
    const MAX_FOLDED: u64 = 10_000;

    fn new(most: u64) -> Steps {
        Steps {
            most,
            left: AtomicU64::new(most),
        }
    }

    /// At the beginning of a run.
    pub fn reset(&self) {
        self.left.store(self.most, Ordering::Relaxed);
    }

    /// Charges so many, all made by the thread that runs the model.
    pub fn charge(&self, steps: usize) -> Result<(), Problem> {
        let left = self.left.load(Ordering::Relaxed);
        let rest = u64::try_from(steps)
            .ok()
            .and_then(|steps| left.checked_sub(steps));
        match rest {
            Some(rest) => {
                self.left.store(rest, Ordering::Relaxed);
                Ok(())
            }
            None => invalid(format!("the run takes more than {} steps", self.most)),
        }
    }
}

impl Device {
    /// As the settings have it; `dump` is made of them as well.
    pub fn new(settings: &Settings, dump: Dump) -> Device {
        Device {
            dump,
            pool: Pool::new(usize::from(settings.threads.get())),
            rewrites: match settings.optimize {
                Switch::On => settings.without.clone(),
                Switch::Off => Rewrites::none(),
            },
            profile: settings.profile.clone(),
            winograd: settings.winograd == Switch::On,
            folds_bodies: true,
            steps: Steps::new(settings.steps),
        }
    }

    /// One thread, for what is computed once, now.
    pub fn folding() -> Device {
        Device {
            folds_bodies: false,
            steps: Steps::new(Steps::MAX_FOLDED),
            ..Device::single()
        }
    }

    /// One thread.
    pub fn single() -> Device {
        Device {
            pool: Pool::new(1),
            rewrites: Rewrites::ALL,
            dump: Dump::default(),
            profile: None,
            winograd: false,
            folds_bodies: true,
            steps: Steps::new(Settings::default().steps),
        }
    }

    /// Channels side by side in the blocked layout.
    pub fn lanes(&self) -> usize {
        self.pool.isa().lanes()
    }

    /// Elements of a tensor in the blocked layout.
    pub fn blocked_len(&self, shape: &[usize]) -> usize {
        let channels = shape.get(1).copied().unwrap_or(1).next_multiple_of(self.lanes());
        shape
            .iter()
            .enumerate()
            .map(|(at, &extent)| if at == 1 { channels } else { extent })
            .product()
    }
}
