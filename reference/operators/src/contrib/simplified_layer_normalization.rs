//! SimplifiedLayerNormalization — divides the elements from `axis` on by their root mean square and scales
//! them; ONNX Runtime adds it to the domain of ONNX (deviation `runtime-operator`).
//!
//! In f64 (the sum of squares in double-double), rounded once, to the type of the scale. Interpretation:
//! `stash_type` is the type of `inv_std_var` alone; nothing is rounded to it in between.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::Value;

use super::normalized::{Centre, Normalized};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::axes;
use crate::shared::reals::{float_type, narrow, widen};

pub const OP: OpDef = op(
    "SimplifiedLayerNormalization",
    &[v(1, First, simplified_layer_normalization)],
);

fn simplified_layer_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (x, scale) = (call.tensor(0)?, call.tensor(1)?);
    let axis = axes::axis(call.int("axis")?, x.rank())?;
    let width = x.shape()[axis..].iter().product();
    call.reserve(x.shape(), onnx_tensor::DType::Double)?;
    let rows = Normalized::rows(&widen(x)?, width, Centre::Zero, f64::from(call.float("epsilon")?))?;
    let weights = widen(scale)?;
    let weights = weights.broadcast(IxDyn(x.shape())).ok_or_else(|| {
        OpError::invalid(format!(
            "`scale` of shape {:?} does not broadcast to {:?}",
            scale.shape(),
            x.shape()
        ))
    })?;
    let y = narrow(rows.values * &weights, scale.dtype())?;
    let extent = |(at, &extent): (usize, &usize)| if at < axis { extent } else { extent.min(1) };
    let shape: Vec<usize> = x.shape().iter().enumerate().map(extent).collect();
    let stash = float_type("stash_type", call.int("stash_type")?)?;
    let factors = narrow(ArrayD::from_shape_vec(IxDyn(&shape), rows.factors)?, stash)?;
    Ok(vec![Some(Value::from(y)), Some(Value::from(factors))])
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, rows};

    /// By hand: the mean squares are 12.5 and 2; with epsilon 3.5 and without the last axis they are
    /// (25 + 4)/4 = 7.25 for all.
    #[test]
    fn rows_and_all() {
        let under = ("", "SimplifiedLayerNormalization", 1);
        let x = || rows(&[[3.0_f32, 4.0], [2.0, 0.0]]).into();
        let scale = || Tensor::vector(vec![1.0_f32, 2.0]).into();
        let y = rows(&[[0.75, 2.0], [0.852_802_9, 0.0]]).into();
        let factors = rows(&[[0.25], [0.426_401_43]]).into();
        check(
            under,
            &[x(), scale()],
            &[attribute("epsilon", 3.5_f32)],
            &[y, factors],
        );
        let everything = [attribute("axis", 0), attribute("epsilon", 1.75_f32)];
        let y = rows(&[[1.0, 8.0 / 3.0], [2.0 / 3.0, 0.0]]).into();
        let factors = rows(&[[1.0 / 3.0]]).into();
        check(under, &[x(), scale()], &everything, &[y, factors]);
    }
}
