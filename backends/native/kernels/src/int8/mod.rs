//! Products and convolutions of bytes, exact in i32.
//!
//! Left operands become unsigned and right ones signed (an offset of 128, which the zero points include),
//! because the processor multiplies these types: four pairs at a time with VNNI, or widened to 16 bits, where
//! nothing saturates. Values are on the left, weights on the right, packed once. An image with channels last
//! is multiplied in place: each tap of a window is a row of channels. Results are sums, or bytes
//! ([`Target`]).

mod conv;
mod depthwise;
mod dot;
mod dynamic;
mod finish;
mod gather;
mod grouped;
mod image;
mod linear;
mod map;
mod mean;
mod pack;
mod pair;
mod pool;
mod product;
mod requantize;
mod scale;
mod scaled;
mod strip;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;
#[cfg(target_arch = "x86_64")]
mod x86_round;

pub use conv::{ByteImages, ByteLayout, Int8Convolution};
pub use dot::Dot;
pub use dynamic::quantize_dynamically;
pub(crate) use dynamic::{DynamicRows, DynamicScale};
pub use finish::Target;
pub use image::relayout;
pub use linear::{dequantize, quantize};
pub use map::{ByteMap, BytePart, concat_bytes};
pub use mean::{MAX_PIXELS, average_pool};
pub use pack::Int8Weights;
pub use pair::{BytePair, PairOperation};
pub use pool::max_pool;
pub use product::gemm_int8;
pub use requantize::{BytesMut, requantize};
pub use scale::ByteScale;
pub use scaled::ScaledWeights;
pub(crate) use scaled::{After, ScaledRows};

/// The maximum number of columns of a tile.
const MAX_WIDTH: usize = 32;

/// Signed or unsigned bytes.
#[derive(Clone, Copy, Debug)]
pub enum Bytes<'a> {
    /// Two's complement.
    Signed(&'a [i8]),
    /// Without sign.
    Unsigned(&'a [u8]),
}

impl<'a> Bytes<'a> {
    /// The number of bytes.
    pub fn len(&self) -> usize {
        match self {
            Self::Signed(bytes) => bytes.len(),
            Self::Unsigned(bytes) => bytes.len(),
        }
    }

    /// Whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns one of `count` equal parts.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn part(self, which: usize, count: usize) -> Self {
        let length = self.len() / count;
        let own = which * length..(which + 1) * length;
        match self {
            Self::Signed(bytes) => Self::Signed(&bytes[own]),
            Self::Unsigned(bytes) => Self::Unsigned(&bytes[own]),
        }
    }

    /// Returns the number of the byte at a position.
    fn value(&self, at: usize) -> i32 {
        match self {
            Self::Signed(bytes) => bytes[at].into(),
            Self::Unsigned(bytes) => bytes[at].into(),
        }
    }

    /// The bits.
    pub fn raw(self) -> &'a [u8] {
        match self {
            // SAFETY: i8 and u8 have the same size and alignment, and every pattern of bits is a value of
            // both.
            Self::Signed(bytes) => unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) },
            Self::Unsigned(bytes) => bytes,
        }
    }

    /// Returns the bits to flip to make the bytes unsigned, which adds 128 to signed values.
    fn flip_to_unsigned(self) -> u8 {
        if matches!(self, Self::Signed(_)) { 0x80 } else { 0 }
    }

    /// Returns the bits to flip to make the bytes signed, which subtracts 128 from unsigned values.
    fn flip_to_signed(self) -> u8 {
        0x80 - self.flip_to_unsigned()
    }
}
