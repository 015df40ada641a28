//! CropAndResize: regions of images, sampled from corner to corner.

use onnx_schema::CONTRIB_DOMAIN;
use onnx_tensor::Dim;

use crate::call::{count, extents, one};
use crate::error::invalid;
use crate::numbers::{floats, from_floats};
use crate::shapes::Shapes::First;
use crate::{Call, Outcome, Row, row_of};

pub const ROWS: &[Row] = &[row_of(
    CONTRIB_DOMAIN,
    "CropAndResize",
    1,
    First(|known| {
        let ([_, channels, _, _], [regions, _]) = (known.shape(0)?, known.shape(1)?) else {
            return None;
        };
        let size = known.inputs.get(3)?.as_ref()?.constant?;
        let size = extents(&crate::call::int64s(size).ok()?).ok()?;
        let size = size.into_iter().map(Dim::Fixed);
        Some(
            [regions.clone(), channels.clone()]
                .into_iter()
                .chain(size)
                .collect(),
        )
    }),
    crop_and_resize,
)];

fn crop_and_resize(call: &Call) -> Outcome {
    let (x, regions) = (call.tensor(0)?, call.tensor(1)?);
    let (numbers, size) = (call.ints(2)?, extents(&call.ints(3)?)?);
    let (&[images, channels, height, width], &[regions_count, 4], &[rows, columns]) =
        (x.shape(), regions.shape(), &size[..])
    else {
        return invalid("expected images of four axes, regions of four numbers and a `crop_size` of two");
    };
    let nearest = match call.attributes.text("mode")? {
        "bilinear" => false,
        "nearest" => true,
        other => return invalid(format!("`mode` is `{other}`")),
    };
    let ends = floats(regions)?;
    let all_finite = ends.iter().all(|end| end.is_finite());
    if numbers.len() != regions_count || !all_finite || [rows, columns, height, width].contains(&0) {
        return invalid(format!(
            "{} images for {regions_count} finite regions of {rows} × {columns} out of {height} × {width}",
            numbers.len()
        ));
    }
    let outside = f64::from(call.attributes.float("extrapolation_value")?);
    let shape = [regions_count, channels, rows, columns];
    let mut y = Vec::with_capacity(count(&shape)?);
    let values = floats(x)?;
    for (ends, &number) in ends.chunks_exact(4).zip(&numbers) {
        let Some(image) = usize::try_from(number).ok().filter(|&image| image < images) else {
            return invalid(format!("there is no image {number} of {images}"));
        };
        let down = places([ends[0], ends[2]], rows, height, nearest);
        let right = places([ends[1], ends[3]], columns, width, nearest);
        for plane in values
            .chunks_exact(height * width)
            .skip(image * channels)
            .take(channels)
        {
            for line in &down {
                y.extend(right.iter().map(|pixel| match (line, pixel) {
                    (Some(line), Some(pixel)) => {
                        let of_line = |at: usize| pixel.between(|x| plane[at * width + x]);
                        line.between(of_line)
                    }
                    _ => outside,
                }));
            }
        }
    }
    one(from_floats(x.dtype(), &shape, y)?)
}

/// Two neighbours along an axis, and the share of the second.
#[derive(Clone, Copy)]
struct Place {
    first: usize,
    second: usize,
    share: f64,
}

impl Place {
    fn between(self, value: impl Fn(usize) -> f64) -> f64 {
        let first = value(self.first);
        if self.share == 0.0 {
            return first;
        }
        first + (value(self.second) - first) * self.share
    }
}

/// Returns the places of `count` samples along an axis; `None` for those outside of the image.
fn places([from, to]: [f64; 2], count: usize, extent: usize, nearest: bool) -> Vec<Option<Place>> {
    let (steps, last) = (count.saturating_sub(1) as f64, (extent - 1) as f64);
    let placed = |sample: usize| {
        // Products of f32 and small integers are exact in f64, so that no place is rounded out of the image.
        let at = match count {
            1 => (from + to) * last / 2.0,
            _ => (from * (steps - sample as f64) + to * sample as f64) * last / steps,
        };
        if at < 0.0 || at > last {
            return None;
        }
        if nearest {
            let closest = (at + 0.5).floor() as usize;
            return Some(Place {
                first: closest,
                second: closest,
                share: 0.0,
            });
        }
        let first = at.floor();
        Some(Place {
            first: first as usize,
            second: (first as usize + 1).min(extent - 1),
            share: at - first,
        })
    };
    (0..count).map(placed).collect()
}
