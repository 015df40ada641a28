//! CausalConvWithState — a convolution of each channel with its own kernel over past and present, and the
//! state to carry over.
//!
//! Each output is one sum in f64 that starts at the bias; a fused activation is applied before it is
//! rounded once. The state is copied exactly.

use ndarray::{Array3, Axis, Ix1, Ix3, concatenate, s};
use onnx_tensor::{Tensor, Value};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::activation::sigmoid;
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op("CausalConvWithState", &[v(27, First, causal_conv_with_state)]);

fn causal_conv_with_state(call: &Call<'_>) -> Result<Outputs, OpError> {
    let input: &Tensor = call.tensor(0)?;
    let activation: fn(f64) -> f64 = match call.string("activation")? {
        "none" => |x| x,
        "silu" | "swish" => |x| x * sigmoid(x),
        other => return Err(OpError::invalid(format!("`activation` is `{other}`"))),
    };
    let (&[batch, channels, length], &[kernels, 1, taps]) = (input.shape(), call.tensor(1)?.shape()) else {
        return Err(OpError::invalid(
            "the input must have rank 3 and the weight the shape channels × 1 × k",
        ));
    };
    if kernels != channels || taps == 0 {
        return Err(OpError::invalid(format!(
            "expected one kernel of size at least 1 for each of {channels} channels, got {kernels} of size {taps}"
        )));
    }
    call.work(&[batch, channels, length, taps])?;
    let weight = widen(call.tensor(1)?)?.into_dimensionality::<Ix3>()?;
    let bias = match call.optional_tensor(2)? {
        None => ndarray::Array1::zeros(channels),
        Some(bias) if bias.shape() == [channels] => widen(bias)?.into_dimensionality::<Ix1>()?,
        Some(bias) => return Err(OpError::invalid(format!("bias of shape {:?}", bias.shape()))),
    };
    let past = past(call, (batch, channels, taps - 1))?;
    let whole = concatenate(
        Axis(2),
        &[past.view(), widen(input)?.into_dimensionality::<Ix3>()?.view()],
    )?;
    let output = Array3::from_shape_fn((batch, channels, length), |(image, channel, at)| {
        let terms = (0..taps).map(|tap| whole[[image, channel, at + tap]] * weight[[channel, 0, tap]]);
        activation(terms.fold(bias[channel], |sum, term| sum + term))
    });
    let state = whole.slice(s![.., .., length..]).to_owned();
    let outputs = [
        narrow(output.into_dyn(), input.dtype())?,
        narrow(state.into_dyn(), input.dtype())?,
    ];
    Ok(outputs
        .into_iter()
        .map(|tensor| Some(Value::from(tensor)))
        .collect())
}

/// The carried state; zeros without a past state.
fn past(call: &Call<'_>, shape: (usize, usize, usize)) -> Result<Array3<f64>, OpError> {
    let Some(past) = call.optional_tensor(3)? else {
        let (batch, channels, length) = shape;
        call.reserve(&[batch, channels, length], onnx_tensor::DType::Double)?;
        return Ok(Array3::zeros(shape));
    };
    if past.shape() != [shape.0, shape.1, shape.2] {
        return Err(OpError::invalid(format!(
            "`past_state` has shape {:?}, expected {shape:?}",
            past.shape()
        )));
    }
    Ok(widen(past)?.into_dimensionality::<Ix3>()?)
}
