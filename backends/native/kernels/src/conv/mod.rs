//! Convolution in two dimensions.
//!
//! Images are blocked: `[batch][⌈channels / c⌉][height][width][c]` with `c` = [`crate::Isa::lanes`] channels side by
//! side, the last block filled up with zeros (see [`crate::layout`]). The first layer, whose few channels would
//! leave most of a block empty, reads the plain layout `[batch][channels][height][width]`.
//!
//! [`Convolution`] holds packed weights and computes directly, without unfolding the image: the micro-kernel of
//! [`crate::gemm`] walks over channels and taps. Pointwise and grouped convolutions are cases of it.
//! [`Interleaved`] is for groups that take turns along the channels, as a channel shuffle leaves them.
//! [`Depthwise`] is for one input channel per output channel; [`Winograd`] saves multiplications in 3 × 3 windows at
//! some cost of accuracy.

mod depthwise;
mod direct;
mod interleaved;
mod pack;
mod shape;
mod strip;
mod tiles;
mod winograd;

pub use depthwise::Depthwise;
pub use direct::Convolution;
pub use interleaved::Interleaved;
pub use pack::InputLayout;
pub use shape::{ConvShape, MAX_STEP, Window};
pub use winograd::{Winograd, WinogradTile};
