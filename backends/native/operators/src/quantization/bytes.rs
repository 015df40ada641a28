//! Sums of products of bytes by kernels, for cases where no sum overflows 32 bits.

use native_kernels::Pool;
use native_kernels::conv::ConvShape;
use native_kernels::int8::{
    ByteImages, ByteLayout, Bytes, BytesMut, Int8Convolution, Int8Weights, Target, gemm_int8,
};
use onnx_tensor::{DType, Tensor};

use super::super::matrix::MatMulShape;
use super::super::numbers::{ints, slice};
use crate::error::Problem;

/// The maximum number of products in a sum. Together with a summand below [`MAX_SUMMAND`], no sum overflows
/// 32 bits.
const MAX_PRODUCTS: usize = 1 << 14;
const MAX_SUMMAND: u32 = 1 << 30;

/// Exact sums of products.
pub enum Sums {
    /// Sums of products of bytes.
    Narrow(Vec<i32>),
    /// Sums of products of any integers.
    Wide(Vec<i128>),
}

impl Sums {
    /// Converts the sums to i128.
    pub fn wide(self) -> Vec<i128> {
        match self {
            Sums::Narrow(sums) => sums.into_iter().map(i128::from).collect(),
            Sums::Wide(sums) => sums,
        }
    }
}

/// A tensor with its zero point.
pub type Quantized<'a> = (&'a Tensor, Option<&'a Tensor>);

fn bytes(tensor: &Tensor) -> Option<Bytes<'_>> {
    match tensor.dtype() {
        DType::Int8 => slice::<i8>(tensor).ok().map(Bytes::Signed),
        DType::Uint8 => slice::<u8>(tensor).ok().map(Bytes::Unsigned),
        _ => None,
    }
}

/// Returns the zero point: one for all, or one for each of `count` positions.
fn zero_points(zero: Option<&Tensor>, count: Option<usize>) -> Option<Vec<i32>> {
    let Some(zero) = zero else {
        return Some(vec![0]);
    };
    let fits = zero.rank() <= 1 && (zero.len() == 1 || Some(zero.len()) == count);
    let values = ints(zero).ok().filter(|_| fits)?;
    values
        .into_iter()
        .map(|value| i32::try_from(value).ok())
        .collect()
}

/// Computes the products of stacks of matrices, if kernels support them.
pub fn product(
    shape: &MatMulShape,
    (a, a_zero): Quantized,
    (b, b_zero): Quantized,
) -> Result<Option<Vec<i32>>, Problem> {
    let [m, n, k] = shape.extents;
    let lines = |tensor: &Tensor, count| (tensor.rank() >= 2).then_some(count);
    let zeros = (zero_points(a_zero, lines(a, m)), zero_points(b_zero, lines(b, n)));
    let (Some(left), Some(right), (Some(a_zero), Some(b_zero))) = (bytes(a), bytes(b), zeros) else {
        return Ok(None);
    };
    if k == 0 || k > MAX_PRODUCTS {
        return Ok(None);
    }
    let pool = Pool::new(1);
    let mut sums = vec![0; shape.pairs.len() * m * n];
    for (&(a, b), sums) in shape.pairs.iter().zip(sums.chunks_exact_mut((m * n).max(1))) {
        let weights = Int8Weights::new(&pool, part(right, b, k * n), k, n)?;
        gemm_int8(
            &pool,
            m,
            part(left, a, m * k),
            &a_zero,
            &weights,
            &b_zero,
            Target::Sums(sums),
        )?;
    }
    Ok(Some(sums))
}

/// Returns matrix `number` of a stack.
fn part(stack: Bytes, number: usize, length: usize) -> Bytes {
    let range = number * length..(number + 1) * length;
    match stack {
        Bytes::Signed(bytes) => Bytes::Signed(bytes.get(range).unwrap_or_default()),
        Bytes::Unsigned(bytes) => Bytes::Unsigned(bytes.get(range).unwrap_or_default()),
    }
}

/// Computes the sums of a convolution of `batch` images, if kernels support it; the initial sum of each
/// filter is its bias.
pub fn convolution(
    shape: ConvShape,
    (batch, size): (usize, [usize; 2]),
    (x, x_zero): Quantized,
    (w, w_zero): Quantized,
    bias: Option<&Tensor>,
) -> Result<Option<Vec<i32>>, Problem> {
    let products = w.len() / shape.out_channels.max(1);
    let small = |bias: &&Tensor| {
        slice::<i32>(bias).is_ok_and(|bias| bias.iter().all(|value| value.unsigned_abs() < MAX_SUMMAND))
    };
    let zeros = (
        zero_points(x_zero, None),
        zero_points(w_zero, Some(shape.out_channels)),
    );
    let (Some(image), Some(weights), (Some(x_zero), Some(w_zero))) = (bytes(x), bytes(w), zeros) else {
        return Ok(None);
    };
    if !Int8Convolution::fits(&shape, batch, size) {
        return Ok(None);
    }
    if x.len() * w.len() == 0 || products > MAX_PRODUCTS || !bias.as_ref().is_none_or(small) {
        return Ok(None);
    }
    let pool = Pool::new(1);
    let output = shape.window.output(size)?;
    let mut sums = vec![0; batch * shape.out_channels * output[0] * output[1]];
    let bias = bias.map(slice::<i32>).transpose()?;
    let kernel = Int8Convolution::new(&pool, shape, weights, &w_zero)?;
    let images = ByteImages {
        batch,
        size,
        layout: ByteLayout::Plain,
        x: image,
        zero: x_zero[0],
    };
    kernel.run(&pool, &images, bias, ByteLayout::Plain, Target::Sums(&mut sums))?;
    Ok(Some(sums))
}

/// Multiplies sums by `scales` (one, or one for each channel), rounds, and adds the zero point, to bytes of
/// its type; `None` for other types.
pub fn requantize(
    shape: &[usize],
    extents: [usize; 3],
    sums: &[i32],
    scales: &[f64],
    zero: &Tensor,
) -> Result<Option<Tensor>, Problem> {
    let Some([offset]) = zero_points(Some(zero), None)
        .as_deref()
        .and_then(|all| all.first_chunk().copied())
    else {
        return Ok(None);
    };
    let pool = Pool::new(1);
    let write = |y: BytesMut| native_kernels::int8::requantize(&pool, extents, sums, scales, offset, y);
    Ok(match zero.dtype() {
        DType::Int8 => {
            let mut y = vec![0_i8; sums.len()];
            write(BytesMut::Signed(&mut y))?;
            Some(Tensor::new(shape, y)?)
        }
        DType::Uint8 => {
            let mut y = vec![0_u8; sums.len()];
            write(BytesMut::Unsigned(&mut y))?;
            Some(Tensor::new(shape, y)?)
        }
        _ => None,
    })
}
