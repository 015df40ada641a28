//! Decision trees: code that TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier share.
//!
//! The constructor checks a forest: children and targets exist and there is no cycle, so that evaluation
//! terminates. Comparisons are exact, in f64. Votes are summed in double-double and rounded once when the
//! operator returns the scores.
//!
//! Interpretation: a NaN takes the branch of `nodes_missing_value_tracks_true` for every comparison (the
//! text; in ONNX Runtime NaN satisfies BRANCH_NEQ). AVERAGE divides by the number of trees. A target
//! without votes is 0 before base values, also for MIN and MAX (ONNX Runtime, which does not add base
//! values there).

use onnx_tensor::Accumulator;
use onnx_tensor::element::CompensatedSum;

use super::features::Features;
use super::lists::index;
use crate::frame::OpError;

/// The comparison at a branch.
#[derive(Clone, PartialEq, Debug)]
pub enum Rule {
    /// x ≤ split.
    Leq(f64),
    /// x < split.
    Lt(f64),
    /// x ≥ split.
    Gte(f64),
    /// x > split.
    Gt(f64),
    /// x = split.
    Eq(f64),
    /// x ≠ split.
    Neq(f64),
    /// x is in this set.
    Member(Vec<f64>),
}

impl Rule {
    /// The rule for a mode name such as `BRANCH_LEQ`.
    pub fn named(mode: &str, split: f64) -> Result<Rule, OpError> {
        match mode {
            "BRANCH_LEQ" => Ok(Rule::Leq(split)),
            "BRANCH_LT" => Ok(Rule::Lt(split)),
            "BRANCH_GTE" => Ok(Rule::Gte(split)),
            "BRANCH_GT" => Ok(Rule::Gt(split)),
            "BRANCH_EQ" => Ok(Rule::Eq(split)),
            "BRANCH_NEQ" => Ok(Rule::Neq(split)),
            other => Err(OpError::invalid(format!(
                "`nodes_modes` has `{other}`, which is not a known mode"
            ))),
        }
    }

    fn holds(&self, x: f64) -> bool {
        match self {
            Rule::Leq(split) => x <= *split,
            Rule::Lt(split) => x < *split,
            Rule::Gte(split) => x >= *split,
            Rule::Gt(split) => x > *split,
            Rule::Eq(split) => x == *split,
            Rule::Neq(split) => x != *split,
            Rule::Member(set) => set.contains(&x),
        }
    }
}

/// The child of a branch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Child {
    /// Another branch.
    Branch(usize),
    Leaf(usize),
}

/// An inner node.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// The index of the compared feature.
    pub feature: usize,
    /// The comparison.
    pub rule: Rule,
    /// Whether a NaN takes the true branch.
    pub missing_is_true: bool,
    /// The child if the rule holds.
    pub on_true: Child,
    /// The child if it does not.
    pub on_false: Child,
}

/// A weight that a leaf adds to a target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vote {
    /// The target (or class).
    pub target: usize,
    pub weight: f64,
}

/// How the votes for a target are combined to one score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aggregate {
    /// Their sum divided by the number of trees.
    Average,
    /// Their sum.
    Sum,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// Checked trees.
pub struct Forest {
    branches: Vec<Branch>,
    leaves: Vec<Vec<Vote>>,
    roots: Vec<Child>,
    targets: usize,
}

impl Forest {
    /// Checks the trees: every child and target exists, and no branch is its own descendant.
    pub fn new(
        branches: Vec<Branch>,
        leaves: Vec<Vec<Vote>>,
        roots: Vec<Child>,
        targets: usize,
    ) -> Result<Forest, OpError> {
        let children = branches
            .iter()
            .flat_map(|branch| [branch.on_true, branch.on_false]);
        for child in children.chain(roots.iter().copied()) {
            match child {
                Child::Branch(at) if at >= branches.len() => {
                    return Err(OpError::invalid(format!(
                        "a tree refers to branch {at} of {}",
                        branches.len()
                    )));
                }
                Child::Leaf(at) if at >= leaves.len() => {
                    return Err(OpError::invalid(format!(
                        "a tree refers to leaf {at} of {}",
                        leaves.len()
                    )));
                }
                _ => {}
            }
        }
        if let Some(vote) = leaves.iter().flatten().find(|vote| vote.target >= targets) {
            return Err(OpError::invalid(format!(
                "a leaf votes for target {} of {targets}",
                vote.target
            )));
        }
        let forest = Forest {
            branches,
            leaves,
            roots,
            targets,
        };
        forest.check_acyclic()?;
        Ok(forest)
    }

