//! The adapter over tract, seen from outside: small models in, values or typed errors out.

mod constants;
mod models;
mod options;
mod shapes;
mod types;
mod unsupported;
