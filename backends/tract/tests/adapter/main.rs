//! Tests of the adapter for tract with small models.

mod constants;
mod models;
mod options;
mod shapes;
mod types;
mod unsupported;
