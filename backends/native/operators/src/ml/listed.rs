//! The lists of TreeEnsembleClassifier and TreeEnsembleRegressor: one row for each node, including
//! leaves, and one for each vote, which names its leaf by the numbers of tree and node. The root of
//! a tree is its only node that is not a child.

use std::collections::HashMap;

use super::forest::{Branch, Child, Forest, Rule, Vote, doubles};
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};

/// Returns the trees of the attributes `nodes_*`, with the votes of the attributes `{kind}_*`.
pub fn read(attributes: &Attributes, kind: &str, targets: usize) -> Result<Forest, Problem> {
    let nodes = Nodes::read(attributes)?;
    let numbers = nodes.numbers()?;
    let leaves = votes(attributes, kind, &nodes, &numbers, targets)?;
    let mut branches = Vec::new();
    for at in (0..nodes.ids.len()).filter(|&at| !nodes.is_leaf(at)) {
        branches.push(nodes.branch(at, &numbers)?);
    }
    let roots = nodes.roots(&numbers)?;
    Forest::new(&branches, &leaves, &roots, targets)
}

/// Returns floats of a list, or of the tensor in the attribute whose name ends in `_as_tensor`.
pub fn reals(attributes: &Attributes, name: &str) -> Result<Vec<f64>, Problem> {
    let floats = attributes.floats(name)?.unwrap_or_default();
    match attributes.tensor(&format!("{name}_as_tensor"))? {
        None => Ok(floats.iter().copied().map(f64::from).collect()),
        Some(tensor) if floats.is_empty() => doubles(Some(tensor)),
        Some(_) => invalid(format!("`{name}` and `{name}_as_tensor` are both set")),
    }
}

/// A row of the lists, and which branch or leaf it is.
struct Place {
    row: usize,
    child: Child,
}

/// Rows by the numbers of tree and node.
type Numbers = HashMap<(i64, i64), Place>;

struct Nodes<'a> {
    trees: &'a [i64],
    ids: &'a [i64],
    features: &'a [i64],
    modes: Vec<String>,
    splits: Vec<f64>,
    on_true: &'a [i64],
    on_false: &'a [i64],
    missing_is_true: &'a [i64],
}

