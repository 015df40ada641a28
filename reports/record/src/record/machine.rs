//! The noise of the machine during measurements of latencies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The noise of the machine during measurements of latencies. Numbers are `None` if the system does not
/// report them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineState {
    /// The governor of the processor's frequency: `performance`; empty if the system does not report it.
    pub governor: String,
    /// The lowest and the highest observed frequency in MHz.
    pub mhz: Option<(u32, u32)>,
    /// The fraction of the processor time that the hypervisor gave to other machines.
    pub steal: Option<f64>,
    /// The average number of processors that other processes used.
    pub others: Option<f64>,
    /// The number of processes that waited for a processor at the start of the run (load average over
    /// one minute).
    pub load: Option<f64>,
    /// The number of times that the processor was throttled because of heat.
    pub throttled: Option<u64>,
    /// Sources of uncertainty, as sentences; empty on a quiet machine.
    pub noise: Vec<String>,
}
