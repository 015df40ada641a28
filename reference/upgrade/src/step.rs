//! The table of steps: from each version of an operator to the next.

use onnx_schema::OperatorSchema;

use crate::derive::unchanged;
use crate::rewrite::{Row, row};

/// From one version of an operator to the next.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// The version that a node has.
    pub from: &'static OperatorSchema,
    /// The next version.
    pub to: &'static OperatorSchema,
}

/// How a step is converted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Adapter {
    /// The meaning of a node stays: the schemas differ in types and optional parts only.
    Unchanged,
    /// The node is rewritten; in words.
    Rewritten(&'static str),
    /// There is none; why.
    None(String),
}

impl Step {
    /// How the step is converted.
    pub fn adapter(self) -> Adapter {
        match (row(self.to), unchanged(self.from, self.to)) {
            (Some(Row::Rewrite(_, words)), _) => Adapter::Rewritten(words),
            (Some(Row::None(reason)), _) => Adapter::None((*reason).to_owned()),
            (None, Ok(())) => Adapter::Unchanged,
            (None, Err(reason)) => Adapter::None(reason),
        }
    }
}

/// Every step of every operator, by domain, operator and version.
pub fn steps() -> impl Iterator<Item = Step> {
    onnx_schema::operators().iter().flat_map(|operator| {
        operator.versions.windows(2).filter_map(|pair| match pair {
            [from, to] => Some(Step { from, to }),
            _ => None,
        })
    })
}

/// The step that leads on from a version; none from the newest.
pub(crate) fn next(schema: &OperatorSchema) -> Option<Step> {
    let versions = onnx_schema::versions(schema.domain, schema.name);
    let mut pairs = versions.windows(2);
    pairs.find_map(|pair| match pair {
        [from, to] if from.since == schema.since => Some(Step { from, to }),
        _ => None,
    })
}
