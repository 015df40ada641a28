//! Code that QLinearAdd and QLinearMul share.

use onnx_tensor::DType;

use super::affine::Affine;
use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::broadcast;

/// A binary function of quantized operands with steps (elements minus zero point) `a` and `b` and scales,
/// divided by the scale of the result, quantized.
pub fn q_linear_binary(
    call: &Call<'_>,
    f: impl Fn((f64, f64), (f64, f64)) -> f64,
) -> Result<Outputs, OpError> {
    let (of_a, of_b, of_c) = (
        Affine::read(call, 1)?,
        Affine::read(call, 4)?,
        Affine::read(call, 6)?,
    );
    let (a, b) = (call.tensor(0)?, call.tensor(3)?);
    let shape = broadcast::shape(&[a.shape(), b.shape()])?;
    call.reserve(&shape, DType::Double)?;
    let (a, b) = (of_a.steps(a)?.into_shared(), of_b.steps(b)?.into_shared());
    let mut c = broadcast::view(&a, &shape)?.to_owned();
    c.zip_mut_with(&broadcast::view(&b, &shape)?, |x, &y| {
        *x = f((*x, of_a.scale), (y, of_b.scale));
    });
    one(of_c.quantized(c, call.dtype(0)?)?)
}
