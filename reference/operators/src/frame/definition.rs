//! The declaration of an operator: its name and a row for every version of its schema.

use super::{Call, OpError, Outputs};

/// A function that evaluates one version.
pub type Eval = fn(&Call<'_>) -> Result<Outputs, OpError>;

/// An operator with all its versions.
#[derive(Clone, Copy, Debug)]
pub struct OpDef {
    /// Its domain; `""` is `ai.onnx`.
    pub domain: &'static str,
    pub name: &'static str,
    /// One row per version of the schema, oldest first.
    pub versions: &'static [Version],
}

/// One version of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Version {
    /// The opset that introduced it (`since_version`).
    pub since: u32,
    /// How it differs from the row above it.
    pub change: Change,
    /// The function that evaluates it.
    pub eval: Eval,
}

/// How a version differs from the one before it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// The operator has no earlier version.
    First,
    /// The same inputs can have other outputs, or inputs and attributes changed.
    Semantics,
    /// Only the type sets changed: the same function evaluates both versions.
    TypesOnly,
    /// Only the text changed, or nothing visible.
    Wording,
}

/// An operator of `ai.onnx`.
pub const fn op(name: &'static str, versions: &'static [Version]) -> OpDef {
    op_in("", name, versions)
}

/// An operator of another domain.
pub const fn op_in(domain: &'static str, name: &'static str, versions: &'static [Version]) -> OpDef {
    OpDef {
        domain,
        name,
        versions,
    }
}

/// An operator that ONNX Runtime adds in its own domain. Each has one version.
pub const fn contrib(name: &'static str, versions: &'static [Version]) -> OpDef {
    op_in(onnx_schema::CONTRIB_DOMAIN, name, versions)
}

/// A row of the version table.
pub const fn v(since: u32, change: Change, eval: Eval) -> Version {
    Version { since, change, eval }
}
