//! The tree lists of TreeEnsembleClassifier and TreeEnsembleRegressor: a row for each node, including
//! leaves, and a row for each vote, linked to its leaf by tree and node id. Since version 3 the float lists
//! have an alternative that ends in `_as_tensor`.
//!
//! The root of a tree is its only node that is not a child.

use std::collections::HashMap;

use super::features::to_f64;
use super::forest::{Branch, Child, Forest, Rule, Vote};
use super::lists::{index, parallel};
use crate::frame::{Call, OpError, Reading};

/// The trees of the `nodes_*` attributes, with the votes of the attributes that start with `votes` (`class`
/// or `target`), for `targets` targets.
pub fn read(call: &Call<'_>, votes: &'static str, targets: usize) -> Result<Forest, OpError> {
    let nodes = Nodes::read(call)?;
    let votes = Votes::read(call, votes)?;
    let positions = nodes.positions()?;
    let mut leaves = votes.by_leaf(&nodes, &positions, targets)?;
    if targets == 1 && call.takes(Reading::TreeVotesFirst) {
        leaves.iter_mut().for_each(|votes| votes.truncate(1));
    }
    let mut branches = Vec::new();
    // Each node as a child: its index among the branches or the leaves.
    let children: Vec<Child> = (0..nodes.ids.len())
        .map(|at| {
            if nodes.is_leaf(at) {
                Child::Leaf(at)
            } else {
                Child::Branch(at)
            }
        })
        .collect();
    for at in 0..nodes.ids.len() {
        branches.push(nodes.branch(at, &positions, &children)?);
    }
    let roots = nodes
        .roots(&positions)?
        .into_iter()
        .map(|at| children[at])
        .collect();
    Forest::new(branches, leaves, roots, targets)
}

/// A list of floats as f64, or of doubles from the attribute with the suffix `_as_tensor`.
pub fn reals(call: &Call<'_>, name: &str) -> Result<Vec<f64>, OpError> {
    let floats = call.optional_floats(name)?.unwrap_or_default();
    match call.optional_tensor_attribute(&format!("{name}_as_tensor"))? {
        None => Ok(floats.into_iter().map(f64::from).collect()),
        Some(tensor) if floats.is_empty() => to_f64(tensor),
        Some(_) => Err(OpError::invalid(format!(
            "`{name}` and `{name}_as_tensor` are both set"
        ))),
    }
}

/// Maps tree id and node id to the row of the node.
type Positions = HashMap<(i64, i64), usize>;

struct Nodes<'a> {
    trees: Vec<i64>,
    ids: Vec<i64>,
    features: Vec<i64>,
    modes: Vec<&'a str>,
    splits: Vec<f64>,
    on_true: Vec<i64>,
    on_false: Vec<i64>,
    missing_is_true: Vec<i64>,
}

