//! Conv and ConvInteger.

use native_kernels::conv::ConvShape;
use onnx_tensor::{DType, Tensor};

use super::super::call::{count, extent, extents, one};
use super::super::fast::{self, Fast};
use super::super::matrix::without_zero_point;
use super::super::numbers::{floats, from_floats, from_ints};
use super::super::quantization::{Quantized, Sums, byte_convolution};
use super::super::{Call, Row, row};
use super::window::{Rounding, Window, two_axes};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[
    row("Conv", 1, First(|known| known.conv(1)), |call| {
        let (x, w) = (call.tensor(0)?, call.tensor(1)?);
        let geometry = Geometry::new(call.attributes, x.shape(), w.shape())?;
        let bias = bias(call, 2, w.shape()[0])?;
        let (x_values, w_values) = (floats(x)?, floats(w)?);
        let mut result = geometry.convolve(&x_values, &w_values, &bias, |sum, x, w| sum + x * w);
        geometry.pad_with_zeros(&w_values, &mut result);
        one(from_floats(x.dtype(), &geometry.shape, result)?)
    })
    .fast(Fast::Convolution { transposed: false }),
    row("ConvInteger", 10, First(|known| known.conv(1)), |call| {
        let (x, w) = (call.tensor(0)?, call.tensor(1)?);
        let (shape, sums) = integer_convolution(
            call.attributes,
            (x, call.find_tensor(2)?),
            (w, call.find_tensor(3)?),
            None,
        )?;
        one(match sums {
            Sums::Narrow(sums) => Tensor::new(&shape, sums)?,
            Sums::Wide(sums) => from_ints(DType::Int32, &shape, sums)?,
        })
    })
    .fast(Fast::Quantized(fast::Quantized::ConvolutionSums)),
];

/// Returns the bias of each filter from the input at a position, 0 without one.
pub fn bias(call: &Call, position: usize, filters: usize) -> Result<Vec<f64>, Problem> {
    match call.find_tensor(position)? {
        None => Ok(vec![0.0; filters]),
        Some(given) if given.shape() == [filters] => floats(given),
        Some(other) => invalid(format!(
            "expected one bias for each of {filters} channels, got the shape {:?}",
            other.shape()
        )),
    }
}

/// Checks that filters of shape `w` fit images of shape `x`, and that the bias fits the filters.
pub fn check_filters(
    attributes: &Attributes,
    x: &[usize],
    w: &[usize],
    bias: Option<&[usize]>,
) -> Result<(), Problem> {
    Geometry::new(attributes, x, w)?;
    match bias {
        Some(bias) if bias != &w[..1] => invalid(format!("a bias of shape {bias:?} for filters {w:?}")),
        _ => Ok(()),
    }
}

/// Images, channels, groups and the window of a convolution.
struct Geometry {
    /// The shape of the result.
    shape: Vec<usize>,
    input: Vec<usize>,
    images: usize,
    groups: usize,
    channels: usize,
    filters: usize,
    window: Window,
}

impl Geometry {
    fn new(attributes: &Attributes, x: &[usize], w: &[usize]) -> Result<Geometry, Problem> {
        let (&[images, channels, ref input @ ..], &[filters, per_group, ref kernel @ ..]) = (x, w) else {
            return invalid("the input or the filters have no channel axis");
        };
        let groups = extent(attributes.int("group")?)?;
        if groups == 0 || Some(channels) != per_group.checked_mul(groups) || filters % groups != 0 {
            return invalid(format!(
                "{channels} channels, {groups} groups and filters of shape {w:?} are incompatible"
            ));
        }
        let kernel = match attributes.ints("kernel_shape")? {
            Some(given) if extents(given)? != kernel => {
                return invalid("kernel_shape differs from the shape of the filters");
            }
            _ => kernel,
        };
        let window = Window::new(attributes, input, kernel, Rounding::Down)?;
        let mut shape = vec![images, filters];
        shape.extend(&window.output);
        count(&shape)?;
        Ok(Geometry {
            shape,
            input: input.to_vec(),
            images,
            groups,
            channels,
            filters,
            window,
        })
    }

