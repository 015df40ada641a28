//! QLinearWhere — X or Y by a condition, quantized with the scale of Z: each element in f64, rounded half to
//! even once.

use ndarray::Zip;
use onnx_tensor::DType;

use super::affine::Affine;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::broadcast;

pub const OP: OpDef = contrib("QLinearWhere", &[v(1, First, q_linear_where)]);

fn q_linear_where(call: &Call<'_>) -> Result<Outputs, OpError> {
    let condition = call.array::<bool>(0)?;
    let (x, y) = (call.tensor(1)?, call.tensor(4)?);
    let shape = broadcast::shape(&[condition.shape(), x.shape(), y.shape()])?;
    call.reserve(&shape, DType::Double)?;
    let x = Affine::read(call, 2)?.values(x)?.into_shared();
    let y = Affine::read(call, 5)?.values(y)?.into_shared();
    let chosen = Zip::from(&broadcast::view(condition, &shape)?)
        .and(&broadcast::view(&x, &shape)?)
        .and(&broadcast::view(&y, &shape)?)
        .map_collect(|&condition, &x, &y| if condition { x } else { y });
    one(Affine::read(call, 7)?.quantized(chosen, call.dtype(1)?)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// By hand: (3 − 1) · 0.5 / 0.5 + 4 = 6 and (9 − 0) · 1 / 0.5 + 4 = 22.
    #[test]
    fn both_branches() {
        let inputs = [
            Tensor::vector(vec![true, false]),
            Tensor::scalar(3_u8),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(1_u8),
            Tensor::vector(vec![8_u8, 9]),
            Tensor::scalar(1.0_f32),
            Tensor::scalar(0_u8),
            Tensor::scalar(0.5_f32),
            Tensor::scalar(4_u8),
        ];
        let z = Tensor::vector(vec![6_u8, 22]);
        exact(("com.microsoft", "QLinearWhere", 1), &inputs, &[], &[z]);
    }
}
