//! GroupNorm — normalises groups of channels of an image, then scales, shifts and activates them.
//!
//! In f64 (statistics in double-double), rounded once.

use ndarray::{Array4, Axis, Ix1, Ix4};
use onnx_tensor::{DType, Tensor, Value};

use super::normalized::{Centre, Normalized};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::nn::positive;
use crate::shared::activation::swish;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("GroupNorm", &[v(1, First, group_norm)]);

/// The order of the axes of an image with channels last.
const CHANNELS_FIRST: [usize; 4] = [0, 3, 1, 2];
const CHANNELS_LAST: [usize; 4] = [0, 2, 3, 1];

fn group_norm(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = image(call, call.tensor(0)?)?;
    one(normalised(call, x)?)
}

/// Input `tensor` as an image with channels first, in f64.
pub fn image(call: &Call<'_>, tensor: &Tensor) -> Result<Array4<f64>, OpError> {
    let shape = tensor.shape();
    call.reserve(shape, DType::Double)?;
    let x = widen(tensor)?
        .into_dimensionality::<Ix4>()
        .map_err(|_| OpError::invalid(format!("an image of shape {shape:?} must have rank 4")))?;
    Ok(if call.flag("channels_last")? {
        x.permuted_axes(CHANNELS_FIRST)
    } else {
        x
    })
}

/// The groups of `x` (channels first), normalised, scaled by input 1, shifted by input 2 and activated, in
/// the layout and type of input 0.
pub fn normalised(call: &Call<'_>, x: Array4<f64>) -> Result<Tensor, OpError> {
    let (batch, channels, height, width) = x.dim();
    let groups = positive(call, "groups")?;
    if !channels.is_multiple_of(groups) {
        return Err(OpError::invalid(format!(
            "{channels} channels are not divisible into {groups} groups"
        )));
    }
    let size = channels / groups * height * width;
    let dense = x.as_standard_layout().into_owned().into_dyn();
    let rows = Normalized::rows(&dense, size, Centre::Mean, f64::from(call.float("epsilon")?))?;
    let mut y = rows
        .values
        .into_shape_with_order((batch, channels, height, width))?;
    let (gamma, beta) = (parameter(call, 1, channels)?, parameter(call, 2, channels)?);
    for (channel, mut plane) in y.axis_iter_mut(Axis(1)).enumerate() {
        plane.mapv_inplace(|x| x.mul_add(gamma[channel], beta[channel]));
    }
    match call.int("activation")? {
        0 => {}
        1 => y.mapv_inplace(|x| swish(x, 1.0)),
        other => {
            return Err(OpError::invalid(format!(
                "`activation` is {other}, expected 0 or 1"
            )));
        }
    }
    layout(call, y)
}

/// An image with channels first in the layout and type of input 0.
pub fn layout(call: &Call<'_>, image: Array4<f64>) -> Result<Tensor, OpError> {
    let image = if call.flag("channels_last")? {
        image.permuted_axes(CHANNELS_LAST)
    } else {
        image
    };
    let dense = image.as_standard_layout().into_owned();
    narrow(dense.into_dyn(), call.dtype(0)?)
}

fn parameter(call: &Call<'_>, index: usize, channels: usize) -> Result<ndarray::Array1<f64>, OpError> {
    let values = widen(call.tensor(index)?)?;
    values
        .into_dimensionality::<Ix1>()
        .ok()
        .filter(|values| values.len() == channels)
        .ok_or_else(|| OpError::invalid(format!("input {index} must have one element for each channel")))
}

/// The outputs of the operators that normalise a sum.
pub fn with_sum(call: &Call<'_>, sum: Array4<f64>) -> Result<Outputs, OpError> {
    let outputs = [normalised(call, sum.clone())?, layout(call, sum)?];
    Ok(outputs
        .into_iter()
        .map(|tensor| Some(Value::from(tensor)))
        .collect())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, refused};

    fn image(shape: [usize; 4], elements: &[f32]) -> Value {
        Tensor::new(&shape, elements.to_vec())
            .expect("the elements fill the shape")
            .into()
    }

    fn vector(elements: &[f32]) -> Value {
        Tensor::vector(elements.to_vec()).into()
    }

    /// By hand: channel 0 is 1 and 5, channel 1 is 2 and 2; with epsilon 5 the deviation of channel 0 is 3.
    #[test]
    fn groups_of_one_channel_in_both_layouts() {
        let under = ("com.microsoft", "GroupNorm", 1);
        let attributes = |last: i64| {
            [
                attribute("groups", 2),
                attribute("epsilon", 5.0_f32),
                attribute("activation", 0),
                attribute("channels_last", last),
            ]
        };
        let parameters = || [vector(&[3.0, 1.0]), vector(&[0.0, 7.0])];
        let [gamma, beta] = parameters();
        check(
            under,
            &[image([1, 1, 2, 2], &[1.0, 2.0, 5.0, 2.0]), gamma, beta],
            &attributes(1),
            &[image([1, 1, 2, 2], &[-2.0, 7.0, 2.0, 7.0])],
        );
        let [gamma, beta] = parameters();
        check(
            under,
            &[image([1, 2, 1, 2], &[1.0, 5.0, 2.0, 2.0]), gamma, beta],
            &attributes(0),
            &[image([1, 2, 1, 2], &[-2.0, 2.0, 7.0, 7.0])],
        );
        let [gamma, beta] = parameters();
        let three = [attribute("groups", 3), attribute("activation", 0)];
        refused(
            under,
            &[image([1, 1, 1, 2], &[1.0, 2.0]), gamma, beta],
            &three,
            "3 groups",
        );
    }
}