    /// Converts to the geometry of kernels, with the number of images and their size; only for one or two
    /// spatial axes.
    fn two_axes(&self) -> Option<(ConvShape, (usize, [usize; 2]))> {
        let size = two_axes(&self.input, 1)?;
        let shape = ConvShape {
            in_channels: self.channels,
            out_channels: self.filters,
            groups: self.groups,
            window: self.window.two_axes()?,
        };
        Some((shape, (self.images, size)))
    }

    /// Computes the sums; `start` holds the initial sum of each filter.
    fn convolve<T: Copy>(&self, x: &[T], w: &[T], start: &[T], add: impl Fn(T, T, T) -> T) -> Vec<T> {
        let area: usize = self.input.iter().product();
        let taps: usize = self.window.kernel.iter().product();
        let places: usize = self.window.output.iter().product();
        let (in_group, out_group) = (self.channels / self.groups, self.filters / self.groups);
        let mut result = Vec::with_capacity(self.images * self.filters * places);
        for _ in 0..self.images {
            start
                .iter()
                .for_each(|&bias| result.extend(std::iter::repeat_n(bias, places)));
        }
        if result.is_empty() || x.is_empty() || w.is_empty() {
            return result;
        }
        let mut reads: Vec<(usize, usize)> = Vec::new();
        self.window.each(|place, at| {
            reads.clear();
            self.window
                .inside(&self.input, at, |tap, position| reads.push((tap, position)));
            for image in 0..self.images {
                for filter in 0..self.filters {
                    let first_channel = (filter / out_group.max(1)) * in_group;
                    let target = (image * self.filters + filter) * places + place;
                    let mut sum = result[target];
                    for channel in 0..in_group {
                        let x = &x[(image * self.channels + first_channel + channel) * area..][..area];
                        let w = &w[(filter * in_group + channel) * taps..][..taps];
                        for &(tap, position) in &reads {
                            sum = add(sum, x[position], w[tap]);
                        }
                    }
                    result[target] = sum;
                }
            }
        });
        result
    }

    /// The padding is zeros, and a zero times a weight that is infinite or NaN is NaN. So a sum is NaN if
    /// such a weight is over the padding.
    fn pad_with_zeros(&self, w: &[f64], result: &mut [f64]) {
        if w.iter().all(|weight| weight.is_finite()) {
            return;
        }
        let taps: usize = self.window.kernel.iter().product();
        let places: usize = self.window.output.iter().product();
        let filter_size = w.len() / self.filters.max(1);
        let odd = |filter: usize, tap: usize| {
            let weights = &w[filter * filter_size..][..filter_size];
            weights
                .iter()
                .skip(tap)
                .step_by(taps)
                .any(|weight| !weight.is_finite())
        };
        self.window.each(|place, at| {
            let mut outside = vec![true; taps];
            self.window.inside(&self.input, at, |tap, _| outside[tap] = false);
            for filter in 0..self.filters {
                if (0..taps).any(|tap| outside[tap] && odd(filter, tap)) {
                    (0..self.images).for_each(|image| {
                        result[(image * self.filters + filter) * places + place] = f64::NAN;
                    });
                }
            }
        });
    }
}

/// A convolution of integers. Each operand has its zero point; `bias` holds the initial sum of each filter.
pub fn integer_convolution(
    attributes: &Attributes,
    (x, x_zero): Quantized,
    (w, w_zero): Quantized,
    bias: Option<&Tensor>,
) -> Result<(Vec<usize>, Sums), Problem> {
    let geometry = Geometry::new(attributes, x.shape(), w.shape())?;
    if let Some((shape, images)) = geometry.two_axes()
        && bias.is_none_or(|bias| bias.len() == geometry.filters)
        && let Some(sums) = byte_convolution(shape, images, (x, x_zero), (w, w_zero), bias)?
    {
        return Ok((geometry.shape, Sums::Narrow(sums)));
    }
    let x_values = without_zero_point(x, x_zero, 1)?;
    let w_values = without_zero_point(w, w_zero, 0)?;
    let start = match bias {
        Some(bias) => super::super::numbers::ints(bias)?,
        None => vec![0; geometry.filters],
    };
    if start.len() != geometry.filters {
        return invalid("expected one bias for each channel");
    }
    let sums = geometry.convolve(&x_values, &w_values, &start, |sum, x, w| sum + x * w);
    Ok((geometry.shape, Sums::Wide(sums)))
}
