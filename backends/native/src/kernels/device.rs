//! The thread pool and the settings that kernels use.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use native_kernels::Pool;
use onnx_tensor::Value;

use super::packs::Packs;
use super::recording::Recording;
use crate::dump::Dump;
use crate::error::{NodeError, Problem, invalid};
use crate::ir::Node;
use crate::rewrites::Rewrites;

/// Computes the outputs of a node that reads only constants.
pub type Fold = fn(&Node, &[Option<&Value>], &Device) -> Result<Vec<Value>, NodeError>;

/// The thread pool, settings, and step counter.
#[derive(Debug)]
pub struct Device {
    /// The threads.
    pub pool: Pool,
    /// The destination of the graph after each pass.
    pub dump: Dump,
    /// The passes that run.
    pub rewrites: Rewrites,
    /// The file for the mean and minimum time of each step, written after every run.
    pub profile: Option<PathBuf>,
    /// Whether Winograd's filtering may be used.
    pub winograd: bool,
    /// Whether nodes with bodies are folded if they read only constants. Disabled while such a node is
    /// computed: its content runs once anyway, and folding it first would double the work at each level.
    pub folds_bodies: bool,
    /// The steps left in a run.
    pub steps: Steps,
    /// The times of a profiled run.
    pub recording: Recording,
    /// The packed weights that plans share.
    pub packs: Packs,
    /// Computes nodes that read only constants. The function is `exec::fold`; passes, which `exec`
    /// uses, get it from here.
    pub fold: Fold,
}

/// The step limit of one run. Each node run counts, in a body each time; so do each element of a
/// sequence that a loop passes on, because it is copied, and each [`Steps::ELEMENTS`] elements of a
/// result. The limit makes endless and deeply nested loops an error.
#[derive(Debug)]
pub struct Steps {
    max: u64,
    left: AtomicU64,
}

impl Steps {
    /// The limit while a constant is folded; a node that takes longer is left to the run.
    const MAX_FOLDED: u64 = 10_000;

    /// The default limit, the same as in the reference.
    pub const DEFAULT: u64 = 10_000_000;

    /// Makes a counter with this limit.
    pub fn new(max: u64) -> Steps {
        Steps {
            max,
            left: AtomicU64::new(max),
        }
    }

    /// The number of elements of a result that count as a step: computing them takes longer than
    /// starting a node.
    const ELEMENTS: usize = 4096;

    /// Charges the elements of results.
    pub fn charge_elements(&self, elements: usize) -> Result<(), Problem> {
        self.charge(elements / Steps::ELEMENTS)
    }

    /// Restores the limit at the start of a run.
    pub fn reset(&self) {
        self.left.store(self.max, Ordering::Relaxed);
    }

    /// Charges steps. Only the thread that runs the model calls this.
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
            None => invalid(format!("the run takes more than {} steps", self.max)),
        }
    }
}

impl Device {
    /// Returns a device with one thread for constant folding.
    pub fn folding(fold: Fold) -> Device {
        Device {
            folds_bodies: false,
            steps: Steps::new(Steps::MAX_FOLDED),
            ..Device::single(fold)
        }
    }

    /// Returns a device with one thread.
    pub fn single(fold: Fold) -> Device {
        Device {
            pool: Pool::new(1),
            rewrites: Rewrites::ALL,
            dump: Dump::default(),
            profile: None,
            winograd: false,
            folds_bodies: true,
            steps: Steps::new(Steps::DEFAULT),
            recording: Recording::default(),
            packs: Packs::default(),
            fold,
        }
    }

    /// The number of adjacent channels in the blocked layout.
    pub fn lanes(&self) -> usize {
        self.pool.isa().lanes()
    }

    /// The number of elements of a tensor in the blocked layout.
    pub fn blocked_len(&self, shape: &[usize]) -> usize {
        let channels = shape.get(1).copied().unwrap_or(1).next_multiple_of(self.lanes());
        shape
            .iter()
            .enumerate()
            .map(|(at, &extent)| if at == 1 { channels } else { extent })
            .product()
    }
}
