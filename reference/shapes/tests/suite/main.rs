//! Tests of shape inference against runs of the reference.

mod declared;
mod findings;
mod generated;
mod mutated;
mod reference;
mod rejections;
mod solve;
