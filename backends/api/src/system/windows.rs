//! Windows: the channel is stdin and stdout. Compiled by the checks of the project, not run by them.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::io::{AsHandle, AsRawHandle, IntoRawHandle};

use windows_sys::Win32::System::Console::{STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, SetStdHandle};

/// Duplicates stdin and stdout for the channel: requests, answers. Then stdin is the null device and stdout
/// is stderr for all code that asks the system for them. A C library that has kept its own number of stdout
/// still writes to the channel.
pub(crate) fn take_stdio() -> io::Result<(File, File)> {
    let input = io::stdin().as_handle().try_clone_to_owned()?;
    let output = io::stdout().as_handle().try_clone_to_owned()?;
    // The process keeps it until its end.
    let nothing = OpenOptions::new().read(true).open("NUL")?.into_raw_handle();
    // SAFETY: both handles are open and stay open until the process ends.
    let replaced = unsafe {
        SetStdHandle(STD_INPUT_HANDLE, nothing) != 0
            && SetStdHandle(STD_OUTPUT_HANDLE, io::stderr().as_raw_handle()) != 0
    };
    if replaced {
        Ok((input.into(), output.into()))
    } else {
        Err(io::Error::last_os_error())
    }
}

/// A channel of inherited descriptors, which this system does not have.
pub(crate) fn inherited(variable: &str, text: &str) -> io::Result<File> {
    let problem = format!(
        "{variable}={text}: Windows has no inherited descriptors; unset both variables to use stdin and stdout"
    );
    Err(io::Error::new(io::ErrorKind::Unsupported, problem))
}

/// Whether the other side of the channel is closed while nobody reads: the system does not tell. The job
/// object of the harness ends the worker.
pub(crate) fn is_closed(_input: &File) -> bool {
    false
}
