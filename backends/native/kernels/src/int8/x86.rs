//! Products of bytes on x86-64.

use std::arch::x86_64::*;

use super::dot::Products;
use super::finish::{Place, Rounding};
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
        let even = i32::from(a[0]) | i32::from(a[2]) << 16;
        let odd = i32::from(a[1]) | i32::from(a[3]) << 16;
        proven!({
            let sum = _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_set1_epi32(even), w[0]));
            _mm256_add_epi32(sum, _mm256_madd_epi16(_mm256_set1_epi32(odd), w[1]))
        })
    }
    #[inline(always)]
    unsafe fn store(self, p: *mut i32, sum: __m256i) {
        proven!(_mm256_storeu_si256(p.cast(), sum))
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
}

/// The distance from the middle of two integers below which a product of f32 does not decide how the exact
/// product is rounded. Values beyond 2⁹ saturate; below, three roundings to f32 change the product by at most
/// 3 · 2⁹ · 2⁻²⁴ = 2⁻¹³ · 0.75.
const UNDECIDED: f32 = 1.0 / 8192.0;

/// The greatest scale for products of f32: they stay finite.
const LARGEST_SCALE: f64 = 1.0;

/// Converts rows of two vectors of sums to bytes. Products are computed in f32; a vector with one that lies
/// near the middle of two integers is computed again in f64.
///
/// # Safety
/// The processor has AVX-512 F, BW and VL; as [`Rounding`] states.
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(super) unsafe fn round_avx512(rounding: &Rounding) {
    const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
    let Rounding {
        rows,
        columns,
        x,
        start,
        scale,
        place,
        y,
        stride,
    } = *rounding;
    let Place { low, high, zero } = place;
    let (low, high) = (_mm512_set1_pd(low), _mm512_set1_pd(high));
    let (lowest, highest) = (
        _mm512_set1_ps(place.low as f32),
        _mm512_set1_ps(place.high as f32),
    );
    let magic = _mm512_set1_ps(12_582_912.0 + f32::from(zero.cast_signed()));
    let zero = _mm512_set1_epi32(zero.into());
    for vector in 0..columns.div_ceil(16) {
        let wanted = (columns - vector * 16).min(16);
        let mask = (u32::MAX >> (32 - wanted)) as u16;
        // SAFETY: complete panels are readable, and the columns of each row are writable.
        unsafe {
            let start = _mm512_loadu_si512(start.add(vector * 16).cast());
            let scales = [0, 8].map(|half| _mm512_loadu_pd(scale.add(vector * 16 + half)));
            let narrow = narrow_scales(scales);
            for row in 0..rows {
                let sums = _mm512_loadu_si512(x.add(row * 32 + vector * 16).cast());
                let sums = _mm512_add_epi32(sums, start);
                if let Some(scale) = narrow {
                    let value = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale);
                    let value = _mm512_min_ps(_mm512_max_ps(value, lowest), highest);
                    // The low bits of this sum are those of the nearest integer.
                    let placed = _mm512_add_ps(value, magic);
                    let rest = _mm512_abs_ps(_mm512_sub_ps(value, _mm512_sub_ps(placed, magic)));
                    if _mm512_cmp_ps_mask::<_CMP_GT_OQ>(rest, _mm512_set1_ps(0.5 - UNDECIDED)) & mask == 0 {
                        let bytes = _mm512_cvtepi32_epi8(_mm512_castps_si512(placed));
                        _mm_mask_storeu_epi8(y.add(row * stride + vector * 16).cast(), mask, bytes);
                        continue;
                    }
                }
                let halves = [_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums)];
                let round = |half: usize| {
                    let value = _mm512_mul_pd(_mm512_cvtepi32_pd(halves[half]), scales[half]);
                    // NaN becomes the second operand.
                    let value = _mm512_min_pd(_mm512_max_pd(value, low), high);
                    _mm512_cvt_roundpd_epi32::<NEAREST>(value)
                };
                let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(round(0)), round(1));
                let bytes = _mm512_cvtepi32_epi8(_mm512_add_epi32(both, zero));
                _mm_mask_storeu_epi8(y.add(row * stride + vector * 16).cast(), mask, bytes);
            }
        }
    }
}

/// Returns scales of f64 as f32, if products with them stay finite.
#[target_feature(enable = "avx512f")]
fn narrow_scales([first, second]: [__m512d; 2]) -> Option<__m512> {
    let largest = _mm512_max_pd(_mm512_abs_pd(first), _mm512_abs_pd(second));
    let fits = _mm512_cmp_pd_mask::<_CMP_LE_OQ>(largest, _mm512_set1_pd(LARGEST_SCALE)) == u8::MAX;
    let low = _mm512_castps256_ps512(_mm512_cvtpd_ps(first));
    let high = _mm256_castps_pd(_mm512_cvtpd_ps(second));
    let both = _mm512_insertf64x4::<1>(_mm512_castps_pd(low), high);
    fits.then_some(_mm512_castpd_ps(both))
}
