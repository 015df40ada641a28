//! Implements [`Simd`] with AVX-512: 16 lanes, masks in mask registers.

use std::arch::x86_64::*;

use super::{Kernel, Simd};
use crate::Isa;

/// Proof that the processor has AVX-512 F, BW, DQ and VL.
#[derive(Clone, Copy)]
pub(crate) struct Avx512(());

/// Runs a kernel compiled for these features.
///
/// # Safety
/// The processor supports them.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,bmi1,bmi2")]
pub(crate) unsafe fn run<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Avx512(()))
}

/// Wraps an intrinsic: the token in `self` proves the feature.
macro_rules! proven {
    ($call:expr) => {{
        // SAFETY: a value of `Avx512` exists only inside of `run`, whose caller checked the features.
        unsafe { $call }
    }};
}

#[inline(always)]
fn lanes(n: usize) -> __mmask16 {
    ((1u32 << n.min(16)) - 1) as __mmask16
}

impl Simd for Avx512 {
    type V = __m512;
    type I = __m512i;
    type M = __mmask16;
    const LANES: usize = 16;
    const ISA: Isa = Isa::Avx512;

    #[inline(always)]
    fn splat(self, value: f32) -> __m512 {
        proven!(_mm512_set1_ps(value))
    }
    #[inline(always)]
    fn add(self, a: __m512, b: __m512) -> __m512 {
        proven!(_mm512_add_ps(a, b))
    }
    #[inline(always)]
    fn sub(self, a: __m512, b: __m512) -> __m512 {
        proven!(_mm512_sub_ps(a, b))
    }
    #[inline(always)]
    fn mul(self, a: __m512, b: __m512) -> __m512 {
        proven!(_mm512_mul_ps(a, b))
    }
    #[inline(always)]
    fn div(self, a: __m512, b: __m512) -> __m512 {
        proven!(_mm512_div_ps(a, b))
    }
    #[inline(always)]
    fn fma(self, a: __m512, b: __m512, c: __m512) -> __m512 {
        proven!(_mm512_fmadd_ps(a, b, c))
    }
    #[inline(always)]
    fn min(self, a: __m512, b: __m512) -> __m512 {
        proven!(_mm512_min_ps(a, b))
    }
    #[inline(always)]
    fn max(self, a: __m512, b: __m512) -> __m512 {
        proven!(_mm512_max_ps(a, b))
    }
    #[inline(always)]
    fn sqrt(self, a: __m512) -> __m512 {
        proven!(_mm512_sqrt_ps(a))
    }
    #[inline(always)]
    fn round(self, a: __m512) -> __m512 {
        proven!(_mm512_roundscale_ps::<
            { _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC },
        >(a))
    }
    #[inline(always)]
    fn floor(self, a: __m512) -> __m512 {
        proven!(_mm512_roundscale_ps::<
            { _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC },
        >(a))
    }
    #[inline(always)]
    fn ceil(self, a: __m512) -> __m512 {
        proven!(_mm512_roundscale_ps::<
            { _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC },
        >(a))
    }
    #[inline(always)]
    fn nearest_f16(self, a: __m512) -> __m512 {
        proven!(_mm512_cvtph_ps(_mm512_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(a)))
    }
    #[inline(always)]
    fn lt(self, a: __m512, b: __m512) -> __mmask16 {
        proven!(_mm512_cmp_ps_mask::<_CMP_LT_OQ>(a, b))
    }
    #[inline(always)]
    fn eq(self, a: __m512, b: __m512) -> __mmask16 {
        proven!(_mm512_cmp_ps_mask::<_CMP_EQ_OQ>(a, b))
    }
    #[inline(always)]
    fn select(self, mask: __mmask16, a: __m512, b: __m512) -> __m512 {
        proven!(_mm512_mask_blend_ps(mask, b, a))
    }

    #[inline(always)]
    fn scale(self, a: __m512, n: __m512) -> __m512 {
        proven!(_mm512_scalef_ps(a, n))
    }

