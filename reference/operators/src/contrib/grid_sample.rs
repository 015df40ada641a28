//! GridSample (`com.microsoft`) — GridSample-16.

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("GridSample", &[v(1, First, grid_sample)]);

fn grid_sample(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    call.output_dtype(0, x.dtype())?;
    let attributes = standard::shared_attributes(call, ("GridSample", 16));
    let inputs = [Some(x), Some(call.tensor(1)?)];
    one(standard::tensor(call, ("GridSample", 16), &inputs, &attributes)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// The middle of four pixels, and a corner.
    #[test]
    fn between_pixels() {
        let x = Tensor::new(&[1, 1, 2, 2], vec![1.0_f32, 2.0, 3.0, 6.0]).expect("four pixels");
        let grid = Tensor::new(&[1, 1, 2, 2], vec![0.0_f32, 0.0, 1.0, -1.0]).expect("two positions");
        let y = Tensor::new(&[1, 1, 1, 2], vec![3.0_f32, 2.0]).expect("two pixels");
        let corners = [attribute("align_corners", 1)];
        exact(("com.microsoft", "GridSample", 1), &[x, grid], &corners, &[y]);
    }
}
