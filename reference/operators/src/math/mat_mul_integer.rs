//! MatMulInteger — the product of 8-bit matrices minus their zero points, in int32; exact, wrapping in 32
//! bits.
//!
//! A zero point is one value, a vector over the rows of A (columns of B), or a tensor of the rank of the
//! stack.

use onnx_tensor::{Array, DType, Tensor};

use super::matrices::multiply;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::broadcast;
use crate::shared::quantized::{Along, along, integers, steps, wrapped};

pub const OP: OpDef = op("MatMulInteger", &[v(10, First, mat_mul_integer)]);

fn mat_mul_integer(call: &Call<'_>) -> Result<Outputs, OpError> {
    let a = without_zero_point(call, 0, 2, Along::Rows)?;
    let b = without_zero_point(call, 1, 3, Along::Columns)?;
    let sums = multiply::<f32>(call, &a, &b, DType::Int32)?;
    one(Tensor::from(sums.mapv(wrapped)))
}

/// Input `index` minus its zero point, input `zero_point`, if that is present. In float the differences of
/// bytes are exact.
fn without_zero_point(
    call: &Call<'_>,
    index: usize,
    zero_point: usize,
    axis: Along,
) -> Result<Array<f32>, OpError> {
    let tensor = call.tensor(index)?;
    let Some(zero_point) = call.optional_tensor(zero_point)? else {
        return steps(tensor, 0);
    };
    let zero_point = along(integers(zero_point)?, tensor.shape(), axis)?;
    match zero_point.first() {
        Some(&zero) if zero_point.len() == 1 => steps(tensor, zero),
        _ => {
            let values = steps(tensor, 0)?;
            let zero_point = zero_point.mapv(|zero| zero as f32).into_shared();
            let zero_point = broadcast::view(&zero_point, values.shape())?;
            Ok((&values - &zero_point).into_shared())
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    /// By hand: rows (11, 7) − 1 and (3, 10) − 2 times the column (1, 2).
    #[test]
    fn a_zero_point_for_each_row() {
        let matrix = |elements: &[u8]| Tensor::new(&[2, 2], elements.to_vec()).expect("four elements");
        let column = Tensor::new(&[2, 1], vec![1_i8, 2]).expect("two elements");
        let zero_points = Tensor::vector(vec![1_u8, 2]);
        let expected = Tensor::new(&[2, 1], vec![22_i32, 17]).expect("two elements");
        exact(
            ("", "MatMulInteger", 10),
            &[matrix(&[11, 7, 3, 10]), column, zero_points],
            &[],
            &[expected],
        );
    }
}
