//! LinearClassifier — scores of a linear model for each class, and the class with the greatest score.
//!
//! Scores are sums of products in f64, transformed in f64 and rounded once to float; the class is selected
//! before the transform.
//!
//! Interpretation:
//! - `multi_class` has no effect: one-vs-rest and multinomial models differ in how they are trained (ONNX
//!   Runtime).
//! - One row of coefficients with two labels: its score s is that of the second label, which is selected if
//!   s > 0; the scores are (−s, s), then transformed. LOGISTIC then returns (1 − σ(s), σ(s)), as in ONNX
//!   Runtime and onnx.reference. For NONE, ONNX Runtime returns (1 − s, s), which contradicts its own
//!   selection, and it omits SOFTMAX.
//! - Absent intercepts are 0 (ONNX Runtime requires them).

use super::features::Features;
use super::labels::Labels;
use super::linear;
use super::post_transform::PostTransform;
use super::scores;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "LinearClassifier", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let features = Features::read(call)?;
    let labels = Labels::read(call, "classlabels_ints", "classlabels_strings")?;
    let transform = PostTransform::read(call)?;
    let coefficients = call.floats("coefficients")?;
    let intercepts = call.optional_floats("intercepts")?.unwrap_or_default();
    let classes = labels.len();
    if classes < 2 {
        return Err(OpError::undefined("a classifier with one label"));
    }
    let single = classes == 2 && coefficients.len() == features.width;
    let raw = linear::scores(
        &features,
        &coefficients,
        &intercepts,
        if single { 1 } else { classes },
    )?;
    let mut raw: Vec<f64> = if single {
        raw.iter().flat_map(|&score| [-score, score]).collect()
    } else {
        raw
    };
    let elected: Vec<usize> = raw.chunks_exact(classes).map(scores::top).collect();
    transform.apply_rows(&mut raw, classes);
    let z = scores::tensor(features.rows, classes, &raw)?;
    Ok(vec![Some(labels.pick(&elected)?.into()), Some(z.into())])
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{OpVersion, attribute, check, refused, rows, strings};

    const OP: OpVersion = ("ai.onnx.ml", "LinearClassifier", 1);

    fn x() -> Value {
        rows(&[[1.0, 2.0], [-3.0, 1.0], [0.0, 0.0]]).into()
    }

    fn two(transform: &str) -> [Attribute; 4] {
        [
            attribute("coefficients", [0.5, 0.25, -0.5, 0.1]),
            attribute("intercepts", [0.1, 0.2]),
            attribute("classlabels_strings", ["q", "r"]),
            attribute("post_transform", transform),
        ]
    }

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn a_row_for_each_class() {
        let y: Value = strings(&["q", "r", "r"]).into();
        let z = rows(&[[1.1, -0.1], [-1.15, 1.8], [0.1, 0.2]]);
        check(OP, &[x()], &two("NONE"), &[y.clone(), z.into()]);
        let z = rows(&[
            [0.768_524_8, 0.231_475_22],
            [0.049_736_514, 0.950_263_5],
            [0.475_020_8, 0.524_979_2],
        ]);
        check(OP, &[x()], &two("SOFTMAX"), &[y.clone(), z.into()]);
        let z = rows(&[
            [0.750_260_1, 0.475_020_8],
            [0.240_489_1, 0.858_148_93],
            [0.524_979_2, 0.549_834],
        ]);
        check(OP, &[x()], &two("LOGISTIC"), &[y, z.into()]);
    }

    /// LOGISTIC as in ONNX Runtime 1.31.1, NONE as in onnx.reference 1.23.2.
    #[test]
    fn one_row_for_two_classes() {
        let one = |transform| {
            let labels = attribute("classlabels_ints", [10, 20]);
            [
                attribute("coefficients", [0.5, 0.25]),
                labels,
                attribute("post_transform", transform),
            ]
        };
        let y: Value = Tensor::vector(vec![20_i64, 10, 10]).into();
        let z = rows(&[[-1.0, 1.0], [1.25, -1.25], [0.0, 0.0]]);
        check(OP, &[x()], &one("NONE"), &[y.clone(), z.into()]);
        let z = rows(&[
            [0.268_941_43, 0.731_058_6],
            [0.777_299_9, 0.222_700_13],
            [0.5, 0.5],
        ]);
        check(OP, &[x()], &one("LOGISTIC"), &[y, z.into()]);
    }

    #[test]
    fn errors() {
        let [coefficients, _, labels, _] = two("NONE");
        let label = attribute("classlabels_ints", [1]);
        refused(OP, &[x()], &[coefficients.clone(), label], "one label");
        refused(OP, &[x()], std::slice::from_ref(&coefficients), "exactly one");
        refused(
            OP,
            &[x()],
            &[attribute("coefficients", [1.0, 2.0, 3.0]), labels.clone()],
            "`coefficients` has 3",
        );
        refused(
            OP,
            &[x()],
            &[
                coefficients.clone(),
                labels.clone(),
                attribute("intercepts", [1.0]),
            ],
            "`intercepts`",
        );
        refused(
            OP,
            &[x()],
            &[coefficients, labels, attribute("post_transform", "CUBE")],
            "not a known transform",
        );
    }
}
