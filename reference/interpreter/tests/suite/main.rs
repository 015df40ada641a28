//! The interpreter on whole graphs. One program, because each would hold all operators.

mod bodies;
mod bounds;
mod budgets;
mod build;
mod classes;
mod contrib;
mod deviations;
mod generated;
mod gradients;
mod halves;
mod infinities;
mod initializers;
mod layouts;
mod noise;
mod reach;
mod rounding;
mod sets;
mod terms;
