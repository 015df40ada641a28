//! The input of a predictor: rows of features as f64.
//!
//! f16, f32 and int32 are exact in f64; an int64 beyond 2^53 is rounded to nearest.

use onnx_tensor::{Real, Tensor, dispatch};

use crate::frame::{Call, OpError};

/// Rows of features of equal width.
pub struct Features {
    /// The number of rows.
    pub rows: usize,
    /// The number of features per row.
    pub width: usize,
    values: Vec<f64>,
}

impl Features {
    /// Input 0 of shape `[N, F]`, or `[F]` as one row (as in ONNX Runtime; the specification mentions `[N,
    /// F]`).
    pub fn read(call: &Call<'_>) -> Result<Features, OpError> {
        let x = call.tensor(0)?;
        let (rows, width) = match *x.shape() {
            [width] => (1, width),
            [rows, width] => (rows, width),
            _ => {
                return Err(OpError::invalid(format!(
                    "input `X` must have the shape [N, F] or [F], got {:?}",
                    x.shape()
                )));
            }
        };
        Ok(Features {
            rows,
            width,
            values: to_f64(x)?,
        })
    }

    /// The rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        let width = self.width;
        (0..self.rows).map(move |row| &self.values[row * width..(row + 1) * width])
    }
}

/// The elements of a numeric tensor as f64, in row-major order.
pub fn to_f64(x: &Tensor) -> Result<Vec<f64>, OpError> {
    dispatch!(real, x.dtype(), T => Ok(x.array::<T>()?.iter().map(|value| value.to_f64()).collect()))
}

/// The elements of a numeric tensor as f32, each rounded once, in row-major order.
pub fn to_f32(x: &Tensor) -> Result<Vec<f32>, OpError> {
    match x {
        // Conversion through f64 would round an int64 twice.
        Tensor::Int64(array) => Ok(array.iter().map(|&value| value as f32).collect()),
        _ => Ok(to_f64(x)?.into_iter().map(|value| value as f32).collect()),
    }
}
