//! What differs between operating systems: processes, pipes and signals. One module for each kind of system
//! has the same functions; nothing else in this crate names a system.
//!
//! | | Linux | other Unix | Windows |
//! | --- | --- | --- | --- |
//! | a worker and its processes end together | session, subreaper | session | job object |
//! | a worker ends with a killed harness | the kernel, guard | end of the channel, guard | job object |
//! | memory limit | `RLIMIT_DATA` | none | limit of the job object |
//! | channel | inherited descriptors, or stdin and stdout | as Linux | stdin and stdout |
//! | request to end | SIGTERM | SIGTERM | none: it is killed at once |

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

use std::path::Path;
use std::process::{Child, Command};

#[cfg(unix)]
use unix as platform;
#[cfg(windows)]
use windows as platform;

use super::WorkerSpec;

pub use platform::LIMITS_MEMORY;
pub(crate) use platform::LOADS_LIBRARIES;
pub(super) use platform::{ENDING, Group, Pipe, exists, guard, has_ended, signal, spawn, wait, was_killed};

/// The beginning of the name of the folder of all workers of a process; the number of the process follows.
pub(super) const PREFIX: &str = "onnx-workers-";

/// A started process, what ends with it, and the harness's ends of its pipes, which do not block.
pub(super) struct Spawned {
    pub(super) child: Child,
    pub(super) group: Group,
    /// The pipe for requests.
    pub(super) requests: Pipe,
    /// The pipe for answers.
    pub(super) answers: Pipe,
    /// Its stdout, if that is not the channel.
    pub(super) stdout: Option<Pipe>,
    pub(super) stderr: Pipe,
}

/// The state of a pipe that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Input {
    /// There is no data.
    #[default]
    Quiet,
    /// There is data.
    Bytes,
    /// There is no data, and the other end is closed.
    Closed,
}

/// The command of a worker, without its pipes, with `scratch` as its folder for temporary files.
fn command(spec: &WorkerSpec, scratch: &Path) -> Command {
    let (program, arguments) = spec.command_line();
    let mut command = Command::new(program);
    // A backtrace would displace its message from the kept part of stderr.
    command.args(arguments).env("RUST_BACKTRACE", "0").envs(&spec.env);
    for variable in platform::TEMPORARY {
        command.env(variable, scratch);
    }
    command
}

/// The process whose folder has this name.
pub(super) fn process_of(name: &str) -> Option<u32> {
    let (process, _) = name.strip_prefix(PREFIX)?.split_once('-')?;
    process.parse().ok()
}
