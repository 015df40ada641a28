//! TreeEnsembleClassifier — the scores of decision trees for each class, and the class with the greatest
//! score.
//!
//! Comparisons are exact in f64, sums use double-double (`forest`), and the scores are rounded once to
//! float; the class is selected before the transform.
//! - 3: the float lists may be tensors of double.
//! - 5: deprecated, unchanged.
//!
//! Interpretation:
//! - The top class is that of the greatest score in Z, the first of equals (ONNX Runtime selects only among
//!   classes with votes, and for two classes returns labels that are not in its list).
//! - Two labels, all votes for one class id, and not two base values: a single score s for the second
//!   label, as converters of boosted trees write it. It is selected if s > ½ when no weight is negative,
//!   otherwise if s > 0 (ONNX Runtime). Votes for class 0 result in the scores (1 − s, s) when no weight is
//!   negative, otherwise (−s, s); votes for class 1 result in (0, s) (ONNX Runtime). LOGISTIC of the first
//!   is (σ(−s), σ(s)) in both cases (ONNX Runtime); the other transforms apply to the scores (ONNX Runtime
//!   omits SOFTMAX). A single base value is added to s.

use super::features::Features;
use super::forest::{Aggregate, Forest};
use super::labels::Labels;
use super::post_transform::PostTransform;
use super::{listed_trees, scores};
use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, op_in, v};

pub const OP: OpDef = op_in(
    "ai.onnx.ml",
    "TreeEnsembleClassifier",
    &[v(1, First, eval), v(3, Semantics, eval), v(5, Wording, eval)],
);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let features = Features::read(call)?;
    let labels = Labels::read(call, "classlabels_int64s", "classlabels_strings")?;
    let transform = PostTransform::read(call)?;
    let classes = labels.len();
    if classes < 2 {
        return Err(OpError::undefined("a classifier with one label"));
    }
    let base = listed_trees::reals(call, "base_values")?;
    let forest = listed_trees::read(call, "class", classes)?;
    let single = if classes == 2 && base.len() < 2 {
        SingleScore::of(call)?
    } else {
        None
    };
    let (elected, z) = match single {
        Some(single) => single.decide(&forest, &features, &base, transform)?,
        None => {
            let mut z = forest.scores(&features, Aggregate::Sum, &base)?;
            let elected = z.chunks_exact(classes).map(scores::top).collect();
            transform.apply_rows(&mut z, classes);
            (elected, z)
        }
    };
    let z = scores::tensor(features.rows, classes, &z)?;
    Ok(vec![Some(labels.pick(&elected)?.into()), Some(z.into())])
}

/// All votes are for one of two classes.
struct SingleScore {
    class: usize,
    all_positive: bool,
}

impl SingleScore {
    fn of(call: &Call<'_>) -> Result<Option<SingleScore>, OpError> {
        let ids = call.optional_ints("class_ids")?.unwrap_or_default();
        let class = match ids.first() {
            Some(&first) if ids.iter().all(|&id| id == first) => usize::from(first != 0),
            _ => return Ok(None),
        };
        let all_positive = listed_trees::reals(call, "class_weights")?
            .iter()
            .all(|&weight| weight >= 0.0);
        Ok(Some(SingleScore { class, all_positive }))
    }

