//! Convolutions that a runtime transforms tile by tile.
//!
//! Winograd's transformation computes the outputs of a tile from sums of all its inputs. An element has the
//! error of the largest input of its tile, also where that is outside of its own window.

use onnx_bounds::{Query, Radius, Size, largest_near};
use onnx_tensor::row_major;

use super::arithmetic::Arithmetic;
use super::share::{TRANSFORMED, is_transformed};
use super::{FLOAT, Traits};

/// The inputs of a tile before and behind a window of 3 elements: tiles are up to 6 by 6.
const REACH: usize = 3;

/// The error of a tile, in units of roundoff of the root of the sum of the squares of its largest products:
/// a tenth of the largest one of 864,000 outputs of a trained network (353), whose median is 4. Runs reach
/// about ten times as far.
const OF_TILE: f64 = 40.0;

/// The largest element, in units of the root mean square, from which on tiles are examined.
const LARGE: f64 = 8.0;

/// The sizes of errors, with those of its tile for each element of a convolution of which some inputs are
/// much larger than others.
pub(super) fn of_tiles<'q>(query: &'q Query<'_>, traits: Traits<'_>, sizes: Vec<Size<'q>>) -> Vec<Size<'q>> {
    let is_plain = traits.name == "Conv" && query.call.schema().name == "Conv";
    if !is_plain || traits.arithmetic == Arithmetic::Rounded || !is_transformed(query) {
        return sizes;
    }
    let Some(errors) = errors(query) else {
        return sizes;
    };
    raised(sizes, &errors, TRANSFORMED)
}

/// The sizes of errors, of which those of the first output are at least these once the factor of the class is
/// applied.
pub(super) fn raised<'q>(mut sizes: Vec<Size<'q>>, errors: &[f64], factor: f64) -> Vec<Size<'q>> {
    if let Some(Size::Radius(Radius::Within { radius, .. })) = sizes.first_mut()
        && radius.len() == errors.len()
    {
        let pairs = radius
            .iter_mut()
            .zip(errors)
            .filter(|(_, error)| error.is_finite());
        pairs.for_each(|(radius, error)| *radius = radius.max(error / factor));
    }
    sizes
}

/// The error of the tile of each output; `None` if no input stands out.
fn errors(query: &Query<'_>) -> Option<Vec<f64>> {
    let input = query.input(0)?;
    let squares: f64 = input.iter().map(|x| x * x).sum();
    let largest = input.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest * largest * input.len() as f64 <= LARGE * LARGE * squares {
        return None;
    }
    let near = largest_near(&input, 2..input.ndim(), REACH);
    let squared = query.evaluate(|index, tensor| {
        let squared = match index {
            0 => near.mapv(|x| x * x),
            1 => onnx_bounds::reals(tensor)?.mapv(|x| x * x),
            _ => onnx_bounds::reals(tensor)?.mapv(|_| 0.0),
        };
        Some(squared.into_shared().into())
    });
    let squared = squared.ok()?.into_iter().next()??;
    let squared = onnx_bounds::reals(&squared)?;
    // Halves are computed in float.
    let unit = OF_TILE * query.unit(0).min(FLOAT);
    Some(row_major(&squared).iter().map(|sum| unit * sum.sqrt()).collect())
}
