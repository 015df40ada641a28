//! CausalConvWithState: for each channel a sum of products over its taps and the bias, then optionally
//! x·sigmoid(x); the state is copied.

use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::number::{self, Number};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[entry("CausalConvWithState", causal)];

fn causal(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let (&[batch, channels, length], &[_, _, taps]) =
        (query.call.tensor(0)?.shape(), query.call.tensor(1)?.shape())
    else {
        return Err(OpError::invalid("input and weight must have rank 3"));
    };
    let optional = |index: usize| number::elements(query, index).unwrap_or_default();
    let (x, weight, bias, past) = (optional(0), optional(1), optional(2), optional(3));
    let before = taps.saturating_sub(1);
    let gated = query.call.string("activation")? != "none";
    let (mut output, mut state) = (Vec::with_capacity(x.len()), Vec::new());
    for line in 0..batch * channels {
        let channel = line % channels.max(1);
        let kernel = weight.iter().skip(channel * taps).take(taps);
        let mut whole = vec![Number::exact(0.0); before];
        for (held, past) in whole.iter_mut().zip(past.iter().skip(line * before)) {
            *held = *past;
        }
        whole.extend(x.iter().skip(line * length).take(length));
        for window in whole.windows(taps.max(1)).take(length) {
            let bias = bias.get(channel).map(|&bias| (bias, Number::exact(1.0)));
            let sum = Number::dot(window.iter().copied().zip(kernel.clone().copied()).chain(bias));
            output.push(if gated { silu(sum) } else { sum });
        }
        state.extend_from_slice(whole.get(length..).unwrap_or_default());
    }
    // Copied values do not round.
    let copied = |state: Vec<Number>| {
        let errors = state.iter().map(|number| number.error).collect();
        let shape = query.output(1).map_or(&[][..], |state| state.shape());
        match ndarray::ArrayD::from_shape_vec(shape, errors) {
            Ok(errors) => Radius::within(errors, "copied from the inputs"),
            Err(_) => Radius::unknown("the shape of the state differs from that of the derivation"),
        }
    };
    let mut radii = vec![number::radius(query, 0, output, "causal convolution")];
    if query.outputs.len() > 1 {
        radii.push(copied(state));
    }
    Ok(radii)
}

/// x·sigmoid(x): 13 ULP of the sigmoid, and one product. The slope is at most 1.1, which limits the effect
/// of an error of x.
fn silu(x: Number) -> Number {
    let sigmoid = Number { error: 0.0, ..x }.map(12.5, |x| 1.0 / (1.0 + (-x).exp()));
    let own = Number { error: 0.0, ..x } * sigmoid;
    Number {
        error: own.error + 1.1 * x.error,
        ..own
    }
}
