//! Rows of features that reach a chosen node of a tree, with a feature at its threshold.
//!
//! Thresholds that are drawn for each feature alone seldom reach the node to which they belong: a row follows
//! one path in each tree.

use std::collections::HashMap;

use onnx_model::{AttributeValue, Node};
use onnx_tensor::DType;
use rand::RngExt;

use super::readers::reals;

/// The most nodes of an ensemble that rows are made for.
const MOST: usize = 1 << 16;

/// The comparison of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mode {
    AtMost,
    Below,
    AtLeast,
    Above,
    Equal,
    Other,
}

/// A node that is no leaf.
#[derive(Clone, PartialEq, Debug)]
struct Split {
    feature: usize,
    threshold: f64,
    mode: Mode,
    /// The node above, and whether this one is where its comparison holds.
    above: Option<(usize, bool)>,
}

/// The nodes of an ensemble.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Trees {
    splits: Vec<Split>,
}

impl Trees {
    /// The trees of a node of ai.onnx.ml: TreeEnsembleClassifier, TreeEnsembleRegressor or TreeEnsemble.
    pub fn of(node: &Node) -> Trees {
        let found = if node.operator == "TreeEnsemble" {
            by_position(node)
        } else {
            by_name(node)
        };
        found.unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.splits.is_empty()
    }

    /// Changes a row so that it reaches a node, where the feature is at the threshold, next to it, or NaN.
    pub fn fill(&self, row: &mut [f64], dtype: DType, rng: &mut impl RngExt) {
        let Some(last) = self.splits.len().checked_sub(1) else {
            return;
        };
        let at = rng.random_range(0..=last);
        let mut ranges: HashMap<usize, (f64, f64)> = HashMap::new();
        let mut below = &self.splits[at];
        // A loop of nodes ends.
        for _ in 0..self.splits.len() {
            let Some((above, holds)) = below.above else { break };
            below = &self.splits[above];
            let range = ranges
                .entry(below.feature)
                .or_insert((f64::NEG_INFINITY, f64::INFINITY));
            narrow(range, below, holds);
        }
        for (feature, (least, most)) in ranges {
            if let Some(value) = row.get_mut(feature) {
                *value = within(*value, least, most);
            }
        }
        let Split {
            feature, threshold, ..
        } = self.splits[at];
        if let Some(value) = row.get_mut(feature) {
            let [before, after] = neighbours(threshold, dtype);
            *value = match rng.random_range(0..6) {
                0 => before,
                1 | 2 => after,
                3 if dtype.is_float() => f64::NAN,
                _ => threshold,
            };
        }
    }
}

/// Narrows the range of a feature to where the comparison of a node has this result.
fn narrow((least, most): &mut (f64, f64), split: &Split, holds: bool) {
    match (split.mode, holds) {
        (Mode::AtMost | Mode::Below, true) | (Mode::AtLeast | Mode::Above, false) => {
            *most = most.min(split.threshold);
        }
        (Mode::AtMost | Mode::Below, false) | (Mode::AtLeast | Mode::Above, true) => {
            *least = least.max(split.threshold);
        }
        (Mode::Equal, true) => (*least, *most) = (split.threshold, split.threshold),
        _ => {}
    }
}

/// A number between two: the given one if it is.
fn within(value: f64, least: f64, most: f64) -> f64 {
    let step = |end: f64| (end.abs() / 8.0).max(0.25);
    match (least.is_finite(), most.is_finite()) {
        _ if least < value && value < most => value,
        (true, true) => least + (most - least) / 2.0,
        (true, false) => least + step(least),
        (false, true) => most - step(most),
        (false, false) => value,
    }
}

/// The numbers of a type next to a threshold of float.
fn neighbours(threshold: f64, dtype: DType) -> [f64; 2] {
    match dtype {
        DType::Double => [threshold.next_down(), threshold.next_up()],
        dtype if dtype.is_float() => {
            let threshold = threshold as f32;
            [threshold.next_down().into(), threshold.next_up().into()]
        }
        _ => [threshold.floor(), threshold.floor() + 1.0],
    }
}

/// Nodes that name their tree and each other.
fn by_name(node: &Node) -> Option<Trees> {
    let ints = |name| integers(node, name).unwrap_or_default();
    let features = ints("nodes_featureids");
    let thresholds = numbers(node, &["nodes_values", "nodes_values_as_tensor"])?;
    let (trees, ids) = (ints("nodes_treeids"), ints("nodes_nodeids"));
    let (yes, no) = (ints("nodes_truenodeids"), ints("nodes_falsenodeids"));
    let Some(AttributeValue::Strings(modes)) = node.attribute("nodes_modes") else {
        return None;
    };
    let count = features.len();
    let lists = [
        thresholds.len(),
        trees.len(),
        ids.len(),
        yes.len(),
        no.len(),
        modes.len(),
    ];
    if count > MOST || lists.iter().any(|length| *length != count) {
        return None;
    }
    let places: HashMap<(i64, i64), usize> = trees.iter().copied().zip(ids).zip(0..).collect();
    let mode = |at: usize| match modes[at].as_slice() {
        b"LEAF" => None,
        b"BRANCH_LEQ" | b"" => Some(Mode::AtMost),
        b"BRANCH_LT" => Some(Mode::Below),
        b"BRANCH_GTE" => Some(Mode::AtLeast),
        b"BRANCH_GT" => Some(Mode::Above),
        b"BRANCH_EQ" => Some(Mode::Equal),
        _ => Some(Mode::Other),
    };
    let below = |at: usize| {
        let place = |id: i64| places.get(&(trees[at], id)).copied();
        [place(yes[at]), place(no[at])]
    };
    Some(linked(&features, &thresholds, mode, below))
}

