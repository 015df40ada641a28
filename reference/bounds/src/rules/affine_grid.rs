//! AffineGrid: an affine map of positions in [−1, 1].
//!
//! A position is computed by a quotient, a product and a difference of numbers up to 2, or step by step
//! from −1: an absolute error of 16u. The map is a sum of products.

use ndarray::indices;
use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::number::{self, Number};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("AffineGrid", affine_grid)];

fn affine_grid(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let Some(theta) = number::elements(query, 0) else {
        return super::exact::decides(query);
    };
    let missing = || OpError::invalid("the output is not a float tensor");
    let shape = query.output(0).ok_or_else(missing)?.shape();
    let [_, spatial @ .., rank] = shape else {
        return Err(missing());
    };
    let (align, unit) = (query.call.flag("align_corners")?, query.unit(0));
    let coordinate = |at: usize, extent: usize| {
        let (at, extent) = (at as f64, extent as f64);
        let value = match align {
            true if extent == 1.0 => -1.0,
            true => 2.0 * at / (extent - 1.0) - 1.0,
            false => (2.0 * at + 1.0) / extent - 1.0,
        };
        Number::off(value, 16.0 * unit, unit)
    };
    let mut y = Vec::with_capacity(shape.iter().product());
    for map in theta.chunks(rank * (rank + 1)) {
        for pixel in indices(spatial) {
            let point = || {
                (0..*rank)
                    .rev()
                    .map(|axis| coordinate(pixel[axis], spatial[axis]))
            };
            for row in map.chunks(rank + 1) {
                let factors = point().chain([Number::exact(1.0)]);
                y.push(Number::dot(row.iter().copied().zip(factors)));
            }
        }
    }
    Ok(vec![number::radius(query, 0, y, "affine map of positions")])
}
