//! Convolution over one, two and three axes.
//!
//! Images are blocked: `[batch][⌈channels / c⌉][height][width][c]` with `c` = [`crate::Isa::lanes`] adjacent
//! channels, the last block padded with zeros (see [`crate::layout`]). The first layer has few channels,
//! which would leave most of a block empty, so it reads the plain layout `[batch][channels][height][width]`.
//!
//! [`Convolution`] holds packed weights and computes directly, without unfolding the image: the micro-kernel
//! of [`crate::gemm`] iterates over channels and taps. This includes pointwise and grouped convolutions. With
//! at most four channels of the result, the lanes are channels of the image instead ([`few`]).
//! [`Interleaved`] is for groups that are interleaved along the channels, as after a channel shuffle.
//! [`Depthwise`] is for one input channel per output channel. [`Winograd`] saves multiplications in 3 × 3
//! windows at some cost of accuracy. [`Taps`] leaves out the padding of dilated windows. [`Volume`] is for
//! three axes and for transposed convolutions: a sum of direct ones.

mod depthwise;
mod direct;
mod few;
mod interleaved;
mod pack;
mod shape;
mod strip;
mod taps;
mod tiles;
mod volume;
mod winograd;

pub use depthwise::Depthwise;
pub use direct::Convolution;
pub use interleaved::Interleaved;
pub use pack::InputLayout;
pub use shape::{ConvShape, MAX_STEP, Window};
pub use taps::Taps;
pub use volume::{Volume, VolumeFilters, VolumeShape};
pub use winograd::{Winograd, WinogradTile};
