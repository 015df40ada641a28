//! RoiAlign: the mean or the maximum of bilinearly interpolated values at regular points of each bin of a
//! region.

use super::super::call::{count, extent, one};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;
use crate::shapes::Shapes::First;

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
    if batch.len() != regions || rows == 0 || columns == 0 {
        return invalid(format!(
            "{} images for {regions} regions of {rows} × {columns} bins",
            batch.len()
        ));
    }
    let ratio = extent(call.attributes.int("sampling_ratio")?)?;
    let maximum = match call.attributes.text("mode")? {
        "avg" => false,
        "max" => true,
        other => return invalid(format!("unknown mode `{other}`, expected avg or max")),
    };
    let shape = [regions, channels, rows, columns];
    let mut result = vec![0.0; count(&shape)?];
    let (x_values, rois) = (floats(x)?, floats(rois)?);
    let bins = rows * columns;
    for region in 0..regions {
        let image = batch
            .get(region)
            .and_then(|&image| usize::try_from(image).ok())
            .filter(|&image| image < images);
        let Some(image) = image else {
            return invalid("the image index of a region is out of range");
        };
        let corners = [0, 1, 2, 3].map(|at| rois[region * 4 + at] * scale - offset);
        let found = Region::new(corners, offset == 0.0, [rows, columns], ratio);
        let samples = found.down.saturating_mul(found.across);
        if samples.saturating_mul(bins.saturating_mul(channels).max(1)) > MAX_SAMPLES {
            return invalid(format!(
                "a region takes {} × {} samples of {bins} bins in {channels} channels, more than {MAX_SAMPLES}",
                found.down, found.across
            ));
        }
        let planes = &x_values[image * channels * height * width..][..channels * height * width];
        let of_region = &mut result[region * channels * bins..][..channels * bins];
        for bin in 0..bins {
            let bin_at = [bin / columns, bin % columns];
            let point = |sample: usize| {
                let [y, x] = found.point(bin_at, sample);
                corners_of((height, width), y, x)
            };
            // The points of a bin are those of all channels; a long list of them is not stored.
            let stored: Vec<Corners> = (0..samples.min(STORED)).map(point).collect();
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
                (stored.len()..samples).for_each(|sample| add(&point(sample)));
                // A bin without points is 0.
                let divisor = if maximum { 1 } else { samples.max(1) };
                of_region[channel * bins + bin] = total.unwrap_or(0.0) / divisor as f64;
            }
        }
    }
    one(from_floats(x.dtype(), &shape, result)?)
}

/// A region of an image, divided into bins with a regular grid of points each.
struct Region {
    left: f64,
    top: f64,
    bin_height: f64,
    bin_width: f64,
    /// The number of points of a bin along each axis.
    down: usize,
    across: usize,
}

impl Region {
    /// The region between two corners, x before y. `at_least_one`: it is at least one pixel wide and high, as
    /// without the half-pixel offset. A `ratio` of 0 takes a point for each pixel.
    fn new([x0, y0, x1, y1]: [f64; 4], at_least_one: bool, bins: [usize; 2], ratio: usize) -> Region {
        let least = if at_least_one { 1.0 } else { f64::NEG_INFINITY };
        let bin_height = f64::max(y1 - y0, least) / bins[0] as f64;
        let bin_width = f64::max(x1 - x0, least) / bins[1] as f64;
        let points = |size: f64| match ratio {
            0 => size.ceil().max(0.0) as usize,
            ratio => ratio,
        };
        Region {
            left: x0,
            top: y0,
            bin_height,
            bin_width,
            down: points(bin_height),
            across: points(bin_width),
        }
    }

    /// Returns y and x of a point of a bin.
    fn point(&self, [row, column]: [usize; 2], sample: usize) -> [f64; 2] {
        let (i, j) = ((sample / self.across) as f64, (sample % self.across) as f64);
        let y = self.top + row as f64 * self.bin_height + (i + 0.5) * self.bin_height / self.down as f64;
        let x = self.left + column as f64 * self.bin_width + (j + 0.5) * self.bin_width / self.across as f64;
        [y, x]
    }
}

/// The positions of the four neighbours of a point in its plane, and their weights; `None` if the point is
/// more than one element outside.
type Corners = Option<[(usize, f64); 4]>;

fn corners_of((height, width): (usize, usize), y: f64, x: f64) -> Corners {
    if y < -1.0 || x < -1.0 || y > height as f64 || x > width as f64 || height == 0 || width == 0 {
        return None;
    }
    let clamp = |at: f64, extent: usize| {
        let at = at.max(0.0);
        let low = at as usize;
        if low >= extent - 1 {
            (extent - 1, extent - 1, 0.0)
        } else {
            (low, low + 1, at - low as f64)
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
