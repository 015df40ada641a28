//! Products of bytes on x86-64.

use std::arch::x86_64::*;

use super::dot::Products;
use super::tile::{Tile, run};

/// Wraps an intrinsic: the token proves the feature.
macro_rules! proven {
    ($call:expr) => {{
        // SAFETY: tokens are made only in the functions below, whose callers checked the features.
        unsafe { $call }
    }};
}

#[derive(Clone, Copy)]
struct Avx2(());
#[derive(Clone, Copy)]
struct AvxVnni(());
#[derive(Clone, Copy)]
struct Avx512Vnni(());

/// # Safety
/// The processor has AVX2; as [`Tile`] states.
#[target_feature(enable = "avx2")]
pub(super) unsafe fn run_avx2(tile: &Tile) {
    // SAFETY: promised by the caller.
    unsafe { run(Avx2(()), tile) }
}

/// # Safety
/// The processor has AVX-VNNI; as [`Tile`] states.
#[target_feature(enable = "avx2,avxvnni")]
pub(super) unsafe fn run_avx_vnni(tile: &Tile) {
    // SAFETY: promised by the caller.
    unsafe { run(AvxVnni(()), tile) }
}

/// # Safety
/// The processor has AVX-512 F and VNNI; as [`Tile`] states.
#[target_feature(enable = "avx512f,avx512vnni")]
pub(super) unsafe fn run_avx512_vnni(tile: &Tile) {
    // SAFETY: promised by the caller.
    unsafe { run(Avx512Vnni(()), tile) }
}

/// `vpmaddubsw` would saturate at 16 bits; even and odd bytes are widened and multiplied separately.
impl Products for Avx2 {
    type V = __m256i;
    type W = [__m256i; 2];
    const LANES: usize = 8;

    #[inline(always)]
    fn zero(self) -> __m256i {
        proven!(_mm256_setzero_si256())
    }
    #[inline(always)]
    unsafe fn load(self, p: *const i8) -> [__m256i; 2] {
        proven!({
            let bytes = _mm256_loadu_si256(p.cast());
            [
                _mm256_srai_epi16::<8>(_mm256_slli_epi16::<8>(bytes)),
                _mm256_srai_epi16::<8>(bytes),
            ]
        })
    }
    #[inline(always)]
    fn dot(self, sum: __m256i, a: [u8; 4], w: [__m256i; 2]) -> __m256i {
        proven!({
            // The bytes are taken apart in a vector: a load can repeat four of them, and numbers of general
            // registers would each cross over to one.
            let all = _mm256_set1_epi32(i32::from_ne_bytes(a));
            let even = _mm256_and_si256(all, _mm256_set1_epi16(0xff));
            let odd = _mm256_srli_epi16::<8>(all);
            // One sum waits for the one before, not two.
            let both = _mm256_add_epi32(_mm256_madd_epi16(even, w[0]), _mm256_madd_epi16(odd, w[1]));
            _mm256_add_epi32(sum, both)
        })
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut i32, sum: __m256i) {
        proven!(_mm256_storeu_si256(p.cast(), sum))
    }
    #[inline(always)]
    fn prefetch_l2(self, p: *const i8) {
        proven!(_mm_prefetch::<_MM_HINT_T1>(p))
    }
}

impl Products for AvxVnni {
    type V = __m256i;
    type W = __m256i;
    const LANES: usize = 8;

    #[inline(always)]
    fn zero(self) -> __m256i {
        proven!(_mm256_setzero_si256())
    }
    #[inline(always)]
    unsafe fn load(self, p: *const i8) -> __m256i {
        proven!(_mm256_loadu_si256(p.cast()))
    }
    #[inline(always)]
    fn dot(self, sum: __m256i, a: [u8; 4], w: __m256i) -> __m256i {
        proven!(_mm256_dpbusd_avx_epi32(
            sum,
            _mm256_set1_epi32(i32::from_ne_bytes(a)),
            w
        ))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut i32, sum: __m256i) {
        proven!(_mm256_storeu_si256(p.cast(), sum))
    }
    #[inline(always)]
    fn prefetch_l2(self, p: *const i8) {
        proven!(_mm_prefetch::<_MM_HINT_T1>(p))
    }
}

impl Products for Avx512Vnni {
    type V = __m512i;
    type W = __m512i;
    const LANES: usize = 16;

    #[inline(always)]
    fn zero(self) -> __m512i {
        proven!(_mm512_setzero_si512())
    }
    #[inline(always)]
    unsafe fn load(self, p: *const i8) -> __m512i {
        proven!(_mm512_loadu_si512(p.cast()))
    }
    #[inline(always)]
    fn dot(self, sum: __m512i, a: [u8; 4], w: __m512i) -> __m512i {
        proven!(_mm512_dpbusd_epi32(
            sum,
            _mm512_set1_epi32(i32::from_ne_bytes(a)),
            w
        ))
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut i32, sum: __m512i) {
        proven!(_mm512_storeu_si512(p.cast(), sum))
    }
    #[inline(always)]
    fn prefetch_l2(self, p: *const i8) {
        proven!(_mm_prefetch::<_MM_HINT_T1>(p))
    }
}
