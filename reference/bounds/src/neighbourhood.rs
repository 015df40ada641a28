//! The largest magnitude near each element.

use ndarray::Axis;
use onnx_tensor::Array;

/// The largest magnitude at most `reach` elements away along each of `axes`, for each element.
pub fn largest_near(x: &Array<f64>, axes: impl IntoIterator<Item = usize>, reach: usize) -> Array<f64> {
    let mut largest = x.mapv(f64::abs);
    for axis in axes {
        for mut lane in largest.lanes_mut(Axis(axis)) {
            let before = lane.to_vec();
            for (at, element) in lane.iter_mut().enumerate() {
                let near = &before[at.saturating_sub(reach)..before.len().min(at + reach + 1)];
                *element = near.iter().copied().fold(0.0, f64::max);
            }
        }
    }
    largest.into_shared()
}

#[cfg(test)]
mod tests {
    use ndarray::{IxDyn, arr2};

    use super::*;

    #[test]
    fn the_largest_of_a_square() {
        let x = arr2(&[[0.0, 0.0, 0.0, 0.0], [0.0, -5.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]]);
        let x = x.into_dyn().into_shared();
        let both = arr2(&[[5.0, 5.0, 5.0, 0.0], [5.0, 5.0, 5.0, 1.0], [5.0, 5.0, 5.0, 1.0]]);
        assert_eq!(largest_near(&x, [0, 1], 1), both.into_dyn());
        let rows = largest_near(&x, [1], 1);
        assert_eq!([rows[IxDyn(&[1, 2])], rows[IxDyn(&[0, 1])]], [5.0, 0.0]);
    }
}
