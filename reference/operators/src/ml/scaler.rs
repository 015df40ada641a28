//! Scaler — `(X − offset)·scale`, in f64, rounded once to float.
//!
//! Both attributes have one value, or one for each feature (the last axis), and the same length ("Must be
//! same length").

use onnx_tensor::Tensor;

use super::features::to_f64;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "Scaler", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (offset, scale) = (call.floats("offset")?, call.floats("scale")?);
    let x = call.tensor(0)?;
    let features = x.shape().last().copied().unwrap_or(1);
    if offset.len() != scale.len() || offset.len() != 1 && offset.len() != features {
        return Err(OpError::invalid(format!(
            "`offset` has {} values and `scale` {}: expected one each, or one for each of {features} features",
            offset.len(),
            scale.len()
        )));
    }
    let factors = offset.iter().zip(&scale).cycle();
    let scaled = to_f64(x)?.into_iter().zip(factors);
    let scaled = scaled.map(|(x, (&offset, &scale))| ((x - f64::from(offset)) * f64::from(scale)) as f32);
    one(Tensor::new(x.shape(), scaled.collect())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, rows};

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn scales() {
        let op = ("ai.onnx.ml", "Scaler", 1);
        let x = rows(&[[1.0, 0.0], [0.0, 2.0]]).reshape(&[1, 2, 2]).unwrap();
        let expected = rows(&[[0.0, -4.0], [-1.0, 0.0]]).reshape(&[1, 2, 2]).unwrap();
        let each = [attribute("offset", [1.0, 2.0]), attribute("scale", [1.0, 2.0])];
        check(op, &[x.clone().into()], &each, &[expected.into()]);
        let one = [attribute("offset", [1.0]), attribute("scale", [0.5])];
        let (a, b) = (
            Tensor::vector(vec![3_i64, 1, 0]),
            Tensor::vector(vec![1.0_f32, 0.0, -0.5]),
        );
        check(op, &[a.into()], &one, &[b.into()]);
        let uneven = [attribute("offset", [1.0, 2.0]), attribute("scale", [0.5])];
        refused(op, &[x.into()], &uneven, "`offset` has 2 values");
    }
}
