//! SwiGLU (`com.microsoft`) — G · sigmoid(activation_alpha · G) · (L + activation_beta), where G and L are
//! the gate and the linear half, clamped by `limit`.
//!
//! In f64, rounded once; with `round_activation` the activated gate is rounded in between, as the text says.

use ndarray::{ArrayD, Axis, Slice};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::activation::swish;
use crate::shared::reals::{narrow, round, widen};

pub const OP: OpDef = contrib("SwiGLU", &[v(1, First, swi_glu)]);

fn swi_glu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (dtype, both) = (call.dtype(0)?, widen(call.tensor(0)?)?);
    call.reserve(both.shape(), onnx_tensor::DType::Double)?;
    let (gate, linear): (ArrayD<f64>, ArrayD<f64>) = match call.optional_tensor(1)? {
        Some(up) if up.shape() == both.shape() => (both, widen(up)?),
        None if both.shape().last().is_some_and(|width| width.is_multiple_of(2)) => {
            let (last, half) = (Axis(both.ndim() - 1), both.shape()[both.ndim() - 1] / 2);
            let part = |slice: Slice| both.slice_axis(last, slice).to_owned();
            (part(Slice::from(..half)), part(Slice::from(half..)))
        }
        _ => {
            return Err(OpError::invalid(
                "`up` must have the shape of `gate`, which otherwise has two halves",
            ));
        }
    };
    let limit = f64::from(call.float("limit")?);
    let (alpha, beta) = (
        f64::from(call.float("activation_alpha")?),
        f64::from(call.float("activation_beta")?),
    );
    let rounds = call.int("round_activation")? != 0;
    let mut y = gate;
    for (gate, linear) in y.iter_mut().zip(&linear) {
        let (g, l) = if limit > 0.0 {
            (gate.min(limit), linear.clamp(-limit, limit))
        } else {
            (*gate, *linear)
        };
        let activated = swish(g, alpha);
        let activated = if rounds {
            round(activated, dtype)?
        } else {
            activated
        };
        *gate = activated * if beta == 0.0 { l } else { l + beta };
    }
    one(narrow(y, dtype)?)
}

#[cfg(test)]
mod tests {
    use crate::frame::testing::{attribute, exact, rows};

    /// By hand: alpha 0 halves the gate; 4 is limited to 3, and −5 to −3: 3/2 · (−3 + 1).
    #[test]
    fn halves_and_limits() {
        let under = ("com.microsoft", "SwiGLU", 1);
        let attributes = [
            attribute("activation_alpha", 0.0_f32),
            attribute("activation_beta", 1.0_f32),
            attribute("limit", 3.0_f32),
        ];
        exact(under, &[rows(&[[4.0, -5.0]])], &attributes, &[rows(&[[-3.0]])]);
        exact(
            under,
            &[rows(&[[4.0]]), rows(&[[-5.0]])],
            &attributes,
            &[rows(&[[-3.0]])],
        );
    }
}
