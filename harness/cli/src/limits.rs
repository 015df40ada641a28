//! The memory limit of a worker.

use clap::Args;
use harness_worker::DEFAULT_MEMORY;

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
    /// The limit in bytes.
    pub fn bytes(self) -> u64 {
        self.gib << 30
    }

    /// The option as an argument, unless it has the default value.
    pub(super) fn argument(self) -> Option<u64> {
        (self.gib != DEFAULT_GIB).then_some(self.gib)
    }
}
