//! To which harness a process belongs: workers have a variable with the folder of their harness, whose name
//! has the number of its process.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::super::process_of;

/// The environment variable of workers with the folder of their harness.
pub(super) const VARIABLE: &str = "ONNX_CONFORMANCE_NEST";

/// Whether a process belongs to a worker of this process, by the variable of workers; `None` if it does not
/// have the variable. The guard or a worker of another harness, whose end made it a child of this process,
/// has another value.
pub(super) fn is_own(process: u32) -> Option<bool> {
    let environment = fs::read(format!("/proc/{process}/environ")).unwrap_or_default();
    let name = format!("{VARIABLE}=").into_bytes();
    let mut variables = environment.split(|&byte| byte == 0);
    let value = variables.find_map(|variable| variable.strip_prefix(name.as_slice()))?;
    let folder = Path::new(OsStr::from_bytes(value)).file_name();
    let process = folder.and_then(|folder| process_of(folder.to_str()?));
    Some(process == Some(std::process::id()))
}
