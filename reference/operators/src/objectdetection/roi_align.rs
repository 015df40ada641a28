//! RoiAlign — divides each region of interest into a grid of bins and returns the average or the maximum of
//! values that are interpolated bilinearly at regular points inside each bin.
//!
//! Version 16 adds `coordinate_transformation_mode`, by default `half_pixel`: regions are shifted by half a
//! pixel. Version 10 is `output_half_pixel`: regions are not shifted, and are at least one pixel wide and
//! high. Precision: f64, rounded once. The number of points in a bin, and whether a point lies outside, are
//! decided without rounding.
//!
//! Interpretation, where the text refers to the Mask R-CNN paper and its code: a point more than one pixel
//! outside is 0, points less far outside use the outermost pixels; a bin without points is 0. In mode `max`
//! the result is the maximum of the interpolated values, as the text says; onnx's Python reference and ONNX
//! Runtime return the maximum of the four weighted neighbours, and so does the official case
//! `roialign_mode_max`.

use num_rational::BigRational;
use onnx_tensor::{Element, Real, Tensor, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;
use crate::shared::number::Number;

pub const OP: OpDef = op(
    "RoiAlign",
    &[
        v(10, First, |call| roi_align(call, false)),
        v(16, Semantics, roi_align_16),
        v(22, TypesOnly, roi_align_16),
    ],
);

fn roi_align_16(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.string("coordinate_transformation_mode")? {
        "half_pixel" => roi_align(call, true),
        "output_half_pixel" => roi_align(call, false),
        mode => Err(OpError::invalid(format!(
            "`coordinate_transformation_mode` is {mode:?}"
        ))),
    }
}

/// How the points of a bin are reduced.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pooling {
    Average,
    Maximum,
}

/// The attributes.
struct Settings {
    pooling: Pooling,
    half_pixel: bool,
    /// Rows and columns of bins.
    bins: [usize; 2],
    /// Points along each axis of a bin; 0 means the number of pixels of the bin.
    sampling_ratio: usize,
    scale: f64,
}

fn roi_align(call: &Call<'_>, half_pixel: bool) -> Result<Outputs, OpError> {
    let settings = settings(call, half_pixel)?;
    let (&[batches, channels, height, width], &[regions, 4]) =
        (call.tensor(0)?.shape(), call.tensor(1)?.shape())
    else {
        return Err(OpError::invalid(
            "`X` must have rank 4 and `rois` the shape [count, 4]",
        ));
    };
    let images = layout::extents(&call.integers(2)?)?;
    if images.len() != regions || images.iter().any(|&image| image >= batches) {
        return Err(OpError::invalid(format!(
            "`batch_indices` is {images:?} for {regions} regions and a batch of {batches}"
        )));
    }
    let shape = [regions, channels, settings.bins[0], settings.bins[1]];
    call.reserve(&shape, call.dtype(0)?)?;
    let extents = [height, width];
    dispatch!(float, call.dtype(0)?, T => {
        let rois: Vec<f64> = call.array::<T>(1)?.iter().map(|value| value.to_f64()).collect();
        let x: Vec<f64> = call.array::<T>(0)?.iter().map(|value| value.to_f64()).collect();
        let image_size = channels * height * width;
        let mut result = Vec::with_capacity(layout::count(&shape));
        for (region, &image) in rois.chunks_exact(4).zip(&images) {
            let image = &x[image * image_size..(image + 1) * image_size];
            pool(call, &settings, region, image, extents, &mut result)?;
        }
        one(Tensor::new(&shape, result.into_iter().map(<T as Real>::from_f64).collect())?)
    })
}

fn settings(call: &Call<'_>, half_pixel: bool) -> Result<Settings, OpError> {
    let sizes = [
        call.int("output_height")?,
        call.int("output_width")?,
        call.int("sampling_ratio")?,
    ];
    let &[rows, columns, sampling_ratio] = layout::extents(&sizes)?.as_slice() else {
        return Err(OpError::invalid("expected three sizes"));
    };
    let pooling = match call.string("mode")? {
        "avg" => Pooling::Average,
        "max" => Pooling::Maximum,
        mode => return Err(OpError::invalid(format!("`mode` is {mode:?}"))),
    };
    if rows == 0 || columns == 0 {
        return Err(OpError::invalid(format!("an output of {rows} by {columns}")));
    }
    let scale = f64::from(call.float("spatial_scale")?);
    Ok(Settings {
        pooling,
        half_pixel,
        bins: [rows, columns],
        sampling_ratio,
        scale,
    })
}

/// One axis of one region: the points of each bin, as two pixels and the weight of the second; `None` is
/// outside.
type Points = Vec<Vec<Option<(usize, usize, f64)>>>;

/// Appends the bins of one region: channel, row, column.
fn pool(
    call: &Call<'_>,
    settings: &Settings,
    region: &[f64],
    image: &[f64],
    [height, width]: [usize; 2],
    result: &mut Vec<f64>,
) -> Result<(), OpError> {
    let rows = points(call, settings, [region[1], region[3]], settings.bins[0], height)?;
    let columns = points(call, settings, [region[0], region[2]], settings.bins[1], width)?;
    let most = |points: &Points| points.iter().map(Vec::len).max().unwrap_or(0);
    let channels = image.len() / (height * width).max(1);
    call.work(&[channels, rows.len(), columns.len(), most(&rows), most(&columns)])?;
    for channel in image.chunks_exact((height * width).max(1)) {
        for row in &rows {
            for column in &columns {
                let values = row
                    .iter()
                    .flat_map(|&y| column.iter().map(move |&x| interpolate(channel, width, y, x)));
                result.push(match settings.pooling {
                    Pooling::Average => values.sum::<f64>() / (row.len() * column.len()).max(1) as f64,
                    Pooling::Maximum => values.reduce(f64::max).unwrap_or(0.0),
                });
            }
        }
    }
    Ok(())
}