impl<'a> Nodes<'a> {
    fn read(attributes: &'a Attributes) -> Result<Nodes<'a>, Problem> {
        let ints = |name: &str| Ok::<_, Problem>(attributes.ints(name)?.unwrap_or_default());
        let nodes = Nodes {
            trees: ints("nodes_treeids")?,
            ids: ints("nodes_nodeids")?,
            features: ints("nodes_featureids")?,
            modes: attributes.texts("nodes_modes")?.unwrap_or_default(),
            splits: reals(attributes, "nodes_values")?,
            on_true: ints("nodes_truenodeids")?,
            on_false: ints("nodes_falsenodeids")?,
            missing_is_true: ints("nodes_missing_value_tracks_true")?,
        };
        let count = nodes.ids.len();
        let lengths = [
            nodes.trees.len(),
            nodes.features.len(),
            nodes.modes.len(),
            nodes.splits.len(),
            nodes.on_true.len(),
            nodes.on_false.len(),
        ];
        let hit_rates = reals(attributes, "nodes_hitrates")?.len();
        let optional = [nodes.missing_is_true.len(), hit_rates];
        if lengths != [count; 6] || optional.iter().any(|&length| length != 0 && length != count) {
            return invalid("the lists `nodes_*` must have the same length");
        }
        match count {
            0 => invalid("the lists `nodes_*` are empty: there is no tree"),
            _ => Ok(nodes),
        }
    }

    fn is_leaf(&self, row: usize) -> bool {
        self.modes[row] == "LEAF"
    }

    fn numbers(&self) -> Result<Numbers, Problem> {
        let (mut branches, mut leaves) = (0, 0);
        let mut numbers = Numbers::with_capacity(self.ids.len());
        for (row, (&tree, &id)) in self.trees.iter().zip(self.ids).enumerate() {
            let child = if self.is_leaf(row) {
                Child::Leaf(leaves)
            } else {
                Child::Branch(branches)
            };
            match child {
                Child::Leaf(_) => leaves += 1,
                Child::Branch(_) => branches += 1,
            }
            if numbers.insert((tree, id), Place { row, child }).is_some() {
                return invalid(format!("tree {tree} has two nodes with the number {id}"));
            }
        }
        Ok(numbers)
    }

    fn below<'n>(&self, row: usize, id: i64, numbers: &'n Numbers) -> Result<&'n Place, Problem> {
        let (tree, own) = (self.trees[row], self.ids[row]);
        let missing = || {
            Problem::Invalid(format!(
                "node {own} of tree {tree} refers to node {id}, which does not exist"
            ))
        };
        numbers.get(&(tree, id)).ok_or_else(missing)
    }

    fn branch(&self, row: usize, numbers: &Numbers) -> Result<Branch, Problem> {
        let split = self.splits[row];
        let rule = match self.modes[row].as_str() {
            "BRANCH_LEQ" => Rule::AtMost(split),
            "BRANCH_LT" => Rule::Below(split),
            "BRANCH_GTE" => Rule::AtLeast(split),
            "BRANCH_GT" => Rule::Above(split),
            "BRANCH_EQ" => Rule::Among(vec![split]),
            "BRANCH_NEQ" => Rule::NotAmong(vec![split]),
            other => return invalid(format!("`nodes_modes` has `{other}`, which is not a known mode")),
        };
        let feature = self.features[row];
        let wrong = |_| Problem::Invalid(format!("`nodes_featureids` has {feature}, which is negative"));
        Ok(Branch {
            feature: usize::try_from(feature).map_err(wrong)?,
            rule,
            missing_is_true: self.missing_is_true.get(row).is_some_and(|&track| track != 0),
            on_true: self.below(row, self.on_true[row], numbers)?.child,
            on_false: self.below(row, self.on_false[row], numbers)?.child,
        })
    }

    /// Returns the root of each tree, in the order in which trees appear.
    fn roots(&self, numbers: &Numbers) -> Result<Vec<Child>, Problem> {
        let mut is_child = vec![false; self.ids.len()];
        for row in (0..self.ids.len()).filter(|&row| !self.is_leaf(row)) {
            for id in [self.on_true[row], self.on_false[row]] {
                is_child[self.below(row, id, numbers)?.row] = true;
            }
        }
        let mut order = Vec::new();
        let mut roots: HashMap<i64, Vec<Child>> = HashMap::new();
        for (row, (&tree, &id)) in self.trees.iter().zip(self.ids).enumerate() {
            let of_tree = roots.entry(tree).or_insert_with(|| {
                order.push(tree);
                Vec::new()
            });
            if !is_child[row] {
                of_tree.push(self.below(row, id, numbers)?.child);
            }
        }
        let root = |tree: &i64| match roots.get(tree).map(Vec::as_slice) {
            Some(&[root]) => Ok(root),
            _ => invalid(format!("tree {tree} does not have exactly one root")),
        };
        order.iter().map(root).collect()
    }
}

/// Returns the votes of each leaf.
fn votes(
    attributes: &Attributes,
    kind: &str,
    nodes: &Nodes,
    numbers: &Numbers,
    targets: usize,
) -> Result<Vec<Vec<Vote>>, Problem> {
    let ints =
        |suffix: &str| Ok::<_, Problem>(attributes.ints(&format!("{kind}_{suffix}"))?.unwrap_or_default());
    let (trees, ids, voted) = (ints("treeids")?, ints("nodeids")?, ints("ids")?);
    let weights = reals(attributes, &format!("{kind}_weights"))?;
    if [trees.len(), ids.len(), weights.len()] != [voted.len(); 3] {
        return invalid(format!("the lists `{kind}_*` of votes must have the same length"));
    }
    let leaves = (0..nodes.ids.len()).filter(|&row| nodes.is_leaf(row)).count();
    let mut votes = vec![Vec::new(); leaves];
    for (at, (&tree, &node)) in trees.iter().zip(ids).enumerate() {
        let Some(Child::Leaf(leaf)) = numbers.get(&(tree, node)).map(|place| place.child) else {
            return invalid(format!(
                "`{kind}_*` has a vote at node {node} of tree {tree}, which is not a leaf"
            ));
        };
        let target = usize::try_from(voted[at]).ok().filter(|&target| target < targets);
        let Some(target) = target else {
            return invalid(format!(
                "`{kind}_ids` has {}, expected 0 to {}",
                voted[at],
                targets - 1
            ));
        };
        votes[leaf].push(Vote {
            target,
            weight: weights[at],
        });
    }
    Ok(votes)
}
