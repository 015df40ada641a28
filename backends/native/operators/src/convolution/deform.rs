//! DeformConv: a convolution with an offset for each window element, whose values are interpolated
//! bilinearly.

use super::super::call::{count, extent, extents, one};
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use super::conv::bias;
use super::window::{Rounding, Window};
use crate::error::{invalid, unsupported};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row("DeformConv", 19, First(|known| known.deform_conv()), deform)];

fn deform(call: &Call) -> Outcome {
    let (x, w, offset) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let (&[images, channels, height, width], &[filters, per_group, kernel_h, kernel_w]) =
        (x.shape(), w.shape())
    else {
        return unsupported("only two spatial axes are implemented");
    };
    let given = call.attributes.ints("kernel_shape")?.map(extents).transpose()?;
    if given.is_some_and(|given| given != [kernel_h, kernel_w]) {
        return invalid("kernel_shape differs from the shape of the filters");
    }
    let groups = extent(call.attributes.int("group")?)?;
    let offset_groups = extent(call.attributes.int("offset_group")?)?;
    let window = Window::new(
        call.attributes,
        &[height, width],
        &[kernel_h, kernel_w],
        Rounding::Down,
    )?;
    let shape = [images, filters, window.output[0], window.output[1]];
    count(&shape)?;
    let (taps, places) = (kernel_h * kernel_w, window.output.iter().product::<usize>());
    let fits = groups != 0
        && offset_groups != 0
        && Some(channels) == per_group.checked_mul(groups)
        && filters % groups == 0
        && channels % offset_groups == 0;
    let mut moves = [images, offset_groups, 2, kernel_h, kernel_w].into_iter();
    let moves = moves.try_fold(places, usize::checked_mul);
    if !fits || moves != Some(offset.len()) {
        return invalid("channels, groups, filters and offsets are incompatible");
    }
    let (x_values, w_values, moves) = (floats(x)?, floats(w)?, floats(offset)?);
    let bias = bias(call, 3, filters)?;
    let mask = call.find_tensor(4)?;
    let [_, _, rows, columns] = shape;
    let moved = [images, 2 * offset_groups * taps, rows, columns];
    let masked = [images, offset_groups * taps, rows, columns];
    if offset.shape() != moved || mask.is_some_and(|mask| mask.shape() != masked) {
        return invalid(format!(
            "expected offsets of shape {moved:?} and a mask of shape {masked:?}"
        ));
    }
    let mask = mask.map(floats).transpose()?;
    // A neighbour outside of the input is 0. One with weight 0 is not read.
    let read = |plane: &[f64], y: f64, x: f64| {
        let part = |y: f64, x: f64, weight: f64| {
            let inside = y >= 0.0 && x >= 0.0 && y < height as f64 && x < width as f64;
            if inside && weight != 0.0 {
                weight * plane[y as usize * width + x as usize]
            } else {
                0.0
            }
        };
        let (top, left) = (y.floor(), x.floor());
        let (dy, dx) = (y - top, x - left);
        part(top, left, (1.0 - dy) * (1.0 - dx))
            + part(top, left + 1.0, (1.0 - dy) * dx)
            + part(top + 1.0, left, dy * (1.0 - dx))
            + part(top + 1.0, left + 1.0, dy * dx)
    };
    let mut result = vec![0.0; images * filters * places];
    for image in 0..images {
        window.each(|place, at| {
            for filter in 0..filters {
                let mut sum = bias[filter];
                for inner in 0..per_group {
                    let channel = (filter / (filters / groups)) * per_group + inner;
                    let plane = &x_values[(image * channels + channel) * height * width..][..height * width];
                    let group = image * offset_groups + channel / (channels / offset_groups);
                    for tap in 0..taps {
                        let move_by =
                            |which: usize| moves[((group * taps + tap) * 2 + which) * places + place];
                        let base = |axis: usize, step: usize| {
                            (at[axis] * window.strides[axis] + step * window.dilations[axis]) as f64
                                - window.pads_begin[axis] as f64
                        };
                        let y = base(0, tap / kernel_w) + move_by(0);
                        let x = base(1, tap % kernel_w) + move_by(1);
                        let weight = w_values[(filter * per_group + inner) * taps + tap];
                        let masked = mask
                            .as_ref()
                            .map_or(1.0, |mask| mask[(group * taps + tap) * places + place]);
                        sum += weight * masked * read(plane, y, x);
                    }
                }
                result[(image * filters + filter) * places + place] = sum;
            }
        });
    }
    one(from_floats(x.dtype(), &shape, result)?)
}
