//! The table of operators and its lookup functions.

use crate::generated::{DOMAINS, OPERATORS};
use crate::rows::{Domain, Operator, canonical_domain};
use crate::schema::OperatorSchema;

/// Returns all operator versions, sorted by domain, name (both by bytes) and since.
pub fn all() -> impl Iterator<Item = &'static OperatorSchema> {
    OPERATORS.iter().flat_map(|operator| operator.versions)
}

/// Returns all operators, sorted by domain and name (by bytes).
pub fn operators() -> &'static [Operator] {
    &OPERATORS
}

/// Returns the domains that ONNX defines, sorted by name (by bytes).
pub fn domains() -> &'static [Domain] {
    &DOMAINS
}

/// Returns the newest opset of a domain; `None` for a domain that ONNX does not define.
pub fn newest_opset(domain: &str) -> Option<u32> {
    let domain = canonical_domain(domain);
    DOMAINS
        .iter()
        .find(|known| known.name == domain)
        .map(|known| known.newest_opset)
}

/// Returns the operator of this name; `None` if ONNX does not define it.
pub fn operator(domain: &str, name: &str) -> Option<&'static Operator> {
    let key = (canonical_domain(domain), name);
    let index = OPERATORS
        .binary_search_by(|operator| (operator.domain, operator.name).cmp(&key))
        .ok()?;
    OPERATORS.get(index)
}

/// Returns all versions of an operator, oldest first; empty if ONNX does not define it.
pub fn versions(domain: &str, name: &str) -> &'static [OperatorSchema] {
    operator(domain, name).map_or(&[], |operator| operator.versions)
}

/// Returns the version of an operator that a model uses whose import of the domain is this opset: the one
/// with the greatest since that is not above it. `None` if there is no such operator, or if it is newer.
pub fn lookup(domain: &str, name: &str, opset: u32) -> Option<&'static OperatorSchema> {
    operator(domain, name)?.at(opset)
}
