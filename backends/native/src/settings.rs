//! The options of this backend.

use backend_api::{Switch, Threads, settings};

use crate::kernels::Steps;
use crate::rewrites::Rewrites;

settings! {
    /// The options in effect.
    Settings {
        /// file for the graph after each pass, `-` for stderr (default none)
        dump: String => "a file";
        /// on (default) or off: optimize the graph
        optimize: Switch = Switch::On => "a switch";
        /// file for the mean and minimum time of each step, written after every run (default none)
        profile: String => "a file";
        /// maximum steps of a run: nodes, in a body each time, elements of sequences that a loop passes on,
        /// and each 4096 elements of a result (default 10000000)
        steps: u64 = Steps::DEFAULT => "a number of steps";
        /// 1 (default) to 256: threads of the pool
        threads: Threads<256> = Threads::ONE => "a number of threads";
        /// passes to disable, named as in a dump and joined by `+` (default none)
        without: Rewrites => "a list of passes";
        /// on (default) or off: faster 3 × 3 convolutions with fewer multiplications and a few bits less
        /// accuracy
        winograd: Switch = Switch::On => "a switch";
    }
}
