//! The peak rates of this machine.

use std::time::Duration;

use native_kernels::peak::{bandwidth, operations};
use run_record::profile::Peak;

/// The sizes of memory in KiB whose rates are measured: those of the caches of common processors,
/// and more than any cache.
const SIZES: [u64; 7] = [32, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10];

/// The time of one measurement.
const TIME: Duration = Duration::from_millis(40);

/// Measures the peak rates of `threads` threads, in about half a second.
pub fn peak(threads: u32) -> Peak {
    let threads = usize::try_from(threads).unwrap_or(usize::MAX).min(1024);
    let rate = |kibibytes: u64| {
        let bytes = kibibytes << 10;
        let held = usize::try_from(bytes).unwrap_or(usize::MAX);
        (bytes, bandwidth(held, threads, TIME))
    };
    Peak {
        operations: operations(threads, TIME),
        bytes: SIZES.map(rate).into(),
    }
}
