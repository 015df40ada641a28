//! Tests of shape inference against runs of the reference.

mod choices;
mod declared;
mod findings;
mod generated;
mod mutated;
mod reference;
mod rejections;
mod solve;
