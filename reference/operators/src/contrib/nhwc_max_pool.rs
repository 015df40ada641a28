//! NhwcMaxPool — MaxPool-12 of an image of bytes with channels last.

use super::{channels, standard};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("NhwcMaxPool", &[v(1, First, nhwc_max_pool)]);

fn nhwc_max_pool(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = channels::to_first(call.tensor(0)?, true)?;
    let attributes = standard::shared_attributes(call, ("MaxPool", 12));
    let y = standard::tensor(call, ("MaxPool", 12), &[Some(&x)], &attributes)?;
    one(channels::to_last(&y, true)?.to_standard())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// Two channels of two pixels.
    #[test]
    fn each_channel() {
        let pixels = |shape: [usize; 3], values: &[u8]| Tensor::new(&shape, values.to_vec()).expect("pixels");
        exact(
            ("com.microsoft", "NhwcMaxPool", 1),
            &[pixels([1, 2, 2], &[1, 9, 5, 2])],
            &[attribute("kernel_shape", [2_i64])],
            &[pixels([1, 1, 2], &[5, 9])],
        );
    }
}
