//! Functions of single values and of pairs.

mod affine;
mod binary;
mod unary;

pub use affine::{ChannelLayout, affine};
pub use binary::{Binary, binary};
pub(crate) use unary::activate;
pub use unary::{Unary, unary};
