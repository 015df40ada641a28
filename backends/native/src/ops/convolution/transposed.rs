//! ConvTranspose and Col2Im.

use super::super::call::{count, extent, extents, one};
use super::super::numbers::{floats, from_floats, from_ints, ints, is_int};
use super::super::{Call, Outcome, Row, row};
use super::window::{Window, pads, steps};
use crate::error::{Problem, invalid};

pub const ROWS: &[Row] = &[row("ConvTranspose", 1, conv_transpose), row("Col2Im", 18, col2im)];

/// Returns the begin and end pads, which are cut from the full result; they may be negative.
fn cuts(
    call: &Call,
    full: &[usize],
    strides: &[usize],
    input: &[usize],
) -> Result<Vec<(i64, usize)>, Problem> {
    let rank = full.len();
    let extra = match call.attributes.get("output_padding") {
        Some(_) => steps(call.attributes, "output_padding", rank, 0)?,
        None => vec![0; rank],
    };
    let automatic = call.attributes.text("auto_pad")?;
    let given = call.attributes.ints("output_shape")?;
    let (begin, end) = match call.attributes.ints("pads")? {
        Some(given) => pads(given, rank)?,
        None => (vec![0; rank], vec![0; rank]),
    };
    let same = matches!(automatic, "SAME_UPPER" | "SAME_LOWER");
    let mut cuts = Vec::with_capacity(rank);
    for axis in 0..rank {
        let whole = full[axis] + extra[axis];
        let wanted = match given {
            Some(given) => {
                let given = given.get(given.len().saturating_sub(rank) + axis);
                Some(extent(given.copied().unwrap_or(-1))?)
            }
            None if same => Some(input[axis] * strides[axis]),
            None => None,
        };
        cuts.push(match wanted {
            Some(wanted) => {
                // A result that is larger than the sums cover is padded at its end.
                let total = (whole as i64).saturating_sub_unsigned(wanted as u64).max(0);
                let (less, more) = (total / 2, total - total / 2);
                // SAME_UPPER puts the odd element at the end; the text of since 1 states the opposite.
                let at_end = (automatic == "SAME_UPPER") == (call.since >= 11);
                (if at_end { less } else { more }, wanted)
            }
            None => {
                let cut = if automatic == "VALID" {
                    0
                } else {
                    begin[axis] + end[axis]
                };
                let before = if automatic == "VALID" { 0 } else { begin[axis] };
                let Some(result) = whole.checked_sub(cut) else {
                    return invalid(format!("pads remove all {whole} elements of an axis"));
                };
                (before as i64, result)
            }
        });
    }
    Ok(cuts)
}

fn conv_transpose(call: &Call) -> Outcome {
    let (x, w) = (call.tensor(0)?, call.tensor(1)?);
    let (&[images, channels, ref input @ ..], &[w_channels, per_group, ref kernel @ ..]) =
        (x.shape(), w.shape())
    else {
        return invalid("the input or the filters have no channel axis");
    };
    let rank = input.len();
    let groups = extent(call.attributes.int("group")?)?;
    if w_channels != channels
        || groups == 0
        || channels % groups != 0
        || kernel.len() != rank
        || kernel.contains(&0)
    {
        return invalid("channels, groups and filters are incompatible");
    }
    let strides = steps(call.attributes, "strides", rank, 1)?;
    let dilations = steps(call.attributes, "dilations", rank, 1)?;
    count(kernel)?;
    let full: Vec<usize> = (0..rank)
        .map(|axis| input[axis].saturating_sub(1) * strides[axis] + (kernel[axis] - 1) * dilations[axis] + 1)
        .collect();
    let cuts = cuts(call, &full, &strides, input)?;
    let output: Vec<usize> = cuts.iter().map(|&(_, extent)| extent).collect();
    let Some(filters) = per_group.checked_mul(groups) else {
        return invalid(format!("{groups} groups of {per_group} filters exceed the limit"));
    };
    let mut shape = vec![images, filters];
    shape.extend(&output);
    count(&shape)?;
    let (x_values, w_values) = (floats(x)?, floats(w)?);
    let bias = call
        .find_tensor(2)?
        .map(floats)
        .transpose()?
        .unwrap_or_else(|| vec![0.0; filters]);
    if bias.len() != filters {
        return invalid("expected one bias for each channel");
    }
    let (area, taps, places) = (
        input.iter().product::<usize>(),
        kernel.iter().product::<usize>(),
        output.iter().product::<usize>(),
    );
    let mut result = Vec::with_capacity(images * filters * places);
    (0..images).for_each(|_| {
        bias.iter()
            .for_each(|&bias| result.extend(std::iter::repeat_n(bias, places)))
    });
    let in_group = channels / groups;
    let empty = x_values.is_empty() || w_values.is_empty();
    for at in 0..if empty { 0 } else { area } {
        for tap in 0..taps {
            let Some(place) = target(at, tap, input, kernel, &strides, &dilations, &cuts) else {
                continue;
            };
            for image in 0..images {
                for channel in 0..channels {
                    let value = x_values[(image * channels + channel) * area + at];
                    let first = (channel / in_group) * per_group;
                    for filter in 0..per_group {
                        let weight = w_values[(channel * per_group + filter) * taps + tap];
                        result[(image * filters + first + filter) * places + place] += value * weight;
                    }
                }
            }
        }
    }
    one(from_floats(x.dtype(), &shape, result)?)
}

