//! MatMulInteger16 — products of matrices of 16-bit integers, in int32, wrapping.
//!
//! Interpretation: the schema allows uint32 and says nothing of when; as in ONNX Runtime, the result is int32
//! for all operands.

use onnx_tensor::{DType, Tensor, TensorError};

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::math::multiply;

pub const OP: OpDef = contrib("MatMulInteger16", &[v(1, First, mat_mul_integer16)]);

fn mat_mul_integer16(call: &Call<'_>) -> Result<Outputs, OpError> {
    let wide = |tensor: &Tensor| match tensor {
        Tensor::Int16(array) => Ok(array.mapv(i32::from).into_shared()),
        Tensor::Uint16(array) => Ok(array.mapv(i32::from).into_shared()),
        other => Err(TensorError::DType {
            expected: "int16 or uint16",
            found: other.dtype(),
        }),
    };
    let (a, b) = (wide(call.tensor(0)?)?, wide(call.tensor(1)?)?);
    let sums = multiply::<i32>(call, &a, &b, DType::Int32)?;
    one(Tensor::from(sums))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::exact;

    #[test]
    fn signed_and_unsigned() {
        let under = ("com.microsoft", "MatMulInteger16", 1);
        let signed = [
            Tensor::vector(vec![-3_i16, 1000]),
            Tensor::vector(vec![2_i16, 1000]),
        ];
        exact(under, &signed, &[], &[Tensor::scalar(999_994_i32)]);
        let unsigned = [Tensor::vector(vec![65535_u16]), Tensor::vector(vec![65535_u16])];
        exact(under, &unsigned, &[], &[Tensor::scalar(-131_071_i32)]);
    }
}
