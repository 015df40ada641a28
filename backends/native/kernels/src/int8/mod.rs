//! Products and convolutions of bytes, exact in i32.
//!
//! Left operands become unsigned and right ones signed (an offset of 128, which zero points take in), because that is
//! what the processor multiplies: four pairs at a time with VNNI, and without it by widening to 16 bits, where nothing
//! saturates. Values are on the left, weights on the right, packed once. An image is multiplied as it lies, its channels
//! last: each tap of a window is a row of them. Sums are kept, or brought back to bytes at once ([`Target`]).

mod conv;
mod dot;
mod finish;
mod gather;
mod grouped;
mod image;
mod linear;
mod pack;
mod pool;
mod product;
mod requantize;
mod strip;
mod tile;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use conv::{ByteImages, ByteLayout, Int8Convolution};
pub use dot::Dot;
pub use finish::Target;
pub use image::relayout;
pub use linear::{dequantize, quantize};
pub use pack::Int8Weights;
pub use pool::max_pool;
pub use product::gemm_int8;
pub use requantize::{BytesMut, requantize};

/// The most columns of a tile.
const MAX_WIDTH: usize = 32;

/// Bytes of either kind.
#[derive(Clone, Copy, Debug)]
pub enum Bytes<'a> {
    /// Two's complement.
    Signed(&'a [i8]),
    /// Without sign.
    Unsigned(&'a [u8]),
}

impl<'a> Bytes<'a> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Signed(bytes) => bytes.len(),
            Self::Unsigned(bytes) => bytes.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bits.
    fn raw(self) -> &'a [u8] {
        match self {
            // SAFETY: i8 and u8 have the same size and alignment, and every pattern of bits is a value of both.
            Self::Signed(bytes) => unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len()) },
            Self::Unsigned(bytes) => bytes,
        }
    }

    /// What to flip to make the bits unsigned, which adds 128 to signed values.
    fn flip_to_unsigned(self) -> u8 {
        if matches!(self, Self::Signed(_)) { 0x80 } else { 0 }
    }

    /// What to flip to make the bits signed, which takes 128 from unsigned values.
    fn flip_to_signed(self) -> u8 {
        0x80 - self.flip_to_unsigned()
    }
}
