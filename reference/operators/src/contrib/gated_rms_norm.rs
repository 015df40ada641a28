//! GatedRMSNorm — root mean square normalization of groups of the last axis, scaled, times an activation of a
//! gate; in f64, rounded once.

use ndarray::{ArrayD, IxDyn};

use super::normalized::{Centre, Normalized};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::activation::{sigmoid, swish};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("GatedRMSNorm", &[v(1, First, gated_rms_norm)]);

fn gated_rms_norm(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, scale, gate) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let activate: fn(f64) -> f64 = match call.string("activation")? {
        "silu" | "swish" => |z| swish(z, 1.0),
        "sigmoid" => sigmoid,
        other => return Err(OpError::invalid(format!("`activation` is `{other}`"))),
    };
    let (width, last) = (scale.len(), x.shape().last().copied().unwrap_or(0));
    if scale.rank() != 1 || width == 0 || !last.is_multiple_of(width) || gate.shape() != x.shape() {
        return Err(OpError::invalid(format!(
            "`scale` of shape {:?} and a gate of shape {:?} do not fit the input of shape {:?}",
            scale.shape(),
            gate.shape(),
            x.shape()
        )));
    }
    call.reserve(x.shape(), onnx_tensor::DType::Double)?;
    let rows = Normalized::rows(&widen(x)?, width, Centre::Zero, f64::from(call.float("epsilon")?))?;
    let (scale, gate) = (widen(scale)?, widen(gate)?);
    let scaled = rows.values.iter().zip(scale.iter().cycle()).zip(gate.iter());
    let y = scaled
        .map(|((x, scale), &gate)| x * scale * activate(gate))
        .collect();
    one(narrow(ArrayD::from_shape_vec(IxDyn(x.shape()), y)?, x.dtype())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, rows, values};

    /// By hand: two groups of one element; with epsilon 0 they are ±1, times the scale 3, times sigmoid(0).
    #[test]
    fn groups() {
        let inputs = [
            rows(&[[5.0_f32, -2.0]]),
            Tensor::vector(vec![3.0_f32]),
            rows(&[[0.0_f32, 0.0]]),
        ];
        let attributes = [attribute("activation", "sigmoid"), attribute("epsilon", 0.0_f32)];
        let y = rows(&[[1.5, -1.5]]);
        check(
            ("com.microsoft", "GatedRMSNorm", 1),
            &values(&inputs),
            &attributes,
            &[y.into()],
        );
    }
}
