//! QLinearSoftmax — softmax of a tensor of 8 bits, quantized: in f64, rounded half to even once.
//!
//! `opset` is that of the Softmax of ONNX that it replaces: below 13 the axes from `axis` on are one lane.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use super::affine::Affine;
use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::widen;

pub const OP: OpDef = contrib("QLinearSoftmax", &[v(1, First, q_linear_softmax)]);

fn q_linear_softmax(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    call.reserve(x.shape(), DType::Double)?;
    let values: Tensor = Tensor::from(Affine::read(call, 1)?.values(x)?);
    let since = if call.int("opset")? < 13 { 11 } else { 13 };
    let axis = standard::attribute("axis", AttributeValue::Int(call.int("axis")?));
    let y = standard::tensor(call, ("Softmax", since), &[Some(&values)], &[axis])?;
    one(Affine::read(call, 3)?.quantized(widen(&y)?, x.dtype())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// Equal scores of shape (1, 2, 2): 1/2 in the last axis, 1/4 in one lane of four.
    #[test]
    fn lanes_by_opset() {
        let cube = |value: u8| Tensor::new(&[1, 2, 2], vec![value; 4]).expect("four elements");
        let inputs = [
            cube(9),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(3_u8),
            Tensor::scalar(1.0_f32 / 256.0),
            Tensor::scalar(1_u8),
        ];
        for (opset, axis, expected) in [(13, -1, 129), (12, 1, 65)] {
            let attributes = [attribute("opset", opset), attribute("axis", axis)];
            exact(
                ("com.microsoft", "QLinearSoftmax", 1),
                &inputs,
                &attributes,
                &[cube(expected)],
            );
        }
    }
}
