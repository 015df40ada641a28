//! Checks trees and flattens them: every comparison becomes "at most a number".

use super::forest::{Branch, Child, Node, Rule, Vote};
use crate::error::{Problem, invalid};

/// Flattened trees.
pub struct Flat {
    /// The nodes; leaves come last.
    pub nodes: Vec<Node>,
    /// The root of each tree.
    pub roots: Vec<u32>,
    /// The number of the first leaf.
    pub first_leaf: usize,
}

/// Flattens checked trees.
pub fn flatten(branches: &[Branch], leaves: usize, roots: &[Child]) -> Result<Flat, Problem> {
    let mut flat = Flattening::default();
    for branch in branches {
        flat.branch(branch)?;
    }
    let first_leaf = flat.nodes.len();
    let end = first_leaf + leaves;
    if u32::try_from(end).is_err() {
        return invalid("the trees have too many nodes");
    }
    let number = |link: Link| match link {
        Link::Node(node) => node as u32,
        Link::Child(Child::Branch(branch)) => flat.entries[branch] as u32,
        Link::Child(Child::Leaf(leaf)) => (first_leaf + leaf) as u32,
    };
    let inner = flat.nodes.iter().map(|node| Node {
        split: node.split,
        feature: node.feature,
        next: [node.next[0], node.next[1], node.next[2], node.next[2]].map(number),
    });
    let leaf = |own| Node {
        split: 0.0,
        feature: 0,
        next: [own as u32; 4],
    };
    Ok(Flat {
        nodes: inner.chain((first_leaf..end).map(leaf)).collect(),
        roots: roots.iter().map(|&root| number(Link::Child(root))).collect(),
        first_leaf,
    })
}

/// Checks that children and targets exist and that there is no cycle.
pub fn check(
    branches: &[Branch],
    leaves: &[Vec<Vote>],
    roots: &[Child],
    targets: usize,
) -> Result<(), Problem> {
    let below = |branch: &Branch| [branch.on_true, branch.on_false];
    let mut parents = vec![0_usize; branches.len()];
    for child in branches.iter().flat_map(below).chain(roots.iter().copied()) {
        match child {
            Child::Branch(at) if at >= branches.len() => {
                return invalid(format!("a tree refers to branch {at} of {}", branches.len()));
            }
            Child::Leaf(at) if at >= leaves.len() => {
                return invalid(format!("a tree refers to leaf {at} of {}", leaves.len()));
            }
            Child::Branch(_) | Child::Leaf(_) => {}
        }
    }
    if let Some(vote) = leaves.iter().flatten().find(|vote| vote.target >= targets) {
        return invalid(format!("a leaf votes for target {} of {targets}", vote.target));
    }
    let branches_below = |branch: &Branch| {
        below(branch).into_iter().filter_map(|child| match child {
            Child::Branch(at) => Some(at),
            Child::Leaf(_) => None,
        })
    };
    branches
        .iter()
        .flat_map(branches_below)
        .for_each(|at| parents[at] += 1);
    // Branches that remain when those without parents are removed, one after the other, are on a cycle.
    let mut free: Vec<usize> = (0..branches.len()).filter(|&at| parents[at] == 0).collect();
    let mut removed = 0;
    while let Some(at) = free.pop() {
        removed += 1;
        for child in branches_below(&branches[at]) {
            parents[child] -= 1;
            if parents[child] == 0 {
                free.push(child);
            }
        }
    }
    if removed == branches.len() {
        Ok(())
    } else {
        invalid("a tree has a cycle")
    }
}

/// A link of a node before nodes are numbered.
#[derive(Clone, Copy)]
enum Link {
    Child(Child),
    /// A further node of the same branch.
    Node(usize),
}

struct Comparison {
    split: f64,
    feature: u32,
    /// Above the split, at most the split, NaN.
    next: [Link; 3],
}

#[derive(Default)]
struct Flattening {
    nodes: Vec<Comparison>,
    /// The first node of each branch.
    entries: Vec<usize>,
}

/// The links of a test of membership.
#[derive(Clone, Copy)]
struct Membership {
    feature: u32,
    member: Link,
    other: Link,
    missing: Link,
}

impl Flattening {
    fn branch(&mut self, branch: &Branch) -> Result<(), Problem> {
        let Ok(feature) = u32::try_from(branch.feature) else {
            return invalid(format!(
                "`nodes_featureids` has {}, which no X has",
                branch.feature
            ));
        };
        let [on_true, on_false] = [branch.on_true, branch.on_false].map(Link::Child);
        let missing = if branch.missing_is_true { on_true } else { on_false };
        self.entries.push(self.nodes.len());
        let is_at_most = |split: f64| (split, [on_false, on_true, missing]);
        // NaN as a split: neither x ≥ NaN nor x > NaN holds.
        let is_above = |split: f64, limit: f64| {
            if split.is_nan() {
                (f64::NAN, [on_false, on_false, missing])
            } else {
                (limit, [on_true, on_false, missing])
            }
        };
        let (split, next) = match &branch.rule {
            Rule::AtMost(split) => is_at_most(*split),
            Rule::Below(split) => is_at_most(below(*split)),
            Rule::AtLeast(split) => is_above(*split, below(*split)),
            Rule::Above(split) => is_above(*split, *split),
            Rule::Among(set) | Rule::NotAmong(set) => {
                let among = matches!(branch.rule, Rule::Among(_));
                let mut set: Vec<f64> = set.iter().copied().filter(|x| !x.is_nan()).collect();
                set.sort_unstable_by(f64::total_cmp);
                set.dedup();
                self.members(
                    &set,
                    Membership {
                        feature,
                        member: if among { on_true } else { on_false },
                        other: if among { on_false } else { on_true },
                        missing,
                    },
                );
                return Ok(());
            }
        };
        self.nodes.push(Comparison { split, feature, next });
        Ok(())
    }

    /// Adds the test whether a feature is in a sorted set, as a search tree; returns its first node.
    fn members(&mut self, set: &[f64], links: Membership) -> usize {
        let own = self.nodes.len();
        let mut add = |split: f64, next: [Link; 3]| {
            self.nodes.push(Comparison {
                split,
                feature: links.feature,
                next,
            });
        };
        match *set {
            [] => add(f64::NAN, [links.other, links.other, links.missing]),
            [value] => {
                add(value, [links.other, Link::Node(own + 1), links.missing]);
                add(below(value), [links.member, links.other, links.missing]);
            }
            _ => {
                let middle = set.len() / 2;
                add(set[middle - 1], [links.other, links.other, links.missing]);
                let lower = self.members(&set[..middle], links);
                let upper = self.members(&set[middle..], links);
                self.nodes[own].next = [Link::Node(upper), Link::Node(lower), links.missing];
            }
        }
        own
    }
}

/// Returns the greatest number below another. Nothing is at most NaN, which stands for the number below −∞.
fn below(x: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        f64::NAN
    } else {
        x.next_down()
    }
}
