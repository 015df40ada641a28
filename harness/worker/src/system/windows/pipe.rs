//! Anonymous pipes that do not block. The system reports no readiness of such a pipe: it is asked for.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::ptr::{null, null_mut};
use std::thread::sleep;
use std::time::{Duration, Instant};

use windows_sys::Win32::System::Pipes::{CreatePipe, PIPE_NOWAIT, PeekNamedPipe, SetNamedPipeHandleState};

use super::super::Input;

/// The capacity of a pipe in bytes.
const CAPACITY: u32 = 1 << 20;

/// The interval at which pipes are asked.
const STEP: Duration = Duration::from_millis(1);

/// The harness's end of a pipe.
#[derive(Debug)]
pub(crate) struct Pipe(File);

/// A pipe to a child: its end, and that of the harness, whose writes take what fits.
pub(super) fn outgoing() -> io::Result<(OwnedHandle, Pipe)> {
    let (reader, writer) = create()?;
    // SAFETY: the handle is open, the mode is a value that the call reads, and the rest may be null.
    let set = unsafe { SetNamedPipeHandleState(writer.as_raw_handle(), &PIPE_NOWAIT, null(), null()) };
    match set {
        0 => Err(io::Error::last_os_error()),
        _ => Ok((reader, Pipe(writer.into()))),
    }
}

/// A pipe from a child: the end of the harness, and its own.
pub(super) fn incoming() -> io::Result<(Pipe, OwnedHandle)> {
    let (reader, writer) = create()?;
    Ok((Pipe(reader.into()), writer))
}

/// A pipe that no process inherits: its end for reading, and that for writing.
fn create() -> io::Result<(OwnedHandle, OwnedHandle)> {
    let (mut reader, mut writer) = (null_mut(), null_mut());
    // SAFETY: both pointers are those of values that the call writes; attributes may be null.
    if unsafe { CreatePipe(&mut reader, &mut writer, null(), CAPACITY) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both handles are new, open and owned by nobody else.
    Ok(unsafe {
        (
            OwnedHandle::from_raw_handle(reader),
            OwnedHandle::from_raw_handle(writer),
        )
    })
}

impl Pipe {
    /// Reads the available data; `None` at the end or if the pipe is broken.
    pub(crate) fn read(&self, buffer: &mut [u8]) -> Option<usize> {
        let available = self.available()?.min(buffer.len());
        match available {
            0 => Some(0),
            // That much is read without waiting.
            count => (&self.0).read(buffer.get_mut(..count)?).ok(),
        }
    }

    /// Writes as much as fits; `None` if the reader is gone.
    pub(crate) fn write(&self, bytes: &[u8]) -> Option<usize> {
        (&self.0).write(bytes).ok()
    }

    /// The number of bytes that can be read; `None` at the end or if the pipe is broken.
    fn available(&self) -> Option<usize> {
        let mut count = 0;
        // SAFETY: the handle is open, the pointer is that of a value that the call writes, and the others
        // may be null.
        let asked = unsafe {
            PeekNamedPipe(
                self.0.as_raw_handle(),
                null_mut(),
                0,
                null_mut(),
                &mut count,
                null_mut(),
            )
        };
        (asked != 0).then_some(count as usize)
    }

    fn state(&self) -> Input {
        match self.available() {
            Some(0) => Input::Quiet,
            Some(_) => Input::Bytes,
            None => Input::Closed,
        }
    }
}

/// Waits until one of `inputs` is ready, at most for `most`, and not longer than a moment if there is an
/// `output`, to which as much as fits can be written at any time. Returns the states of `inputs` in their
/// order, and whether there is an `output`.
pub(crate) fn wait(inputs: &[&Pipe], output: Option<&Pipe>, most: Duration) -> Option<(Vec<Input>, bool)> {
    let deadline = Instant::now() + most;
    loop {
        let states: Vec<Input> = inputs.iter().map(|pipe| pipe.state()).collect();
        let is_ready = states.iter().any(|&state| state != Input::Quiet);
        if is_ready || Instant::now() >= deadline {
            return Some((states, output.is_some()));
        }
        sleep(STEP);
        if output.is_some() {
            return Some((states, true));
        }
    }
}
