//! LayerNormalization — normalises the elements from `axis` on to mean 0 and variance 1, then scales and
//! shifts them.
//!
//! Statistics in double-double, the rest in f64; the first stage ends in the cast of `stash_type`
//! (`Stage`), so inputs of f64 lose precision with the default `stash_type` float; the second stage is
//! rounded once.
//!
//! Version 1 is not one of ONNX: ONNX Runtime adds it, and its optimizer writes it below opset 17 (deviation
//! `runtime-operator`). Its result has the type of the scale, which may be another one than that of X.
//!
//! Interpretation: Mean and InvStdDev have the type of `stash_type`.

use ndarray::ArrayD;
use onnx_tensor::{DType, Tensor, Value};

use super::moments::Moments;
use super::normalised_rows::{Distance, normalised};
use super::trailing::{Trailing, shape_of_statistics};
use crate::frame::Change::{First, Semantics};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::axes;
use crate::shared::reals::narrow;

pub const OP: OpDef = op(
    "LayerNormalization",
    &[
        v(1, First, |call| {
            layer_normalization(call, call.tensor(1)?.dtype())
        }),
        v(17, Semantics, |call| {
            layer_normalization(call, call.tensor(0)?.dtype())
        }),
    ],
);

/// The result has the type `of_result`.
fn layer_normalization(call: &Call<'_>, of_result: DType) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    if let Some(rows) = normalised(call, Distance::Mean, call.optional_tensor(2)?)? {
        let shape = shape_of_statistics(x.shape(), axes::axis(call.int("axis")?, x.rank())?);
        let outputs = [
            rows.y,
            Tensor::new(&shape, rows.means)?,
            Tensor::new(&shape, rows.factors)?,
        ];
        return Ok(outputs
            .into_iter()
            .map(|tensor| Some(Value::from(tensor)))
            .collect());
    }
    let x = Trailing::read(call)?;
    let (mut means, mut factors, mut normalised) = (Vec::new(), Vec::new(), Vec::new());
    for row in x.rows() {
        let moments = Moments::of(row.iter().copied());
        let factor = moments.inverse_deviation(x.epsilon);
        for element in row {
            normalised.push(x.stage.leave((element - moments.mean) * factor)?);
        }
        means.push(moments.mean);
        factors.push(factor);
    }
    let mut y = x.scaled(normalised, call.tensor(1)?)?;
    if let Some(bias) = call.optional_tensor(2)? {
        y += &x.parameter(bias)?;
    }
    let saved = |values| {
        let values = ArrayD::from_shape_vec(x.shape_of_statistics(), values)?;
        narrow(values, x.stage.stash)
    };
    let outputs = [narrow(y, of_result)?, saved(means)?, saved(factors)?];
    Ok(outputs
        .into_iter()
        .map(|tensor| Some(Value::from(tensor)))
        .collect())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact};

    /// With `stash_type` float, 1 and 1 + 2⁻⁴⁰ are equal; Mean and InvStdDev are floats.
    #[test]
    fn doubles_are_stashed_as_floats() {
        let x = Tensor::vector(vec![1.0_f64, 1.0 + 2.0_f64.powi(-40)]);
        let scale = Tensor::vector(vec![1.0_f64, 1.0]);
        let expected = [
            Tensor::vector(vec![0.0_f64, 0.0]),
            Tensor::vector(vec![1.0_f32]),
            Tensor::vector(vec![2.0_f32]),
        ];
        exact(
            ("", "LayerNormalization", 17),
            &[x, scale],
            &[attribute("epsilon", 0.25_f32)],
            &expected,
        );
    }

    /// Version 1, of ONNX Runtime: 1 and 3 have the mean 2 and, with epsilon 0, the factor 1; scaled by 2
    /// they are exact in double.
    #[test]
    fn the_result_of_the_runtime_has_the_type_of_the_scale() {
        let x = Tensor::vector(vec![1.0_f32, 3.0]);
        let scale = Tensor::vector(vec![2.0_f64, 2.0]);
        let expected = [
            Tensor::vector(vec![-2.0_f64, 2.0]),
            Tensor::vector(vec![2.0_f32]),
            Tensor::vector(vec![1.0_f32]),
        ];
        let attributes = [attribute("epsilon", 0.0_f32)];
        exact(("", "LayerNormalization", 1), &[x, scale], &attributes, &expected);
    }
}
