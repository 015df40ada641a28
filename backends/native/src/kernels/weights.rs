//! Constant weights of a product that a DequantizeLinear restores: integers of at most eight bits with a
//! scale for each column, or for each block of rows and column.

use std::sync::Arc;

use native_kernels::gemm::{CodeBits, PackedQuantized, Quantized};
use onnx_tensor::{DType, I2, I4, Tensor, U2, U4};

use super::{Device, Use};
use crate::error::{Problem, invalid};
use crate::ir::Operator;
use crate::ops::call::axis;
use crate::ops::numbers::slice;

/// The position of the scale among the inputs of a product with quantized weights; the zero point follows.
pub const SCALE: usize = 4;

/// Returns the number of rows that share a scale, if there is a kernel for weights of this type and scales of
/// this shape. `turned` weights are stored by columns.
pub fn rows_of_a_scale(
    dequantize: &Operator,
    codes: &Tensor,
    scale: &Tensor,
    zero: Option<&Tensor>,
    turned: bool,
) -> Option<usize> {
    let attributes = &dequantize.attributes;
    let result = attributes.dtype("output_dtype").ok()?;
    let floats = scale.dtype() == DType::Float && result.is_none_or(|dtype| dtype == DType::Float);
    let known = bits(codes.dtype()).is_some() && codes.rank() == 2 && !codes.is_empty();
    let alike = zero.is_none_or(|zero| zero.dtype() == codes.dtype() && zero.shape() == scale.shape());
    if !(floats && known && alike) {
        return None;
    }
    let (rows, columns) = (usize::from(turned), usize::from(!turned));
    let [k, n] = [rows, columns].map(|axis| codes.shape()[axis]);
    if scale.rank() <= 1 && scale.len() == 1 {
        return Some(k);
    }
    let along = axis(attributes.find_int("axis").ok()?.unwrap_or(1), 2).ok()?;
    let block = usize::try_from(attributes.find_int("block_size").ok()?.unwrap_or(0)).ok()?;
    match (block, scale.shape()) {
        (0, &[extent]) if along == columns && extent == n => Some(k),
        (1.., shape @ &[_, _]) if along == rows => {
            let blocks = [shape[rows], shape[columns]];
            (blocks == [k.div_ceil(block), n]).then_some(block)
        }
        _ => None,
    }
}

fn bits(dtype: DType) -> Option<CodeBits> {
    match dtype {
        DType::Int4 | DType::Uint4 | DType::Int2 | DType::Uint2 => Some(CodeBits::Four),
        DType::Int8 | DType::Uint8 => Some(CodeBits::Eight),
        _ => None,
    }
}

/// Returns codes from 0 on: those of signed types plus 8 or 128.
fn codes(tensor: &Tensor) -> Result<Vec<u8>, Problem> {
    let wide = |value: i8| value.wrapping_add(8).cast_unsigned();
    Ok(match tensor {
        Tensor::Uint8(_) => slice::<u8>(tensor)?.to_vec(),
        Tensor::Int8(_) => {
            let codes = slice::<i8>(tensor)?.iter();
            codes.map(|code| code.cast_unsigned() ^ 128).collect()
        }
        Tensor::Uint4(_) => slice::<U4>(tensor)?.iter().map(|code| code.get()).collect(),
        Tensor::Int4(_) => slice::<I4>(tensor)?.iter().map(|code| wide(code.get())).collect(),
        Tensor::Uint2(_) => slice::<U2>(tensor)?.iter().map(|code| code.get()).collect(),
        Tensor::Int2(_) => slice::<I2>(tensor)?.iter().map(|code| wide(code.get())).collect(),
        _ => return invalid("weights have a type without codes"),
    })
}

/// The code of 0.
fn code_of_zero(dtype: DType) -> u8 {
    match dtype {
        DType::Int8 => 128,
        DType::Int4 | DType::Int2 => 8,
        _ => 0,
    }
}

/// Packs the weights of a product with `k` summands and `n` columns; `None` if there is no kernel for them.
pub fn packed(
    used: &Use,
    device: &Device,
    dequantize: &Operator,
    [k, n]: [usize; 2],
    turned: bool,
) -> Result<Option<Arc<PackedQuantized>>, Problem> {
    let (Some(weights), Some(scale)) = (used.constant(1), used.constant(SCALE)) else {
        return Ok(None);
    };
    let zero = used.constant(SCALE + 1);
    if used.has(SCALE + 1) && zero.is_none() {
        return Ok(None);
    }
    let block = rows_of_a_scale(dequantize, weights, scale, zero, turned);
    let (Some(block), Some(bits)) = (block, bits(weights.dtype())) else {
        return Ok(None);
    };
    let constants: Vec<&Tensor> = [Some(weights), Some(scale), zero].into_iter().flatten().collect();
    let pack = || {
        let mut zeros = match zero {
            Some(zero) => codes(zero)?,
            None => vec![code_of_zero(weights.dtype()); scale.len()],
        };
        let mut scales = slice::<f32>(scale)?.to_vec();
        if scale.len() == 1 {
            (scales, zeros) = (vec![scales[0]; n], vec![zeros[0]; n]);
        }
        let quantized = Quantized {
            bits,
            k,
            n,
            turned,
            block,
            codes: &codes(weights)?,
            scales: &scales,
            zeros: &zeros,
        };
        Ok(PackedQuantized::new(&device.pool, quantized)?)
    };
    device
        .packs
        .get(&constants, (k, n, turned, block), pack)
        .map(Some)
}
