//! AffineGrid — the position of each pixel of an image under an affine map, one map for each batch entry.
//!
//! Pixels are spaced evenly in [−1, 1]: the outer edges are at the ends, or with `align_corners` the
//! centers of the corner pixels. Precision: f64, rounded once. Interpretation: with `align_corners` a
//! single pixel is at −1, like the depth in the function body (for height and width the body divides by
//! zero).

use onnx_tensor::{Float, Tensor, dispatch};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op("AffineGrid", &[v(20, First, affine_grid)]);

fn affine_grid(call: &Call<'_>) -> Result<Outputs, OpError> {
    let size = layout::extents(&call.integers(1)?)?;
    let (4 | 5, Some((&[n, _], spatial))) = (size.len(), size.split_first_chunk()) else {
        return Err(OpError::invalid(format!(
            "`size` is {size:?}, expected [N, C, H, W] or [N, C, D, H, W]"
        )));
    };
    let rank = spatial.len();
    if call.tensor(0)?.shape() != [n, rank, rank + 1] {
        return Err(OpError::invalid(format!(
            "`theta` has shape {:?}, which does not match the size {size:?}",
            call.tensor(0)?.shape()
        )));
    }
    let shape = [&[n], spatial, &[rank]].concat();
    let theta = call.tensor(0)?;
    call.reserve(&shape, theta.dtype())?;
    let align_corners = call.flag("align_corners")?;
    let single = if call.takes(Reading::AffineGridPixelCentre) {
        0.0
    } else if call.takes(Reading::AffineGridPixelLast) {
        1.0
    } else {
        -1.0
    };
    let pixels = Pixels {
        align_corners,
        single,
    };
    dispatch!(float, theta.dtype(), T => one(positions::<T>(theta, spatial, &shape, pixels)?))
}

fn positions<T: Float>(
    theta: &Tensor,
    spatial: &[usize],
    shape: &[usize],
    pixels: Pixels,
) -> Result<Tensor, OpError> {
    let theta: Vec<f64> = theta.array::<T>()?.iter().map(|value| value.to_f64()).collect();
    let rank = spatial.len();
    let mut result = Vec::with_capacity(layout::count(shape));
    for map in theta.chunks_exact(rank * (rank + 1)) {
        for pixel in ndarray::indices(spatial) {
            // x first: from the innermost axis to the outermost.
            let point: Vec<f64> = (0..rank)
                .rev()
                .map(|axis| pixels.coordinate(pixel[axis], spatial[axis]))
                .collect();
            for row in map.chunks_exact(rank + 1) {
                let (factors, shift) = row.split_at(rank);
                let sum: f64 = factors.iter().zip(&point).map(|(factor, x)| factor * x).sum();
                result.push(T::from_f64(sum + shift[0]));
            }
        }
    }
    Ok(Tensor::new(shape, result)?)
}

/// The positions of pixels along an axis.
#[derive(Clone, Copy)]
struct Pixels {
    align_corners: bool,
    /// The position of a single pixel with `align_corners` (question `affine-grid-single-pixel`).
    single: f64,
}

impl Pixels {
    fn coordinate(self, at: usize, extent: usize) -> f64 {
        let (at, extent) = (at as f64, extent as f64);
        match self.align_corners {
            true if extent == 1.0 => self.single,
            true => 2.0 * at / (extent - 1.0) - 1.0,
            false => (2.0 * at + 1.0) / extent - 1.0,
        }
    }
}
