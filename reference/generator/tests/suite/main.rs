//! The generated models as a set.

mod cells;
mod graphs;
mod known_faults;
