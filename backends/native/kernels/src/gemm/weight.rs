//! The elements of a matrix that is read as it is stored.

use ::half::{bf16, f16};

use crate::simd::Simd;

/// The number of lanes of the widest vector.
const MOST_LANES: usize = 16;

/// An element, which is widened to f32 where it is used.
pub(crate) trait Weight: Copy + Sync {
    /// Loads a vector of weights.
    ///
    /// # Safety
    /// `S::LANES` weights are readable at `p`.
    unsafe fn load<S: Simd>(s: S, p: *const Self) -> S::V;

    /// Loads the first `n` lanes and zeros the others.
    ///
    /// # Safety
    /// `n <= S::LANES` weights are readable at `p`.
    unsafe fn load_n<S: Simd>(s: S, p: *const Self, n: usize) -> S::V;
}

impl Weight for f32 {
    #[inline(always)]
    unsafe fn load<S: Simd>(s: S, p: *const Self) -> S::V {
        // SAFETY: promised by the caller.
        unsafe { s.load(p) }
    }

    #[inline(always)]
    unsafe fn load_n<S: Simd>(s: S, p: *const Self, n: usize) -> S::V {
        // SAFETY: promised by the caller.
        unsafe { s.load_n(p, n) }
    }
}

/// Implements [`Weight`] for a half type by a function that widens a vector.
macro_rules! half {
    ($type:ident, $s:ident, $p:ident, $widened:expr) => {
        impl Weight for $type {
            #[inline(always)]
            unsafe fn load<S: Simd>($s: S, p: *const Self) -> S::V {
                let $p: *const u16 = p.cast();
                // SAFETY: promised by the caller; a half has the layout of its bits.
                unsafe { $widened }
            }

            #[inline(always)]
            unsafe fn load_n<S: Simd>(s: S, p: *const Self, n: usize) -> S::V {
                const { assert!(S::LANES <= MOST_LANES) }
                let mut padded = [$type::ZERO; MOST_LANES];
                // SAFETY: the caller promises `n` weights; the copy has room for all lanes.
                unsafe {
                    std::ptr::copy_nonoverlapping(p, padded.as_mut_ptr(), n.min(MOST_LANES));
                    Self::load(s, padded.as_ptr())
                }
            }
        }
    };
}

half!(f16, s, p, s.load_f16(p));
half!(bf16, s, p, s.from_bits(s.shl_i::<16>(s.load_shorts(p))));
