//! TreeEnsemble — the scores of decision trees, with separate lists of branches and leaves, and set
//! membership.
//!
//! Comparisons are exact in f64, sums use double-double (`forest`), and the scores are rounded once to the
//! type of X.
//!
//! Interpretation: `nodes_truenodeids` and `nodes_falsenodeids` index the leaves if `nodes_trueleafs` or
//! `nodes_falseleafs` is true (the text names the first list in both cases, by mistake); `n_targets` is
//! required (as in ONNX Runtime); the NaN after the last set of `membership_values` is optional; NaN is
//! never a member. A node may have several parents, but there must be no cycle. `post_transform` is
//! numbered as the text says (ONNX Runtime 1.31 uses 1 for LOGISTIC and 2 for SOFTMAX).

use onnx_tensor::{Float, Tensor, dispatch};

use super::features::{Features, to_f64};
use super::forest::{Aggregate, Branch, Child, Forest, Rule, Vote};
use super::lists::{count, index, parallel};
use super::post_transform::PostTransform;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.ml", "TreeEnsemble", &[v(5, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let features = Features::read(call)?;
    let dtype = call.dtype(0)?;
    let targets = count(call.int("n_targets")?, "n_targets")?;
    call.reserve(&[features.rows.max(1), targets], onnx_tensor::DType::Double)?;
    let aggregate = match call.int("aggregate_function")? {
        0 => Aggregate::Average,
        1 => Aggregate::Sum,
        2 => Aggregate::Min,
        3 => Aggregate::Max,
        other => {
            return Err(OpError::invalid(format!(
                "attribute `aggregate_function` is {other}, outside [0, 3]"
            )));
        }
    };
    let forest = forest(call, targets)?;
    let mut y = forest.scores(&features, aggregate, &[])?;
    PostTransform::read_code(call)?.apply_targets(call, &mut y, targets);
    dispatch!(float, dtype, T => one(rounded::<T>(features.rows, targets, &y)?))
}

fn rounded<T: Float>(rows: usize, targets: usize, y: &[f64]) -> Result<Tensor, OpError> {
    Ok(Tensor::new(
        &[rows, targets],
        y.iter().map(|&score| T::from_f64(score)).collect(),
    )?)
}

fn forest(call: &Call<'_>, targets: usize) -> Result<Forest, OpError> {
    let branches = branches(call)?;
    let roots = call.ints("tree_roots")?;
    let root = |&at: &i64| {
        Ok(Child::Branch(index(
            at,
            branches.len(),
            "an entry of `tree_roots`",
        )?))
    };
    let roots = roots.iter().map(root).collect::<Result<_, OpError>>()?;
    let (ids, weights) = (
        call.ints("leaf_targetids")?,
        to_f64(call.tensor_attribute("leaf_weights")?)?,
    );
    if ids.len() != weights.len() {
        return Err(OpError::invalid(
            "`leaf_targetids` and `leaf_weights` must have the same length",
        ));
    }
    let vote = |(&id, &weight): (&i64, &f64)| {
        Ok(vec![Vote {
            target: index(id, targets, "an entry of `leaf_targetids`")?,
            weight,
        }])
    };
    let leaves = ids
        .iter()
        .zip(&weights)
        .map(vote)
        .collect::<Result<_, OpError>>()?;
    Forest::new(branches, leaves, roots, targets)
}

