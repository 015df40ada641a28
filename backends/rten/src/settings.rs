//! The options of this backend.

use backend_api::{Switch, Threads, settings};

settings! {
    /// The options in effect.
    Settings {
        /// on (default) or off: optimize the graph
        optimize: Switch = Switch::On => "a switch";
        /// on (default) or off: pack weights at load instead of in every run
        prepack: Switch = Switch::On => "a switch";
        /// 1 (default) to 1024: threads of the pool
        // rten uses the global pool if the system cannot start them.
        threads: Threads<1024> = Threads::ONE => "a number of threads";
    }
}
