//! CausalConvWithState: each channel with its own kernel over past and present.

use onnx_tensor::{Tensor, Value};

use super::super::call::count;
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::Each;
use crate::size::has_room;

pub const ROWS: &[Row] = &[row(
    "CausalConvWithState",
    27,
    Each(|known| known.causal()),
    causal,
)];

fn causal(call: &Call) -> Outcome {
    let (x, w) = (call.tensor(0)?, call.tensor(1)?);
    let &[batch, channels, length] = x.shape() else {
        return invalid(format!(
            "expected an input of shape [N, C, L], got {:?}",
            x.shape()
        ));
    };
    let taps = match *w.shape() {
        [kernels, 1, taps] if kernels == channels && taps > 0 => taps,
        ref other => {
            return invalid(format!(
                "expected a weight of shape [{channels}, 1, K], got {other:?}"
            ));
        }
    };
    let activation: fn(f64) -> f64 = match call.attributes.text("activation")? {
        "none" => |x| x,
        "silu" | "swish" => |x| x / (1.0 + (-x).exp()),
        other => {
            return invalid(format!(
                "attribute `activation` is `{other}`, expected none, silu or swish"
            ));
        }
    };
    let past = optional(call, 3, &[batch, channels, taps - 1])?;
    let bias = optional(call, 2, &[channels])?;
    has_room(count(&[batch, channels, length + taps])?)?;
    let (values, weights) = (floats(x)?, floats(w)?);
    let mut output = Vec::with_capacity(values.len());
    let mut state = Vec::with_capacity(past.len());
    let mut line = Vec::with_capacity(length + taps);
    for row in 0..batch * channels {
        line.clear();
        line.extend_from_slice(&past[row * (taps - 1)..][..taps - 1]);
        line.extend_from_slice(&values[row * length..][..length]);
        let kernel = &weights[row % channels * taps..][..taps];
        let start = bias[row % channels];
        let sum = |seen: &[f64]| seen.iter().zip(kernel).fold(start, |sum, (x, w)| sum + x * w);
        output.extend(line.windows(taps).map(|seen| activation(sum(seen))));
        state.extend_from_slice(&line[length..]);
    }
    Ok(vec![
        Value::Tensor(from_floats(x.dtype(), x.shape(), output)?),
        Value::Tensor(from_floats(x.dtype(), &[batch, channels, taps - 1], state)?),
    ])
}

/// Returns the elements of an optional input of this shape; zeros if it is not given.
fn optional(call: &Call, position: usize, shape: &[usize]) -> Result<Vec<f64>, Problem> {
    let total = count(shape)?;
    has_room(total)?;
    match call.find_tensor(position)?.map(Tensor::shape) {
        None => Ok(vec![0.0; total]),
        Some(given) if given == shape => floats(call.tensor(position)?),
        Some(given) => invalid(format!(
            "expected the shape {shape:?} of input {position}, got {given:?}"
        )),
    }
}