fn branches(call: &Call<'_>) -> Result<Vec<Branch>, OpError> {
    let features = call.ints("nodes_featureids")?;
    let rules = rules(call)?;
    let missing = call
        .optional_ints("nodes_missing_value_tracks_true")?
        .unwrap_or_default();
    let (true_ids, true_leaves) = (call.ints("nodes_truenodeids")?, call.ints("nodes_trueleafs")?);
    let (false_ids, false_leaves) = (call.ints("nodes_falsenodeids")?, call.ints("nodes_falseleafs")?);
    let hitrates = call
        .optional_tensor_attribute("nodes_hitrates")?
        .map_or(0, Tensor::len);
    let count = features.len();
    if [
        true_ids.len(),
        true_leaves.len(),
        false_ids.len(),
        false_leaves.len(),
        rules.len(),
    ] != [count; 5]
    {
        return Err(OpError::invalid("the lists `nodes_*` must have the same length"));
    }
    parallel(&[
        ("nodes_featureids", count),
        ("nodes_missing_value_tracks_true", missing.len()),
        ("nodes_hitrates", hitrates),
    ])?;
    let branch = |(at, rule): (usize, Rule)| {
        Ok(Branch {
            feature: index(features[at], usize::MAX, "an entry of `nodes_featureids`")?,
            rule,
            missing_is_true: missing.get(at).is_some_and(|&track| track != 0),
            on_true: child(true_ids[at], true_leaves[at])?,
            on_false: child(false_ids[at], false_leaves[at])?,
        })
    };
    rules.into_iter().enumerate().map(branch).collect()
}

fn child(id: i64, is_leaf: i64) -> Result<Child, OpError> {
    let at = index(id, usize::MAX, "the id of a child")?;
    Ok(if is_leaf != 0 {
        Child::Leaf(at)
    } else {
        Child::Branch(at)
    })
}

