//! RoiAlign: the mean or the maximum of bilinearly interpolated values at regular points of each bin of a
//! region.

use super::super::call::{count, extent, one};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;
use crate::ops::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("RoiAlign", 10, First(|known| known.regions()), |call| {
        roi_align(call, 0.0)
    }),
    row("RoiAlign", 16, First(|known| known.regions()), |call| match call
        .attributes
        .text("coordinate_transformation_mode")?
    {
        "half_pixel" => roi_align(call, 0.5),
        "output_half_pixel" => roi_align(call, 0.0),
        other => invalid(format!("unknown coordinate_transformation_mode `{other}`")),
    }),
];

/// The maximum number of samples of one region, in all of its bins and channels.
const MAX_SAMPLES: usize = 1 << 28;

/// The maximum number of points of a bin that are stored for all channels.
const STORED: usize = 4096;

fn roi_align(call: &Call, offset: f64) -> Outcome {
    let (x, rois, batch) = (call.tensor(0)?, call.tensor(1)?, call.ints(2)?);
    let (&[images, channels, height, width], &[regions, 4]) = (x.shape(), rois.shape()) else {
        return invalid("expected an input [images, channels, height, width] and regions [count, 4]");
    };
    let scale = f64::from(call.attributes.float("spatial_scale")?);
    let (rows, columns) = (
        extent(call.attributes.int("output_height")?)?,
        extent(call.attributes.int("output_width")?)?,
    );
    let ratio = extent(call.attributes.int("sampling_ratio")?)?;
    let maximum = match call.attributes.text("mode")? {
        "avg" => false,
        "max" => true,
        other => return invalid(format!("unknown mode `{other}`, expected avg or max")),
    };
    let shape = [regions, channels, rows, columns];
    let mut result = Vec::with_capacity(count(&shape)?);
    let (x_values, rois) = (floats(x)?, floats(rois)?);
    for region in 0..regions {
        let image = batch
            .get(region)
            .and_then(|&image| usize::try_from(image).ok())
            .filter(|&image| image < images);
        let Some(image) = image else {
            return invalid("the image index of a region is out of range");
        };
        let corner = |at: usize| rois[region * 4 + at] * scale - offset;
        let (left, top) = (corner(0), corner(1));
        // Without the half-pixel offset, a region is at least one pixel wide and high.
        let least = if offset == 0.0 { 1.0 } else { f64::NEG_INFINITY };
        let (wide, high) = (
            f64::max(corner(2) - left, least),
            f64::max(corner(3) - top, least),
        );
        let (bin_h, bin_w) = (high / rows as f64, wide / columns as f64);
        let samples = |size: f64| {
            if ratio > 0 {
                ratio
            } else {
                size.ceil().max(0.0) as usize
            }
        };
        let (down, across) = (samples(bin_h), samples(bin_w));
        let bins = rows.saturating_mul(columns).saturating_mul(channels);
        if down.saturating_mul(across).saturating_mul(bins.max(1)) > MAX_SAMPLES {
            return invalid(format!(
                "a region takes {down} × {across} samples of {bins} bins, more than {MAX_SAMPLES}"
            ));
        }
        let from = result.len();
        result.resize(from + channels * rows * columns, 0.0);
        let planes = &x_values[image * channels * height * width..][..channels * height * width];
        for bin in 0..rows * columns {
            let (row, column) = ((bin / columns) as f64, (bin % columns) as f64);
            let point = |sample: usize| {
                let (i, j) = ((sample / across) as f64, (sample % across) as f64);
                let y = top + row * bin_h + (i + 0.5) * bin_h / down as f64;
                let x = left + column * bin_w + (j + 0.5) * bin_w / across as f64;
                corners((height, width), y, x)
            };
            // The points of a bin are those of all channels; a long list of them is not stored.
            let stored: Vec<Corners> = (0..(down * across).min(STORED)).map(point).collect();
            for (channel, plane) in planes.chunks_exact((height * width).max(1)).enumerate() {
                let mut total = None;
                let mut add = |point: &Corners| {
                    let value = interpolated(plane, point);
                    total = Some(match total {
                        None => value,
                        Some(before) if maximum => f64::max(before, value),
                        Some(before) => before + value,
                    });
                };
                stored.iter().for_each(&mut add);
                (stored.len()..down * across).for_each(|sample| add(&point(sample)));
                // A bin without points is 0.
                let divisor = if maximum { 1 } else { (down * across).max(1) };
                result[from + channel * rows * columns + bin] = total.unwrap_or(0.0) / divisor as f64;
            }
        }
    }
    one(from_floats(x.dtype(), &shape, result)?)
}

/// The positions of the four neighbours of a point in its plane, and their weights; those of a point more than
/// one element outside are `None`.
type Corners = Option<[(usize, f64); 4]>;

fn corners((height, width): (usize, usize), y: f64, x: f64) -> Corners {
    if y < -1.0 || x < -1.0 || y > height as f64 || x > width as f64 || height == 0 || width == 0 {
        return None;
    }
    let clamp = |at: f64, extent: usize| {
        let at = at.max(0.0);
        let low = at as usize;
        match low >= extent - 1 {
            true => (extent - 1, extent - 1, 0.0),
            false => (low, low + 1, at - low as f64),
        }
    };
    let ((y0, y1, dy), (x0, x1, dx)) = (clamp(y, height), clamp(x, width));
    Some([
        (y0 * width + x0, (1.0 - dy) * (1.0 - dx)),
        (y0 * width + x1, (1.0 - dy) * dx),
        (y1 * width + x0, dy * (1.0 - dx)),
        (y1 * width + x1, dy * dx),
    ])
}

fn interpolated(plane: &[f64], corners: &Corners) -> f64 {
    let Some([a, b, c, d]) = corners else { return 0.0 };
    let term = |&(at, weight): &(usize, f64)| plane[at] * weight;
    term(a) + term(b) + term(c) + term(d)
}
