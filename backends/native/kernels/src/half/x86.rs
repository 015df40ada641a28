//! Conversions of f16 by F16C, eight at a time.

use std::arch::x86_64::*;

/// # Safety
/// The processor has F16C; `y` is as long as `x`.
#[target_feature(enable = "avx,f16c")]
pub(super) unsafe fn f16_to_f32(x: &[u16], y: &mut [f32]) {
    let (wholes, rest) = x.as_chunks::<8>();
    let (targets, rest_target) = y.as_chunks_mut::<8>();
    for (x, y) in wholes.iter().zip(targets) {
        // SAFETY: eight values on either side.
        unsafe {
            _mm256_storeu_ps(
                y.as_mut_ptr(),
                _mm256_cvtph_ps(_mm_loadu_si128(x.as_ptr().cast())),
            )
        }
    }
    let mut padded = [0u16; 8];
    padded[..rest.len()].copy_from_slice(rest);
    let mut converted = [0.0f32; 8];
    // SAFETY: as above.
    unsafe {
        _mm256_storeu_ps(
            converted.as_mut_ptr(),
            _mm256_cvtph_ps(_mm_loadu_si128(padded.as_ptr().cast())),
        )
    }
    rest_target[..rest.len()].copy_from_slice(&converted[..rest.len()]);
}

/// # Safety
/// The processor has F16C; `y` is as long as `x`.
#[target_feature(enable = "avx,f16c")]
pub(super) unsafe fn f32_to_f16(x: &[f32], y: &mut [u16]) {
    let (wholes, rest) = x.as_chunks::<8>();
    let (targets, rest_target) = y.as_chunks_mut::<8>();
    for (x, y) in wholes.iter().zip(targets) {
        // SAFETY: eight values on either side.
        unsafe {
            let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_loadu_ps(x.as_ptr()));
            _mm_storeu_si128(y.as_mut_ptr().cast(), halves);
        }
    }
    let mut padded = [0.0f32; 8];
    padded[..rest.len()].copy_from_slice(rest);
    let mut converted = [0u16; 8];
    // SAFETY: as above.
    unsafe {
        let halves = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(_mm256_loadu_ps(padded.as_ptr()));
        _mm_storeu_si128(converted.as_mut_ptr().cast(), halves);
    }
    rest_target[..rest.len()].copy_from_slice(&converted[..rest.len()]);
}
