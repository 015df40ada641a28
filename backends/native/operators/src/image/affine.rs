//! AffineGrid: applies the affine map of each batch element to the coordinates of each pixel.

use super::super::call::{count, extents, one};
use super::super::numbers::{floats, from_floats, sum};
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row(
    "AffineGrid",
    20,
    First(|known| known.affine_grid()),
    affine_grid,
)];

fn affine_grid(call: &Call) -> Outcome {
    let (theta, size) = (call.tensor(0)?, extents(&call.ints(1)?)?);
    let (&[images, _, ref spatial @ ..], rank @ (2 | 3)) = (&size[..], size.len().saturating_sub(2)) else {
        return invalid(format!(
            "expected size [N, C, H, W] or [N, C, D, H, W], got {size:?}"
        ));
    };
    if theta.shape() != [images, rank, rank + 1] {
        return invalid(format!(
            "theta of shape {:?} does not match size {size:?}",
            theta.shape()
        ));
    }
    let corners = call.attributes.flag("align_corners")?;
    let shape = [&[images], spatial, &[rank]].concat();
    let mut result = Vec::with_capacity(count(&shape)?);
    let places: usize = spatial.iter().product();
    for map in floats(theta)?.chunks_exact(rank * (rank + 1)) {
        for place in 0..places {
            let point = point(place, spatial, corners);
            for row in map.chunks_exact(rank + 1) {
                let (factors, shift) = row.split_at(rank);
                let sum = sum(factors.iter().zip(&point).map(|(factor, x)| factor * x));
                result.push(sum + shift[0]);
            }
        }
    }
    one(from_floats(theta.dtype(), &shape, result)?)
}

/// Returns the coordinates of a pixel in [-1, 1] along each axis, the innermost first. With `corners` the
/// ends are the centres of the corner pixels (a single one is at -1), otherwise the outer edges.
fn point(mut place: usize, spatial: &[usize], corners: bool) -> Vec<f64> {
    let coordinate = |&extent: &usize| {
        let at = (place % extent) as f64;
        place /= extent;
        let extent = extent as f64;
        match corners {
            true if extent == 1.0 => -1.0,
            true => 2.0 * at / (extent - 1.0) - 1.0,
            false => (2.0 * at + 1.0) / extent - 1.0,
        }
    };
    spatial.iter().rev().map(coordinate).collect()
}
