//! CausalConvWithState (`com.microsoft`) — CausalConvWithState-27, whose definition is the same.
//!
//! Dilated kernels, channels last, windows of states and more than one spatial axis are not in that version
//! and are refused.

use onnx_schema::DefaultValue;

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, v};

pub const OP: OpDef = contrib("CausalConvWithState", &[v(1, First, causal_conv_with_state)]);

fn causal_conv_with_state(call: &Call<'_>) -> Result<Outputs, OpError> {
    let operator = ("CausalConvWithState", 27);
    // What ONNX does not have must keep the only value that means the same: the default.
    for attribute in standard::attributes_beyond(call, operator) {
        let found = call.int(attribute.name)?;
        if attribute.default != Some(DefaultValue::Int(found)) {
            return Err(OpError::undefined(format!("`{}` = {found}", attribute.name)));
        }
    }
    let inputs: Vec<_> = (0..4).map(|index| call.optional(index).cloned()).collect();
    let attributes = standard::shared_attributes(call, operator);
    standard::evaluate(call, operator, &inputs, &attributes, 2)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, refused};

    /// By hand: the kernel (1, 10) over 7 (past), 1, 2.
    #[test]
    fn past_and_present() {
        let under = ("com.microsoft", "CausalConvWithState", 1);
        let row = |values: &[f32]| -> Value {
            Tensor::new(&[1, 1, values.len()], values.to_vec())
                .expect("a row")
                .into()
        };
        let bias = Tensor::vector(vec![0.5_f32]).into();
        let inputs = [row(&[1.0, 2.0]), row(&[1.0, 10.0]), bias, row(&[7.0])];
        check(under, &inputs, &[], &[row(&[17.5, 21.5]), row(&[2.0])]);
        refused(under, &inputs, &[attribute("dilation", 2)], "`dilation` = 2");
    }
}
