//! Converts sums to bytes on x86-64 with AVX-512.
//!
//! Products with scales are computed in f32. A product that lies near the middle of two integers does not
//! decide how the exact product is rounded: its vector is computed again in f64.

use std::arch::x86_64::*;

use super::finish::{Place, Rounding};

/// The distance from the middle of two integers below which a product of f32 does not decide. Values beyond
/// 2⁹ saturate; below, three roundings to f32 change the product by at most 3 · 2⁹ · 2⁻²⁴ = 0.75 · 2⁻¹³.
const UNDECIDED: f32 = 1.0 / 8192.0;

/// The greatest scale for products of f32: they stay finite.
const LARGEST_SCALE: f64 = 1.0;

const NEAREST: i32 = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;

/// The number of sums in a vector.
const LANES: usize = 16;

/// The start values and scales of a panel of two vectors.
struct Panel {
    start: [__m512i; 2],
    scale: [[__m512d; 2]; 2],
    /// The scales as f32, if products with them stay finite.
    narrow: [Option<__m512>; 2],
}

/// Converts rows of two vectors of sums to bytes.
///
/// # Safety
/// The processor has AVX-512 F, BW, DQ and VL; as [`Rounding`] states.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
pub(super) unsafe fn round_avx512(rounding: &Rounding) {
    // SAFETY: complete panels are readable, and the columns of each row are writable.
    unsafe {
        let panel = Panel::load(rounding);
        let complete = rounding.columns == 2 * LANES;
        let offset = rounding.place.offset().filter(|_| complete);
        if let ([Some(first), Some(second)], Some(zero)) = (panel.narrow, offset) {
            for row in (0..rounding.rows).step_by(2) {
                let pair = [row, (row + 1).min(rounding.rows - 1)];
                if !pack(rounding, &panel, [first, second], zero, pair) {
                    pair.iter().for_each(|row| one_by_one(rounding, &panel, *row));
                }
            }
        } else {
            (0..rounding.rows).for_each(|row| one_by_one(rounding, &panel, row));
        }
    }
}

