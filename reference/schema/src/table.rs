//! The table of operators, and the ways into it.

use crate::generated::{DOMAINS, OPERATORS};
use crate::schema::OperatorSchema;

/// A domain and how far this table knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Domain {
    /// The name; `""` for ai.onnx.
    pub name: &'static str,
    /// The newest opset of the domain.
    pub newest_opset: u32,
}

/// An operator with all its versions.
#[derive(Clone, Copy, Debug)]
pub struct Operator {
    /// The domain; `""` for ai.onnx.
    pub domain: &'static str,
    /// The name, as in `NodeProto.op_type`.
    pub name: &'static str,
    /// The versions, oldest first; at least one.
    pub versions: &'static [OperatorSchema],
}

impl Operator {
    /// The version a model at this opset uses; `None` when the operator came later.
    pub fn at(&self, opset: u32) -> Option<&'static OperatorSchema> {
        let count = self.versions.partition_point(|version| version.since <= opset);
        self.versions.get(count.checked_sub(1)?)
    }
}

/// The domain's name as the table writes it: `ai.onnx` becomes `""`, all others stay.
pub fn canonical_domain(domain: &str) -> &str {
    if domain == "ai.onnx" { "" } else { domain }
}

/// Every operator version, sorted by domain, name (both by bytes) and since.
pub fn all() -> impl Iterator<Item = &'static OperatorSchema> {
    OPERATORS.iter().flat_map(|operator| operator.versions)
}

/// Every operator, sorted by domain and name (by bytes).
pub fn operators() -> &'static [Operator] {
    &OPERATORS
}

/// The domains that ONNX defines, sorted by name (by bytes).
pub fn domains() -> &'static [Domain] {
    &DOMAINS
}

/// The newest opset of a domain; `None` for a domain that ONNX does not define.
pub fn newest_opset(domain: &str) -> Option<u32> {
    let domain = canonical_domain(domain);
    DOMAINS
        .iter()
        .find(|known| known.name == domain)
        .map(|known| known.newest_opset)
}

/// The operator of this name; `None` when ONNX never defined it.
pub fn operator(domain: &str, name: &str) -> Option<&'static Operator> {
    let key = (canonical_domain(domain), name);
    let index = OPERATORS
        .binary_search_by(|operator| (operator.domain, operator.name).cmp(&key))
        .ok()?;
    OPERATORS.get(index)
}

/// All versions of an operator, oldest first; none when ONNX never defined it.
pub fn versions(domain: &str, name: &str) -> &'static [OperatorSchema] {
    operator(domain, name).map_or(&[], |operator| operator.versions)
}

/// The version of an operator that a model uses which imports the domain at this opset: the one with the
/// greatest since that is not above it. `None` when there is no such operator, or not yet.
pub fn lookup(domain: &str, name: &str, opset: u32) -> Option<&'static OperatorSchema> {
    operator(domain, name)?.at(opset)
}
