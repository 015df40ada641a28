//! What a worker may take.

use clap::Args;
use harness_worker::DEFAULT_MEMORY;

/// The GiB of [`DEFAULT_MEMORY`].
const DEFAULT_GIB: u64 = DEFAULT_MEMORY >> 30;

/// What a worker may take of memory.
#[derive(Args, Clone, Copy, PartialEq, Eq, Debug)]
pub struct Memory {
    /// GiB of memory that one worker may take.
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

    /// The value as it is typed, unless it is the default.
    pub(super) fn argument(self) -> Option<u64> {
        (self.gib != DEFAULT_GIB).then_some(self.gib)
    }
}
