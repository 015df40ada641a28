//! Tests of the checker: models written as text, most of them broken in one place.

mod text;
mod usage;
