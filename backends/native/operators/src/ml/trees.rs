//! TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier.

use std::sync::Arc;

use onnx_tensor::{Tensor, Value};

use super::super::call::one;
use super::super::numbers::from_floats;
use super::super::{Call, Outcome, Row, row_of};
use super::features::{Features, check_scores, counted};
use super::forest::{Aggregate, Branch, Child, Forest, Rule, Vote, doubles};
use super::labels::{labels, pick};
use super::transform::Transform;
use super::{DOMAIN, listed, scores};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::{Each, First};

pub const ROWS: &[Row] = &[
    row_of(
        DOMAIN,
        "TreeEnsemble",
        5,
        First(|known| known.predicted("n_targets")),
        ensemble,
    ),
    row_of(
        DOMAIN,
        "TreeEnsembleRegressor",
        1,
        First(|known| known.predicted("n_targets")),
        regressor,
    ),
    row_of(
        DOMAIN,
        "TreeEnsembleClassifier",
        1,
        Each(|known| known.classified(["classlabels_int64s", "classlabels_strings"])),
        classifier,
    )
    .of_type(|known| known.label_dtype("classlabels_int64s")),
];

/// The mode of TreeEnsemble that tests membership.
const MEMBER: u8 = 6;

fn ensemble(call: &Call) -> Outcome {
    let features = Features::read(call)?;
    let targets = counted(call, "n_targets")?;
    check_scores(features.rows, targets)?;
    let aggregate = match call.attributes.int("aggregate_function")? {
        0 => Aggregate::Average,
        1 => Aggregate::Sum,
        2 => Aggregate::Min,
        3 => Aggregate::Max,
        other => {
            return invalid(format!(
                "attribute `aggregate_function` is {other}, expected 0 to 3"
            ));
        }
    };
    let forest = call
        .attributes
        .derived(|attributes| forest(attributes, targets))?;
    let mut y = forest.scores(&features, aggregate, &[])?;
    Transform::numbered(call)?.apply(&mut y, targets);
    one(from_floats(
        call.tensor(0)?.dtype(),
        &[features.rows, targets],
        y,
    )?)
}

/// Reads the lists of TreeEnsemble: branches and leaves separately.
fn forest(attributes: &Attributes, targets: usize) -> Result<Forest, Problem> {
    let branches = branches(attributes)?;
    let roots = ints(attributes, "tree_roots")?;
    let root = |&root: &i64| Ok(Child::Branch(position(root, "tree_roots")?));
    let roots = roots.iter().map(root).collect::<Result<Vec<_>, Problem>>()?;
    let ids = ints(attributes, "leaf_targetids")?;
    let weights = doubles(attributes.tensor("leaf_weights")?)?;
    if ids.len() != weights.len() {
        return invalid("`leaf_targetids` and `leaf_weights` must have the same length");
    }
    let vote = |(&id, &weight): (&i64, &f64)| {
        let target = position(id, "leaf_targetids")?;
        Ok(vec![Vote { target, weight }])
    };
    let leaves = ids
        .iter()
        .zip(&weights)
        .map(vote)
        .collect::<Result<Vec<_>, Problem>>()?;
    Forest::new(&branches, &leaves, &roots, targets)
}

fn ints<'a>(attributes: &'a Attributes, name: &str) -> Result<&'a [i64], Problem> {
    match attributes.ints(name)? {
        Some(list) => Ok(list),
        None => invalid(format!("attribute `{name}` is missing")),
    }
}

fn position(value: i64, name: &str) -> Result<usize, Problem> {
    usize::try_from(value).map_err(|_| Problem::Invalid(format!("`{name}` has {value}, which is negative")))
}

fn branches(attributes: &Attributes) -> Result<Vec<Branch>, Problem> {
    let features = ints(attributes, "nodes_featureids")?;
    let rules = rules(attributes)?;
    let missing = attributes
        .ints("nodes_missing_value_tracks_true")?
        .unwrap_or_default();
    let (true_ids, true_leaves) = (
        ints(attributes, "nodes_truenodeids")?,
        ints(attributes, "nodes_trueleafs")?,
    );
    let (false_ids, false_leaves) = (
        ints(attributes, "nodes_falsenodeids")?,
        ints(attributes, "nodes_falseleafs")?,
    );
    let hit_rates = attributes.tensor("nodes_hitrates")?.map_or(0, Tensor::len);
    let count = features.len();
    let lengths = [
        true_ids.len(),
        true_leaves.len(),
        false_ids.len(),
        false_leaves.len(),
        rules.len(),
    ];
    let optional = [missing.len(), hit_rates];
    if lengths != [count; 5] || optional.iter().any(|&length| length != 0 && length != count) {
        return invalid("the lists `nodes_*` must have the same length");
    }
    let child = |id: i64, is_leaf: i64, name: &str| {
        let at = position(id, name)?;
        Ok::<_, Problem>(if is_leaf != 0 {
            Child::Leaf(at)
        } else {
            Child::Branch(at)
        })
    };
    let branch = |(at, rule): (usize, Rule)| {
        Ok(Branch {
            feature: position(features[at], "nodes_featureids")?,
            rule,
            missing_is_true: missing.get(at).is_some_and(|&track| track != 0),
            on_true: child(true_ids[at], true_leaves[at], "nodes_truenodeids")?,
            on_false: child(false_ids[at], false_leaves[at], "nodes_falsenodeids")?,
        })
    };
    rules.into_iter().enumerate().map(branch).collect()
}

