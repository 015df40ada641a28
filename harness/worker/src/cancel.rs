//! Cancels a run.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::flag;

use super::system::ENDING;

/// A flag that every call to a worker checks. Clones share it.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

impl Cancel {
    /// Cancels on the first SIGINT (Ctrl-C), SIGTERM or, on Unix, SIGHUP. Calls in progress then end within
    /// 50 ms, and their workers are killed. A second signal ends the harness at once with code 130.
    pub fn on_signals() -> io::Result<Cancel> {
        let cancel = Cancel::default();
        for signal in ENDING {
            // In this order: the first signal finds the flag unset, and then sets it.
            flag::register_conditional_shutdown(signal, 130, cancel.0.clone())?;
            flag::register(signal, cancel.0.clone())?;
        }
        Ok(cancel)
    }

    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the run is cancelled.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