fn points(
    call: &Call<'_>,
    settings: &Settings,
    ends: [f64; 2],
    bins: usize,
    extent: usize,
) -> Result<Points, OpError> {
    if !ends.iter().all(|end| end.is_finite()) || !settings.scale.is_finite() {
        return Err(OpError::undefined(format!(
            "a region from {} to {}",
            ends[0], ends[1]
        )));
    }
    let axis = Axis::<f64>::new(settings, ends, bins);
    let exact = Axis::<BigRational>::new(settings, ends, bins);
    let count = match settings.sampling_ratio {
        0 => exact.bin.ceil().index(),
        count => count,
    };
    call.reserve(&[bins, count, 4], f64::DTYPE)?;
    // f64 decides whether a point is outside unless it is this close to the border.
    let close = 2_f64.powi(-40) * (axis.start.abs() + axis.bin.abs() * bins as f64 + extent as f64);
    let point = |bin: usize, point: usize| {
        let at = axis.at(bin, point, count);
        let far = (at + 1.0).abs() > close && (at - extent as f64).abs() > close;
        let outside = if far {
            is_outside(&at, extent)
        } else {
            is_outside(&exact.at(bin, point, count), extent)
        };
        (!outside && extent > 0).then(|| neighbours(at, extent))
    };
    Ok((0..bins)
        .map(|bin| (0..count).map(|number| point(bin, number)).collect())
        .collect())
}

/// One axis of one region: where it starts, and the length of a bin.
struct Axis<F> {
    start: F,
    bin: F,
}

impl<F: Number> Axis<F> {
    fn new(settings: &Settings, ends: [f64; 2], bins: usize) -> Self {
        let offset = if settings.half_pixel { 0.5 } else { 0.0 };
        let [start, end] = ends.map(|end| F::of(end) * F::of(settings.scale) - F::of(offset));
        let length = end - start.clone();
        let length = if !settings.half_pixel && length < F::one() {
            F::one()
        } else {
            length
        };
        Axis {
            start,
            bin: length / F::of(bins as f64),
        }
    }

    /// Point number `point` of the `count` ones in a bin.
    fn at(&self, bin: usize, point: usize, count: usize) -> F {
        let within = (F::of(point as f64) + F::of(0.5)) * self.bin.clone() / F::of(count as f64);
        self.start.clone() + F::of(bin as f64) * self.bin.clone() + within
    }
}

/// Whether a point is more than a pixel outside.
fn is_outside<F: Number>(at: &F, extent: usize) -> bool {
    *at < F::of(-1.0) || *at > F::of(extent as f64)
}

/// The two pixels around a point, and the weight of the second.
fn neighbours(at: f64, extent: usize) -> (usize, usize, f64) {
    let at = at.max(0.0);
    match at as usize {
        low if low + 1 >= extent => (extent - 1, extent - 1, 0.0),
        low => (low, low + 1, at - low as f64),
    }
}

fn interpolate(
    channel: &[f64],
    width: usize,
    y: Option<(usize, usize, f64)>,
    x: Option<(usize, usize, f64)>,
) -> f64 {
    let (Some((top, bottom, down)), Some((left, right, across))) = (y, x) else {
        return 0.0;
    };
    let row = |y: usize| channel[y * width + left] * (1.0 - across) + channel[y * width + right] * across;
    row(top) * (1.0 - down) + row(bottom) * down
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, values};

    fn inputs(image: i64) -> Vec<onnx_tensor::Value> {
        let x = Tensor::new(&[1, 1, 4, 4], (1_u8..17).map(f32::from).collect()).unwrap();
        let roi = Tensor::new(&[1, 4], vec![0_f32, 0.0, 3.0, 3.0]).unwrap();
        values(&[x, roi, Tensor::vector(vec![image])])
    }

    /// By hand: the element at row y and column x is 1 + 4y + x, and so is every interpolated value. The
    /// points of the only bin are at 0.75 and 2.25, or half a pixel less.
    #[test]
    fn versions_and_modes() {
        let one = |value: f32| values(&[Tensor::new(&[1, 1, 1, 1], vec![value]).unwrap()]);
        let ratio = attribute("sampling_ratio", 2);
        let maximum = [ratio.clone(), attribute("mode", "max")];
        check(
            ("", "RoiAlign", 10),
            &inputs(0),
            std::slice::from_ref(&ratio),
            &one(8.5),
        );
        check(("", "RoiAlign", 16), &inputs(0), &[ratio], &one(6.0));
        check(("", "RoiAlign", 10), &inputs(0), &maximum, &one(12.25));
        check(("", "RoiAlign", 22), &inputs(0), &maximum, &one(9.75));
    }

    #[test]
    fn an_image_must_exist() {
        refused(("", "RoiAlign", 10), &inputs(1), &[], "batch of 1");
        refused(
            ("", "RoiAlign", 10),
            &inputs(0),
            &[attribute("output_height", 0)],
            "0 by 1",
        );
        refused(
            ("", "RoiAlign", 10),
            &inputs(0),
            &[attribute("sampling_ratio", 1 << 40)],
            "budget",
        );
    }
}
