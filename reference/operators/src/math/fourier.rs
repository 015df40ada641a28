//! Discrete Fourier transforms of single signals, for DFT and STFT.
//!
//! Precision: f64 throughout (`rustfft`, any length), rounded once, by the same sums on every machine: the
//! planner for scalars, whatever features others give the crate. The error of each element is at most
//! about 4·log2(n)·2⁻⁵³ of the Euclidean norm of the signal, so an element that cancels has an absolute
//! error of that size. Results of f16, bf16 and f32 are correctly rounded unless they are far smaller than
//! that norm.

use std::sync::Arc;

use num_complex::Complex64;
use rustfft::{Fft, FftPlannerScalar};

/// A transform of one length in one direction.
pub(super) struct Transform {
    fft: Arc<dyn Fft<f64>>,
    scale: f64,
}

impl Transform {
    /// The transform of signals of `length`. The inverse divides by the length.
    pub(super) fn new(length: usize, inverse: bool) -> Self {
        let mut planner = FftPlannerScalar::new();
        if inverse {
            Transform {
                fft: planner.plan_fft_inverse(length),
                scale: 1.0 / length as f64,
            }
        } else {
            Transform {
                fft: planner.plan_fft_forward(length),
                scale: 1.0,
            }
        }
    }

    /// Transforms `signal`, which must have the length of the transform.
    pub(super) fn apply(&self, mut signal: Vec<Complex64>) -> Vec<Complex64> {
        self.fft.process(&mut signal);
        if self.scale != 1.0 {
            signal.iter_mut().for_each(|value| *value *= self.scale);
        }
        signal
    }
}

/// The approximate number of operations per element of a transform of `length`: four for each level, and
/// four times as many for a prime length.
pub(super) fn depth(length: usize) -> usize {
    16 * (length.checked_ilog2().unwrap_or(0) as usize + 1)
}

/// The number of values of a spectrum of `length` without those that follow by conjugate symmetry. (The
/// text of the attribute says that `floor(n/2) + 1` is the last index; text and shape of the outputs say
/// that it is the count.)
pub(super) fn one_sided(length: usize) -> usize {
    length / 2 + 1
}

/// The whole spectrum of a real signal of `length` from its first [`one_sided`] values. Imaginary parts of
/// values that are their own conjugates are dropped, because they are zero for a real signal.
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

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, refused};

    fn tensor(shape: &[usize], values: &[f64]) -> Value {
        Tensor::new(shape, values.to_vec())
            .expect("as many values")
            .into()
    }

    /// By hand: the spectrum of 1, 2, 3 is 6, −3/2 ± i·√3/2. The imaginary part of its first value is
    /// ignored.
    #[test]
    fn the_inverse_of_half_a_spectrum() {
        let half = tensor(&[1, 2, 2], &[6.0, 7.0, -1.5, 0.75_f64.sqrt()]);
        let attributes = [attribute("inverse", 1), attribute("onesided", 1)];
        let length = Value::from(Tensor::scalar(3_i64));
        let signal = tensor(&[1, 3, 1], &[1.0, 2.0, 3.0]);
        check(
            ("", "DFT", 17),
            &[half.clone(), length.clone()],
            &attributes,
            std::slice::from_ref(&signal),
        );
        check(("", "DFT", 20), &[half.clone(), length], &attributes, &[signal]);
        // Without a length it is 2, and (6 ∓ 3/2)/2 drops the second imaginary part too.
        let even = tensor(&[1, 2, 1], &[2.25, 3.75]);
        check(("", "DFT", 20), &[half], &attributes, &[even]);
    }

    #[test]
    fn invalid_transforms_are_rejected() {
        let real = || tensor(&[1, 4, 1], &[1.0; 4]);
        let dft = |x: Value, attributes: &[_], part: &str| refused(("", "DFT", 17), &[x], attributes, part);
        dft(real(), &[attribute("axis", 2)], "cannot be transformed");
        dft(
            real(),
            &[attribute("inverse", 1), attribute("onesided", 1)],
            "last axis",
        );
        dft(
            tensor(&[1, 2, 2], &[1.0; 4]),
            &[attribute("onesided", 1)],
            "last axis",
        );
        dft(tensor(&[1, 1, 4], &[1.0; 4]), &[], "last axis");
        let nothing = Tensor::scalar(0_i64).into();
        refused(("", "DFT", 17), &[real(), nothing], &[], "must be positive");
        let number = |value: i64| Value::from(Tensor::scalar(value));
        let window = || tensor(&[8], &[1.0; 8]);
        refused(
            ("", "STFT", 17),
            &[real(), number(1), window()],
            &[],
            "longer than the signal",
        );
        refused(("", "STFT", 17), &[real(), number(0), window()], &[], "positive");
        let frames = [real(), number(1), tensor(&[2], &[1.0; 2]), number(3)];
        refused(("", "STFT", 17), &frames, &[], "frame's length");
    }

    /// By hand: cosines of quarter turns. Integers are truncated.
    #[test]
    fn windows_by_type_and_symmetry() {
        let size = |value: i64| [Value::from(Tensor::scalar(value))];
        let double = || attribute("output_datatype", 11);
        let hann = [Tensor::vector(vec![0.0, 0.5, 1.0, 0.5]).into()];
        check(("", "HannWindow", 17), &size(4), &[double()], &hann);
        let symmetric = [Tensor::vector(vec![0.0, 0.34, 1.0, 0.34, 0.0]).into()];
        check(
            ("", "BlackmanWindow", 17),
            &size(5),
            &[double(), attribute("periodic", 0)],
            &symmetric,
        );
        let whole = [Tensor::vector(vec![0_u8, 0, 1, 0]).into()];
        check(
            ("", "HammingWindow", 17),
            &size(4),
            &[attribute("output_datatype", 2)],
            &whole,
        );
        refused(
            ("", "HannWindow", 17),
            &size(1),
            &[attribute("periodic", 0)],
            "size 1",
        );
        refused(("", "HannWindow", 17), &size(-1), &[], "`size` is -1");
        refused(
            ("", "HannWindow", 17),
            &size(4),
            &[attribute("output_datatype", 9)],
            "cannot be",
        );
        refused(("", "HannWindow", 17), &size(1 << 40), &[], "budget");
    }

    #[test]
    fn mel_edges_outside_the_spectrum() {
        let number = |value: i64| Value::from(Tensor::scalar(value));
        let hertz = |value: f32| Value::from(Tensor::scalar(value));
        let inputs = [number(2), number(16), number(8000), hertz(0.0), hertz(40_000.0)];
        refused(("", "MelWeightMatrix", 17), &inputs, &[], "an edge is at bin");
    }
}
