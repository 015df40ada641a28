//! The transform of one signal, in f64.

use std::sync::Arc;

use rustfft::num_complex::Complex64;
use rustfft::{Fft, FftPlanner};

use crate::error::Problem;
use crate::size::has_room;

/// The memory of a plan and its working memory, in elements of the general code for each of the signal.
const PLAN: usize = 8;

/// Returns the number of values of a spectrum that do not follow from others by conjugate symmetry.
pub fn one_sided(length: usize) -> usize {
    length / 2 + 1
}

/// A transform of signals of one length.
pub struct Fourier {
    fft: Arc<dyn Fft<f64>>,
    factor: f64,
}

impl Fourier {
    /// Plans a transform. The inverse divides by the length.
    pub fn new(length: usize, is_inverse: bool) -> Result<Fourier, Problem> {
        has_room(length.saturating_mul(PLAN))?;
        let mut planner = FftPlanner::new();
        Ok(if is_inverse {
            Fourier {
                fft: planner.plan_fft_inverse(length),
                factor: 1.0 / length as f64,
            }
        } else {
            Fourier {
                fft: planner.plan_fft_forward(length),
                factor: 1.0,
            }
        })
    }

    /// Replaces a signal of the planned length by its spectrum, or the reverse.
    pub fn apply(&self, signal: &mut [Complex64]) {
        self.fft.process(signal);
        if self.factor != 1.0 {
            signal.iter_mut().for_each(|value| *value *= self.factor);
        }
    }
}

/// Completes the spectrum of a real signal from its first values. A value that is its own conjugate is real.
pub fn complete(spectrum: &mut [Complex64]) {
    let length = spectrum.len();
    for at in 0..length {
        let mirror = (length - at) % length;
        if mirror == at {
            spectrum[at].im = 0.0;
        } else if mirror < at {
            spectrum[at] = spectrum[mirror].conj();
        }
    }
}

/// Whether a signal is real (1) or complex (2), by the extent of its last axis.
pub fn is_complex(parts: usize) -> Option<bool> {
    match parts {
        1 => Some(false),
        2 => Some(true),
        _ => None,
    }
}
