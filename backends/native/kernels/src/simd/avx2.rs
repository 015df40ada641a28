//! Implements [`Simd`] with AVX2 and FMA: 8 lanes, masks as vectors.

use std::arch::x86_64::*;

use super::{Kernel, Simd};
use crate::Isa;

/// Proof that the processor has AVX2, FMA and F16C.
#[derive(Clone, Copy)]
pub(crate) struct Avx2(());

/// Runs a kernel compiled for these features.
///
/// # Safety
/// The processor supports them.
#[target_feature(enable = "avx2,fma,f16c")]
pub(crate) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx2(()))
}

/// Wraps an intrinsic: the token in `self` proves the feature.
macro_rules! proven {
    ($call:expr) => {{
        // SAFETY: a value of `Avx2` exists only inside of `run`, whose caller checked the features.
        unsafe { $call }
    }};
}

/// A table whose windows are masks with all ones in the first `n` lanes.
static MASKS: [i32; 16] = [-1, -1, -1, -1, -1, -1, -1, -1, 0, 0, 0, 0, 0, 0, 0, 0];

#[inline(always)]
fn lanes(n: usize) -> __m256i {
    // SAFETY: the offset is at most 8, so 8 values remain; called only with a token present.
    unsafe { _mm256_loadu_si256(MASKS.as_ptr().add(8 - n.min(8)).cast()) }
}

impl Simd for Avx2 {
    type V = __m256;
    type I = __m256i;
    type M = __m256;
    const LANES: usize = 8;
    const ISA: Isa = Isa::Avx2;

    #[inline(always)]
    fn splat(self, value: f32) -> __m256 {
        proven!(_mm256_set1_ps(value))
    }
    #[inline(always)]
    fn add(self, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_div_ps(a, b))
    }
    #[inline(always)]
    fn fma(self, a: __m256, b: __m256, c: __m256) -> __m256 {
        proven!(_mm256_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn min(self, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_min_ps(a, b))
    }
    #[inline(always)]
    fn max(self, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_max_ps(a, b))
    }
    #[inline(always)]
    fn sqrt(self, a: __m256) -> __m256 {
        proven!(_mm256_sqrt_ps(a))
    }
    #[inline(always)]
    fn round(self, a: __m256) -> __m256 {
        proven!(_mm256_round_ps::<{ _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC }>(a))
    }
    #[inline(always)]
    fn floor(self, a: __m256) -> __m256 {
        proven!(_mm256_floor_ps(a))
    }
    #[inline(always)]
    fn ceil(self, a: __m256) -> __m256 {
        proven!(_mm256_ceil_ps(a))
    }
    #[inline(always)]
    fn nearest_f16(self, a: __m256) -> __m256 {
        proven!(_mm256_cvtph_ps(_mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(a)))
    }
    #[inline(always)]
    fn lt(self, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_cmp_ps::<_CMP_LT_OQ>(a, b))
    }
    #[inline(always)]
    fn eq(self, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_cmp_ps::<_CMP_EQ_OQ>(a, b))
    }
    #[inline(always)]
    fn select(self, mask: __m256, a: __m256, b: __m256) -> __m256 {
        proven!(_mm256_blendv_ps(b, a, mask))
    }

    #[inline(always)]
    fn permute(self, a: __m256, order: __m256i) -> __m256 {
        proven!(_mm256_permutevar8x32_ps(a, order))
    }
    #[inline(always)]
    fn keep(self, a: __m256, n: usize) -> __m256 {
        proven!(_mm256_and_ps(a, _mm256_castsi256_ps(lanes(n))))
    }

    #[inline(always)]
    fn splat_i(self, value: i32) -> __m256i {
        proven!(_mm256_set1_epi32(value))
    }
    #[inline(always)]
    fn add_i(self, a: __m256i, b: __m256i) -> __m256i {
        proven!(_mm256_add_epi32(a, b))
    }
    #[inline(always)]
    fn sub_i(self, a: __m256i, b: __m256i) -> __m256i {
        proven!(_mm256_sub_epi32(a, b))
    }
    #[inline(always)]
    fn mul_i(self, a: __m256i, b: __m256i) -> __m256i {
        proven!(_mm256_mullo_epi32(a, b))
    }
    #[inline(always)]
    fn and_i(self, a: __m256i, b: __m256i) -> __m256i {
        proven!(_mm256_and_si256(a, b))
    }
    #[inline(always)]
    fn or_i(self, a: __m256i, b: __m256i) -> __m256i {
        proven!(_mm256_or_si256(a, b))
    }
    #[inline(always)]
    fn xor_i(self, a: __m256i, b: __m256i) -> __m256i {
        proven!(_mm256_xor_si256(a, b))
    }
    #[inline(always)]
    fn shl_i<const N: u32>(self, a: __m256i) -> __m256i {
        proven!(_mm256_sllv_epi32(a, _mm256_set1_epi32(N as i32)))
    }
    #[inline(always)]
    fn shr_i<const N: u32>(self, a: __m256i) -> __m256i {
        proven!(_mm256_srav_epi32(a, _mm256_set1_epi32(N as i32)))
    }
    #[inline(always)]
    fn bits(self, a: __m256) -> __m256i {
        proven!(_mm256_castps_si256(a))
    }
    #[inline(always)]
    fn from_bits(self, a: __m256i) -> __m256 {
        proven!(_mm256_castsi256_ps(a))
    }
    #[inline(always)]
    fn to_int(self, a: __m256) -> __m256i {
        proven!(_mm256_cvtps_epi32(a))
    }
    #[inline(always)]
    fn from_int(self, a: __m256i) -> __m256 {
        proven!(_mm256_cvtepi32_ps(a))
    }

    #[inline(always)]
    fn sum(self, a: __m256) -> f32 {
        proven!({
            let half = _mm_add_ps(_mm256_castps256_ps128(a), _mm256_extractf128_ps::<1>(a));
            let pair = _mm_add_ps(half, _mm_movehl_ps(half, half));
            _mm_cvtss_f32(_mm_add_ss(pair, _mm_shuffle_ps::<1>(pair, pair)))
        })
    }

    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> __m256i {
        proven!(_mm256_cvtepu8_epi32(_mm_loadl_epi64(p.cast())))
    }
    #[inline(always)]
    unsafe fn load_shorts(self, p: *const u16) -> __m256i {
        proven!(_mm256_cvtepu16_epi32(_mm_loadu_si128(p.cast())))
    }
    #[inline(always)]
    unsafe fn load_f16(self, p: *const u16) -> __m256 {
        proven!(_mm256_cvtph_ps(_mm_loadu_si128(p.cast())))
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> __m256 {
        proven!(_mm256_loadu_ps(p))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, a: __m256) {
        proven!(_mm256_storeu_ps(p, a))
    }
    #[inline(always)]
    unsafe fn load_n(self, p: *const f32, n: usize) -> __m256 {
        proven!(_mm256_maskload_ps(p, lanes(n)))
    }
    #[inline(always)]
    unsafe fn store_n(self, p: *mut f32, a: __m256, n: usize) {
        proven!(_mm256_maskstore_ps(p, lanes(n), a))
    }
    #[inline(always)]
    unsafe fn repeat<const N: usize>(self, p: *const f32) -> __m256 {
        const { assert!(matches!(N, 2 | 4 | 8)) }
        match N {
            2 => proven!(_mm256_castpd_ps(_mm256_set1_pd(p.cast::<f64>().read_unaligned()))),
            4 => proven!(_mm256_castsi256_ps(_mm256_broadcastsi128_si256(_mm_loadu_si128(
                p.cast()
            )))),
            _ => proven!(_mm256_loadu_ps(p)),
        }
    }
    #[inline(always)]
    unsafe fn transpose8(
        self,
        source: *const f32,
        source_stride: usize,
        target: *mut f32,
        target_stride: usize,
    ) {
        proven!(transpose8(source, source_stride, target, target_stride))
    }
    #[inline(always)]
    fn prefetch(self, p: *const f32) {
        proven!(_mm_prefetch::<_MM_HINT_T0>(p.cast()))
    }
    #[inline(always)]
    fn prefetch_l2(self, p: *const f32) {
        proven!(_mm_prefetch::<_MM_HINT_T1>(p.cast()))
    }
}

