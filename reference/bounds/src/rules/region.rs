//! RoiAlign: averages or maxima of values that are interpolated bilinearly at points of a region.
//!
//! The coordinate of a point is computed from an end of the region times the scale, the size of a bin (a
//! quotient), and its position in the bin: at most eight roundings of numbers up to the ends, L = |start| +
//! |end| + 1: 16u·L. The slope of the interpolant is at most the greatest difference D of two pixels of the
//! channel on each axis; its weights and the mean of n points are positive sums: γₙ₊₈ of the greatest
//! magnitude. Errors of the regions move the ends, and those of X enter with weights whose sum is 1. A point
//! within its rounding error of one pixel outside may or may not count. In this case, and if the number of
//! points depends on the size of the bin and that is within its rounding error of an integer, there is no
//! bound.

use ndarray::{Axis, IxDyn};
use onnx_operators::frame::OpError;

use super::sampled::{along, finite};
use super::{Entry, entry};
use crate::precision::{Growth, gamma, growth, several, ulp};
use crate::query::reals;
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("RoiAlign", roi_align)];

/// One axis of one region.
struct Extent {
    start: f64,
    bin: f64,
    /// The number of points along a bin.
    points: usize,
    /// The maximum error of a coordinate.
    off: f64,
}

fn roi_align(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let missing = || OpError::invalid("X and the output must have rank 4");
    let known = query.unknown_input().is_none() && query.errors.iter().skip(2).all(Radius::is_exact);
    let (true, Some(x), Some(regions), Some(x_error), Some(moved)) = (
        known,
        query.input(0),
        query.input(1),
        query.error(0),
        query.error(1),
    ) else {
        return super::exact::decides(query);
    };
    let output = query.output(0).ok_or_else(missing)?;
    let (dtype, mut radius) = (output.dtype(), reals(output).ok_or_else(missing)?.into_owned());
    let (&[_, _, height, width], &[_, _, rows, columns]) = (x.shape(), output.shape()) else {
        return Err(missing());
    };
    let half_pixel = match query.call.schema().since {
        ..=15 => false,
        _ => query.call.string("coordinate_transformation_mode")? == "half_pixel",
    };
    let ratio = usize::try_from(query.call.int("sampling_ratio")?).unwrap_or(0);
    let scale = f64::from(query.call.float("spatial_scale")?);
    let (unit, images) = (query.unit(0), query.call.integers(2)?);
    let ordinary = match growth() {
        Growth::Worst => None,
        // A coordinate has an error of a few u·L.
        Growth::Independent | Growth::IndependentNarrow => {
            Some(along(query, &finite(&x), &[2, 3], several(8.0), several(8.0))?)
        }
    };
    for (region, (&image, mut radius)) in images.iter().zip(radius.outer_iter_mut()).enumerate() {
        let end = |at: usize| regions.get(IxDyn(&[region, at])).copied().unwrap_or(0.0) * scale;
        let error = |at: usize| moved.get(IxDyn(&[region, at])).copied().unwrap_or(0.0) * scale.abs();
        let axis = |from: usize, to: usize, bins: usize| {
            let mut axis = Extent::new([end(from), end(to)], bins, half_pixel, ratio, unit);
            axis.off += error(from) + error(to);
            axis
        };
        let (down, across) = (axis(1, 3, rows), axis(0, 2, columns));
        let certain = down.certain(height, rows, ratio) && across.certain(width, columns, ratio);
        let (off, points) = (down.off + across.off, (down.points * across.points) as f64);
        let weights = gamma(points + 8.0, unit);
        let image = usize::try_from(image).unwrap_or(usize::MAX);
        if image >= x.len_of(Axis(0)) {
            return Err(missing());
        }
        if let Some(ordinary) = &ordinary {
            // Where a coordinate may be on the other side of a limit, the result has no bound.
            let ordinary = ordinary.index_axis(Axis(0), region);
            radius.zip_mut_with(&ordinary, |radius, &size| {
                *radius = if certain && size.is_finite() {
                    size
                } else {
                    f64::INFINITY
                };
            });
            continue;
        }
        let (channels, errors) = (x.index_axis(Axis(0), image), x_error.index_axis(Axis(0), image));
        let channels = channels.outer_iter().zip(errors.outer_iter());
        for ((x, error), mut radius) in channels.zip(radius.outer_iter_mut()) {
            let carried = error.fold(0.0, |most: f64, error| most.max(*error));
            let (least, greatest) = x.fold((0.0, 0.0), |(a, b): (f64, f64), x| (a.min(*x), b.max(*x)));
            let amount = if certain {
                let slope = greatest - least + 2.0 * carried;
                off * slope + weights * (greatest.max(-least) + carried) + carried
            } else {
                f64::INFINITY
            };
            radius.mapv_inplace(|y| amount + ulp(dtype, y.abs()));
        }
    }
    Ok(vec![Radius::within(
        radius,
        "coordinates and weights of an interpolation",
    )])
}

impl Extent {
    fn new(ends: [f64; 2], bins: usize, half_pixel: bool, ratio: usize, unit: f64) -> Extent {
        let offset = if half_pixel { 0.5 } else { 0.0 };
        let [start, end] = ends.map(|end| end - offset);
        let length = if half_pixel {
            end - start
        } else {
            (end - start).max(1.0)
        };
        let bin = length / bins as f64;
        let points = if ratio == 0 {
            bin.ceil().max(0.0) as usize
        } else {
            ratio
        };
        Extent {
            start,
            bin,
            points,
            off: 2.0 * several(8.0) * unit * (start.abs() + end.abs() + 1.0),
        }
    }

    /// Whether rounding cannot change the number of points and which of them are outside.
    fn certain(&self, extent: usize, bins: usize, ratio: usize) -> bool {
        let whole = self.bin == self.bin.round();
        if ratio == 0 && !whole && (self.bin - self.bin.round()).abs() <= self.off {
            return false;
        }
        let near = |at: f64| {
            let least = (at + 1.0).abs().min((at - extent as f64).abs());
            least <= self.off
        };
        let points = (0..bins).flat_map(|bin| (0..self.points).map(move |point| (bin, point)));
        let mut coordinates = points.map(|(bin, point)| {
            self.start + bin as f64 * self.bin + (point as f64 + 0.5) * self.bin / self.points as f64
        });
        !coordinates.any(near)
    }
}
