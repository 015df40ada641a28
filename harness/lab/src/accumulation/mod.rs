//! Tests sums as populations: the bias and the spread of the errors of a thousand sums.
//!
//! # Purpose
//! A fault can stay within the bound of each element and still show in the mean. A sum of n terms
//! may be off by γₙ·Σ|aᵢbᵢ|, but the errors of a thousand such sums, rounded to nearest, are much
//! smaller than that and have no preferred direction. Each [`Subject`] (operator, element type,
//! kind of terms, length) is one population of about a thousand sums on a backend; [`Population`]
//! states its spread and its bias, and [`Verdict`](run_record::sums::Verdict) what they mean.
//! [`Accumulator`] says how the backend adds: with how many bits, in which direction it rounds, in
//! which order.
//!
//! # Method
//! The test is that of the dot products in the conformance tests of TOSA: normalised errors, a
//! limit for the sum of their squares and one for the magnitude of their sum. The limits here
//! follow from the rounding of each partial sum ([`population`]), not from the worst case. The
//! accumulator is measured by terms that cancel (`probe`), as in *FPRev: Revealing the Order and
//! Precision of Floating-Point Summation* (P. Xu and others, 2024).
//!
//! # Scope
//! The exact sums are computed here in twice the precision of double, without the reference and
//! without a backend.

mod accumulator;
mod layout;
mod model;
mod order;
pub mod population;
mod probe;
mod run;
#[cfg(test)]
mod simulated;
mod subject;
mod values;
mod wide;

pub use accumulator::{Accumulator, Direction};
pub use order::Order;
pub use population::Population;
pub use run::{Measured, accumulators, populations};
pub use subject::{Kind, Subject, Terms, adders, subjects};
