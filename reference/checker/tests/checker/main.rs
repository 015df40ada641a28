//! Tests of the checker: models written as text, most of them broken in one place.

mod bodies;
mod files;
mod hostile;
mod inference;
mod rules;
mod usage;
