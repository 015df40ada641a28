//! FeatureVectorizer — concatenates the columns of all inputs, as float; each element is rounded once.
//!
//! Interpretation: `inputdimensions` truncates an input with more columns and pads one with fewer columns
//! with zeros (ONNX Runtime and onnx.reference); without it every input keeps its columns. An input of rank
//! 1 is one row.

use onnx_tensor::{DType, Tensor};

use super::features::to_f32;
use super::lists::{index, parallel};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "FeatureVectorizer", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let inputs = call.tensors_from(0)?;
    let shapes = inputs
        .iter()
        .map(|input| matrix(input))
        .collect::<Result<Vec<_>, _>>()?;
    let rows = shapes.first().map_or(0, |&(rows, _)| rows);
    if shapes.iter().any(|&(other, _)| other != rows) {
        return Err(OpError::invalid("all inputs must have the same number of rows"));
    }
    let widths = widths(call, &shapes)?;
    let total = widths
        .iter()
        .try_fold(0_usize, |sum, &width| sum.checked_add(width));
    let total = total.ok_or_else(|| OpError::invalid("the sum of `inputdimensions` is too large"))?;
    call.reserve(&[rows, total], DType::Float)?;
    let columns = inputs
        .iter()
        .map(|input| to_f32(input))
        .collect::<Result<Vec<_>, _>>()?;
    let mut y = Vec::with_capacity(rows.saturating_mul(total));
    for row in 0..rows {
        for ((values, &(_, held)), &width) in columns.iter().zip(&shapes).zip(&widths) {
            let copied = held.min(width);
            y.extend_from_slice(&values[row * held..row * held + copied]);
            y.resize(y.len() + width - copied, 0.0);
        }
    }
    one(Tensor::new(&[rows, total], y)?)
}

fn matrix(input: &Tensor) -> Result<(usize, usize), OpError> {
    match *input.shape() {
        [columns] => Ok((1, columns)),
        [rows, columns] => Ok((rows, columns)),
        ref shape => Err(OpError::invalid(format!(
            "every input must have rank 1 or 2, got the shape {shape:?}"
        ))),
    }
}

fn widths(call: &Call<'_>, shapes: &[(usize, usize)]) -> Result<Vec<usize>, OpError> {
    let Some(given) = call.optional_ints("inputdimensions")? else {
        return Ok(shapes.iter().map(|&(_, columns)| columns).collect());
    };
    parallel(&[("the inputs", shapes.len()), ("inputdimensions", given.len())])?;
    given
        .iter()
        .map(|&width| index(width, usize::MAX, "an entry of `inputdimensions`"))
        .collect()
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, rows};

    /// ONNX Runtime 1.31.1 returns the same for the first two; the others are worked by hand.
    #[test]
    fn concatenates() {
        let op = ("ai.onnx.ml", "FeatureVectorizer", 1);
        let wide = rows(&[[-2.0, 1.0, 3.0], [0.0, 0.0, 0.0]]);
        let two = rows(&[[1.0, 2.0], [3.0, 4.0]]);
        let expected = rows(&[[-2.0, 1.0, 1.0, 2.0, 0.0], [0.0, 0.0, 3.0, 4.0, 0.0]]);
        let inputs = [wide.into(), two.clone().into()];
        check(
            op,
            &inputs,
            &[attribute("inputdimensions", [2, 3])],
            &[expected.into()],
        );
        let (a, b) = (Tensor::vector(vec![1_i32, 2]), Tensor::vector(vec![3_i32]));
        check(
            op,
            &[a.clone().into(), b.into()],
            &[],
            &[rows(&[[1.0, 2.0, 3.0]]).into()],
        );
        let huge = Tensor::vector(vec![(1_i64 << 60) + (1 << 36) + 1]);
        check(op, &[huge.into()], &[], &[rows(&[[1.152_921_6e18]]).into()]);
        refused(op, &[a.clone().into(), two.into()], &[], "rows");
        refused(
            op,
            &[a.clone().into()],
            &[attribute("inputdimensions", [-1])],
            "inputdimensions",
        );
        refused(
            op,
            &[a.into()],
            &[attribute("inputdimensions", [1 << 40])],
            "budget",
        );
    }
}