/// Nodes that name each other by their position, and leaves in lists of their own.
fn by_position(node: &Node) -> Option<Trees> {
    let ints = |name| integers(node, name).unwrap_or_default();
    let features = ints("nodes_featureids");
    let thresholds = numbers(node, &["nodes_splits"])?;
    let modes = numbers(node, &["nodes_modes"])?;
    let targets = [
        (ints("nodes_truenodeids"), ints("nodes_trueleafs")),
        (ints("nodes_falsenodeids"), ints("nodes_falseleafs")),
    ];
    let count = features.len();
    let lists = targets.iter().flat_map(|(ids, leaves)| [ids.len(), leaves.len()]);
    if count > MOST
        || lists
            .chain([thresholds.len(), modes.len()])
            .any(|length| length != count)
    {
        return None;
    }
    let known = [Mode::AtMost, Mode::Below, Mode::AtLeast, Mode::Above, Mode::Equal];
    let mode = |at: usize| Some(known.get(modes[at] as usize).copied().unwrap_or(Mode::Other));
    let below = |at: usize| {
        [0, 1].map(|side: usize| {
            let (ids, leaves) = &targets[side];
            usize::try_from(ids[at])
                .ok()
                .filter(|id| leaves[at] == 0 && *id < count)
        })
    };
    Some(linked(&features, &thresholds, mode, below))
}

/// The splits of a list of nodes, each with the one above it. A leaf has no mode.
fn linked(
    features: &[i64],
    thresholds: &[f64],
    mode: impl Fn(usize) -> Option<Mode>,
    below: impl Fn(usize) -> [Option<usize>; 2],
) -> Trees {
    let modes: Vec<Option<Mode>> = (0..features.len()).map(mode).collect();
    let mut numbers = modes.iter().scan(0, |next, mode| {
        let own = *next;
        *next += usize::from(mode.is_some());
        Some(mode.map(|_| own))
    });
    let numbers: Vec<Option<usize>> = numbers.by_ref().collect();
    let mut splits: Vec<Split> = Vec::new();
    for (at, mode) in modes.iter().enumerate() {
        if let Some(mode) = *mode {
            splits.push(Split {
                feature: usize::try_from(features[at]).unwrap_or(usize::MAX),
                threshold: thresholds[at],
                mode,
                above: None,
            });
        }
    }
    for (at, own) in numbers.iter().enumerate() {
        let Some(own) = *own else { continue };
        for (below, holds) in below(at).into_iter().zip([true, false]) {
            if let Some(below) = below.and_then(|below| numbers[below]) {
                splits[below].above = Some((own, holds));
            }
        }
    }
    Trees { splits }
}

fn integers(node: &Node, name: &str) -> Option<Vec<i64>> {
    match node.attribute(name)? {
        AttributeValue::Ints(values) => Some(values.clone()),
        _ => None,
    }
}

fn numbers(node: &Node, names: &[&str]) -> Option<Vec<f64>> {
    let value = names.iter().find_map(|name| node.attribute(name))?;
    match value {
        AttributeValue::Floats(values) => Some(values.iter().map(|value| f64::from(*value)).collect()),
        AttributeValue::Tensor(tensor) => Some(reals(tensor)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use onnx_model::Attribute;

    use super::*;

    /// x0 ≤ 1, then x1 > 5, then x0 < 0.5, which few rows reach with x0 at 0.5.
    fn tree() -> Node {
        let attribute = |(name, value): (&str, AttributeValue)| Attribute {
            name: name.to_owned(),
            value,
        };
        let ints = |values: &[i64]| AttributeValue::Ints(values.to_vec());
        let modes = [
            "BRANCH_LEQ",
            "BRANCH_GT",
            "BRANCH_LT",
            "LEAF",
            "LEAF",
            "LEAF",
            "LEAF",
        ];
        let attributes = [
            ("nodes_treeids", ints(&[0; 7])),
            ("nodes_nodeids", ints(&[0, 1, 2, 3, 4, 5, 6])),
            ("nodes_featureids", ints(&[0, 1, 0, 0, 0, 0, 0])),
            (
                "nodes_values",
                AttributeValue::Floats(vec![1.0, 5.0, 0.5, 0.0, 0.0, 0.0, 0.0]),
            ),
            (
                "nodes_modes",
                AttributeValue::Strings(modes.map(|mode| mode.as_bytes().to_vec()).to_vec()),
            ),
            ("nodes_truenodeids", ints(&[1, 2, 3, 0, 0, 0, 0])),
            ("nodes_falsenodeids", ints(&[6, 5, 4, 0, 0, 0, 0])),
        ];
        Node {
            operator: "TreeEnsembleRegressor".to_owned(),
            attributes: attributes.into_iter().map(attribute).collect(),
            ..Node::default()
        }
    }

    /// Of 60 rows, 20 are for each node; those for the last one take its path and are on both sides of it.
    #[test]
    fn rows_reach_their_node() {
        let trees = Trees::of(&tree());
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut found = Vec::new();
        for _ in 0..60 {
            let mut row = [9.0, -9.0];
            trees.fill(&mut row, DType::Float, &mut rng);
            if row[1] > 5.0 && (0.4..0.6).contains(&row[0]) {
                found.push(row[0]);
            }
        }
        let near = |value: f32| found.contains(&f64::from(value));
        assert!(
            near(0.5) && near(0.5_f32.next_up()) && near(0.5_f32.next_down()),
            "{found:?}"
        );
    }
}