impl<'a> Nodes<'a> {
    fn read(call: &Call<'a>) -> Result<Nodes<'a>, OpError> {
        let nodes = Nodes {
            trees: call.ints("nodes_treeids")?,
            ids: call.ints("nodes_nodeids")?,
            features: call.ints("nodes_featureids")?,
            modes: call.strings("nodes_modes")?,
            splits: reals(call, "nodes_values")?,
            on_true: call.ints("nodes_truenodeids")?,
            on_false: call.ints("nodes_falsenodeids")?,
            missing_is_true: call
                .optional_ints("nodes_missing_value_tracks_true")?
                .unwrap_or_default(),
        };
        let count = nodes.ids.len();
        let lists = [
            ("nodes_nodeids", count),
            ("nodes_treeids", nodes.trees.len()),
            ("nodes_featureids", nodes.features.len()),
            ("nodes_modes", nodes.modes.len()),
            ("nodes_values", nodes.splits.len()),
            ("nodes_truenodeids", nodes.on_true.len()),
            ("nodes_falsenodeids", nodes.on_false.len()),
        ];
        parallel(&lists)?;
        if let Some((name, _)) = lists.iter().find(|(_, len)| *len == 0) {
            return Err(OpError::invalid(format!("`{name}` is empty: there is no tree")));
        }
        parallel(&[
            ("nodes_nodeids", count),
            ("nodes_missing_value_tracks_true", nodes.missing_is_true.len()),
            ("nodes_hitrates", reals(call, "nodes_hitrates")?.len()),
        ])?;
        Ok(nodes)
    }

    fn is_leaf(&self, at: usize) -> bool {
        self.modes[at] == "LEAF"
    }

    fn positions(&self) -> Result<Positions, OpError> {
        let mut positions = HashMap::new();
        for (at, (&tree, &id)) in self.trees.iter().zip(&self.ids).enumerate() {
            if positions.insert((tree, id), at).is_some() {
                return Err(OpError::invalid(format!(
                    "tree {tree} has two nodes with id {id}"
                )));
            }
        }
        Ok(positions)
    }

    /// The branch in row `at`. A leaf also gets an unreachable branch, so that branch indices equal row
    /// numbers.
    fn branch(&self, at: usize, positions: &Positions, children: &[Child]) -> Result<Branch, OpError> {
        if self.is_leaf(at) {
            let (on_true, on_false) = (children[at], children[at]);
            return Ok(Branch {
                feature: 0,
                rule: Rule::Leq(0.0),
                missing_is_true: false,
                on_true,
                on_false,
            });
        }
        let child = |id: i64| self.below(at, id, positions).map(|below| children[below]);
        Ok(Branch {
            feature: index(self.features[at], usize::MAX, "an entry of `nodes_featureids`")?,
            rule: Rule::named(self.modes[at], self.splits[at])?,
            missing_is_true: self.missing_is_true.get(at).is_some_and(|&track| track != 0),
            on_true: child(self.on_true[at])?,
            on_false: child(self.on_false[at])?,
        })
    }

    fn below(&self, at: usize, id: i64, positions: &Positions) -> Result<usize, OpError> {
        let tree = self.trees[at];
        let missing = || {
            OpError::invalid(format!(
                "node {} of tree {tree} refers to node {id}, which does not exist",
                self.ids[at]
            ))
        };
        positions.get(&(tree, id)).copied().ok_or_else(missing)
    }

    /// The root of each tree, in order of first appearance.
    fn roots(&self, positions: &Positions) -> Result<Vec<usize>, OpError> {
        let mut is_child = vec![false; self.ids.len()];
        for at in (0..self.ids.len()).filter(|&at| !self.is_leaf(at)) {
            for id in [self.on_true[at], self.on_false[at]] {
                is_child[self.below(at, id, positions)?] = true;
            }
        }
        let mut order: Vec<i64> = Vec::new();
        let mut roots: HashMap<i64, Vec<usize>> = HashMap::new();
        for (at, &tree) in self.trees.iter().enumerate() {
            let of_tree = roots.entry(tree).or_insert_with(|| {
                order.push(tree);
                Vec::new()
            });
            if !is_child[at] {
                of_tree.push(at);
            }
        }
        let root = |tree: &i64| match roots.get(tree).map(Vec::as_slice) {
            Some(&[root]) => Ok(root),
            _ => Err(OpError::invalid(format!(
                "tree {tree} does not have exactly one root"
            ))),
        };
        order.iter().map(root).collect()
    }
}

struct Votes {
    kind: &'static str,
    trees: Vec<i64>,
    nodes: Vec<i64>,
    targets: Vec<i64>,
    weights: Vec<f64>,
}

impl Votes {
    fn read(call: &Call<'_>, kind: &'static str) -> Result<Votes, OpError> {
        let ints = |suffix: &str| {
            Ok::<_, OpError>(
                call.optional_ints(&format!("{kind}_{suffix}"))?
                    .unwrap_or_default(),
            )
        };
        let votes = Votes {
            kind,
            trees: ints("treeids")?,
            nodes: ints("nodeids")?,
            targets: ints("ids")?,
            weights: reals(call, &format!("{kind}_weights"))?,
        };
        let count = votes.targets.len();
        if [votes.trees.len(), votes.nodes.len(), votes.weights.len()] != [count; 3] {
            return Err(OpError::invalid(format!(
                "the lists `{kind}_*` of votes must have the same length"
            )));
        }
        Ok(votes)
    }

    /// The votes of each node's row; only leaves have votes.
    fn by_leaf(
        &self,
        nodes: &Nodes<'_>,
        positions: &Positions,
        targets: usize,
    ) -> Result<Vec<Vec<Vote>>, OpError> {
        let mut leaves = vec![Vec::new(); nodes.ids.len()];
        for at in 0..self.targets.len() {
            let (tree, node) = (self.trees[at], self.nodes[at]);
            let leaf = positions.get(&(tree, node)).filter(|&&row| nodes.is_leaf(row));
            let &leaf = leaf.ok_or_else(|| {
                OpError::invalid(format!(
                    "`{}_*` has a vote at node {node} of tree {tree}, which is not a leaf",
                    self.kind
                ))
            })?;
            let target = index(
                self.targets[at],
                targets,
                &format!("an entry of `{}_ids`", self.kind),
            )?;
            leaves[leaf].push(Vote {
                target,
                weight: self.weights[at],
            });
        }
        Ok(leaves)
    }
}

/// Two stumps for the tests of several operators, x₀ ≤ 0 and x₀ ≤ ½: their four leaves vote for `ids` with
/// `weights`, in the attributes of `kind` (`class`, `target`). An attribute of `more` replaces the one of
/// the same name.
#[cfg(test)]
pub(super) fn stumps(
    kind: &str,
    ids: [i64; 4],
    weights: [f32; 4],
    more: &[onnx_model::Attribute],
) -> Vec<onnx_model::Attribute> {
    use crate::frame::testing::attribute;
    let modes = ["BRANCH_LEQ", "LEAF", "LEAF", "BRANCH_LEQ", "LEAF", "LEAF"];
    let mut attributes = vec![
        attribute("nodes_treeids", [0, 0, 0, 1, 1, 1]),
        attribute("nodes_nodeids", [0, 1, 2, 0, 1, 2]),
        attribute("nodes_featureids", [0; 6]),
        attribute("nodes_modes", modes),
        attribute("nodes_values", [0.0, 0.0, 0.0, 0.5, 0.0, 0.0]),
        attribute("nodes_truenodeids", [1, 0, 0, 1, 0, 0]),
        attribute("nodes_falsenodeids", [2, 0, 0, 2, 0, 0]),
        attribute(&format!("{kind}_treeids"), [0, 0, 1, 1]),
        attribute(&format!("{kind}_nodeids"), [1, 2, 1, 2]),
        attribute(&format!("{kind}_ids"), ids),
        attribute(&format!("{kind}_weights"), weights),
    ];
    attributes.retain(|held| more.iter().all(|new| new.name != held.name));
    attributes.extend_from_slice(more);
    attributes
}
