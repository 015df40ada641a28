//! Conditions on extents and elements that a run must meet.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::rc::Rc;

use crate::elements::Use;
use crate::extent::{Atom, Expr, Symbols};

/// A condition that the model states and that inference alone does not decide.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The node that states it: ``node `mm` (MatMul-13)``.
    pub cause: Rc<str>,
    /// What must agree: `inner extents`.
    pub what: &'static str,
    /// The condition.
    pub relation: Relation,
    /// Whether it holds in every run: a condition of a body holds only if the body runs.
    pub certain: bool,
}

/// A relation of integers.
#[derive(Clone, PartialEq, Debug)]
pub enum Relation {
    /// Both are equal.
    Equal(Expr, Expr),
    /// Both are equal, or one of them is 1.
    Broadcast(Expr, Expr),
    /// The first is at least the second.
    AtLeast(Expr, Expr),
    /// The first is a multiple of the second.
    Multiple(Expr, Expr),
    /// Every element of this value of the main graph is at least the first and below the second.
    Within(Rc<str>, Expr, Expr),
}

impl Relation {
    /// The relation with every bound symbol replaced.
    pub(crate) fn simplified(&self, symbols: &mut Symbols) -> Relation {
        let mut simple = |expr: &Expr| symbols.simplified(expr);
        match self {
            Relation::Equal(a, b) => Relation::Equal(simple(a), simple(b)),
            Relation::Broadcast(a, b) => Relation::Broadcast(simple(a), simple(b)),
            Relation::AtLeast(a, b) => Relation::AtLeast(simple(a), simple(b)),
            Relation::Multiple(a, b) => Relation::Multiple(simple(a), simple(b)),
            Relation::Within(value, least, end) => {
                Relation::Within(Rc::clone(value), simple(least), simple(end))
            }
        }
    }

    /// Whether a simplified relation holds for these values of symbols; `None` if they do not decide it.
    pub(crate) fn holds(&self, symbols: &Symbols, values: &HashMap<Atom, i64>) -> Option<bool> {
        let both = |a: &Expr, b: &Expr| Some((symbols.evaluated(a, values)?, symbols.evaluated(b, values)?));
        match self {
            Relation::Equal(a, b) => both(a, b).map(|(a, b)| a == b),
            Relation::Broadcast(a, b) => both(a, b).map(|(a, b)| a == b || a == 1 || b == 1),
            Relation::AtLeast(a, b) => both(a, b).map(|(a, b)| a >= b),
            Relation::Multiple(a, b) => {
                let (a, b) = both(a, b)?;
                Some(a.checked_rem(b).map_or(a == 0, |rest| rest == 0))
            }
            Relation::Within(..) => None,
        }
    }

    /// The two integers that it relates.
    pub(crate) fn sides(&self) -> [&Expr; 2] {
        match self {
            Relation::Equal(a, b)
            | Relation::Broadcast(a, b)
            | Relation::AtLeast(a, b)
            | Relation::Multiple(a, b)
            | Relation::Within(_, a, b) => [a, b],
        }
    }
}

impl Constraint {
    /// The condition as text: `N >= 3`.
    pub fn text(&self, symbols: &Symbols) -> String {
        let text = |expr: &Expr| symbols.text(expr);
        match &self.relation {
            Relation::Equal(a, b) => format!("{} = {}", text(a), text(b)),
            Relation::Broadcast(a, b) => format!("{} broadcasts with {}", text(a), text(b)),
            Relation::AtLeast(a, b) => match (a.shifted(), b.minus(&a.offset())) {
                (a, Some(b)) if !a.is(0) => format!("{} >= {}", text(&a), text(&b)),
                (_, Some(_)) => format!("{} <= {}", text(b), text(a)),
                _ => format!("{} >= {}", text(a), text(b)),
            },
            Relation::Multiple(a, b) => format!("{} is a multiple of {}", text(a), text(b)),
            Relation::Within(value, least, end) => {
                format!("{} <= elements of `{value}` < {}", text(least), text(end))
            }
        }
    }
}

/// What the declaration of a value says of an extent that inference leaves open.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// The value.
    pub value: Rc<str>,
    /// The extent, which is a symbol.
    pub extent: Expr,
    /// What it is declared to be.
    pub declared: i64,
    /// Whether it is one row of an output, which converters declare for any number of rows.
    pub is_batch: bool,
}

/// What is known of a model while it is walked: symbols and conditions.
#[derive(Clone, Default, Debug)]
pub(crate) struct State {
    pub symbols: Symbols,
    pub constraints: Vec<Constraint>,
    /// Conditions that usual inputs meet: no value is empty, and computed indices exist.
    pub usual: Vec<Constraint>,
    /// The extents among them, and whether they are of values that every run computes.
    seen: HashSet<(Expr, bool)>,
    /// What nodes say of the elements of inputs.
    pub uses: Vec<Use>,
    /// The extents of inputs of the main graph.
    pub inputs: HashMap<Rc<str>, Vec<Expr>>,
    /// The symbols that are extents of inputs of the main graph.
    pub given: HashSet<Atom>,
    /// The first claim of each symbol.
    pub claims: HashMap<Atom, Claim>,
    /// Whether slices are assumed to find every element that they name.
    pub assumes: bool,
    /// How many bodies enclose the node, which may not run.
    pub conditional: u32,
}

/// Further conditions are not recorded.
const MAX_CONSTRAINTS: usize = 100_000;

impl State {
    /// A value that a node gives is not empty.
    pub fn fill(&mut self, cause: &Rc<str>, extent: &Expr) {
        let extent = self.symbols.simplified(extent);
        if extent.constant().is_none() && self.seen.insert((extent.clone(), self.conditional == 0)) {
            self.prefer(
                cause,
                "an extent that is not 0",
                Relation::AtLeast(extent, 1.into()),
            );
        }
    }

    /// Notes a claim. Returns the one that contradicts it.
    pub fn claim(&mut self, claim: Claim) -> Option<&Claim> {
        let known = self
            .claims
            .entry(claim.extent.atom()?)
            .or_insert_with(|| claim.clone());
        (known.declared != claim.declared).then_some(known)
    }

    /// A condition that usual inputs meet.
    pub fn prefer(&mut self, cause: &Rc<str>, what: &'static str, relation: Relation) {
        if self.usual.len() < MAX_CONSTRAINTS {
            self.usual.push(Constraint {
                cause: Rc::clone(cause),
                what,
                relation,
                certain: self.conditional == 0,
            });
        }
    }

    pub fn require(&mut self, cause: &Rc<str>, what: &'static str, relation: Relation) {
        if self.constraints.len() < MAX_CONSTRAINTS {
            self.constraints.push(Constraint {
                cause: Rc::clone(cause),
                what: what.trim_end_matches(','),
                relation,
                certain: self.conditional == 0,
            });
        }
    }
}

/// The texts of extents: `[2, N, ?]`.
pub(crate) struct Shown<'a>(pub &'a Symbols, pub &'a [Expr]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let extents: Vec<String> = self.1.iter().map(|extent| self.0.text(extent)).collect();
        write!(f, "[{}]", extents.join(", "))
    }
}
