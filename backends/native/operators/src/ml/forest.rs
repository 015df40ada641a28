//! Decision trees, flattened for many rows at once.
//!
//! Every comparison becomes "at most a number", whose two results and NaN are three links to other nodes: a
//! step has no branch, and the steps of several rows overlap. Comparisons are exact in f64. Votes are summed
//! with their rounding errors.

use onnx_tensor::element::CompensatedSum;
use onnx_tensor::{Accumulator, Tensor};

use super::features::{Features, check_scores};
use super::flatten::{Flat, check, flatten};
use crate::error::{Problem, invalid};
use crate::numbers::floats;
use crate::size::has_room;

/// The comparison at a branch.
#[derive(Clone, PartialEq, Debug)]
pub enum Rule {
    /// x ≤ split.
    AtMost(f64),
    /// x < split.
    Below(f64),
    /// x ≥ split.
    AtLeast(f64),
    /// x > split.
    Above(f64),
    /// x is one of these.
    Among(Vec<f64>),
    /// x is none of these.
    NotAmong(Vec<f64>),
}

/// A node that a branch leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Child {
    /// Another branch.
    Branch(usize),
    Leaf(usize),
}

/// An inner node of a tree.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// The feature that is compared.
    pub feature: usize,
    /// The comparison.
    pub rule: Rule,
    /// Whether NaN takes the true branch.
    pub missing_is_true: bool,
    /// The child if the rule holds.
    pub on_true: Child,
    /// The child if it does not.
    pub on_false: Child,
}

/// What a leaf adds to a target.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vote {
    /// The target, or class.
    pub target: usize,
    pub weight: f64,
}

/// How the votes for a target become a score.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aggregate {
    /// Their sum divided by the number of trees.
    Average,
    /// Their sum.
    Sum,
    /// The least; 0 without votes.
    Min,
    /// The greatest; 0 without votes.
    Max,
}

/// A flattened node: the next one is `next[1]` if the feature is at most the split, `next[2]` if it is NaN,
/// else `next[0]`. A leaf leads to itself.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub split: f64,
    pub feature: u32,
    pub next: [u32; 4],
}

impl Node {
    #[inline(always)]
    fn follow(&self, row: &[f64]) -> u32 {
        let x = row[self.feature as usize];
        self.next[usize::from(x <= self.split) + 2 * usize::from(x.is_nan())]
    }
}

/// Checked trees.
pub struct Forest {
    nodes: Vec<Node>,
    roots: Vec<u32>,
    /// The number of the first node that is a leaf.
    first_leaf: usize,
    /// The range of the votes of each leaf: the start, and the end at the next leaf.
    starts: Vec<u32>,
    votes: Vec<Vote>,
    /// One more than the greatest feature that is compared.
    width: usize,
    targets: usize,
}

/// The number of rows that walk down a tree together.
const TOGETHER: usize = 8;

/// The least and the greatest number of rows that meet a tree while it is in the L1 cache.
const BLOCK: [usize; 2] = [64, 1024];

/// The number of features of these rows that fit into the L2 cache.
const FEATURES: usize = 1 << 15;

/// The number of tallies of a block of rows, if it has several rows.
const TALLIES: usize = 1 << 14;

impl Forest {
    /// Checks trees: every child and target exists, and no branch is below itself.
    pub fn new(
        branches: &[Branch],
        leaves: &[Vec<Vote>],
        roots: &[Child],
        targets: usize,
    ) -> Result<Forest, Problem> {
        check(branches, leaves, roots, targets)?;
        let Flat {
            nodes,
            roots,
            first_leaf,
        } = flatten(branches, leaves.len(), roots)?;
        let mut starts = vec![0];
        let mut votes = Vec::new();
        for leaf in leaves {
            votes.extend_from_slice(leaf);
            starts.push(u32::try_from(votes.len()).map_err(|_| too_many_votes())?);
        }
        Ok(Forest {
            nodes,
            roots,
            first_leaf,
            starts,
            votes,
            width: branches
                .iter()
                .map(|branch| branch.feature + 1)
                .max()
                .unwrap_or(1),
            targets,
        })
    }

