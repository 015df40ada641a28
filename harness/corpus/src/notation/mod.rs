//! Values, elements and attributes as text, in files that people write (TOML) and programs exchange (JSON).
//!
//! What is written as text is read as the same bits.

pub(crate) mod attribute;
mod element;
pub(crate) mod value;
