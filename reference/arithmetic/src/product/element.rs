//! Elements as factors of a product, and sums as elements.

use half::{bf16, f16};

use super::{Compensated, Kernel};
use crate::isa::vectorised;

/// An element of a matrix.
pub trait Element: Copy + Send + Sync + 'static {
    /// The type of its products: f64 for floats, the type itself for integers.
    type Factor: Kernel;

    /// The element as a factor. Exact.
    fn factor(self) -> Self::Factor;
    /// The elements as factors. Both slices have the same length.
    fn widen(from: &[Self], into: &mut [Self::Factor]);
    /// As [`Element::widen`], of every element with an index that is a multiple of `step`.
    fn every(from: &[Self], step: usize, into: &mut [Self::Factor]);
    /// Adds the product of `factor` and every element with an index that is a multiple of `step` to a partial
    /// sum.
    fn add_products(factor: Self::Factor, from: &[Self], step: usize, sums: &mut [Sum<Self>]);
}

/// The sum of products of an element.
pub type Sum<E> = <<E as Element>::Factor as Kernel>::Sum;

macro_rules! float {
    ($($ty:ty, $one:expr, $widen:expr;)*) => {$(
        impl Element for $ty {
            type Factor = f64;
            #[inline]
            fn factor(self) -> f64 {
                $one(self)
            }
            fn widen(from: &[$ty], into: &mut [f64]) {
                $widen(from, into);
            }
            fn every(from: &[$ty], step: usize, into: &mut [f64]) {
                match step {
                    1 => Self::widen(&from[..into.len()], into),
                    _ => into.iter_mut().zip(from.iter().step_by(step)).for_each(|(y, &x)| *y = $one(x)),
                }
            }
            fn add_products(factor: f64, from: &[$ty], step: usize, sums: &mut [f64]) {
                vectorised! {
                    fn add(factor: f64, from: &[$ty], step: usize, sums: &mut [f64]) {
                        let add = |sum: &mut f64, x: $ty| *sum = factor.mul_add($one(x), *sum);
                        match step {
                            1 => sums.iter_mut().zip(from).for_each(|(sum, &x)| add(sum, x)),
                            2 => sums.iter_mut().zip(from.chunks(2)).for_each(|(sum, x)| add(sum, x[0])),
                            _ => sums.iter_mut().zip(from.iter().step_by(step)).for_each(|(sum, &x)| add(sum, x)),
                        }
                    }
                }
                add(factor, from, step, sums);
            }
        }
    )*};
}
float! {
    f16, widen_half, widen_f16;
    bf16, widen_brain, widen_bf16;
    f32, f64::from, widen_f32;
}

macro_rules! itself {
    ($($ty:ty),*) => {$(
        impl Element for $ty {
            type Factor = $ty;
            #[inline]
            fn factor(self) -> $ty {
                self
            }
            fn widen(from: &[$ty], into: &mut [$ty]) {
                into.copy_from_slice(from);
            }
            fn every(from: &[$ty], step: usize, into: &mut [$ty]) {
                into.iter_mut().zip(from.iter().step_by(step)).for_each(|(y, &x)| *y = x);
            }
            fn add_products(factor: $ty, from: &[$ty], step: usize, sums: &mut [Sum<$ty>]) {
                let mut row = [<$ty>::default(); 64];
                for (index, sums) in sums.chunks_mut(64).enumerate() {
                    let row = &mut row[..sums.len()];
                    Self::every(&from[index * 64 * step..], step, row);
                    <$ty>::scaled(factor, row, sums);
                }
            }
        }
    )*};
}
itself!(f64, Compensated, u8, i8, u16, i16, u32, i32, u64, i64);

/// 2¹¹², by which the bits of a finite half that are read as those of a float are too small.
const OF_HALF: f32 = f32::from_bits(0x7780_0000);

#[inline(always)]
fn widen_half(value: f16) -> f64 {
    let bits = u32::from(value.to_bits());
    let (magnitude, sign) = ((bits & 0x7FFF) << 13, (bits & 0x8000) << 16);
    let finite = (f32::from_bits(magnitude) * OF_HALF).to_bits();
    let other = magnitude | 0x7F80_0000;
    let value = if magnitude >= 0x7C00 << 13 { other } else { finite };
    f64::from(f32::from_bits(value | sign))
}

#[inline(always)]
fn widen_brain(value: bf16) -> f64 {
    f64::from(f32::from_bits(u32::from(value.to_bits()) << 16))
}

vectorised! {
    fn widen_f32(from: &[f32], into: &mut [f64]) {
        into.iter_mut().zip(from).for_each(|(y, &x)| *y = f64::from(x));
    }

    fn widen_f16(from: &[f16], into: &mut [f64]) {
        into.iter_mut().zip(from).for_each(|(y, &x)| *y = widen_half(x));
    }

    fn widen_bf16(from: &[bf16], into: &mut [f64]) {
        into.iter_mut().zip(from).for_each(|(y, &x)| *y = widen_brain(x));
    }

    /// Rounds each number to the nearest f32, ties to even.
    pub fn round_f32(from: &[f64], into: &mut [f32]) {
        into.iter_mut().zip(from).for_each(|(y, &x)| *y = x as f32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isa::on_each;

    fn check<T: Element<Factor = f64>>(from_bits: fn(u16) -> T, expected: fn(T) -> f64) {
        let all: Vec<T> = (0..=u16::MAX).map(from_bits).collect();
        let wide = on_each(|| {
            let mut wide = vec![0.0; all.len()];
            T::widen(&all, &mut wide);
            wide
        });
        for wide in wide {
            for (&x, y) in all.iter().zip(wide) {
                let (expected, one) = (expected(x), x.factor());
                let same = |y: f64| y.to_bits() == expected.to_bits() || y.is_nan() && expected.is_nan();
                assert!(same(y) && same(one), "{y} and {one} instead of {expected}");
            }
        }
    }

    #[test]
    fn every_number_of_16_bits_is_widened_exactly() {
        check(f16::from_bits, f16::to_f64);
        check(bf16::from_bits, bf16::to_f64);
    }
}
