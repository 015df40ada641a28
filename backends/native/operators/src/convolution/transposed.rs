//! ConvTranspose.

use super::super::call::{extents, one};
use super::super::fast::Fast;
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use super::conv::bias;
use super::transposition::Transposition;
use crate::error::invalid;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row(
    "ConvTranspose",
    1,
    First(|known| known.conv_transpose()),
    conv_transpose,
)
.fast(Fast::Convolution { transposed: true })];

fn conv_transpose(call: &Call) -> Outcome {
    let (x, w) = (call.tensor(0)?, call.tensor(1)?);
    let Transposition {
        groups,
        strides,
        dilations,
        begins,
        shape,
    } = Transposition::new(call.attributes, call.since, x.shape(), w.shape())?;
    let (images, channels, filters) = (x.shape()[0], x.shape()[1], shape[1]);
    let (input, kernel, output) = (&x.shape()[2..], &w.shape()[2..], &shape[2..]);
    let per_group = w.shape()[1];
    let (x_values, w_values) = (floats(x)?, floats(w)?);
    let bias = bias(call, 2, filters)?;
    let given = call.attributes.ints("kernel_shape")?.map(extents).transpose()?;
    if given.is_some_and(|given| given != kernel) {
        return invalid("kernel_shape differs from the shape of the filters");
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
            let Some(place) = target(at, tap, input, kernel, &strides, &dilations, &begins, output) else {
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
#[allow(clippy::too_many_arguments)]
fn target(
    mut at: usize,
    mut tap: usize,
    input: &[usize],
    kernel: &[usize],
    strides: &[usize],
    dilations: &[usize],
    begins: &[usize],
    output: &[usize],
) -> Option<usize> {
    let (mut place, mut step) = (0, 1);
    for axis in (0..input.len()).rev() {
        let full = (at % input[axis]) * strides[axis] + (tap % kernel[axis]) * dilations[axis];
        (at, tap) = (at / input[axis], tap / kernel[axis]);
        let inside = full
            .checked_sub(begins[axis])
            .filter(|&inside| inside < output[axis])?;
        place += inside * step;
        step *= output[axis];
    }
    Some(place)
}
