//! TreeEnsembleRegressor — the scores of decision trees: votes are aggregated for each target, base values
//! added, the sum transformed.
//!
//! Comparisons are exact in f64, sums use double-double (`forest`), and the scores are rounded once to
//! float.
//! - 3: the float lists may be tensors of double.
//! - 5: deprecated, unchanged.
//!
//! The reference follows the text where ONNX Runtime deviates: base values are added to every target, with
//! or without votes, and the transform also applies to a single target.

use onnx_tensor::DType;

use super::features::Features;
use super::forest::Aggregate;
use super::lists::count;
use super::post_transform::PostTransform;
use super::{listed_trees, scores};
use crate::frame::Change::{First, Semantics, Wording};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in(
    "ai.onnx.ml",
    "TreeEnsembleRegressor",
    &[v(1, First, eval), v(3, Semantics, eval), v(5, Wording, eval)],
);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let features = Features::read(call)?;
    let targets = count(call.int("n_targets")?, "n_targets")?;
    call.reserve(&[features.rows.max(1), targets], DType::Double)?;
    let aggregate = match call.string("aggregate_function")? {
        "AVERAGE" => Aggregate::Average,
        "SUM" => Aggregate::Sum,
        "MIN" => Aggregate::Min,
        "MAX" => Aggregate::Max,
        other => {
            return Err(OpError::invalid(format!(
                "attribute `aggregate_function` is {other}, which is not a known function"
            )));
        }
    };
    let forest = listed_trees::read(call, "target", targets)?;
    let mut y = forest.scores(&features, aggregate, &listed_trees::reals(call, "base_values")?)?;
    PostTransform::read(call)?.apply_targets(call, &mut y, targets);
    one(scores::tensor(features.rows, targets, &y)?)
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use super::super::listed_trees;
    use crate::frame::testing::{OpVersion, attribute, check, refused, rows};

    const ONE: OpVersion = ("ai.onnx.ml", "TreeEnsembleRegressor", 1);
    const THREE: OpVersion = ("ai.onnx.ml", "TreeEnsembleRegressor", 3);

    /// Two stumps; the last leaf votes for the second target.
    fn stumps(more: &[Attribute]) -> Vec<Attribute> {
        let targets = [attribute("n_targets", 2)];
        let own = targets
            .iter()
            .filter(|own| more.iter().all(|new| new.name != own.name));
        let all: Vec<Attribute> = own.chain(more).cloned().collect();
        listed_trees::stumps("target", [0, 0, 0, 1], [-1.0, 3.0, 4.0, 2.0], &all)
    }

    fn x() -> Value {
        rows(&[[-3.0], [0.25], [1.0]]).into()
    }

    /// Worked by hand; SUM and AVERAGE as in onnx.reference 1.23.2.
    #[test]
    fn aggregates() {
        let with = |name| {
            stumps(&[
                attribute("aggregate_function", name),
                attribute("base_values", [10.0, 20.0]),
            ])
        };
        check(
            ONE,
            &[x()],
            &with("SUM"),
            &[rows(&[[13.0, 20.0], [17.0, 20.0], [13.0, 22.0]]).into()],
        );
        check(
            ONE,
            &[x()],
            &with("AVERAGE"),
            &[rows(&[[11.5, 20.0], [13.5, 20.0], [11.5, 21.0]]).into()],
        );
        check(
            ONE,
            &[x()],
            &with("MIN"),
            &[rows(&[[9.0, 20.0], [13.0, 20.0], [13.0, 22.0]]).into()],
        );
        check(
            ONE,
            &[x()],
            &with("MAX"),
            &[rows(&[[14.0, 20.0], [14.0, 20.0], [13.0, 22.0]]).into()],
        );
    }

    /// Worked by hand: NaN follows `nodes_missing_value_tracks_true`, also under BRANCH_NEQ.
    #[test]
    fn missing_values() {
        let x = || rows(&[[f32::NAN]]).into();
        let tracks = attribute("nodes_missing_value_tracks_true", [1, 0, 0, 0, 0, 0]);
        check(ONE, &[x()], &stumps(&[]), &[rows(&[[3.0, 2.0]]).into()]);
        check(ONE, &[x()], &stumps(&[tracks]), &[rows(&[[-1.0, 2.0]]).into()]);
        let unequal = attribute(
            "nodes_modes",
            ["BRANCH_NEQ", "LEAF", "LEAF", "BRANCH_NEQ", "LEAF", "LEAF"],
        );
        check(ONE, &[x()], &stumps(&[unequal]), &[rows(&[[3.0, 2.0]]).into()]);
    }

    /// Worked by hand: 0.1 in double is less than 0.1 in float, and float cannot represent 10⁸ + 1.
    #[test]
    fn doubles() {
        let mut splits = stumps(&[
            attribute(
                "nodes_values_as_tensor",
                Tensor::vector(vec![0.1_f64, 0.0, 0.0, 0.1, 0.0, 0.0]),
            ),
            attribute(
                "target_weights_as_tensor",
                Tensor::vector(vec![1.0_f64, -1e8, 0.0, 1e8 + 1.0]),
            ),
            attribute("target_ids", [0; 4]),
        ]);
        splits.retain(|held| held.name != "nodes_values" && held.name != "target_weights");
        check(
            THREE,
            &[rows(&[[0.1]]).into()],
            &splits,
            &[rows(&[[1.0, 0.0]]).into()],
        );
        check(
            THREE,
            &[Tensor::new(&[1, 1], vec![0.1_f64]).unwrap().into()],
            &splits,
            &[rows(&[[1.0, 0.0]]).into()],
        );
    }

    #[test]
    fn errors() {
        let refuse = |more: Attribute, part| refused(ONE, &[x()], &stumps(&[more]), part);
        refuse(
            attribute("nodes_truenodeids", [9, 0, 0, 1, 0, 0]),
            "refers to node 9",
        );
        refuse(attribute("nodes_truenodeids", [0, 0, 0, 1, 0, 0]), "cycle");
        refuse(
            attribute("nodes_truenodeids", [2, 0, 0, 1, 0, 0]),
            "exactly one root",
        );
        refuse(attribute("nodes_values", [0.0]), "`nodes_values` has 1 entries");
        refuse(
            attribute("nodes_nodeids", [0, 1, 1, 0, 1, 2]),
            "two nodes with id 1",
        );
        refuse(
            attribute("nodes_featureids", [1, 0, 0, 0, 0, 0]),
            "`nodes_featureids` is 1",
        );
        refuse(attribute("target_nodeids", [0, 2, 1, 2]), "which is not a leaf");
        refuse(attribute("target_ids", [0, 0, 0, 2]), "`target_ids` is 2");
        refuse(attribute("target_weights", [1.0]), "same length");
        refuse(attribute("base_values", [1.0, 2.0, 3.0]), "`base_values` has 3");
        refuse(
            attribute(
                "nodes_modes",
                ["BRANCH_ODD", "LEAF", "LEAF", "LEAF", "LEAF", "LEAF"],
            ),
            "not a known mode",
        );
        refuse(attribute("n_targets", 1 << 40), "budget");
    }
}