/// The rule of each node: a mode with its split, or the next set of members.
fn rules(call: &Call<'_>) -> Result<Vec<Rule>, OpError> {
    let modes = call.tensor_attribute("nodes_modes")?.to_vec::<u8>()?;
    let splits = to_f64(call.tensor_attribute("nodes_splits")?)?;
    if modes.len() != splits.len() {
        return Err(OpError::invalid(
            "`nodes_modes` and `nodes_splits` must have the same length",
        ));
    }
    let members = call
        .optional_tensor_attribute("membership_values")?
        .map(to_f64)
        .transpose()?
        .unwrap_or_default();
    let mut sets: Vec<&[f64]> = members.split(|value| value.is_nan()).collect();
    // The values after the last NaN form a set only if there are any, or if there is no NaN.
    if sets.last().is_some_and(|last| last.is_empty()) {
        sets.pop();
    }
    let expected = modes.iter().filter(|&&mode| mode == 6).count();
    if sets.len() != expected {
        return Err(OpError::invalid(format!(
            "`membership_values` has {} sets, expected {expected}, one for each node that tests membership",
            sets.len()
        )));
    }
    let mut sets = sets.into_iter();
    let rule = |(mode, split)| match mode {
        0 => Ok(Rule::Leq(split)),
        1 => Ok(Rule::Lt(split)),
        2 => Ok(Rule::Gte(split)),
        3 => Ok(Rule::Gt(split)),
        4 => Ok(Rule::Eq(split)),
        5 => Ok(Rule::Neq(split)),
        6 => Ok(Rule::Member(sets.next().unwrap_or_default().to_vec())),
        other => Err(OpError::invalid(format!(
            "`nodes_modes` has {other}, which is not a known mode"
        ))),
    };
    modes.into_iter().zip(splits).map(rule).collect()
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value, f16};

    use crate::frame::testing::{OpVersion, attribute, check, refused, rows};

    const OP: OpVersion = ("ai.onnx.ml", "TreeEnsemble", 5);

    /// One branch with two leaves, for the targets `ids`.
    fn stump(ids: [i64; 2], mode: u8, more: &[Attribute]) -> Vec<Attribute> {
        let mut attributes = vec![
            attribute("tree_roots", [0]),
            attribute("nodes_featureids", [0]),
            attribute("nodes_modes", Tensor::vector(vec![mode])),
            attribute("nodes_splits", Tensor::vector(vec![0.0_f32])),
            attribute("nodes_truenodeids", [0]),
            attribute("nodes_trueleafs", [1]),
            attribute("nodes_falsenodeids", [1]),
            attribute("nodes_falseleafs", [1]),
            attribute("leaf_targetids", ids),
            attribute("leaf_weights", Tensor::vector(vec![0.25_f32, 0.5])),
            attribute("n_targets", 2),
        ];
        for new in more {
            attributes.retain(|held| held.name != new.name);
            attributes.push(new.clone());
        }
        attributes
    }

    fn x() -> Value {
        rows(&[[-1.0], [1.0]]).into()
    }

    /// ONNX Runtime 1.31.1 returns the same for NONE, SOFTMAX_ZERO and the aggregates. It exchanges the
    /// numbers of SOFTMAX and LOGISTIC; these are as in its TreeEnsembleRegressor.
    #[test]
    fn transforms_and_aggregates() {
        let with = |code: i64| stump([0, 1], 0, &[attribute("post_transform", code)]);
        check(OP, &[x()], &with(0), &[rows(&[[0.25, 0.0], [0.0, 0.5]]).into()]);
        check(
            OP,
            &[x()],
            &with(1),
            &[rows(&[[0.562_176_5, 0.437_823_5], [0.377_540_68, 0.622_459_35]]).into()],
        );
        check(
            OP,
            &[x()],
            &with(2),
            &[rows(&[[0.562_176_5, 0.5], [0.5, 0.622_459_35]]).into()],
        );
        check(OP, &[x()], &with(3), &[rows(&[[1.0, 0.0], [0.0, 1.0]]).into()]);
        for (code, twice) in [(0, 1.0), (1, 2.0), (2, 1.0), (3, 1.0)] {
            let two = stump(
                [0, 1],
                0,
                &[
                    attribute("aggregate_function", code),
                    attribute("tree_roots", [0, 0]),
                ],
            );
            check(
                OP,
                &[x()],
                &two,
                &[rows(&[[0.25 * twice, 0.0], [0.0, 0.5 * twice]]).into()],
            );
        }
    }

    /// ONNX Runtime 1.31.1 returns the same; float16, which it lacks, is worked by hand.
    #[test]
    fn members_and_half_precision() {
        let set = |values: Vec<f32>| {
            stump(
                [0, 0],
                6,
                &[attribute("membership_values", Tensor::vector(values))],
            )
        };
        let y = rows(&[[0.5, 0.0], [0.25, 0.0], [0.5, 0.0]]);
        let x3 = || rows(&[[-1.0], [2.0], [f32::NAN]]).into();
        check(OP, &[x3()], &set(vec![1.0, 2.0, f32::NAN]), &[y.clone().into()]);
        check(OP, &[x3()], &set(vec![1.0, 2.0]), &[y.into()]);
        let half = |values: &[f32]| -> Value {
            let values = values
                .iter()
                .map(|&value| f16::from_f32(value))
                .collect::<Vec<_>>();
            Tensor::new(&[values.len(), 1], values).unwrap().into()
        };
        let one = [attribute("n_targets", 1), attribute("tree_roots", [0, 0])];
        check(
            OP,
            &[half(&[-1.0, 1.0])],
            &stump([0, 0], 0, &one),
            &[half(&[0.5, 1.0])],
        );
    }

    #[test]
    fn errors() {
        let refuse = |more: Attribute, part| refused(OP, &[x()], &stump([0, 1], 0, &[more]), part);
        refuse(attribute("nodes_trueleafs", [0]), "cycle");
        refuse(attribute("nodes_truenodeids", [-1]), "the id of a child is -1");
        refuse(attribute("nodes_truenodeids", [2]), "leaf 2 of 2");
        refuse(attribute("tree_roots", [1]), "`tree_roots` is 1");
        refuse(attribute("leaf_targetids", [0]), "same length");
        refuse(attribute("nodes_falseleafs", [1, 1]), "same length");
        refuse(
            attribute("nodes_modes", Tensor::vector(vec![7_u8])),
            "not a known mode",
        );
        refuse(
            attribute("nodes_modes", Tensor::vector(vec![6_u8])),
            "0 sets, expected 1",
        );
        refuse(attribute("post_transform", 5), "not a known transform");
        refuse(attribute("n_targets", 1), "`leaf_targetids` is 1");
    }
}