    /// Removes branches without remaining parents, starting with the roots. Branches that remain are on a
    /// cycle.
    fn check_acyclic(&self) -> Result<(), OpError> {
        let inner = |at: usize| {
            let branch = &self.branches[at];
            [branch.on_true, branch.on_false]
                .into_iter()
                .filter_map(|child| match child {
                    Child::Branch(below) => Some(below),
                    Child::Leaf(_) => None,
                })
        };
        let mut parents = vec![0_usize; self.branches.len()];
        (0..self.branches.len())
            .flat_map(inner)
            .for_each(|below| parents[below] += 1);
        let mut free: Vec<usize> = (0..parents.len()).filter(|&at| parents[at] == 0).collect();
        let mut removed = 0;
        while let Some(at) = free.pop() {
            removed += 1;
            for below in inner(at) {
                parents[below] -= 1;
                if parents[below] == 0 {
                    free.push(below);
                }
            }
        }
        if removed < self.branches.len() {
            return Err(OpError::invalid("a tree has a cycle"));
        }
        Ok(())
    }

    /// The scores of every row, `targets` per row. Base values (none, or one for each target) are added
    /// last.
    pub fn scores(
        &self,
        features: &Features,
        aggregate: Aggregate,
        base: &[f64],
    ) -> Result<Vec<f64>, OpError> {
        if !base.is_empty() && base.len() != self.targets {
            return Err(OpError::invalid(format!(
                "`base_values` has {} values, expected none or one for each of {} targets",
                base.len(),
                self.targets
            )));
        }
        for branch in &self.branches {
            index(
                branch.feature as i64,
                features.width,
                "an entry of `nodes_featureids`",
            )?;
        }
        let mut scores = Vec::with_capacity(features.rows.saturating_mul(self.targets));
        for row in features.iter() {
            let mut tallies = vec![Tally::default(); self.targets];
            for vote in self.roots.iter().flat_map(|&root| self.votes(root, row)) {
                tallies[vote.target].add(vote.weight);
            }
            let score = |tally: &Tally| tally.score(aggregate, self.roots.len());
            scores.extend(tallies.iter().map(score));
        }
        if !base.is_empty() {
            scores
                .iter_mut()
                .zip(base.iter().cycle())
                .for_each(|(score, base)| *score += base);
        }
        Ok(scores)
    }

    fn votes(&self, root: Child, row: &[f64]) -> &[Vote] {
        let mut at = root;
        loop {
            match at {
                Child::Leaf(leaf) => return &self.leaves[leaf],
                Child::Branch(branch) => {
                    let branch = &self.branches[branch];
                    let x = row[branch.feature];
                    let holds = if x.is_nan() {
                        branch.missing_is_true
                    } else {
                        branch.rule.holds(x)
                    };
                    at = if holds { branch.on_true } else { branch.on_false };
                }
            }
        }
    }
}

/// The accumulated votes for one target.
#[derive(Clone, Copy, Default)]
struct Tally {
    sum: CompensatedSum,
    extremes: Option<(f64, f64)>,
}

impl Tally {
    fn add(&mut self, weight: f64) {
        self.sum.add(weight);
        let (least, greatest) = self.extremes.unwrap_or((weight, weight));
        self.extremes = Some((least.min(weight), greatest.max(weight)));
    }

    fn score(&self, aggregate: Aggregate, trees: usize) -> f64 {
        let (least, greatest) = self.extremes.unwrap_or((0.0, 0.0));
        match aggregate {
            Aggregate::Sum => self.sum.finish(),
            Aggregate::Average => self.sum.finish() / trees.max(1) as f64,
            Aggregate::Min => least,
            Aggregate::Max => greatest,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Branch, Child, Forest, Rule, Vote};

    /// Worked by hand: values below, at and above the split, for every rule.
    #[test]
    fn rules() {
        let cases = [
            (Rule::Leq(1.0), [true, true, false]),
            (Rule::Lt(1.0), [true, false, false]),
            (Rule::Gte(1.0), [false, true, true]),
            (Rule::Gt(1.0), [false, false, true]),
            (Rule::Eq(1.0), [false, true, false]),
            (Rule::Neq(1.0), [true, false, true]),
            (Rule::Member(vec![2.0, 0.0]), [true, false, true]),
        ];
        for (rule, expected) in cases {
            assert_eq!([0.0, 1.0, 2.0].map(|x| rule.holds(x)), expected, "{rule:?}");
        }
    }

    #[test]
    fn malformed_trees() {
        let to = |on_true, on_false| Branch {
            feature: 0,
            rule: Rule::Leq(0.0),
            missing_is_true: false,
            on_true,
            on_false,
        };
        let leaf = Child::Leaf(0);
        let check = |branches: Vec<Branch>, target, part: &str| {
            let forest = Forest::new(
                branches,
                vec![vec![Vote { target, weight: 1.0 }]],
                vec![Child::Branch(0)],
                1,
            );
            let error = forest.err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(part), "`{error}` does not contain `{part}`");
        };
        check(vec![to(Child::Branch(0), leaf)], 0, "cycle");
        check(
            vec![to(Child::Branch(1), leaf), to(leaf, Child::Branch(0))],
            0,
            "cycle",
        );
        check(vec![to(Child::Branch(1), leaf)], 0, "branch 1 of 1");
        check(vec![to(Child::Leaf(1), leaf)], 0, "leaf 1 of 1");
        check(vec![to(leaf, leaf)], 1, "target 1 of 1");
    }
}
