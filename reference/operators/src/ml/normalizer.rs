//! Normalizer — each row divided by its greatest element (MAX), the sum of its magnitudes (L1) or the
//! square root of the sum of its squares (L2). A row whose divisor is zero is unchanged. In f64, rounded
//! once to float.
//!
//! Interpretation: the specification's formulas `X / sum(X)` and `sqrt(X^2 / sum(X^2))` differ from the
//! norms for negative elements (a sum without magnitudes, a result without sign). The reference uses the
//! norm of the mode's name, like ONNX Runtime and onnx.reference. `X / max(X)` is applied literally, like
//! in ONNX Runtime: a row of negative elements changes its sign.

use super::features::Features;
use super::scores;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "Normalizer", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let divisor = match call.string("norm")? {
        "MAX" => |row: &[f64]| row.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        "L1" => |row: &[f64]| row.iter().map(|x| x.abs()).sum(),
        "L2" => |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt(),
        other => {
            return Err(OpError::invalid(format!(
                "attribute `norm` is {other}, expected MAX, L1 or L2"
            )));
        }
    };
    let features = Features::read(call)?;
    let mut y = Vec::with_capacity(features.rows * features.width);
    for row in features.iter() {
        let by = match divisor(row) {
            0.0 => 1.0,
            by => by,
        };
        y.extend(row.iter().map(|x| x / by));
    }
    one(scores::tensor(features.rows, features.width, &y)?.reshape(call.tensor(0)?.shape())?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, rows};

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn normalises() {
        let op = ("ai.onnx.ml", "Normalizer", 1);
        let x = rows(&[[-2.0, 1.0, 3.0], [0.0, 0.0, 0.0], [-1.0, -4.0, -2.0]]);
        let max = rows(&[[-0.666_666_7, 0.333_333_34, 1.0], [0.0; 3], [1.0, 4.0, 2.0]]);
        let l1 = rows(&[
            [-0.333_333_34, 0.166_666_67, 0.5],
            [0.0; 3],
            [-0.142_857_15, -0.571_428_6, -0.285_714_3],
        ]);
        let l2 = rows(&[
            [-0.534_522_5, 0.267_261_24, 0.801_783_74],
            [0.0; 3],
            [-0.218_217_9, -0.872_871_6, -0.436_435_8],
        ]);
        check(op, &[x.clone().into()], &[], &[max.into()]);
        check(op, &[x.clone().into()], &[attribute("norm", "L1")], &[l1.into()]);
        check(op, &[x.clone().into()], &[attribute("norm", "L2")], &[l2.into()]);
        let (a, b) = (
            Tensor::vector(vec![3_i64, -1]),
            Tensor::vector(vec![0.75_f32, -0.25]),
        );
        check(op, &[a.into()], &[attribute("norm", "L1")], &[b.into()]);
        refused(op, &[x.into()], &[attribute("norm", "L3")], "expected MAX");
    }
}
