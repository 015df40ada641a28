//! Bytes in steps of a scale.

use crate::isa::vectorised;

/// 1.5 · 2⁵²: a number below 2⁵¹ plus this one is rounded to an integer, ties to even.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// Beyond this number of steps every byte is saturated.
const FAR: f64 = 1e9;

/// A byte.
pub trait Byte: Copy {
    /// The least value.
    const LEAST: f64;
    /// The byte with these low bits.
    fn of(bits: i32) -> Self;
    /// The value.
    fn value(self) -> i32;
}

macro_rules! bytes {
    ($($ty:ty),*) => {$(
        impl Byte for $ty {
            const LEAST: f64 = <$ty>::MIN as f64;
            #[inline(always)]
            fn of(bits: i32) -> $ty {
                bits as $ty
            }
            #[inline(always)]
            fn value(self) -> i32 {
                self.into()
            }
        }
    )*};
}
bytes!(u8, i8);

/// Writes saturate(round(x / scale) + zero): the quotient is rounded to f32, and then to an integer, ties to
/// even; NaN becomes 0 steps.
pub fn quantize<B: Byte>(x: &[f32], scale: f32, zero: i32, y: &mut [B]) {
    let mut steps = [0; CHUNK];
    for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
        to_steps(x, scale, [f64::from(zero), B::LEAST], &mut steps);
        y.iter_mut().zip(&steps).for_each(|(y, step)| *y = B::of(*step));
    }
}

/// Writes (x − zero) · scale, rounded once.
pub fn dequantize<B: Byte>(x: &[B], scale: f32, zero: i32, y: &mut [f32]) {
    let mut steps = [0; CHUNK];
    for (x, y) in x.chunks(CHUNK).zip(y.chunks_mut(CHUNK)) {
        steps
            .iter_mut()
            .zip(x)
            .for_each(|(step, x)| *step = x.value() - zero);
        of_steps(&steps, scale, y);
    }
}

/// The numbers that are converted at a time.
const CHUNK: usize = 256;

vectorised! {
    fn to_steps(x: &[f32], scale: f32, bounds: [f64; 2], steps: &mut [i32; CHUNK]) {
        let [zero, least] = bounds;
        for (x, step) in x.iter().zip(steps) {
            let quotient = f64::from(x / scale);
            let quotient = if quotient.is_nan() { 0.0 } else { quotient.clamp(-FAR, FAR) };
            let whole = (quotient + SHIFT) - SHIFT;
            *step = (whole + zero).clamp(least, least + 255.0) as i32;
        }
    }

    fn of_steps(steps: &[i32; CHUNK], scale: f32, y: &mut [f32]) {
        y.iter_mut().zip(steps).for_each(|(y, step)| *y = *step as f32 * scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::on_each;

    #[test]
    fn steps_are_rounded_saturated_and_scaled_back() {
        let x = [
            0.5,
            1.5,
            -0.5,
            2.5,
            -1e30,
            1e30,
            f32::NAN,
            f32::INFINITY,
            254.4,
            -3.0,
        ];
        for (found, signed, back) in on_each(|| {
            let (mut y, mut signed, mut back) = ([0_u8; 10], [0_i8; 10], [0.0; 10]);
            quantize(&x, 1.0, 7, &mut y);
            quantize(&x, 0.5, -1, &mut signed);
            dequantize(&y, 0.1, 7, &mut back);
            (y, signed, back)
        }) {
            assert_eq!(found, [7, 9, 7, 9, 0, 255, 7, 255, 255, 4]);
            assert_eq!(signed, [0, 2, -2, 4, -128, 127, -1, 127, 127, -7]);
            let expected = found.map(|y| (f64::from(i32::from(y) - 7) * f64::from(0.1_f32)) as f32);
            assert_eq!(back, expected);
        }
    }
}
