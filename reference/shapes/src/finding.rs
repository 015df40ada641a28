//! Rules of shapes, and what breaks them.

use std::fmt;

use onnx_checker::NodePlace;

/// A rule of shapes. The names are stable; new rules are added.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// The extents of the inputs of a node agree as its operator requires.
    ShapeConflict,
    /// An input has a rank that its operator accepts.
    ShapeRank,
    /// An attribute, or an input that is known, fits the extents: axes, pads, lengths, indices.
    ShapeParameter,
    /// A value has the extents that the model declares for it.
    ShapeDeclared,
}

impl Rule {
    /// Every rule, in the order of their declaration.
    pub const ALL: &'static [Rule] = &[
        Rule::ShapeConflict,
        Rule::ShapeRank,
        Rule::ShapeParameter,
        Rule::ShapeDeclared,
    ];

    /// The stable name in kebab-case, for scripts.
    pub const fn name(self) -> &'static str {
        match self {
            Rule::ShapeConflict => "shape-conflict",
            Rule::ShapeRank => "shape-rank",
            Rule::ShapeParameter => "shape-parameter",
            Rule::ShapeDeclared => "shape-declared",
        }
    }

    /// The section of the specification.
    pub const fn section(self) -> &'static str {
        match self {
            Rule::ShapeConflict | Rule::ShapeRank => "Operators.md, inputs and outputs of the operator",
            Rule::ShapeParameter => "Operators.md, attributes and inputs of the operator",
            Rule::ShapeDeclared => "IR.md, Graphs (value_info), Static tensor shapes",
        }
    }
}

/// A violation of a rule of shapes.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The graph or function: `main graph`, `function local.Gelu`.
    pub graph: String,
    /// The node; `None` if the finding concerns a declaration.
    pub node: Option<NodePlace>,
    pub rule: Rule,
    /// What breaks it, with the extents of the inputs.
    pub message: String,
}

/// ``main graph: node `mm` (MatMul-13): inner extents 3 and 4 differ (inputs [2, 3], [4, 5])``.
impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.graph)?;
        if let Some(node) = &self.node {
            write!(f, "node `{}` ({}", node.label, node.operator)?;
            match node.since {
                Some(since) => write!(f, "-{since}): ")?,
                None => f.write_str("): ")?,
            }
        }
        f.write_str(&self.message)
    }
}

/// Why a rule has no result.
#[derive(Clone, Debug)]
pub(crate) enum Stop {
    /// Too little is known.
    Unknown,
    /// The node has no result for any values of its inputs.
    Broken(Rule, String),
}

/// The result of a rule.
pub(crate) type Outcome<T> = Result<T, Stop>;

/// What is known, or nothing: only a violation stops the rule.
pub(crate) fn known<T>(outcome: Outcome<T>) -> Outcome<Option<T>> {
    match outcome {
        Ok(value) => Ok(Some(value)),
        Err(Stop::Unknown) => Ok(None),
        Err(broken) => Err(broken),
    }
}

/// A violation of a rule by the extents of the inputs.
pub(crate) fn conflict<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Stop::Broken(Rule::ShapeConflict, message.into()))
}

/// A rank that an operator does not accept.
pub(crate) fn wrong_rank<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Stop::Broken(Rule::ShapeRank, message.into()))
}

/// An attribute or a known input that does not fit.
pub(crate) fn parameter<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Stop::Broken(Rule::ShapeParameter, message.into()))
}
