//! ConvTransposeWithDynamicPads — ConvTranspose-11 whose `pads` are an input.

use onnx_model::AttributeValue;

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib(
    "ConvTransposeWithDynamicPads",
    &[v(1, First, conv_transpose_with_dynamic_pads)],
);

fn conv_transpose_with_dynamic_pads(call: &Call<'_>) -> Result<Outputs, OpError> {
    let operator = ("ConvTranspose", 11);
    let mut attributes = standard::shared_attributes(call, operator);
    if let Some(pads) = call.optional_integers(2)? {
        attributes.push(standard::attribute("pads", AttributeValue::Ints(pads)));
    }
    let inputs = [
        Some(call.tensor(0)?),
        Some(call.tensor(1)?),
        call.optional_tensor(3)?,
    ];
    one(standard::tensor(call, operator, &inputs, &attributes)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// By hand: [1, 2] spread by [1, 10] is [1, 12, 20]; pads remove the first element.
    #[test]
    fn pads_cut() {
        let row = |values: &[f32]| Tensor::new(&[1, 1, values.len()], values.to_vec()).expect("a row");
        let inputs = [
            row(&[1.0, 2.0]),
            row(&[1.0, 10.0]),
            Tensor::vector(vec![1_i64, 0]),
        ];
        exact(
            ("com.microsoft", "ConvTransposeWithDynamicPads", 1),
            &inputs,
            &[],
            &[row(&[12.0, 20.0])],
        );
    }
}
