//! Functions of one value and of two.

mod affine;
mod binary;
mod by_channel;
mod scale;
mod unary;

pub use affine::{ChannelLayout, affine};
pub use binary::{Binary, binary};
pub use by_channel::{ByChannel, by_channel};
pub use scale::scale_rows;
pub use unary::{Unary, unary};
pub(crate) use unary::{activate, activate_pixels, activate_rows};
