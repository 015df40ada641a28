//! Casts between f32 and the half types by kernels, for models with half weights.

use half::slice::HalfFloatSliceExt;
use native_kernels::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use native_kernels::{Pool, Result as KernelResult};
use onnx_tensor::{DType, Element, Tensor, bf16, f16};

use super::super::numbers::slice;
use crate::error::Problem;

/// Casts the tensor; `None` for any other cast.
pub fn cast(tensor: &Tensor, to: DType) -> Result<Option<Tensor>, Problem> {
    let standard = tensor.to_standard();
    let tensor = &standard;
    Ok(Some(match (tensor.dtype(), to) {
        (DType::Float16, DType::Float) => wide::<f16>(tensor, f16_to_f32)?,
        (DType::Bfloat16, DType::Float) => wide::<bf16>(tensor, bf16_to_f32)?,
        (DType::Float, DType::Float16) => narrow::<f16>(tensor, f32_to_f16)?,
        (DType::Float, DType::Bfloat16) => narrow::<bf16>(tensor, f32_to_bf16)?,
        _ => return Ok(None),
    }))
}

fn wide<T: Element>(
    tensor: &Tensor,
    kernel: fn(&Pool, &[u16], &mut [f32]) -> KernelResult<()>,
) -> Result<Tensor, Problem>
where
    [T]: HalfFloatSliceExt,
{
    let mut result = vec![0.0; tensor.len()];
    kernel(&Pool::new(1), slice::<T>(tensor)?.reinterpret_cast(), &mut result)?;
    Ok(Tensor::new(tensor.shape(), result)?)
}

fn narrow<T: Element + Default + Copy>(
    tensor: &Tensor,
    kernel: fn(&Pool, &[f32], &mut [u16]) -> KernelResult<()>,
) -> Result<Tensor, Problem>
where
    [T]: HalfFloatSliceExt,
{
    let mut result = vec![T::default(); tensor.len()];
    kernel(
        &Pool::new(1),
        slice::<f32>(tensor)?,
        result.reinterpret_cast_mut(),
    )?;
    Ok(Tensor::new(tensor.shape(), result)?)
}
