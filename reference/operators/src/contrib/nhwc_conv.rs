//! NhwcConv — Conv-11 of an image with channels last.
//!
//! Interpretation: the kernels keep the layout of ONNX, M × C/group × …, as the text of W says.

use super::{channels, standard};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("NhwcConv", &[v(1, First, nhwc_conv)]);

fn nhwc_conv(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = channels::to_first(call.tensor(0)?, true)?;
    let inputs = [Some(&x), Some(call.tensor(1)?), call.optional_tensor(2)?];
    let attributes = standard::shared_attributes(call, ("Conv", 11));
    let y = standard::tensor(call, ("Conv", 11), &inputs, &attributes)?;
    one(channels::to_last(&y, true)?.to_standard())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// By hand: pixels (1, 2) and (3, 4) with the kernel (1, 10), plus 5.
    #[test]
    fn channels_last() {
        let pixels =
            |shape: [usize; 3], values: &[f32]| Tensor::new(&shape, values.to_vec()).expect("pixels");
        let inputs = [
            pixels([1, 2, 2], &[1.0, 2.0, 3.0, 4.0]),
            pixels([1, 2, 1], &[1.0, 10.0]),
            Tensor::vector(vec![5.0_f32]),
        ];
        let y = pixels([1, 2, 1], &[26.0, 48.0]);
        exact(("com.microsoft", "NhwcConv", 1), &inputs, &[], &[y]);
    }
}
