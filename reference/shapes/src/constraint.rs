//! Conditions on extents and elements that a run must meet.

use std::fmt;
use std::rc::Rc;

use crate::extent::{Expr, Symbols};

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

impl Constraint {
    /// The condition as text: `N >= 3`.
    pub fn text(&self, symbols: &Symbols) -> String {
        let text = |expr: &Expr| symbols.text(expr);
        match &self.relation {
            Relation::Equal(a, b) => format!("{} = {}", text(a), text(b)),
            Relation::Broadcast(a, b) => format!("{} broadcasts with {}", text(a), text(b)),
            Relation::AtLeast(a, b) => format!("{} >= {}", text(a), text(b)),
            Relation::Multiple(a, b) => format!("{} is a multiple of {}", text(a), text(b)),
            Relation::Within(value, least, end) => {
                format!("{} <= elements of `{value}` < {}", text(least), text(end))
            }
        }
    }
}

/// What is known of a model while it is walked: symbols and conditions.
#[derive(Clone, Default, Debug)]
pub(crate) struct State {
    pub symbols: Symbols,
    pub constraints: Vec<Constraint>,
    /// How many bodies enclose the node, which may not run.
    pub conditional: u32,
}

/// Further conditions are not recorded.
const MAX_CONSTRAINTS: usize = 100_000;

impl State {
    pub fn require(&mut self, cause: &Rc<str>, what: &'static str, relation: Relation) {
        if self.constraints.len() < MAX_CONSTRAINTS {
            self.constraints.push(Constraint {
                cause: Rc::clone(cause),
                what,
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
