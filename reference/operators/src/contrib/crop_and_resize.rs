//! CropAndResize — regions of images, resized to one size by their corners.
//!
//! Positions are rational numbers, so that no rounding moves one out of the image; interpolation in f64,
//! rounded once.
//!
//! Interpretation: an extent of 1 takes the middle of the region; a position half between two pixels selects
//! the one farther from the origin; a position outside of the image has `extrapolation_value`. All as in
//! ONNX Runtime and in the operator of the same name of TensorFlow.

use ndarray::{Array4, ArrayD, Ix4};
use num_rational::BigRational;
use num_traits::{One, ToPrimitive, Zero};
use onnx_tensor::DType;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::number::Number;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("CropAndResize", &[v(1, First, crop_and_resize)]);

fn crop_and_resize(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x: ArrayD<f64> = widen(call.tensor(0)?)?;
    let x = x
        .into_dimensionality::<Ix4>()
        .map_err(|_| OpError::invalid("X must have rank 4"))?;
    let (images, channels, height, width) = x.dim();
    let (regions, numbers) = (widen(call.tensor(1)?)?, call.integers(2)?);
    let size: Option<Vec<usize>> = call
        .integers(3)?
        .into_iter()
        .map(|extent| usize::try_from(extent).ok().filter(|&extent| extent > 0))
        .collect();
    let (Some(&[rows, columns]), &[count, 4]) = (size.as_deref(), regions.shape()) else {
        return Err(OpError::invalid(
            "`rois` must be N × 4, and `crop_size` two positive numbers",
        ));
    };
    if numbers.len() != count || regions.iter().any(|end| !end.is_finite()) || height == 0 || width == 0 {
        return Err(OpError::invalid(format!(
            "{} batch indices for {count} finite regions of images of {height} × {width}",
            numbers.len()
        )));
    }
    let nearest = match call.string("mode")? {
        "bilinear" => false,
        "nearest" => true,
        other => return Err(OpError::invalid(format!("`mode` is `{other}`"))),
    };
    let outside = f64::from(call.float("extrapolation_value")?);
    let shape = [count, channels, rows, columns];
    call.reserve(&shape, DType::Double)?;
    call.work(&shape)?;
    let mut y = Array4::from_elem(shape, outside);
    for (region, &number) in numbers.iter().enumerate() {
        let image = usize::try_from(number).ok().filter(|&image| image < images);
        let image =
            image.ok_or_else(|| OpError::invalid(format!("image {number} is not among {images} images")))?;
        let end = |at: usize| regions[[region, at]];
        let down = positions((end(0), end(2)), rows, height, nearest);
        let right = positions((end(1), end(3)), columns, width, nearest);
        for (channel, (row, line), (column, pixel)) in combinations(channels, &down, &right) {
            let at = |y: usize, x_: usize| x[[image, channel, y, x_]];
            let between = |first: f64, second: f64, share: f64| {
                if share == 0.0 {
                    first
                } else {
                    first + (second - first) * share
                }
            };
            let above = between(
                at(line.first, pixel.first),
                at(line.first, pixel.second),
                pixel.share,
            );
            let below = between(
                at(line.second, pixel.first),
                at(line.second, pixel.second),
                pixel.share,
            );
            y[[region, channel, row, column]] = between(above, below, line.share);
        }
    }
    one(narrow(y.into_dyn(), call.dtype(0)?)?)
}

type Placed = (usize, Position);

/// Every channel with every position inside of the image.
fn combinations<'a>(
    channels: usize,
    down: &'a [Placed],
    right: &'a [Placed],
) -> impl Iterator<Item = (usize, Placed, Placed)> + 'a {
    (0..channels).flat_map(move |channel| {
        down.iter()
            .flat_map(move |&line| right.iter().map(move |&pixel| (channel, line, pixel)))
    })
}

/// Two neighbours along an axis and the share of the second.
#[derive(Clone, Copy, Debug)]
struct Position {
    first: usize,
    second: usize,
    share: f64,
}

/// The positions of `count` samples of a region along an axis of `extent` pixels, without those outside.
fn positions((from, to): (f64, f64), count: usize, extent: usize, nearest: bool) -> Vec<Placed> {
    let last = BigRational::from_integer((extent - 1).into());
    let (from, to) = (BigRational::of(from), BigRational::of(to));
    let two = BigRational::from_integer(2.into());
    let placed = |sample: usize| {
        let exact = match count {
            1 => (from.clone() + to.clone()) / two.clone() * last.clone(),
            _ => {
                let share = BigRational::new(sample.into(), (count - 1).into());
                (from.clone() + (to.clone() - from.clone()) * share) * last.clone()
            }
        };
        if exact < BigRational::zero() || exact > last {
            return None;
        }
        let position = if nearest {
            let half = BigRational::one() / two.clone();
            let closest = (exact + half).floor().index();
            Position {
                first: closest,
                second: closest,
                share: 0.0,
            }
        } else {
            let first = exact.floor();
            let share = (exact - first.clone()).to_f64().unwrap_or(0.0);
            let first = first.index();
            Position {
                first,
                second: (first + 1).min(extent - 1),
                share,
            }
        };
        Some((sample, position))
    };
    (0..count).filter_map(placed).collect()
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, rows};

    /// By hand: the whole image of 2 × 3 in 1 × 2: the middle of the rows, and the outer columns; a region
    /// that leaves the image.
    #[test]
    fn corners() {
        let under = ("com.microsoft", "CropAndResize", 1);
        let image = |shape: [usize; 4], values: &[f32]| -> Value {
            Tensor::new(&shape, values.to_vec())
                .expect("the values fill the shape")
                .into()
        };
        let x = image([1, 1, 2, 3], &[1.0, 2.0, 3.0, 5.0, 6.0, 7.0]);
        let regions = rows(&[[0.0_f32, 0.0, 1.0, 1.0], [0.0, 0.5, 0.0, 1.5]]);
        let inputs = [
            x,
            regions.into(),
            Tensor::vector(vec![0_i32, 0]).into(),
            Tensor::vector(vec![1_i32, 2]).into(),
        ];
        let fill = attribute("extrapolation_value", 9.0_f32);
        let y = image([2, 1, 1, 2], &[3.0, 5.0, 2.0, 9.0]);
        check(under, &inputs, std::slice::from_ref(&fill), &[y]);
        let nearest = [fill, attribute("mode", "nearest")];
        let y = image([2, 1, 1, 2], &[5.0, 7.0, 2.0, 9.0]);
        check(under, &inputs, &nearest, &[y]);
    }
}
