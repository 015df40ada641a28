//! Momentum — one step of gradient descent with momentum, standard or Nesterov's.
//!
//! Precision and interpretation: see `optimizer.rs`.

use super::optimizer::{Progress, update};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.preview.training", "Momentum", &[v(1, First, momentum)]);

fn momentum(call: &Call<'_>) -> Result<Outputs, OpError> {
    let Progress { rate, count } = Progress::read(call)?;
    let attribute = |name| call.float(name).map(f64::from);
    let (alpha, norm) = (attribute("alpha")?, attribute("norm_coefficient")?);
    let beta = if count > 0 { attribute("beta")? } else { 1.0 };
    let nesterov = match call.string("mode")? {
        "nesterov" => true,
        "standard" => false,
        other => {
            return Err(OpError::invalid(format!(
                "`mode` is `{other}`, expected nesterov or standard"
            )));
        }
    };
    update(call, |[x, gradient, momentum]| {
        let gradient = norm * x + gradient;
        let momentum = alpha * momentum + beta * gradient;
        let direction = if nesterov {
            gradient + alpha * momentum
        } else {
            momentum
        };
        [x - rate * direction, momentum]
    })
}
