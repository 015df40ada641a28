//! The file descriptors that a worker uses as its channel.
//!
//! The harness passes two pipes and their descriptor numbers in environment variables. If the variables are
//! unset, the channel is stdin and stdout. In both cases the descriptors 0 and 1 are then no longer the
//! channel, so a library that prints or reads cannot corrupt a frame.

use std::env;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};

use rustix::fs::{FileType, fstat};
use rustix::io::{FdFlags, fcntl_setfd};

/// Environment variable with the descriptor number for requests.
pub const FD_IN: &str = "ONNX_CONFORMANCE_FD_IN";
/// Environment variable with the descriptor number for answers.
pub const FD_OUT: &str = "ONNX_CONFORMANCE_FD_OUT";

/// The worker's end of the channel.
#[derive(Debug)]
pub struct Channel {
    /// Requests are read from here.
    pub input: File,
    /// Answers are written here.
    pub output: File,
}

impl Channel {
    /// Opens the channel. Call this once, before any thread starts that could print.
    ///
    /// # Errors
    /// If the variables contain descriptors that are not open pipes or sockets.
    pub fn open() -> io::Result<Channel> {
        match (env::var(FD_IN), env::var(FD_OUT)) {
            (Ok(input), Ok(output)) => Ok(Channel {
                input: inherited(FD_IN, &input)?,
                output: inherited(FD_OUT, &output)?,
            }),
            _ => Channel::stdio(),
        }
    }

    /// Duplicates stdin and stdout for the channel. Then 0 reads from the null device and 1 writes to stderr.
    fn stdio() -> io::Result<Channel> {
        let input = io::stdin().as_fd().try_clone_to_owned()?;
        let output = io::stdout().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        rustix::stdio::dup2_stdout(io::stderr())?;
        Ok(Channel {
            input: input.into(),
            output: output.into(),
        })
    }
}

/// Takes ownership of an inherited descriptor, and prevents child processes from inheriting it.
fn inherited(variable: &str, text: &str) -> io::Result<File> {
    let wrong = |problem: &str| {
        let message = format!("{variable}={text} {problem}; unset both variables to use stdin and stdout");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let number: RawFd = text.parse().map_err(|_| wrong("is not a number"))?;
    if number < 3 {
        return Err(wrong("is one of stdin, stdout and stderr"));
    }
    // SAFETY: the harness opened this descriptor for this process alone, before it started, and nothing else
    // here takes it: this function is called once for each of the two variables. `fstat` below detects a
    // number that is not open before anything else uses it; such a number is released without being closed.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    match fstat(&descriptor).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::Fifo | FileType::Socket) => {
            fcntl_setfd(&descriptor, FdFlags::CLOEXEC)?;
            Ok(descriptor.into())
        }
        _ => {
            std::mem::forget(descriptor);
            Err(wrong("is not an open pipe or socket"))
        }
    }
}
