//! Conv — convolution with groups, strides, dilations and pads over any number of spatial axes.
//!
//! Each output is one sum in f64 (double-double for f64) that starts at the bias, rounded once. Versions
//! differ in the text about `auto_pad` (interpretation: `window.rs`) and in types.

use onnx_tensor::{DType, Float, Tensor, dispatch};

use super::convolution::{Convolution, Run};
use super::kernels;
use super::window::{self, Rounding};
use crate::frame::Change::{First, TypesOnly, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;
use crate::shared::matrix_product::Product;

pub const OP: OpDef = op(
    "Conv",
    &[v(1, First, conv), v(11, Wording, conv), v(22, TypesOnly, conv)],
);

fn conv(call: &Call<'_>) -> Result<Outputs, OpError> {
    dispatch!(float, call.dtype(0)?, T => typed::<T>(call))
}

fn typed<T: Float + Product>(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, w) = (call.array::<T>(0)?, call.array::<T>(1)?);
    let convolution = forward(call, x.shape(), w.shape())?;
    let shape = convolution.shape();
    let start = kernels::bias::<T>(call.optional_array(2)?, convolution.maps)?;
    if shape.contains(&0) {
        return one(layout::empty(T::DTYPE, &shape)?);
    }
    let (x, w) = (kernels::dense(x), kernels::dense(w));
    let result = convolution.run::<T, T>(&x, &w, &start, &|_, sums, result| T::finish_all(sums, result))?;
    one(Tensor::new(&shape, result)?)
}

/// The shapes of a convolution of `x` (N × C × …) with `w` (M × C/group × …), by the attributes of the call.
pub fn forward(call: &Call<'_>, x: &[usize], w: &[usize]) -> Result<Convolution, OpError> {
    let ([batch, channels, input @ ..], [maps, group_channels, kernel @ ..]) = (x, w) else {
        return Err(OpError::invalid(format!(
            "shapes {x:?} and {w:?} must have a batch and a channel axis"
        )));
    };
    let groups = kernels::positive(call, "group")?;
    if input.is_empty() || group_channels.checked_mul(groups) != Some(*channels) || maps % groups != 0 {
        return Err(OpError::invalid(format!(
            "shapes {x:?} and {w:?} do not agree for a convolution with {groups} groups"
        )));
    }
    kernels::agree(call, kernel)?;
    // A kernel without channels has no elements, but its extents can be arbitrary.
    call.reserve(kernel, DType::Double)?;
    let axes = window::axes(call, input, kernel, Rounding::Floor)?;
    let convolution = Convolution {
        batch: *batch,
        channels: *channels,
        maps: *maps,
        groups,
        input: input.to_vec(),
        output: axes.iter().map(|axis| axis.output).collect(),
        runs: axes
            .iter()
            .map(|axis| (0..axis.kernel).map(|k| Run::forward(axis, k)).collect())
            .collect(),
    };
    convolution.charge(call, *group_channels)?;
    Ok(convolution)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    fn plane(shape: &[usize], elements: &[f64]) -> Tensor {
        Tensor::new(&[&[1, 1], shape].concat(), elements.to_vec()).expect("the elements fill the shape")
    }

    /// By hand: y[o] = x[o − 1] + x[o + 1], with zeros outside.
    #[test]
    fn same_padding_of_a_dilated_kernel() {
        let attributes = [attribute("auto_pad", "SAME_UPPER"), attribute("dilations", [2])];
        let inputs = [plane(&[4], &[1.0, 2.0, 3.0, 4.0]), plane(&[2], &[1.0, 1.0])];
        exact(
            ("", "Conv", 1),
            &inputs,
            &attributes,
            &[plane(&[4], &[2.0, 4.0, 6.0, 3.0])],
        );
    }

    /// Sums of f64 lose nothing to cancellation: 1e16 + 1 − 1e16 + 0.5.
    #[test]
    fn sums_of_doubles_are_compensated() {
        let inputs = [
            plane(&[3], &[1e16, 1.0, -1e16]),
            plane(&[3], &[1.0, 1.0, 1.0]),
            Tensor::vector(vec![0.5_f64]),
        ];
        exact(("", "Conv", 11), &inputs, &[], &[plane(&[1], &[1.5])]);
    }

    #[test]
    fn contradictory_attributes_are_rejected() {
        let inputs = values(&[plane(&[3], &[1.0, 2.0, 3.0]), plane(&[2], &[1.0, 1.0])]);
        for (attributes, part) in [
            (
                vec![attribute("auto_pad", "VALID"), attribute("pads", [1, 1])],
                "mutually exclusive",
            ),
            (vec![attribute("kernel_shape", [3])], "the kernels are"),
            (vec![attribute("strides", [0])], "`strides`"),
            (vec![attribute("dilations", [9])], "larger than the padded input"),
            (vec![attribute("group", 2)], "2 groups"),
        ] {
            refused(("", "Conv", 22), &inputs, &attributes, part);
        }
    }
}
