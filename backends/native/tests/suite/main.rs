//! The backend as the harness calls it, one file for each property. They are one program, because each would
//! link the whole backend.

mod budget;
mod decoder;
mod greatest;
mod nesting;
mod not_finite;
mod outside;
mod profile;
mod texts;