    fn decide(
        &self,
        forest: &Forest,
        features: &Features,
        base: &[f64],
        transform: PostTransform,
    ) -> Result<(Vec<usize>, Vec<f64>), OpError> {
        let threshold = if self.all_positive { 0.5 } else { 0.0 };
        let (mut elected, mut z) = (Vec::new(), Vec::new());
        for scores in forest.scores(features, Aggregate::Sum, &[])?.chunks_exact(2) {
            let score = scores[self.class] + base.first().copied().unwrap_or(0.0);
            elected.push(usize::from(score > threshold));
            let mut row = match (self.class, self.all_positive) {
                (1, _) => [0.0, score],
                (_, true) if transform != PostTransform::Logistic => [1.0 - score, score],
                _ => [-score, score],
            };
            transform.apply(&mut row);
            z.extend(row);
        }
        Ok((elected, z))
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use super::super::listed_trees;
    use crate::frame::testing::{OpVersion, attribute, check, refused, rows, strings};

    const OP: OpVersion = ("ai.onnx.ml", "TreeEnsembleClassifier", 1);

    fn stumps(ids: [i64; 4], weights: [f32; 4], more: &[Attribute]) -> Vec<Attribute> {
        listed_trees::stumps("class", ids, weights, more)
    }

    fn x() -> Value {
        rows(&[[-1.0], [0.2], [2.0]]).into()
    }

    fn labels(list: [i64; 3]) -> Value {
        Tensor::vector(list.to_vec()).into()
    }

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn three_classes() {
        let names = attribute("classlabels_strings", ["a", "b", "c"]);
        let with = |transform| {
            stumps(
                [0, 1, 0, 2],
                [0.1, 0.3, 0.4, 0.2],
                &[names.clone(), attribute("post_transform", transform)],
            )
        };
        let y: Value = strings(&["a", "a", "b"]).into();
        let z = rows(&[[0.5, 0.0, 0.0], [0.4, 0.3, 0.0], [0.0, 0.3, 0.2]]);
        check(OP, &[x()], &with("NONE"), &[y.clone(), z.into()]);
        let z = rows(&[
            [0.451_862_75, 0.274_068_62, 0.274_068_62],
            [0.388_325_78, 0.351_371_7, 0.260_302_54],
            [0.280_013_08, 0.377_978_15, 0.342_008_77],
        ]);
        check(OP, &[x()], &with("SOFTMAX"), &[y, z.into()]);
        let base = [names, attribute("base_values", [1.0, 2.0, 3.0])];
        let z = rows(&[[0.5, 2.0, 3.0], [0.6, 1.7, 3.0], [1.0, 1.7, 2.8]]);
        let y = strings(&["c", "c", "c"]);
        check(
            OP,
            &[x()],
            &stumps([0, 1, 0, 2], [-0.1, -0.3, -0.4, -0.2], &base),
            &[y.into(), z.into()],
        );
    }

    /// ONNX Runtime 1.31.1 returns the same.
    #[test]
    fn one_class_voted_for() {
        let with = |ids, weights, transform: &str| {
            let more = [
                attribute("classlabels_int64s", [10, 20]),
                attribute("post_transform", transform),
            ];
            stumps(ids, weights, &more)
        };
        let (positive, mixed) = ([0.1, 0.25, 0.2, 0.5], [-0.1, 0.3, 0.05, 0.5]);
        let z = rows(&[[0.7, 0.3], [0.55, 0.45], [0.25, 0.75]]);
        check(
            OP,
            &[x()],
            &with([0; 4], positive, "NONE"),
            &[labels([10, 10, 20]), z.into()],
        );
        let z = rows(&[[0.0, 0.3], [0.0, 0.45], [0.0, 0.75]]);
        check(
            OP,
            &[x()],
            &with([1; 4], positive, "NONE"),
            &[labels([10, 10, 20]), z.into()],
        );
        let z = rows(&[[0.05, -0.05], [-0.35, 0.35], [-0.8, 0.8]]);
        check(
            OP,
            &[x()],
            &with([0; 4], mixed, "NONE"),
            &[labels([10, 20, 20]), z.into()],
        );
        let z = rows(&[
            [0.425_557_5, 0.574_442_5],
            [0.389_360_76, 0.610_639_2],
            [0.320_821_3, 0.679_178_7],
        ]);
        check(
            OP,
            &[x()],
            &with([0; 4], positive, "LOGISTIC"),
            &[labels([10, 10, 20]), z.into()],
        );
        let z = rows(&[
            [0.512_497_4, 0.487_502_6],
            [0.413_382_4, 0.586_617_6],
            [0.310_025_5, 0.689_974_5],
        ]);
        check(
            OP,
            &[x()],
            &with([0; 4], mixed, "LOGISTIC"),
            &[labels([10, 20, 20]), z.into()],
        );
    }

    /// Worked by hand (ONNX Runtime 1.31.1 returns the label 1 here, which is not in the list).
    #[test]
    fn two_classes_voted_for() {
        let names = attribute("classlabels_int64s", [10, 20]);
        let z = rows(&[[0.5, 0.0], [0.4, 0.3], [0.0, 0.5]]);
        check(
            OP,
            &[x()],
            &stumps([0, 1, 0, 1], [0.1, 0.3, 0.4, 0.2], std::slice::from_ref(&names)),
            &[labels([10, 10, 20]), z.into()],
        );
        let one = attribute("classlabels_int64s", [10]);
        refused(OP, &[x()], &stumps([0; 4], [1.0; 4], &[one]), "one label");
        refused(
            OP,
            &[x()],
            &stumps([0, 1, 2, 1], [1.0; 4], &[names]),
            "`class_ids` is 2",
        );
    }
}
