//! Integers in the order of elements, which are sorted faster than by a comparison of any type.

use std::collections::BTreeSet;
use std::ops::Not;

use onnx_tensor::{DType, Tensor};

use super::super::numbers::{floats, ints, slice};
use crate::error::Problem;

/// A key for each element: equal for equal elements, and in their order. NaN counts as the maximum; zeros of
/// both signs are equal.
pub enum Keys {
    /// Of elements of at most 32 bits.
    Narrow(Vec<i32>),
    /// Of all others.
    Wide(Vec<i64>),
}

/// A key of an element; `!key` has the reverse order.
pub trait Key: Copy + Ord + Not<Output = Self> {
    /// A key and the index of its element, in the order of keys and then of indices.
    type Ranked: Copy + Ord;

    /// Returns the key with the index of its element, of which the type counts at most 32 or 64 bits.
    fn with(self, index: usize) -> Self::Ranked;

    /// Returns the index of the element.
    fn index(ranked: Self::Ranked) -> usize;
}

/// The sign bit of a signed number is the greatest bit of an unsigned one of the same order.
macro_rules! key {
    ($key:ty, $unsigned:ty, $ranked:ty) => {
        impl Key for $key {
            type Ranked = $ranked;

            #[inline]
            fn with(self, index: usize) -> $ranked {
                let unsigned = (self as $unsigned) ^ (1 << (<$unsigned>::BITS - 1));
                (<$ranked>::from(unsigned) << <$unsigned>::BITS) | index as $ranked
            }

            #[inline]
            fn index(ranked: $ranked) -> usize {
                ranked as $unsigned as usize
            }
        }
    };
}

key!(i32, u32, u64);
key!(i64, u64, u128);

impl Keys {
    /// Returns the keys of a tensor. A tensor of 2³² elements and more has wide keys.
    pub fn new(tensor: &Tensor) -> Result<Keys, Problem> {
        let narrow = match tensor.dtype() {
            DType::Float => Some(slice::<f32>(tensor)?.iter().map(|&x| of_float(x)).collect()),
            DType::Int32 => Some(slice::<i32>(tensor)?.to_vec()),
            DType::Int64 => return Ok(Keys::Wide(slice::<i64>(tensor)?.to_vec())),
            DType::Uint64 => {
                let signed = |&x: &u64| (x ^ (1 << 63)) as i64;
                return Ok(Keys::Wide(slice::<u64>(tensor)?.iter().map(signed).collect()));
            }
            DType::Double => {
                let values = slice::<f64>(tensor)?.iter();
                return Ok(Keys::Wide(values.map(|&x| of_double(x)).collect()));
            }
            DType::String => return Ok(Keys::Wide(of_texts(slice::<String>(tensor)?))),
            DType::Uint32 => {
                let signed = |&x: &u32| (x ^ (1 << 31)) as i32;
                Some(slice::<u32>(tensor)?.iter().map(signed).collect())
            }
            // All others have at most 16 bits.
            dtype if dtype.is_integer() || dtype == DType::Bool => {
                Some(ints(tensor)?.into_iter().map(|x| x as i32).collect())
            }
            DType::Float16 | DType::Bfloat16 => {
                Some(floats(tensor)?.into_iter().map(|x| of_float(x as f32)).collect())
            }
            _ => None,
        };
        Ok(match narrow {
            Some(narrow) if u32::try_from(tensor.len()).is_ok() => Keys::Narrow(narrow),
            Some(narrow) => Keys::Wide(narrow.into_iter().map(i64::from).collect()),
            None => Keys::Wide(floats(tensor)?.into_iter().map(of_double).collect()),
        })
    }
}

/// The bits of a float are in the order of its magnitude.
fn of_float(x: f32) -> i32 {
    let bits = (x + 0.0).to_bits() as i32;
    if x.is_nan() {
        i32::MAX
    } else {
        // The lower bits of a negative number are inverted, so that the order is that of the numbers.
        bits ^ ((bits >> 31) & i32::MAX)
    }
}

fn of_double(x: f64) -> i64 {
    let bits = (x + 0.0).to_bits() as i64;
    if x.is_nan() {
        i64::MAX
    } else {
        bits ^ ((bits >> 63) & i64::MAX)
    }
}

fn of_texts(texts: &[String]) -> Vec<i64> {
    let sorted: Vec<&String> = texts.iter().collect::<BTreeSet<_>>().into_iter().collect();
    let rank = |text: &String| sorted.partition_point(|other| *other < text) as i64;
    texts.iter().map(rank).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The keys of the elements, which are in ascending order, are too; `equal` neighbours have equal keys.
    #[track_caller]
    fn check(tensor: Tensor, equal: usize) {
        fn of<K: Key>(keys: &[K], equal: usize) {
            assert!(keys.is_sorted());
            assert!(keys.iter().rev().map(|&key| !key).is_sorted());
            let pairs = keys.windows(2).filter(|pair| pair[0] == pair[1]).count();
            assert_eq!(pairs, equal);
            let ranked: Vec<K::Ranked> = (0..).zip(keys).map(|(at, key)| key.with(at)).collect();
            assert!(ranked.is_sorted());
            assert!((0..).zip(ranked).all(|(at, ranked)| K::index(ranked) == at));
        }
        match Keys::new(&tensor).expect("all tensors have keys") {
            Keys::Narrow(keys) => of(&keys, equal),
            Keys::Wide(keys) => of(&keys, equal),
        }
    }

    #[test]
    fn keys_are_in_the_order_of_the_elements() {
        let floats = [
            f64::NEG_INFINITY,
            -2.0,
            -1e-310,
            -0.0,
            0.0,
            1e-310,
            0.5,
            f64::INFINITY,
            f64::NAN,
            -f64::NAN,
        ];
        check(Tensor::vector(floats.to_vec()), 2);
        let singles = floats.map(|x| {
            if x.abs() == 1e-310 {
                x.signum() as f32 * 1e-40
            } else {
                x as f32
            }
        });
        check(Tensor::vector(singles.to_vec()), 2);
        check(Tensor::vector([i64::MIN, -1, 0, i64::MAX].to_vec()), 0);
        check(Tensor::vector([i32::MIN, -1, 0, 7, i32::MAX].to_vec()), 0);
        check(Tensor::vector([0, 1, 1 << 63, u64::MAX].to_vec()), 0);
        check(Tensor::vector([0, 1, 1 << 31, u32::MAX].to_vec()), 0);
        check(Tensor::vector([i8::MIN, -1, 0, i8::MAX].to_vec()), 0);
        check(Tensor::vector([0_u8, 127, 128, 255].to_vec()), 0);
        check(Tensor::vector(["", "a", "b", "b"].map(str::to_owned).to_vec()), 1);
    }
}