    /// Returns the scores of every row, one for each target. Base values (none, or one for each target) are
    /// added last.
    pub fn scores(
        &self,
        features: &Features,
        aggregate: Aggregate,
        base: &[f64],
    ) -> Result<Vec<f64>, Problem> {
        if !base.is_empty() && base.len() != self.targets {
            return invalid(format!(
                "expected no `base_values` or one for each of {} targets, got {}",
                self.targets,
                base.len()
            ));
        }
        if self.width > features.width {
            return invalid(format!(
                "`nodes_featureids` has {}, but X has {} features",
                self.width - 1,
                features.width
            ));
        }
        check_scores(features.rows, self.targets)?;
        let mut scores = match aggregate {
            Aggregate::Average => {
                self.tally::<Sum>(features, |sum| sum.0.to_f64() / self.roots.len().max(1) as f64)?
            }
            Aggregate::Sum => self.tally::<Sum>(features, |sum| sum.0.to_f64())?,
            Aggregate::Min => {
                self.tally::<Extremes>(features, |found| found.0.map_or(0.0, |(least, _)| least))?
            }
            Aggregate::Max => {
                self.tally::<Extremes>(features, |found| found.0.map_or(0.0, |(_, greatest)| greatest))?
            }
        };
        if !base.is_empty() {
            let pairs = scores.iter_mut().zip(base.iter().cycle());
            pairs.for_each(|(score, base)| *score += base);
        }
        Ok(scores)
    }

    fn tally<T: Tally>(&self, features: &Features, score: impl Fn(T) -> f64) -> Result<Vec<f64>, Problem> {
        let cached = (FEATURES / features.width.max(1)).clamp(BLOCK[0], BLOCK[1]);
        let block = (TALLIES / self.targets).min(cached).min(features.rows).max(1);
        has_room(block.saturating_mul(self.targets))?;
        let mut scores = Vec::with_capacity(features.rows * self.targets);
        let mut tallies = vec![T::default(); block * self.targets];
        for start in (0..features.rows).step_by(block) {
            let rows = start..(start + block).min(features.rows);
            tallies.fill(T::default());
            for &root in &self.roots {
                for first in rows.clone().step_by(TOGETHER) {
                    let count = TOGETHER.min(rows.end - first);
                    // Lanes without a row of their own walk with the last one.
                    let lanes = std::array::from_fn(|lane| features.row(first + lane.min(count - 1)));
                    let leaves = self.walk(root, lanes);
                    for (lane, &leaf) in leaves[..count].iter().enumerate() {
                        let own = &mut tallies[(first + lane - start) * self.targets..];
                        self.votes_of(leaf)
                            .iter()
                            .for_each(|vote| own[vote.target].add(vote.weight));
                    }
                }
            }
            scores.extend(
                tallies[..rows.len() * self.targets]
                    .iter()
                    .map(|&tally| score(tally)),
            );
        }
        Ok(scores)
    }

    /// Returns the leaf of each row in a tree.
    #[inline]
    fn walk(&self, root: u32, rows: [&[f64]; TOGETHER]) -> [u32; TOGETHER] {
        let mut at = [root; TOGETHER];
        loop {
            let mut moved = false;
            for lane in 0..TOGETHER {
                let next = self.nodes[at[lane] as usize].follow(rows[lane]);
                moved |= next != at[lane];
                at[lane] = next;
            }
            if !moved {
                return at;
            }
        }
    }

    fn votes_of(&self, node: u32) -> &[Vote] {
        let leaf = node as usize - self.first_leaf;
        &self.votes[self.starts[leaf] as usize..self.starts[leaf + 1] as usize]
    }
}

fn too_many_votes() -> Problem {
    Problem::Invalid("the trees have too many votes".to_owned())
}

/// The votes for one target.
trait Tally: Copy + Default {
    fn add(&mut self, weight: f64);
}

#[derive(Clone, Copy, Default)]
struct Sum(CompensatedSum);

impl Tally for Sum {
    #[inline(always)]
    fn add(&mut self, weight: f64) {
        self.0.add(weight);
    }
}

/// The least and the greatest weight.
#[derive(Clone, Copy, Default)]
struct Extremes(Option<(f64, f64)>);

impl Tally for Extremes {
    #[inline(always)]
    fn add(&mut self, weight: f64) {
        let (least, greatest) = self.0.unwrap_or((weight, weight));
        self.0 = Some((least.min(weight), greatest.max(weight)));
    }
}

