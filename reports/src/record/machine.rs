//! How quiet the machine was while latencies were measured.

use serde::{Deserialize, Serialize};

/// How quiet the machine was while latencies were measured. A number is none where the system does not tell.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MachineState {
    /// The governor of the processor's frequency: `performance`; empty where the system does not tell.
    pub governor: String,
    /// The lowest and the highest frequency that was seen, in MHz.
    pub mhz: Option<(u32, u32)>,
    /// The part of the processor time that the hypervisor gave to other machines.
    pub steal: Option<f64>,
    /// The processors that other processes kept busy on average: 0.5 is half of one.
    pub others: Option<f64>,
    /// Processes that waited for a processor when the run began (load average over one minute).
    pub load: Option<f64>,
    /// How often the processor slowed down because it was hot.
    pub throttled: Option<u64>,
    /// What makes the latencies uncertain, in sentences; none on a quiet machine.
    pub noise: Vec<String>,
}
