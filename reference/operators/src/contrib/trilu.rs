//! Trilu (`com.microsoft`) — Trilu-14.

use super::standard;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};

pub const OP: OpDef = contrib("Trilu", &[v(1, First, trilu)]);

fn trilu(call: &Call<'_>) -> Result<Outputs, OpError> {
    let inputs = [Some(call.tensor(0)?), call.optional_tensor(1)?];
    let attributes = standard::shared_attributes(call, ("Trilu", 14));
    one(standard::tensor(call, ("Trilu", 14), &inputs, &attributes)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, rows};

    /// By hand: the elements on and below the diagonal above the main one, and those above the main one.
    #[test]
    fn triangles() {
        let under = ("com.microsoft", "Trilu", 1);
        let inputs = [rows(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), Tensor::scalar(1_i64)];
        let lower = rows(&[[1.0, 2.0, 0.0], [4.0, 5.0, 6.0]]);
        exact(under, &inputs, &[attribute("upper", 0)], &[lower]);
        let upper = rows(&[[0.0, 2.0, 3.0], [0.0, 0.0, 6.0]]);
        exact(under, &inputs, &[], &[upper]);
    }
}
