//! LinearRegressor — `Y = X·Cᵀ + b`, transformed; f64 sums of products, rounded once to float.
//!
//! `coefficients` holds those of each target contiguously. The transform is applied to every row of
//! targets, also to a single target (there, ONNX Runtime applies only PROBIT).

use onnx_tensor::DType;

use super::features::Features;
use super::lists::count;
use super::post_transform::PostTransform;
use super::{linear, scores};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "LinearRegressor", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let features = Features::read(call)?;
    let targets = count(call.int("targets")?, "targets")?;
    let intercepts = call.optional_floats("intercepts")?.unwrap_or_default();
    call.reserve(&[features.rows, targets], DType::Float)?;
    let mut y = linear::scores(&features, &call.floats("coefficients")?, &intercepts, targets)?;
    PostTransform::read(call)?.apply_targets(call, &mut y, targets);
    one(scores::tensor(features.rows, targets, &y)?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, check, refused, rows};

    /// ONNX Runtime 1.31.1 returns the same, except for LOGISTIC of one target (worked by hand).
    #[test]
    fn regresses() {
        let op = ("ai.onnx.ml", "LinearRegressor", 1);
        let x = rows(&[[1.0, 2.0], [-3.0, 1.0]]);
        let two = [
            attribute("coefficients", [0.5, 0.25, 0.1, 0.2]),
            attribute("targets", 2),
        ];
        check(
            op,
            &[x.clone().into()],
            &two,
            &[rows(&[[1.0, 0.5], [-1.25, -0.1]]).into()],
        );
        let integers = Tensor::vector(vec![1_i32, 2]);
        check(op, &[integers.into()], &two, &[rows(&[[1.0, 0.5]]).into()]);
        let one = [
            attribute("coefficients", [0.5, 0.25]),
            attribute("post_transform", "LOGISTIC"),
        ];
        check(
            op,
            &[x.clone().into()],
            &one,
            &[rows(&[[0.731_058_6], [0.222_700_13]]).into()],
        );
        refused(
            op,
            &[x.clone().into()],
            &[attribute("coefficients", [1.0]), attribute("targets", 0)],
            "at least 1",
        );
        refused(
            op,
            &[x.into()],
            &[attribute("coefficients", [1.0]), attribute("targets", i64::MAX)],
            "budget",
        );
    }
}
