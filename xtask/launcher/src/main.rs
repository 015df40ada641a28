//! `cargo xtask`: starts the program `xtask`, and builds it before if it is not there as its files are now.
//!
//! It has a profile of its own in Cargo.toml: cargo has one lock for each, so that it starts while another
//! build runs.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use xtask_launcher::Checkout;

/// The program that has the tasks.
const PROGRAM: &str = "xtask";

/// The exit code if the program cannot be built or started, as cargo has it.
const NOT_STARTED: u8 = 101;

fn main() -> ExitCode {
    match start() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: cannot start the tasks of the project: {error}");
            NOT_STARTED.into()
        }
    }
}

fn start() -> io::Result<ExitCode> {
    let checkout = Checkout::of_this_program()?;
    let status = checkout.build(&[PROGRAM])?;
    if !status.success() {
        // Cargo has printed why.
        return Ok(NOT_STARTED.into());
    }
    let mut program = Command::new(checkout.program(PROGRAM));
    program.args(std::env::args_os().skip(1));
    // The task is this process from here on: signals and the exit code are its own.
    Err(program.exec())
}
