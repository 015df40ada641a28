//! Experiments on the harness and on the arithmetic of backends.
//!
//! [`mutate`] plants faults into outputs and tests the comparison; [`exhaustive`] holds every input of
//! narrow formats against correct rounding; [`accumulation`] measures a thousand sums at a time.

#![deny(clippy::print_stdout, clippy::print_stderr)]

pub mod accumulation;
pub mod exhaustive;
pub mod mutate;
