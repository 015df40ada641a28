//! Rows that are normalised to mean 0 and variance 1, or to the root mean square 1.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::{DType, Tensor, Value};

use super::biased::along_last;
use crate::frame::{Call, OpError, Outputs};
use crate::nn::{Moments, mean_square};
use crate::shared::reals::{narrow, widen};

/// How rows are normalised.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Centre {
    /// The mean is subtracted: layer normalization.
    Mean,
    /// Nothing is subtracted: root mean square normalization.
    Zero,
}

/// Rows along the last axis, with their statistics.
#[derive(Debug)]
pub struct Normalized {
    /// The normalised elements.
    pub values: ArrayD<f64>,
    /// The mean of each row; 0 for [`Centre::Zero`].
    pub means: Vec<f64>,
    /// The factor of each row.
    pub factors: Vec<f64>,
}

impl Normalized {
    /// Normalises the rows of `width` elements of `x`, in row-major order.
    pub fn rows(x: &ArrayD<f64>, width: usize, centre: Centre, epsilon: f64) -> Result<Normalized, OpError> {
        let elements: Vec<f64> = x.iter().copied().collect();
        let (mut values, mut means, mut factors) = (Vec::with_capacity(elements.len()), vec![], vec![]);
        for row in elements.chunks(width.max(1)) {
            let (mean, factor) = match centre {
                Centre::Mean => {
                    let moments = Moments::of(row.iter().copied());
                    (moments.mean, moments.inverse_deviation(epsilon))
                }
                Centre::Zero => {
                    let square = mean_square(row.iter().copied());
                    (0.0, (square + epsilon).sqrt().recip())
                }
            };
            values.extend(row.iter().map(|x| (x - mean) * factor));
            means.push(mean);
            factors.push(factor);
        }
        Ok(Normalized {
            values: ArrayD::from_shape_vec(IxDyn(x.shape()), values)?,
            means,
            factors,
        })
    }
}

/// A sum of tensors whose rows are normalised, scaled and shifted.
#[derive(Debug)]
pub struct Layer<'a> {
    /// The sum, in f64.
    pub sum: ArrayD<f64>,
    /// How rows are normalised.
    pub centre: Centre,
    /// The scale, one for each index of the last axis.
    pub gamma: &'a Tensor,
    /// The shift.
    pub beta: Option<&'a Tensor>,
    /// The type of the result.
    pub dtype: DType,
}

impl Layer<'_> {
    /// The outputs of the operators that add before they normalise: the result, the mean and the inverse
    /// deviation of each row, the sum.
    pub fn outputs(self, call: &Call<'_>) -> Result<Outputs, OpError> {
        let epsilon = f64::from(call.float("epsilon")?);
        let width = self.sum.shape().last().copied().unwrap_or(0);
        let rows = Normalized::rows(&self.sum, width, self.centre, epsilon)?;
        let mut y = rows.values * along_last(&self.sum, self.gamma, "gamma")?;
        if let Some(beta) = self.beta {
            y += &along_last(&self.sum, beta, "beta")?;
        }
        let mut shape = self.sum.shape().to_vec();
        shape.pop();
        shape.push(usize::from(width > 0));
        let statistics = |values| narrow(ArrayD::from_shape_vec(IxDyn(&shape), values)?, DType::Float);
        let outputs = [
            narrow(y, self.dtype)?,
            statistics(rows.means)?,
            statistics(rows.factors)?,
            narrow(self.sum, self.dtype)?,
        ];
        Ok(outputs
            .into_iter()
            .map(|tensor| Some(Value::from(tensor)))
            .collect())
    }
}

/// The sum of the input, the skip tensor and the bias at these positions, in f64.
pub fn skip_sum(call: &Call<'_>, skip: usize, bias: usize) -> Result<ArrayD<f64>, OpError> {
    let x = call.tensor(0)?;
    let mut sum = super::biased::biased(call, x, call.optional_tensor(bias)?)?;
    let skip = call.tensor(skip)?;
    let stretched = widen(skip)?;
    let stretched = stretched
        .broadcast(IxDyn(x.shape()))
        .filter(|_| !skip.shape().is_empty() && skip.shape().last() == x.shape().last())
        .ok_or_else(|| {
            OpError::invalid(format!(
                "`skip` of shape {:?} does not fit the input of shape {:?}",
                skip.shape(),
                x.shape()
            ))
        })?;
    sum += &stretched;
    Ok(sum)
}
