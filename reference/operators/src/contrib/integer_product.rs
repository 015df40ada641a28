//! Products of matrices of 8 bits minus their zero points, times their scales.

use ndarray::ArrayD;
use onnx_tensor::{DType, Tensor};

use super::biased::along_last;
use crate::frame::{Call, OpError};
use crate::math::multiply;
use crate::shared::broadcast;
use crate::shared::quantized::{Along, along, integers, reals, scalar};

/// A stack of matrices with scale and zero point.
#[derive(Debug)]
pub struct Quantized<'a> {
    /// The elements.
    pub tensor: &'a Tensor,
    pub scale: &'a Tensor,
    /// The zero point; 0 if there is none.
    pub zero: Option<&'a Tensor>,
}

/// The product of `a` (one scale and zero point) and `b` (one of each, or one for each column) as real
/// numbers in f64: sums in int32 (wrapping), times both scales.
pub fn scaled(call: &Call<'_>, a: &Quantized<'_>, b: &Quantized<'_>) -> Result<ArrayD<f64>, OpError> {
    let left = {
        let zero = match a.zero {
            None => 0.0,
            Some(zero) => scalar(&reals(zero)?, "a_zero_point")?,
        };
        integers(a.tensor)?.mapv_into(|x| x - zero as i32)
    };
    let mut right = integers(b.tensor)?;
    if let Some(zero) = b.zero {
        let zero = along(integers(zero)?, right.shape(), Along::Columns)?;
        let zero = broadcast::view(&zero, right.shape())?;
        right.zip_mut_with(&zero, |x, &zero| *x -= zero);
    }
    let sums = multiply::<i32>(call, &left.into_shared(), &right.into_shared(), DType::Int32)?;
    call.reserve(sums.shape(), DType::Double)?;
    let a_scale = scalar(&reals(a.scale)?, "a_scale")?;
    let b_scale = along(reals(b.scale)?, b.tensor.shape(), Along::Columns)?;
    let mut result = sums.mapv(f64::from);
    let b_scale = broadcast::view(&b_scale, sums.shape())?;
    result.zip_mut_with(&b_scale, |sum, &b| *sum *= a_scale * b);
    Ok(result)
}

/// Adds a bias to the columns of a product. Interpretation: the text says that it has one axis; the optimizer
/// of ONNX Runtime also writes further axes of extent 1 before it.
pub fn add_bias(product: &mut ArrayD<f64>, bias: Option<&Tensor>) -> Result<(), OpError> {
    let Some(bias) = bias else {
        return Ok(());
    };
    let ones = bias.rank() > 1 && bias.shape().iter().rev().skip(1).all(|&extent| extent == 1);
    let row = if ones {
        bias.reshape(&[bias.len()])?
    } else {
        bias.clone()
    };
    let row = along_last(product, &row, "bias")?;
    *product += &row;
    Ok(())
}
