//! The statistical contract, on models and on draws.

mod models;
mod planted;
