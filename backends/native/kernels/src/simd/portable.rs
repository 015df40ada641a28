//! Implements [`Simd`] in plain Rust: arrays of 8 values that the compiler may vectorize for any processor.

use std::array::from_fn;

use super::Simd;
use crate::Isa;

/// Requires no features of the processor.
#[derive(Clone, Copy)]
pub(crate) struct Portable;

const N: usize = 8;
type V = [f32; N];
type I = [i32; N];
type M = [bool; N];

impl Simd for Portable {
    type V = V;
    type I = I;
    type M = M;
    const LANES: usize = N;
    const ISA: Isa = Isa::Portable;

    #[inline(always)]
    fn splat(self, value: f32) -> V {
        [value; N]
    }
    #[inline(always)]
    fn add(self, a: V, b: V) -> V {
        from_fn(|i| a[i] + b[i])
    }
    #[inline(always)]
    fn sub(self, a: V, b: V) -> V {
        from_fn(|i| a[i] - b[i])
    }
    #[inline(always)]
    fn mul(self, a: V, b: V) -> V {
        from_fn(|i| a[i] * b[i])
    }
    #[inline(always)]
    fn div(self, a: V, b: V) -> V {
        from_fn(|i| a[i] / b[i])
    }
    /// Rounded twice: a fused operation would be a library call on processors without it.
    #[inline(always)]
    fn fma(self, a: V, b: V, c: V) -> V {
        from_fn(|i| a[i] * b[i] + c[i])
    }
    #[inline(always)]
    fn min(self, a: V, b: V) -> V {
        from_fn(|i| if a[i] < b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn max(self, a: V, b: V) -> V {
        from_fn(|i| if a[i] > b[i] { a[i] } else { b[i] })
    }
    #[inline(always)]
    fn sqrt(self, a: V) -> V {
        from_fn(|i| a[i].sqrt())
    }
    #[inline(always)]
    fn round(self, a: V) -> V {
        from_fn(|i| a[i].round_ties_even())
    }
    #[inline(always)]
    fn floor(self, a: V) -> V {
        from_fn(|i| a[i].floor())
    }
    #[inline(always)]
    fn ceil(self, a: V) -> V {
        from_fn(|i| a[i].ceil())
    }
    #[inline(always)]
    fn nearest_f16(self, a: V) -> V {
        from_fn(|i| ::half::f16::from_f32(a[i]).to_f32())
    }
    #[inline(always)]
    fn lt(self, a: V, b: V) -> M {
        from_fn(|i| a[i] < b[i])
    }
    #[inline(always)]
    fn eq(self, a: V, b: V) -> M {
        from_fn(|i| a[i] == b[i])
    }
    #[inline(always)]
    fn select(self, mask: M, a: V, b: V) -> V {
        from_fn(|i| if mask[i] { a[i] } else { b[i] })
    }

    #[inline(always)]
    fn square_error(self, a: V, square: V) -> V {
        from_fn(|i| (f64::from(a[i]) * f64::from(a[i]) - f64::from(square[i])) as f32)
    }

    #[inline(always)]
    fn permute(self, a: V, order: I) -> V {
        from_fn(|i| a[order[i] as usize])
    }
    #[inline(always)]
    fn keep(self, a: V, n: usize) -> V {
        from_fn(|i| if i < n { a[i] } else { 0.0 })
    }

    #[inline(always)]
    fn splat_i(self, value: i32) -> I {
        [value; N]
    }
    #[inline(always)]
    fn add_i(self, a: I, b: I) -> I {
        from_fn(|i| a[i].wrapping_add(b[i]))
    }
    #[inline(always)]
    fn sub_i(self, a: I, b: I) -> I {
        from_fn(|i| a[i].wrapping_sub(b[i]))
    }
    #[inline(always)]
    fn mul_i(self, a: I, b: I) -> I {
        from_fn(|i| a[i].wrapping_mul(b[i]))
    }
    #[inline(always)]
    fn and_i(self, a: I, b: I) -> I {
        from_fn(|i| a[i] & b[i])
    }
    #[inline(always)]
    fn or_i(self, a: I, b: I) -> I {
        from_fn(|i| a[i] | b[i])
    }
    #[inline(always)]
    fn xor_i(self, a: I, b: I) -> I {
        from_fn(|i| a[i] ^ b[i])
    }
    #[inline(always)]
    fn shl_i<const C: u32>(self, a: I) -> I {
        from_fn(|i| a[i] << C)
    }
    #[inline(always)]
    fn shr_i<const C: u32>(self, a: I) -> I {
        from_fn(|i| a[i] >> C)
    }
    #[inline(always)]
    fn bits(self, a: V) -> I {
        from_fn(|i| a[i].to_bits() as i32)
    }
    #[inline(always)]
    fn from_bits(self, a: I) -> V {
        from_fn(|i| f32::from_bits(a[i] as u32))
    }
    #[inline(always)]
    fn to_int(self, a: V) -> I {
        from_fn(|i| {
            let rounded = a[i].round_ties_even();
            if (-2_147_483_648.0..2_147_483_648.0).contains(&rounded) {
                rounded as i32
            } else {
                i32::MIN
            }
        })
    }
    #[inline(always)]
    fn from_int(self, a: I) -> V {
        from_fn(|i| a[i] as f32)
    }

    #[inline(always)]
    fn sum(self, a: V) -> f32 {
        ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]))
    }

    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> I {
        // SAFETY: the caller promises `LANES` bytes.
        from_fn(|i| i32::from(unsafe { *p.add(i) }))
    }
    #[inline(always)]
    unsafe fn load_shorts(self, p: *const u16) -> I {
        // SAFETY: the caller promises `LANES` values.
        from_fn(|i| i32::from(unsafe { *p.add(i) }))
    }
    #[inline(always)]
    unsafe fn load_f16(self, p: *const u16) -> V {
        // SAFETY: as above.
        from_fn(|i| ::half::f16::from_bits(unsafe { *p.add(i) }).to_f32())
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> V {
        // SAFETY: the caller promises 8 readable values.
        unsafe { p.cast::<V>().read_unaligned() }
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, a: V) {
        // SAFETY: the caller promises room for 8 values.
        unsafe { p.cast::<V>().write_unaligned(a) }
    }
    #[inline(always)]
    unsafe fn load_n(self, p: *const f32, n: usize) -> V {
        // SAFETY: only the first `n` values are read, which the caller promises.
        from_fn(|i| if i < n { unsafe { *p.add(i) } } else { 0.0 })
    }
    #[inline(always)]
    unsafe fn store_n(self, p: *mut f32, a: V, n: usize) {
        for (i, value) in a.into_iter().enumerate().take(n) {
            // SAFETY: only the first `n` values are written, for which the caller promises room.
            unsafe { *p.add(i) = value }
        }
    }
    #[inline(always)]
    unsafe fn repeat<const C: usize>(self, p: *const f32) -> V {
        // SAFETY: the caller promises `C` readable values.
        from_fn(|i| unsafe { *p.add(i % C) })
    }
    #[inline(always)]
    fn prefetch(self, _: *const f32) {}
    #[inline(always)]
    fn prefetch_l2(self, _: *const f32) {}
}
