//! Which file descriptors a worker talks over.
//!
//! The harness hands over two pipes and names their descriptors in the environment. Where it does not, the channel is
//! stdin and stdout. Either way the descriptors 0 and 1 of the process are then free of it: a library that prints or reads
//! cannot tear a frame.

use std::env;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, FromRawFd, OwnedFd, RawFd};

use rustix::fs::{FileType, fstat};
use rustix::io::{FdFlags, fcntl_setfd};

/// Environment variable: the number of the descriptor that requests come from.
pub const FD_IN: &str = "ONNX_CONFORMANCE_FD_IN";
/// Environment variable: the number of the descriptor that answers go to.
pub const FD_OUT: &str = "ONNX_CONFORMANCE_FD_OUT";

/// The worker's end of the channel.
#[derive(Debug)]
pub struct Channel {
    /// Requests come from here.
    pub input: File,
    /// Answers go here.
    pub output: File,
}

impl Channel {
    /// Takes the channel. To be called once, before any thread is started that could print.
    ///
    /// # Errors
    /// When the environment names descriptors that are no open pipes or sockets.
    pub fn open() -> io::Result<Channel> {
        match (env::var(FD_IN), env::var(FD_OUT)) {
            (Ok(input), Ok(output)) => Ok(Channel {
                input: inherited(FD_IN, &input)?,
                output: inherited(FD_OUT, &output)?,
            }),
            _ => Channel::stdio(),
        }
    }

    /// Moves stdin and stdout aside: 0 becomes empty, 1 becomes stderr.
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

/// Takes a descriptor that was inherited, and keeps it from being inherited further.
fn inherited(variable: &str, text: &str) -> io::Result<File> {
    let wrong = |problem: &str| {
        let message =
            format!("{variable}={text} {problem}; leave both variables unset to talk over stdin and stdout");
        io::Error::new(io::ErrorKind::InvalidInput, message)
    };
    let number: RawFd = text.parse().map_err(|_| wrong("is no number"))?;
    if number < 3 {
        return Err(wrong("is one of stdin, stdout and stderr"));
    }
    // SAFETY: the harness opened this descriptor for us alone, before this process began, and nothing else here takes
    // it: this is called once for each of the two variables. A number that is not open is noticed by `fstat` below
    // before anything is done to it, and is then given up without being closed.
    let descriptor = unsafe { OwnedFd::from_raw_fd(number) };
    match fstat(&descriptor).map(|stat| FileType::from_raw_mode(stat.st_mode)) {
        Ok(FileType::Fifo | FileType::Socket) => {
            fcntl_setfd(&descriptor, FdFlags::CLOEXEC)?;
            Ok(descriptor.into())
        }
        _ => {
            std::mem::forget(descriptor);
            Err(wrong("is no open pipe or socket"))
        }
    }
}