/// Returns the elements of a tensor of floats.
pub fn doubles(tensor: Option<&Tensor>) -> Result<Vec<f64>, Problem> {
    tensor.map_or(Ok(Vec::new()), floats)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Tensor, Value};

    use super::super::features::Features;
    use super::{Aggregate, Branch, Child, Forest, Rule, Vote};
    use crate::Call;
    use crate::attributes::Attributes;

    const NUMBERS: [f64; 9] = [
        f64::NEG_INFINITY,
        -1.0,
        -0.0,
        0.0,
        f64::MIN_POSITIVE,
        0.5,
        1.0,
        f64::INFINITY,
        f64::NAN,
    ];

    /// Numbers that only look random.
    struct Draw(u64);

    impl Draw {
        fn below(&mut self, count: usize) -> usize {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % count
        }

        fn number(&mut self) -> f64 {
            NUMBERS[self.below(NUMBERS.len())]
        }

        fn rule(&mut self) -> Rule {
            let set = (0..self.below(6)).map(|_| self.number()).collect();
            match self.below(6) {
                0 => Rule::AtMost(self.number()),
                1 => Rule::Below(self.number()),
                2 => Rule::AtLeast(self.number()),
                3 => Rule::Above(self.number()),
                4 => Rule::Among(set),
                _ => Rule::NotAmong(set),
            }
        }

        /// A branch whose children are later branches, or leaves.
        fn branch(&mut self, own: usize, branches: usize, leaves: usize, width: usize) -> Branch {
            let mut child = || {
                if own + 1 < branches && self.below(2) == 0 {
                    Child::Branch(own + 1 + self.below(branches - own - 1))
                } else {
                    Child::Leaf(self.below(leaves))
                }
            };
            let (on_true, on_false) = (child(), child());
            Branch {
                feature: self.below(width),
                rule: self.rule(),
                missing_is_true: self.below(2) == 0,
                on_true,
                on_false,
            }
        }
    }

    /// The leaf of a row by the definition of the rules.
    fn leaf(branches: &[Branch], row: &[f64]) -> usize {
        let mut at = Child::Branch(0);
        while let Child::Branch(branch) = at {
            let branch = &branches[branch];
            let x = row[branch.feature];
            let holds = match &branch.rule {
                _ if x.is_nan() => branch.missing_is_true,
                Rule::AtMost(split) => x <= *split,
                Rule::Below(split) => x < *split,
                Rule::AtLeast(split) => x >= *split,
                Rule::Above(split) => x > *split,
                Rule::Among(set) => set.contains(&x),
                Rule::NotAmong(set) => !set.contains(&x),
            };
            at = if holds { branch.on_true } else { branch.on_false };
        }
        match at {
            Child::Leaf(leaf) => leaf,
            Child::Branch(_) => unreachable!("the loop ends at a leaf"),
        }
    }

    fn features(rows: usize, width: usize, values: Vec<f64>) -> Features {
        let x = Value::Tensor(Tensor::new(&[rows, width], values).expect("rows of features"));
        let attributes = Attributes::default();
        let call = Call {
            since: 1,
            attributes: &attributes,
            inputs: &[Some(&x)],
            outputs: 1,
        };
        Features::read(&call).expect("features are read")
    }

    /// Trees with every rule, splits and features that are infinite, zero or NaN, against walks by
    /// the definition.
    #[test]
    fn flattened_trees_are_those_of_the_definition() {
        let mut draw = Draw(7);
        for round in 0..300 {
            let (count, leaves, width, rows) = (
                1 + draw.below(9),
                1 + draw.below(5),
                1 + draw.below(4),
                [draw.below(90), 2100][usize::from(round % 50 == 0)],
            );
            let branches: Vec<Branch> = (0..count)
                .map(|own| draw.branch(own, count, leaves, width))
                .collect();
            // Each leaf votes for a target of its own.
            let votes: Vec<Vec<Vote>> = (0..leaves)
                .map(|target| vec![Vote { target, weight: 1.0 }])
                .collect();
            let width = branches
                .iter()
                .map(|branch| branch.feature + 1)
                .max()
                .unwrap_or(1);
            let x = features(rows, width, (0..rows * width).map(|_| draw.number()).collect());
            let forest = Forest::new(&branches, &votes, &[Child::Branch(0)], leaves).expect("a tree");
            let scores = forest.scores(&x, Aggregate::Sum, &[]).expect("scores");
            for (row, scores) in x.iter().zip(scores.chunks_exact(leaves)) {
                let expected = leaf(&branches, row);
                let found = scores.iter().position(|&score| score == 1.0);
                assert_eq!(found, Some(expected), "{row:?} in {branches:?}");
                assert_eq!(scores.iter().sum::<f64>(), 1.0);
            }
        }
    }

    #[test]
    fn malformed_trees_are_refused() {
        let to = |on_true, on_false| Branch {
            feature: 0,
            rule: Rule::AtMost(0.0),
            missing_is_true: false,
            on_true,
            on_false,
        };
        let leaf = Child::Leaf(0);
        for (branches, target, part) in [
            (vec![to(Child::Branch(0), leaf)], 0, "cycle"),
            (
                vec![to(Child::Branch(1), leaf), to(leaf, Child::Branch(0))],
                0,
                "cycle",
            ),
            (vec![to(Child::Branch(1), leaf)], 0, "branch 1 of 1"),
            (vec![to(Child::Leaf(1), leaf)], 0, "leaf 1 of 1"),
            (vec![to(leaf, leaf)], 1, "target 1 of 1"),
        ] {
            let votes = [vec![Vote { target, weight: 1.0 }]];
            let error = Forest::new(&branches, &votes, &[Child::Branch(0)], 1).err();
            let error = error.map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(part), "`{error}` does not contain `{part}`");
        }
    }
}
