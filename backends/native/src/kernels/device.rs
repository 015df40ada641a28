//! What kernels run on: the pool of threads, and the choices of the settings.

use std::path::PathBuf;

use native_kernels::Pool;

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
        }
    }

    /// One thread: for folding constants.
    pub fn single() -> Device {
        Device {
            pool: Pool::new(1),
            rewrites: Rewrites::ALL,
            dump: Dump::default(),
            profile: None,
            winograd: false,
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
