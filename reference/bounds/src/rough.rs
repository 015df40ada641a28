//! Magnitudes and radii as operands of an approximate evaluation: two digits suffice, but the result must
//! not be too small.
//!
//! f16, bf16 and f32 become f32, for which the reference sums products in f64; f64 stays. [`first`]
//! compensates once for the rounding here.

use ndarray::{ArrayD, Zip};
use onnx_operators::frame::OpError;
use onnx_tensor::Tensor;

use crate::Radius;
use crate::query::reals;

/// More than the effect of rounding operands and result to f32.
const WIDER: f64 = 1.0 + 1e-6;

/// |x|.
pub fn magnitudes(tensor: &Tensor) -> Option<Tensor> {
    Some(match tensor {
        Tensor::Float(array) if array.as_slice().is_some_and(unsigned) => Tensor::Float(array.clone()),
        Tensor::Float(array) => Tensor::from(array.mapv(f32::abs).into_shared()),
        tensor => stored(tensor, reals(tensor)?.mapv(f64::abs)),
    })
}

/// x, of a 16-bit type; `None` for others, which stay.
pub fn in_float(tensor: &Tensor) -> Option<Tensor> {
    match tensor {
        Tensor::Float(_) | Tensor::Double(_) => None,
        tensor => Some(stored(tensor, reals(tensor)?.into_owned())),
    }
}

/// Whether no number is negative; checked in blocks, so that one instruction tests several numbers.
fn unsigned(numbers: &[f32]) -> bool {
    numbers
        .chunks(4096)
        .all(|block| block.iter().fold(0, |bits, x| bits | x.to_bits()) >> 31 == 0)
}

/// |x|·value + radius·error.
pub fn weighted(tensor: &Tensor, radius: &Radius, value: f64, error: f64) -> Option<Tensor> {
    let within = match radius {
        Radius::Exact => None,
        Radius::Within { radius, .. } if radius.shape() == tensor.shape() => Some(radius),
        _ => return None,
    };
    Some(match (tensor, within) {
        (Tensor::Float(array), None) => {
            let part = |x: &f32| up(f64::from(x.abs()) * value);
            Tensor::from(array.map(part).into_shared())
        }
        (Tensor::Float(array), Some(radius)) => {
            let part = |x: &f32, r: &f64| up(f64::from(x.abs()) * value + r * error);
            Tensor::from(Zip::from(array).and(radius).map_collect(part).into_shared())
        }
        (tensor, within) => {
            let magnitudes = reals(tensor)?.mapv(|x| x.abs() * value);
            stored(
                tensor,
                match within {
                    Some(radius) => magnitudes + &radius.mapv(|r| r * error),
                    None => magnitudes,
                },
            )
        }
    })
}

/// The first output, with `finish` applied to each element.
///
/// # Errors
/// The operator has no numeric output.
pub fn first(outputs: Vec<Option<Tensor>>, finish: impl Fn(f64) -> f64) -> Result<ArrayD<f64>, OpError> {
    let wide = |x: f64| finish(x.abs() * WIDER);
    match outputs.into_iter().next().flatten() {
        Some(Tensor::Float(array)) => Some(array.mapv(|x| wide(f64::from(x)))),
        Some(tensor) => reals(&tensor).map(|array| array.mapv(wide)),
        None => None,
    }
    .ok_or_else(|| OpError::invalid("the operator has no numeric output".to_owned()))
}

/// As f32, or as f64 if the tensor has f64.
fn stored(like: &Tensor, array: ArrayD<f64>) -> Tensor {
    match like {
        Tensor::Double(_) => Tensor::from(array),
        _ => Tensor::from(array.mapv(up)),
    }
}

/// Rounds to f32. A number other than 0 does not become 0.
fn up(x: f64) -> f32 {
    let rounded = x as f32;
    if x > 0.0 && rounded < f32::MIN_POSITIVE {
        f32::MIN_POSITIVE
    } else {
        rounded
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nonzero_numbers_stay_nonzero() {
        let tensor = Tensor::vector(vec![-1e-30_f32, 0.0, 2.0]);
        let Some(Tensor::Float(small)) = weighted(&tensor, &Radius::Exact, 1e-20, 1.0) else {
            panic!("no floats");
        };
        let small: Vec<f32> = small.iter().copied().collect();
        assert_eq!(small, [f32::MIN_POSITIVE, 0.0, 2e-20]);
        let radius = Radius::within(ndarray::arr1(&[1.0, 2.0, 3.0]).into_dyn(), "m");
        let Some(Tensor::Float(sum)) = weighted(&tensor, &radius, 1.0, 2.0) else {
            panic!("no floats");
        };
        assert_eq!(sum.iter().copied().collect::<Vec<f32>>(), [2.0, 4.0, 8.0]);
    }
}