/// Returns the output position of an input element and a window element, unless it is cut off.
fn target(
    mut at: usize,
    mut tap: usize,
    input: &[usize],
    kernel: &[usize],
    strides: &[usize],
    dilations: &[usize],
    cuts: &[(i64, usize)],
) -> Option<usize> {
    let (mut place, mut step) = (0, 1);
    for axis in (0..input.len()).rev() {
        let full = (at % input[axis]) * strides[axis] + (tap % kernel[axis]) * dilations[axis];
        (at, tap) = (at / input[axis], tap / kernel[axis]);
        let (begin, extent) = cuts[axis];
        let inside = usize::try_from(full as i64 - begin)
            .ok()
            .filter(|&inside| inside < extent)?;
        place += inside * step;
        step *= extent;
    }
    Some(place)
}

/// Adds columns of blocks to the image that they were taken from.
fn col2im(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let (image, block) = (extents(&call.ints(1)?)?, extents(&call.ints(2)?)?);
    let &[images, columns, blocks] = tensor.shape() else {
        return invalid("expected a tensor [images, channels x block, blocks]");
    };
    let taps = count(&block)?;
    let window = Window::new(call.attributes, &image, &block, super::window::Rounding::Down)?;
    if taps == 0 || columns % taps != 0 || window.output.iter().product::<usize>() != blocks {
        return invalid("the shape of the columns does not match image and block");
    }
    let channels = columns / taps;
    let mut shape = vec![images, channels];
    shape.extend(&image);
    let columns = Columns {
        window: &window,
        image: &image,
        planes: images * channels,
        total: count(&shape)?,
    };
    one(match is_int(tensor.dtype()) {
        true => from_ints(
            tensor.dtype(),
            &shape,
            columns.added(&ints(tensor)?, 0, |a, b| a + b),
        )?,
        false => from_floats(
            tensor.dtype(),
            &shape,
            columns.added(&floats(tensor)?, 0.0, |a, b| a + b),
        )?,
    })
}

/// Columns of blocks, and the images that they were taken from.
struct Columns<'a> {
    window: &'a Window,
    image: &'a [usize],
    /// The number of images times channels.
    planes: usize,
    /// The number of elements of all images.
    total: usize,
}

impl Columns<'_> {
    /// Returns the images; where blocks overlap, their elements are added.
    fn added<T: Copy>(&self, values: &[T], zero: T, add: impl Fn(T, T) -> T) -> Vec<T> {
        let mut result = vec![zero; self.total];
        if values.is_empty() {
            return result;
        }
        let area: usize = self.image.iter().product();
        let taps: usize = self.window.kernel.iter().product();
        let blocks: usize = self.window.output.iter().product();
        self.window.each(|place, at| {
            self.window.inside(self.image, at, |tap, position| {
                for plane in 0..self.planes {
                    let sum = &mut result[plane * area + position];
                    *sum = add(*sum, values[(plane * taps + tap) * blocks + place]);
                }
            });
        });
        result
    }
}