impl Panel {
    /// # Safety
    /// As for [`round_avx512`].
    #[target_feature(enable = "avx512f")]
    unsafe fn load(rounding: &Rounding) -> Panel {
        // SAFETY: a complete panel of start values and scales is readable.
        let part = |at: usize| unsafe { _mm512_loadu_si512(rounding.start.add(at * LANES).cast()) };
        // SAFETY: as above.
        let scale = |at: usize| unsafe { _mm512_loadu_pd(rounding.scale.add(at * 8)) };
        let scale = [[scale(0), scale(1)], [scale(2), scale(3)]];
        Panel {
            start: [part(0), part(1)],
            scale,
            narrow: [narrow_scales(scale[0]), narrow_scales(scale[1])],
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

/// Returns the sums of a vector of a row.
///
/// # Safety
/// As for [`round_avx512`].
#[inline]
#[target_feature(enable = "avx512f")]
unsafe fn sums(rounding: &Rounding, panel: &Panel, row: usize, vector: usize) -> __m512i {
    // SAFETY: complete panels are readable for every row.
    let sums = unsafe { _mm512_loadu_si512(rounding.x.add((row * 2 + vector) * LANES).cast()) };
    _mm512_add_epi32(sums, panel.start[vector])
}

/// Converts two complete rows (or one, given twice) if all products decide; returns whether they do.
///
/// # Safety
/// As for [`round_avx512`]; the rows have 32 columns.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn pack(rounding: &Rounding, panel: &Panel, scale: [__m512; 2], zero: i16, rows: [usize; 2]) -> bool {
    let mut undecided = 0;
    let mut words = [_mm512_setzero_si512(); 2];
    let zero = _mm512_set1_epi16(zero);
    for (row, words) in rows.into_iter().zip(&mut words) {
        let mut whole = [_mm512_setzero_si512(); 2];
        for vector in 0..2 {
            // SAFETY: promised by the caller.
            let sums = unsafe { sums(rounding, panel, row, vector) };
            let value = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale[vector]);
            // An integer that does not fit is far from its value, so it is undecided.
            whole[vector] = _mm512_cvt_roundps_epi32::<NEAREST>(value);
            let rest = _mm512_abs_ps(_mm512_sub_ps(value, _mm512_cvtepi32_ps(whole[vector])));
            undecided |= _mm512_cmp_ps_mask::<_CMP_NLE_UQ>(rest, _mm512_set1_ps(0.5 - UNDECIDED));
        }
        *words = _mm512_adds_epi16(_mm512_packs_epi32(whole[0], whole[1]), zero);
    }
    if undecided != 0 {
        return false;
    }
    let bytes = if rounding.place.signed {
        _mm512_packs_epi16(words[0], words[1])
    } else {
        _mm512_packus_epi16(words[0], words[1])
    };
    // Packing interleaves quarters of the four vectors.
    let order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    let bytes = _mm512_permutexvar_epi32(order, bytes);
    let halves = [
        _mm512_castsi512_si256(bytes),
        _mm512_extracti64x4_epi64::<1>(bytes),
    ];
    for (row, half) in rows.into_iter().zip(halves) {
        // SAFETY: 32 columns of the row are writable.
        unsafe { _mm256_storeu_si256(rounding.y.add(row * rounding.stride).cast(), half) }
    }
    true
}

/// Converts a row, each vector in f32 if its products decide.
///
/// # Safety
/// As for [`round_avx512`].
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl")]
unsafe fn one_by_one(rounding: &Rounding, panel: &Panel, row: usize) {
    let Place { low, high, zero, .. } = rounding.place;
    for vector in 0..rounding.columns.div_ceil(LANES) {
        let wanted = (rounding.columns - vector * LANES).min(LANES);
        let mask = (u32::MAX >> (32 - wanted)) as u16;
        // SAFETY: promised by the caller.
        let sums = unsafe { sums(rounding, panel, row, vector) };
        let narrow = panel.narrow[vector].map(|scale| {
            let value = _mm512_mul_ps(_mm512_cvtepi32_ps(sums), scale);
            let value = _mm512_max_ps(value, _mm512_set1_ps(low as f32));
            let value = _mm512_min_ps(value, _mm512_set1_ps(high as f32));
            let whole = _mm512_cvt_roundps_epi32::<NEAREST>(value);
            let rest = _mm512_abs_ps(_mm512_sub_ps(value, _mm512_cvtepi32_ps(whole)));
            let undecided = _mm512_cmp_ps_mask::<_CMP_GT_OQ>(rest, _mm512_set1_ps(0.5 - UNDECIDED));
            (whole, undecided & mask == 0)
        });
        let whole = match narrow {
            Some((whole, true)) => whole,
            _ => {
                let halves = [_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64::<1>(sums)];
                let round = |half: usize| {
                    let value = _mm512_mul_pd(_mm512_cvtepi32_pd(halves[half]), panel.scale[vector][half]);
                    // NaN becomes the second operand.
                    let value = _mm512_max_pd(value, _mm512_set1_pd(low));
                    let value = _mm512_min_pd(value, _mm512_set1_pd(high));
                    _mm512_cvt_roundpd_epi32::<NEAREST>(value)
                };
                _mm512_inserti64x4::<1>(_mm512_castsi256_si512(round(0)), round(1))
            }
        };
        let bytes = _mm512_cvtepi32_epi8(_mm512_add_epi32(whole, _mm512_set1_epi32(zero.into())));
        // SAFETY: the columns of the row are writable.
        unsafe {
            let y = rounding.y.add(row * rounding.stride + vector * LANES);
            match wanted {
                LANES => _mm_storeu_si128(y.cast(), bytes),
                _ => _mm_mask_storeu_epi8(y.cast(), mask, bytes),
            }
        }
    }
}