/// Returns the rule of each node: a mode with its split, or the next set of members.
fn rules(attributes: &Attributes) -> Result<Vec<Rule>, Problem> {
    let Some(modes) = attributes.tensor("nodes_modes")? else {
        return invalid("attribute `nodes_modes` is missing");
    };
    let modes = modes.to_vec::<u8>()?;
    let splits = doubles(attributes.tensor("nodes_splits")?)?;
    if modes.len() != splits.len() {
        return invalid("`nodes_modes` and `nodes_splits` must have the same length");
    }
    let members = doubles(attributes.tensor("membership_values")?)?;
    let mut sets: Vec<&[f64]> = members.split(|value| value.is_nan()).collect();
    // The NaN after the last set is optional.
    if sets.last().is_some_and(|last| last.is_empty()) {
        sets.pop();
    }
    let expected = modes.iter().filter(|&&mode| mode == MEMBER).count();
    if sets.len() != expected {
        return invalid(format!(
            "expected {expected} sets in `membership_values`, one for each node that tests membership, got {}",
            sets.len()
        ));
    }
    let mut sets = sets.into_iter();
    let rule = |(mode, split): (u8, f64)| match mode {
        0 => Ok(Rule::AtMost(split)),
        1 => Ok(Rule::Below(split)),
        2 => Ok(Rule::AtLeast(split)),
        3 => Ok(Rule::Above(split)),
        4 => Ok(Rule::Among(vec![split])),
        5 => Ok(Rule::NotAmong(vec![split])),
        MEMBER => Ok(Rule::Among(sets.next().unwrap_or_default().to_vec())),
        other => invalid(format!("`nodes_modes` has {other}, which is not a known mode")),
    };
    modes.into_iter().zip(splits).map(rule).collect()
}

/// Trees with the base values of their targets.
struct Based {
    forest: Forest,
    base: Vec<f64>,
}

fn based(call: &Call, kind: &str, targets: usize) -> Result<Arc<Based>, Problem> {
    call.attributes.derived(|attributes| {
        Ok(Based {
            forest: listed::read(attributes, kind, targets)?,
            base: listed::reals(attributes, "base_values")?,
        })
    })
}

fn regressor(call: &Call) -> Outcome {
    let features = Features::read(call)?;
    let targets = counted(call, "n_targets")?;
    check_scores(features.rows, targets)?;
    let aggregate = match call.attributes.text("aggregate_function")? {
        "AVERAGE" => Aggregate::Average,
        "SUM" => Aggregate::Sum,
        "MIN" => Aggregate::Min,
        "MAX" => Aggregate::Max,
        other => {
            return invalid(format!(
                "attribute `aggregate_function` is {other}, which is not a known function"
            ));
        }
    };
    let trees = based(call, "target", targets)?;
    let mut y = trees.forest.scores(&features, aggregate, &trees.base)?;
    Transform::named(call)?.apply(&mut y, targets);
    one(scores::tensor(&features, targets, &y)?)
}

fn classifier(call: &Call) -> Outcome {
    let features = Features::read(call)?;
    let labels = labels(call.attributes, "classlabels_int64s", "classlabels_strings")?;
    let transform = Transform::named(call)?;
    let classes = labels.len();
    if classes < 2 {
        return invalid("a classifier with one label is undefined");
    }
    check_scores(features.rows, classes)?;
    let trees = based(call, "class", classes)?;
    let single = if classes == 2 && trees.base.len() < 2 {
        SingleScore::of(call.attributes)?
    } else {
        None
    };
    let (chosen, z) = match single {
        Some(single) => single.decide(&trees, &features, transform)?,
        None => {
            let mut z = trees.forest.scores(&features, Aggregate::Sum, &trees.base)?;
            let chosen = z.chunks_exact(classes).map(scores::top).collect();
            transform.apply(&mut z, classes);
            (chosen, z)
        }
    };
    Ok(vec![
        Value::Tensor(pick(&labels, &chosen)?),
        Value::Tensor(scores::tensor(&features, classes, &z)?),
    ])
}

/// All votes are for one of two classes, as converters write boosted trees: their sum s is the score of the
/// second label, which is chosen if s > ½ when no weight is negative, else if s > 0.
struct SingleScore {
    class: usize,
    all_positive: bool,
}

impl SingleScore {
    fn of(attributes: &Attributes) -> Result<Option<SingleScore>, Problem> {
        let ids = attributes.ints("class_ids")?.unwrap_or_default();
        let class = match ids.first() {
            Some(&first) if ids.iter().all(|&id| id == first) => usize::from(first != 0),
            _ => return Ok(None),
        };
        let weights = listed::reals(attributes, "class_weights")?;
        Ok(Some(SingleScore {
            class,
            all_positive: weights.iter().all(|&weight| weight >= 0.0),
        }))
    }

    /// Returns the chosen classes and the scores: (0, s) for votes for the second class; for the
    /// first, (1 − s, s) when no weight is negative and the transform is not LOGISTIC, else (−s,
    /// s).
    fn decide(
        &self,
        trees: &Based,
        features: &Features,
        transform: Transform,
    ) -> Result<(Vec<usize>, Vec<f64>), Problem> {
        let threshold = if self.all_positive { 0.5 } else { 0.0 };
        let base = trees.base.first().copied().unwrap_or(0.0);
        let mut z = trees.forest.scores(features, Aggregate::Sum, &[])?;
        let mut chosen = Vec::with_capacity(features.rows);
        for row in z.chunks_exact_mut(2) {
            let score = row[self.class] + base;
            chosen.push(usize::from(score > threshold));
            let first = match (self.class, self.all_positive) {
                (1, _) => 0.0,
                (_, true) if transform != Transform::Logistic => 1.0 - score,
                _ => -score,
            };
            row.copy_from_slice(&[first, score]);
        }
        transform.apply(&mut z, 2);
        Ok((chosen, z))
    }
}
