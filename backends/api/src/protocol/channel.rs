//! The file descriptors that a worker uses as its channel.
//!
//! The harness passes two pipes and their descriptor numbers in environment variables. If the variables are
//! unset, the channel is stdin and stdout. In both cases the descriptors 0 and 1 are then no longer the
//! channel, so a library that prints or reads cannot corrupt a frame. On Windows the channel is always stdin
//! and stdout.

use std::env;
use std::fs::File;
use std::io;

use crate::system::{inherited, take_stdio};

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
            _ => {
                let (input, output) = take_stdio()?;
                Ok(Channel { input, output })
            }
        }
    }
}
