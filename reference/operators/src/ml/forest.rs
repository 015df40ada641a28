//! Decision trees: what TreeEnsemble, TreeEnsembleRegressor and TreeEnsembleClassifier share.
//!
//! A forest is checked when it is made: children and targets exist and no path comes back to itself, so that a walk ends.
//! Comparisons are exact, in f64. Votes are summed in double-double and rounded once when the scores leave the operator.
//!
//! Readings: a NaN takes the branch of `nodes_missing_value_tracks_true` whatever the comparison (the text; ONNX Runtime
//! lets NaN satisfy BRANCH_NEQ); AVERAGE divides by the number of trees; a target for which no tree voted has 0 under MIN
//! and MAX too, before base values (ONNX Runtime, but for the base values, which it leaves out there).

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
    /// x is one of these.
    Member(Vec<f64>),
}

impl Rule {
    /// The rule of a name such as `BRANCH_LEQ`.
    pub fn named(mode: &str, split: f64) -> Result<Rule, OpError> {
        match mode {
            "BRANCH_LEQ" => Ok(Rule::Leq(split)),
            "BRANCH_LT" => Ok(Rule::Lt(split)),
            "BRANCH_GTE" => Ok(Rule::Gte(split)),
            "BRANCH_GT" => Ok(Rule::Gt(split)),
            "BRANCH_EQ" => Ok(Rule::Eq(split)),
            "BRANCH_NEQ" => Ok(Rule::Neq(split)),
            other => Err(OpError::invalid(format!(
                "`nodes_modes` has `{other}`, which names no mode"
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

/// Where a branch leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Child {
    /// To another branch.
    Branch(usize),
    /// To a leaf.
    Leaf(usize),
}

/// An inner node.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// Which feature is compared.
    pub feature: usize,
    /// How.
    pub rule: Rule,
    /// Whether a NaN takes the true branch.
    pub missing_is_true: bool,
    /// Where to, if the rule holds.
    pub on_true: Child,
    /// Where to, if not.
    pub on_false: Child,
}

/// What a leaf adds to a target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vote {
    /// Which target (or class).
    pub target: usize,
    /// How much.
    pub weight: f64,
}

/// How the votes for a target become one score.
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

/// Trees that were checked.
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
                        "a tree leads to branch {at} of {}",
                        branches.len()
                    )));
                }
                Child::Leaf(at) if at >= leaves.len() => {
                    return Err(OpError::invalid(format!(
                        "a tree leads to leaf {at} of {}",
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

    /// Takes branches away whose parents are all gone, beginning with those that have none: what is left is a cycle.
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
        let mut taken = 0;
        while let Some(at) = free.pop() {
            taken += 1;
            for below in inner(at) {
                parents[below] -= 1;
                if parents[below] == 0 {
                    free.push(below);
                }
            }
        }
        if taken < self.branches.len() {
            return Err(OpError::invalid("a branch of a tree leads back to itself"));
        }
        Ok(())
    }

    /// The scores of every row, `targets` to a row, base values (none, or one for each target) added last.
    pub fn scores(
        &self,
        features: &Features,
        aggregate: Aggregate,
        base: &[f64],
    ) -> Result<Vec<f64>, OpError> {
        if !base.is_empty() && base.len() != self.targets {
            return Err(OpError::invalid(format!(
                "`base_values` has {} values, it must have none or one for each of {} targets",
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

/// The votes for one target.
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

    /// Worked by hand: three values on either side of, and on, the split, for every rule.
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
            assert!(error.contains(part), "`{error}` is not about `{part}`");
        };
        check(vec![to(Child::Branch(0), leaf)], 0, "back to itself");
        check(
            vec![to(Child::Branch(1), leaf), to(leaf, Child::Branch(0))],
            0,
            "back to itself",
        );
        check(vec![to(Child::Branch(1), leaf)], 0, "branch 1 of 1");
        check(vec![to(Child::Leaf(1), leaf)], 0, "leaf 1 of 1");
        check(vec![to(leaf, leaf)], 1, "target 1 of 1");
    }
}
