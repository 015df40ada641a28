//! Tests of shape inference against runs of the reference.

mod generated;
mod rejections;
mod solve;
