//! Discrete Fourier transforms of single signals, for DFT and STFT.
//!
//! Precision: f64 throughout (`rustfft`, of any length), rounded once. The error of each element is at most about
//! 4·log2(n)·2⁻⁵³ of the Euclidean norm of the signal, so that an element that cancels keeps an absolute error of that
//! size; results of f16, bf16 and f32 are correctly rounded wherever they are not far smaller than that norm.

use std::sync::Arc;

use num_complex::Complex64;
use rustfft::{Fft, FftPlanner};

/// A transform of one length in one direction.
pub(super) struct Transform {
    fft: Arc<dyn Fft<f64>>,
    scale: f64,
}

impl Transform {
    /// The transform of signals of `length`; the inverse one divides by the length.
    pub(super) fn new(length: usize, inverse: bool) -> Self {
        let mut planner = FftPlanner::new();
        match inverse {
            false => Transform {
                fft: planner.plan_fft_forward(length),
                scale: 1.0,
            },
            true => Transform {
                fft: planner.plan_fft_inverse(length),
                scale: 1.0 / length as f64,
            },
        }
    }

    /// Transforms `signal`, which has the length of the transform.
    pub(super) fn apply(&self, mut signal: Vec<Complex64>) -> Vec<Complex64> {
        self.fft.process(&mut signal);
        if self.scale != 1.0 {
            signal.iter_mut().for_each(|value| *value *= self.scale);
        }
        signal
    }
}

/// How many values of a spectrum of `length` are left when those that follow by conjugate symmetry are dropped. (The
/// attribute's text says `floor(n/2) + 1` is the last index kept; the outputs' text and shape say it is their number.)
pub(super) fn one_sided(length: usize) -> usize {
    length / 2 + 1
}

/// The whole spectrum of a real signal of `length` from its first [`one_sided`] values. The imaginary parts of the values
/// that are their own mirror images are dropped: a real signal has none there.
pub(super) fn mirrored(half: &[Complex64], length: usize) -> Vec<Complex64> {
    let at = |index: usize| half.get(index).copied().unwrap_or_default();
    (0..length)
        .map(|index| match (length - index) % length {
            mirror if mirror == index => Complex64::new(at(index).re, 0.0),
            mirror if mirror < index => at(mirror).conj(),
            _ => at(index),
        })
        .collect()
}