/// Transposes 8 × 8 values by exchanging values, pairs, then halves.
///
/// # Safety
/// The processor supports AVX2; all values are readable at `source` and writable at `target`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn transpose8(
    source: *const f32,
    source_stride: usize,
    target: *mut f32,
    target_stride: usize,
) {
    // SAFETY: promised by the caller.
    unsafe {
        let r: [__m256; 8] = std::array::from_fn(|i| _mm256_loadu_ps(source.add(i * source_stride)));
        let low = |i: usize| _mm256_unpacklo_ps(r[i], r[i + 1]);
        let high = |i: usize| _mm256_unpackhi_ps(r[i], r[i + 1]);
        let (a, b, c, d) = (low(0), low(2), low(4), low(6));
        let (e, f, g, h) = (high(0), high(2), high(4), high(6));
        const FIRST: i32 = 0x44;
        const SECOND: i32 = 0xee;
        let quads = [
            (_mm256_shuffle_ps::<FIRST>(a, b), _mm256_shuffle_ps::<FIRST>(c, d)),
            (
                _mm256_shuffle_ps::<SECOND>(a, b),
                _mm256_shuffle_ps::<SECOND>(c, d),
            ),
            (_mm256_shuffle_ps::<FIRST>(e, f), _mm256_shuffle_ps::<FIRST>(g, h)),
            (
                _mm256_shuffle_ps::<SECOND>(e, f),
                _mm256_shuffle_ps::<SECOND>(g, h),
            ),
        ];
        for (j, (upper, lower)) in quads.into_iter().enumerate() {
            _mm256_storeu_ps(
                target.add(j * target_stride),
                _mm256_permute2f128_ps::<0x20>(upper, lower),
            );
            _mm256_storeu_ps(
                target.add((j + 4) * target_stride),
                _mm256_permute2f128_ps::<0x31>(upper, lower),
            );
        }
    }
}
