//! The memory limit of a worker.

use std::sync::Once;

use clap::Args;
use harness_console::note;
use harness_worker::{DEFAULT_MEMORY, LIMITS_MEMORY};

/// The GiB of [`DEFAULT_MEMORY`].
const DEFAULT_GIB: u64 = DEFAULT_MEMORY >> 30;

/// The memory limit of a worker.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// The memory limit of one worker in GiB.
    #[arg(
        id = "memory",
        long = "memory",
        value_name = "GIB",
        default_value_t = DEFAULT_GIB,
        value_parser = clap::value_parser!(u64).range(1..=1 << 20)
    )]
    gib: u64,
}

impl Memory {
    /// The limit in bytes; `None`, with a note once, where the system enforces none.
    pub fn limit(self) -> Option<u64> {
        static NOTE: Once = Once::new();
        if !LIMITS_MEMORY {
            NOTE.call_once(|| {
                note(format_args!(
                    "note: this system does not limit the memory of a worker: --memory has no effect, and a \
                     worker may exhaust the memory of the machine"
                ));
            });
        }
        LIMITS_MEMORY.then_some(self.gib << 30)
    }

    /// The option as an argument, unless it has the default value.
    pub(super) fn argument(self) -> Option<u64> {
        (self.gib != DEFAULT_GIB).then_some(self.gib)
    }
}
