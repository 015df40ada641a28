//! Tests of the adapter for tract with small models.

mod constants;
mod models;
mod options;
mod profile;
mod shapes;
mod types;
mod unsupported;
