//! Pooling in the plain layout.

use super::{Call, Pooling};

/// Computes one row of the result, numbered over all planes.
pub(super) fn row(call: &Call, row: usize) {
    let (plane, y) = (row / call.output[0], row % call.output[0]);
    let [height, width] = call.size;
    let image = &call.x[plane * height * width..][..height * width];
    // SAFETY: rows are disjoint, each belongs to one thread.
    let target = unsafe { call.y.part(row * call.output[1], call.output[1]) };
    let (count_y, first_y) = call.taps(0, y);
    let window = &call.shape.window;
    let lines = || (0..count_y).map(|ky| &image[(first_y + ky * window.dilation[0]) * width..][..width]);
    for (x, target) in target.iter_mut().enumerate() {
        let (count_x, first_x) = call.taps(1, x);
        let pixels =
            lines().flat_map(|line| (0..count_x).map(move |kx| line[first_x + kx * window.dilation[1]]));
        *target = match call.shape.pooling {
            Pooling::Max => pixels.fold(f32::NEG_INFINITY, larger),
            Pooling::Average { .. } => {
                let divisor = call.divisor(0, y) * call.divisor(1, x);
                pixels.sum::<f32>() / divisor as f32
            }
        };
    }
}

/// Returns the maximum, NaN if either is NaN.
fn larger(a: f32, b: f32) -> f32 {
    if a.is_nan() || a > b { a } else { b }
}
