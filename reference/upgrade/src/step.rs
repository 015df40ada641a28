//! The table of steps from each version of an operator to the next.

use onnx_schema::OperatorSchema;

use crate::derive::unchanged;
use crate::rewrite::{Row, row};

/// A step from one version of an operator to the next.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The version before the step.
    pub from: &'static OperatorSchema,
    /// The version after the step.
    pub to: &'static OperatorSchema,
}

/// The conversion of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Adapter {
    /// The node does not change: the schemas differ only in types and optional parts.
    Unchanged,
    /// The node is rewritten; a description.
    Rewritten(&'static str),
    /// There is none, for this reason.
    None(String),
}

impl Step {
    /// Returns the conversion of the step.
    pub fn adapter(self) -> Adapter {
        match (row(self.to), unchanged(self.from, self.to)) {
            (Some(Row::Rewrite(_, words)), _) => Adapter::Rewritten(words),
            (Some(Row::None(reason)), _) => Adapter::None((*reason).to_owned()),
            (None, Ok(())) => Adapter::Unchanged,
            (None, Err(reason)) => Adapter::None(reason),
        }
    }
}

/// Returns every step of every operator, by domain, operator and version.
pub fn steps() -> impl Iterator<Item = Step> {
    onnx_schema::operators().iter().flat_map(|operator| {
        operator.versions.windows(2).filter_map(|pair| match pair {
            [from, to] => Some(Step { from, to }),
            _ => None,
        })
    })
}

/// Returns the step from a version; `None` for the newest one.
pub(crate) fn next(schema: &OperatorSchema) -> Option<Step> {
    let versions = onnx_schema::versions(schema.domain, schema.name);
    let mut pairs = versions.windows(2);
    pairs.find_map(|pair| match pair {
        [from, to] if from.since == schema.since => Some(Step { from, to }),
        _ => None,
    })
}
