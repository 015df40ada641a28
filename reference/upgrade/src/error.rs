//! Errors of a conversion.

use std::fmt;

/// A node for which a version step has no exact adapter.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The graph or function, as a finding of `onnx-checker` names it.
    pub graph: String,
    /// The name of the node, or its first output if it has no name.
    pub node: String,
    /// The operator with its version: `Upsample-9`.
    pub operator: String,
    /// The since-version of the step that has no adapter.
    pub to: u32,
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal {
            graph,
            node,
            operator,
            to,
            reason,
        } = self;
        write!(f, "{graph}: node `{node}` ({operator}) to version {to}: {reason}")
    }
}

/// An error of a conversion.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum UpgradeError {
    /// The target is older than the opset that the model imports.
    #[error(
        "{place} imports opset {from} of domain `{domain}`, and the target is {to}: models are converted to newer opsets only"
    )]
    Downgrade {
        /// `the model`, or a function.
        place: String,
        domain: String,
        /// The opset that is imported.
        from: i64,
        /// The target.
        to: u32,
    },
    /// The model does not import the domain.
    #[error("the model does not import domain `{domain}`")]
    NotImported { domain: String },
    /// The target does not exist.
    #[error("opset {to} of domain `{domain}` does not exist: the newest is {newest}")]
    UnknownOpset {
        domain: String,
        /// The target.
        to: u32,
        /// The newest opset.
        newest: u32,
    },
    /// ONNX does not define the domain.
    #[error("domain `{domain}` is not one of ONNX: its operators have no version table")]
    UnknownDomain { domain: String },
    /// Some nodes have no exact adapter.
    #[error("{} no exact adapter: {}", counted(.0.len()), first(.0))]
    NoAdapter(Vec<Refusal>),
    /// The converted model violates a rule that the original satisfies.
    #[error("the converted model breaks the specification: {0}")]
    Broken(String),
}

fn counted(count: usize) -> String {
    match count {
        1 => "1 node has".to_owned(),
        count => format!("{count} nodes have"),
    }
}

fn first(refusals: &[Refusal]) -> String {
    refusals.first().map_or_else(String::new, ToString::to_string)
}
