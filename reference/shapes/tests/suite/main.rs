//! Tests of shape inference against runs of the reference.

mod generated;
mod mutated;
mod reference;
mod rejections;
mod solve;
