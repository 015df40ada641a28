//! Tests of the checker: models written as text, most of them with one violation.

mod bodies;
mod files;
mod hostile;
mod inference;
mod rules;
mod usage;
