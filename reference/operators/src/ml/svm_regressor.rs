//! SVMRegressor — `Σ cᵢ·K(x, svᵢ) + ρ`, in f64, rounded once to float.
//!
//! Interpretation (ONNX Runtime, onnx.reference): the output is `[N, 1]`; `rho` is added; `n_supports` = 0
//! is a linear model whose `coefficients` are the weights of the features, for every kernel; `one_class`
//! returns 1 if the sum is positive, otherwise −1. `post_transform` applies to the sum (ONNX Runtime omits
//! it); with `one_class` there is no score to transform, so any value other than NONE is undefined.

use super::features::Features;
use super::lists::index;
use super::post_transform::PostTransform;
use super::svm::{SupportVectors, first_rho};
use super::{linear, scores};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "SVMRegressor", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let features = Features::read(call)?;
    let transform = PostTransform::read(call)?;
    let mut sums = sums(call, &features)?;
    if call.flag("one_class")? {
        if transform != PostTransform::None {
            return Err(OpError::undefined("`post_transform` of a one-class machine"));
        }
        sums.iter_mut()
            .for_each(|sum| *sum = if *sum > 0.0 { 1.0 } else { -1.0 });
    }
    transform.apply_targets(call, &mut sums, 1);
    one(scores::tensor(features.rows, 1, &sums)?)
}

fn sums(call: &Call<'_>, features: &Features) -> Result<Vec<f64>, OpError> {
    let coefficients = call.floats("coefficients")?;
    let rho = call.floats("rho")?;
    let count = index(call.int("n_supports")?, usize::MAX, "`n_supports`")?;
    if count == 0 {
        return linear::scores(features, &coefficients, rho.get(..1).unwrap_or_default(), 1);
    }
    if coefficients.len() != count {
        return Err(OpError::invalid(format!(
            "{count} support vectors require as many `coefficients`, got {}",
            coefficients.len()
        )));
    }
    let (vectors, rho) = (SupportVectors::read(call, count, features)?, first_rho(&rho)?);
    let sum = |row| {
        let terms = vectors.kernels(row).into_iter().zip(&coefficients);
        terms.map(|(kernel, &c)| kernel * f64::from(c)).sum::<f64>() + rho
    };
    Ok(features.iter().map(sum).collect())
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;

    use crate::frame::testing::{OpVersion, attribute, check, refused, rows};

    const OP: OpVersion = ("ai.onnx.ml", "SVMRegressor", 1);

    fn machine(more: &[Attribute]) -> Vec<Attribute> {
        let mut attributes = vec![
            attribute("coefficients", [0.5, -0.25]),
            attribute("support_vectors", [1.0, 0.0, 0.0, 1.0]),
            attribute("n_supports", 2),
            attribute("rho", [-0.2]),
        ];
        attributes.extend_from_slice(more);
        attributes
    }

    /// ONNX Runtime 1.31.1 returns the same, except for LOGISTIC (worked by hand).
    #[test]
    fn kernels() {
        let x = || rows(&[[1.0, 2.0], [-3.0, 1.0]]).into();
        let kernel =
            |name, params: [f32; 3]| [attribute("kernel_type", name), attribute("kernel_params", params)];
        check(OP, &[x()], &machine(&[]), &[rows(&[[-0.2], [-1.95]]).into()]);
        let poly = machine(&kernel("POLY", [0.5, 0.1, 3.0]));
        check(OP, &[x()], &poly, &[rows(&[[-0.424_75], [-1.626]]).into()]);
        let sigmoid = machine(&kernel("SIGMOID", [0.5, 0.1, 3.0]));
        check(
            OP,
            &[x()],
            &sigmoid,
            &[rows(&[[-0.131_599_98], [-0.776_938_2]]).into()],
        );
        // |x − sv|²: 4 and 2, then 17 and 9; 0.5·e^−2 − 0.25·e^−1 − 0.2 and 0.5·e^−8.5 − 0.25·e^−4.5 − 0.2.
        let rbf = machine(&kernel("RBF", [0.5, 0.0, 0.0]));
        check(
            OP,
            &[x()],
            &rbf,
            &[rows(&[[-0.224_302_22], [-0.202_675_52]]).into()],
        );
        let logistic = machine(&[attribute("post_transform", "LOGISTIC")]);
        check(
            OP,
            &[x()],
            &logistic,
            &[rows(&[[0.450_166], [0.124_553_37]]).into()],
        );
        refused(
            OP,
            &[x()],
            &machine(&[attribute("kernel_type", "RBF")]),
            "kernel_params",
        );
    }

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn other_machines() {
        let x = || rows(&[[1.0, 2.0], [2.0, 0.0]]).into();
        check(
            OP,
            &[x()],
            &machine(&[attribute("one_class", 1)]),
            &[rows(&[[-1.0], [1.0]]).into()],
        );
        let linear = [attribute("coefficients", [0.5, -0.25]), attribute("rho", [-0.2])];
        check(OP, &[x()], &linear, &[rows(&[[-0.2], [0.8]]).into()]);
        let short = [
            attribute("coefficients", [0.5]),
            attribute("n_supports", 2),
            attribute("rho", [0.0]),
        ];
        refused(OP, &[x()], &short, "as many `coefficients`, got 1");
        let absurd = [
            attribute("coefficients", [0.5]),
            attribute("n_supports", -1),
            attribute("rho", [0.0]),
        ];
        refused(OP, &[x()], &absurd, "`n_supports` is -1");
    }
}
