//! MatMulInteger16 — products of matrices of 16-bit integers, in int32 (uint32 for two unsigned operands),
//! wrapping.

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
    let unsigned = call.dtype(0)? == DType::Uint16 && call.dtype(1)? == DType::Uint16;
    let (a, b) = (wide(call.tensor(0)?)?, wide(call.tensor(1)?)?);
    let sums = multiply::<i32>(call, &a, &b, DType::Int32)?;
    match unsigned {
        true => one(Tensor::from(sums.mapv(i32::cast_unsigned))),
        false => one(Tensor::from(sums)),
    }
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
        exact(under, &unsigned, &[], &[Tensor::scalar(4_294_836_225_u32)]);
    }
}
