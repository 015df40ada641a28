//! Vectors of f32 with one trait for three instruction sets.
//!
//! A kernel is written once, generic over [`Simd`], with all of its functions `#[inline(always)]`;
//! [`crate::Isa::run`] compiles it inside of a function with the right target features. A value of a [`Simd`]
//! type is the proof that the processor has them, so arithmetic is safe and only memory access is not.

#![allow(
    clippy::wrong_self_convention,
    reason = "`self` is the instruction set, not the converted value"
)]

use crate::Isa;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
pub(crate) mod portable;

/// Code that is generic over the vector type.
pub(crate) trait Kernel {
    /// The result.
    type Output;

    /// Runs the code. Implementations are `#[inline(always)]`, so that they have the caller's target
    /// features.
    fn run<S: Simd>(self, simd: S) -> Self::Output;
}

/// An instruction set: `V` holds `LANES` values of f32, `I` as many of i32, `M` as many booleans.
///
/// `min` and `max` return the second operand if one is NaN, as the processor does: pass the operand whose NaN
/// must be preserved second.
pub(crate) trait Simd: Copy + Send + Sync + 'static {
    type V: Copy;
    type I: Copy;
    type M: Copy;
    const LANES: usize;
    const ISA: Isa;

    fn splat(self, value: f32) -> Self::V;
    fn add(self, a: Self::V, b: Self::V) -> Self::V;
    fn sub(self, a: Self::V, b: Self::V) -> Self::V;
    fn mul(self, a: Self::V, b: Self::V) -> Self::V;
    fn div(self, a: Self::V, b: Self::V) -> Self::V;
    /// `a * b + c`, rounded once if the processor supports it.
    fn fma(self, a: Self::V, b: Self::V, c: Self::V) -> Self::V;
    fn min(self, a: Self::V, b: Self::V) -> Self::V;
    fn max(self, a: Self::V, b: Self::V) -> Self::V;
    fn sqrt(self, a: Self::V) -> Self::V;
    /// Rounds to the nearest integer, ties to even.
    fn round(self, a: Self::V) -> Self::V;
    fn floor(self, a: Self::V) -> Self::V;
    fn ceil(self, a: Self::V) -> Self::V;
    /// Rounds to the nearest IEEE 754 binary16, ties to even.
    fn nearest_f16(self, a: Self::V) -> Self::V;
    fn lt(self, a: Self::V, b: Self::V) -> Self::M;
    fn eq(self, a: Self::V, b: Self::V) -> Self::M;
    /// Returns `a` where the mask is true, else `b`.
    fn select(self, mask: Self::M, a: Self::V, b: Self::V) -> Self::V;

    /// Lane `l` of the result is lane `order[l]` of `a`; every `order[l]` is below `LANES`.
    fn permute(self, a: Self::V, order: Self::I) -> Self::V;
    /// Keeps the first `n` lanes and zeros the others.
    fn keep(self, a: Self::V, n: usize) -> Self::V;

    fn splat_i(self, value: i32) -> Self::I;
    fn add_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn sub_i(self, a: Self::I, b: Self::I) -> Self::I;
    /// The low 32 bits of each product.
    fn mul_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn and_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn or_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn xor_i(self, a: Self::I, b: Self::I) -> Self::I;
    fn shl_i<const N: u32>(self, a: Self::I) -> Self::I;
    /// Arithmetic shift to the right.
    fn shr_i<const N: u32>(self, a: Self::I) -> Self::I;
    fn bits(self, a: Self::V) -> Self::I;
    fn from_bits(self, a: Self::I) -> Self::V;
    /// Converts to the nearest i32; `i32::MIN` if it does not fit.
    fn to_int(self, a: Self::V) -> Self::I;
    fn from_int(self, a: Self::I) -> Self::V;

    fn sum(self, a: Self::V) -> f32;

    /// Loads bytes, each extended with zeros to a lane.
    /// # Safety
    /// `LANES` bytes are readable at `p`.
    unsafe fn load_bytes(self, p: *const u8) -> Self::I;
    /// Loads numbers of 16 bits, each extended with zeros to a lane.
    /// # Safety
    /// `LANES` of them are readable at `p`.
    unsafe fn load_shorts(self, p: *const u16) -> Self::I;
    /// Loads and widens IEEE 754 binary16, exactly.
    /// # Safety
    /// `LANES` of them are readable at `p`.
    unsafe fn load_f16(self, p: *const u16) -> Self::V;
    /// # Safety
    /// `LANES` values are readable at `p`.
    unsafe fn load(self, p: *const f32) -> Self::V;
    /// # Safety
    /// `LANES` values are writable at `p`.
    unsafe fn store(self, p: *mut f32, a: Self::V);
    /// Loads the first `n` lanes and zeros the others.
    /// # Safety
    /// `n <= LANES` values are readable at `p`.
    unsafe fn load_n(self, p: *const f32, n: usize) -> Self::V;
    /// # Safety
    /// `n <= LANES` values are writable at `p`.
    unsafe fn store_n(self, p: *mut f32, a: Self::V, n: usize);
    /// Repeats `N` adjacent values: lane `l` is value `l % N`. `N` is 2, 4 or 8, and divides `LANES`.
    /// # Safety
    /// `N` values are readable at `p`.
    unsafe fn repeat<const N: usize>(self, p: *const f32) -> Self::V;
    /// Transposes 8 × 8 values whose rows are a stride apart.
    /// # Safety
    /// All of them are readable at `source` and writable at `target`, which do not overlap.
    #[inline(always)]
    unsafe fn transpose8(
        self,
        source: *const f32,
        source_stride: usize,
        target: *mut f32,
        target_stride: usize,
    ) {
        for i in 0..8 {
            for j in 0..8 {
                // SAFETY: promised by the caller.
                unsafe { *target.add(j * target_stride + i) = *source.add(i * source_stride + j) }
            }
        }
    }
    /// Prefetches the line of `p` into the L1 cache; any address is allowed.
    fn prefetch(self, p: *const f32);
    /// Like [`Self::prefetch`], into the second cache only.
    fn prefetch_l2(self, p: *const f32);

    #[inline(always)]
    fn zero(self) -> Self::V {
        self.splat(0.0)
    }
    #[inline(always)]
    fn abs(self, a: Self::V) -> Self::V {
        self.from_bits(self.and_i(self.bits(a), self.splat_i(0x7fff_ffff)))
    }
    #[inline(always)]
    fn neg(self, a: Self::V) -> Self::V {
        self.from_bits(self.xor_i(self.bits(a), self.splat_i(i32::MIN)))
    }
    /// Returns the magnitude of `a` with the sign of `b`.
    #[inline(always)]
    fn copysign(self, a: Self::V, b: Self::V) -> Self::V {
        let sign = self.and_i(self.bits(b), self.splat_i(i32::MIN));
        self.from_bits(self.or_i(self.bits(self.abs(a)), sign))
    }
    /// Returns `a · 2^n` for an integer from -150 to 128, rounded once.
    #[inline(always)]
    fn scale(self, a: Self::V, n: Self::V) -> Self::V {
        let n = self.to_int(n);
        let half = self.shr_i::<1>(n);
        let rest = self.power_of_two(self.sub_i(n, half));
        self.mul(self.mul(a, self.power_of_two(half)), rest)
    }
    /// Returns `2^n` for an integer from -126 to 127.
    #[inline(always)]
    fn power_of_two(self, n: Self::I) -> Self::V {
        self.from_bits(self.shl_i::<23>(self.add_i(n, self.splat_i(127))))
    }
    /// Returns the rounding error of `square = a · a`.
    #[inline(always)]
    fn square_error(self, a: Self::V, square: Self::V) -> Self::V {
        self.fma(a, a, self.neg(square))
    }
    /// Returns the maximum, NaN if either is NaN.
    #[inline(always)]
    fn max_nan(self, a: Self::V, b: Self::V) -> Self::V {
        self.select(self.eq(a, a), self.max(a, b), a)
    }
    /// Returns the minimum, NaN if either is NaN.
    #[inline(always)]
    fn min_nan(self, a: Self::V, b: Self::V) -> Self::V {
        self.select(self.eq(a, a), self.min(a, b), a)
    }
}
