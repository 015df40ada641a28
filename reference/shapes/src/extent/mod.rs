//! Extents and elements of integers as expressions over unknowns.

mod bounds;
mod equate;
mod expr;
mod operation;
mod read;
mod reduce;
mod symbols;

pub(crate) use equate::Compared;
pub use expr::{Atom, Expr};
pub use operation::Operation;
pub use symbols::{Mark, Symbols};