    #[inline(always)]
    fn permute(self, a: __m512, order: __m512i) -> __m512 {
        proven!(_mm512_permutexvar_ps(order, a))
    }
    #[inline(always)]
    fn keep(self, a: __m512, n: usize) -> __m512 {
        proven!(_mm512_maskz_mov_ps(lanes(n), a))
    }

    #[inline(always)]
    fn splat_i(self, value: i32) -> __m512i {
        proven!(_mm512_set1_epi32(value))
    }
    #[inline(always)]
    fn add_i(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_add_epi32(a, b))
    }
    #[inline(always)]
    fn sub_i(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_sub_epi32(a, b))
    }
    #[inline(always)]
    fn mul_i(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_mullo_epi32(a, b))
    }
    #[inline(always)]
    fn and_i(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_and_si512(a, b))
    }
    #[inline(always)]
    fn or_i(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_or_si512(a, b))
    }
    #[inline(always)]
    fn xor_i(self, a: __m512i, b: __m512i) -> __m512i {
        proven!(_mm512_xor_si512(a, b))
    }
    #[inline(always)]
    fn shl_i<const N: u32>(self, a: __m512i) -> __m512i {
        proven!(_mm512_slli_epi32::<N>(a))
    }
    #[inline(always)]
    fn shr_i<const N: u32>(self, a: __m512i) -> __m512i {
        proven!(_mm512_srai_epi32::<N>(a))
    }
    #[inline(always)]
    fn bits(self, a: __m512) -> __m512i {
        proven!(_mm512_castps_si512(a))
    }
    #[inline(always)]
    fn from_bits(self, a: __m512i) -> __m512 {
        proven!(_mm512_castsi512_ps(a))
    }
    #[inline(always)]
    fn to_int(self, a: __m512) -> __m512i {
        proven!(_mm512_cvtps_epi32(a))
    }
    #[inline(always)]
    fn from_int(self, a: __m512i) -> __m512 {
        proven!(_mm512_cvtepi32_ps(a))
    }

    #[inline(always)]
    fn sum(self, a: __m512) -> f32 {
        proven!(_mm512_reduce_add_ps(a))
    }

    #[inline(always)]
    unsafe fn load_bytes(self, p: *const u8) -> __m512i {
        proven!(_mm512_cvtepu8_epi32(_mm_loadu_si128(p.cast())))
    }
    #[inline(always)]
    unsafe fn load_shorts(self, p: *const u16) -> __m512i {
        proven!(_mm512_cvtepu16_epi32(_mm256_loadu_si256(p.cast())))
    }
    #[inline(always)]
    unsafe fn load_f16(self, p: *const u16) -> __m512 {
        proven!(_mm512_cvtph_ps(_mm256_loadu_si256(p.cast())))
    }
    #[inline(always)]
    unsafe fn load(self, p: *const f32) -> __m512 {
        proven!(_mm512_loadu_ps(p))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut f32, a: __m512) {
        proven!(_mm512_storeu_ps(p, a))
    }
    #[inline(always)]
    unsafe fn load_n(self, p: *const f32, n: usize) -> __m512 {
        proven!(_mm512_maskz_loadu_ps(lanes(n), p))
    }
    #[inline(always)]
    unsafe fn store_n(self, p: *mut f32, a: __m512, n: usize) {
        proven!(_mm512_mask_storeu_ps(p, lanes(n), a))
    }
    #[inline(always)]
    unsafe fn repeat<const N: usize>(self, p: *const f32) -> __m512 {
        const { assert!(matches!(N, 2 | 4 | 8)) }
        match N {
            2 => proven!(_mm512_castpd_ps(_mm512_set1_pd(p.cast::<f64>().read_unaligned()))),
            4 => proven!(_mm512_broadcast_f32x4(_mm_loadu_ps(p))),
            _ => proven!(_mm512_broadcast_f32x8(_mm256_loadu_ps(p))),
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
        proven!(super::avx2::transpose8(
            source,
            source_stride,
            target,
            target_stride
        ))
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
