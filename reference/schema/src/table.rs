//! The table of operators and its lookup functions.

use crate::contrib::{CONTRIB_DOMAIN, CONTRIB_OPSET, contrib_operator};
use crate::generated::{DOMAINS, OPERATORS};
use crate::rows::{Domain, Operator, canonical_domain};
use crate::schema::OperatorSchema;

/// Returns all operator versions of ONNX, sorted by domain, name (both by bytes) and since.
pub fn all() -> impl Iterator<Item = &'static OperatorSchema> {
    OPERATORS.iter().flat_map(|operator| operator.versions)
}

/// Returns all operators of ONNX, sorted by domain and name (by bytes).
pub fn operators() -> &'static [Operator] {
    &OPERATORS
}

/// Returns the domains that ONNX defines, sorted by name (by bytes).
pub fn domains() -> &'static [Domain] {
    &DOMAINS
}

/// Returns the newest opset of a domain of ONNX or of the contrib operators; `None` for any other domain.
pub fn newest_opset(domain: &str) -> Option<u32> {
    let domain = canonical_domain(domain);
    if domain == CONTRIB_DOMAIN {
        return Some(CONTRIB_OPSET);
    }
    DOMAINS
        .iter()
        .find(|known| known.name == domain)
        .map(|known| known.newest_opset)
}

/// Returns the operator of this name; `None` if neither ONNX nor ONNX Runtime defines it.
pub fn operator(domain: &str, name: &str) -> Option<&'static Operator> {
    let key = (canonical_domain(domain), name);
    match OPERATORS.binary_search_by(|operator| (operator.domain, operator.name).cmp(&key)) {
        Ok(index) => OPERATORS.get(index),
        Err(_) => contrib_operator(domain, name),
    }
}

/// Returns all versions of an operator, oldest first; empty if there is none of this name.
pub fn versions(domain: &str, name: &str) -> &'static [OperatorSchema] {
    operator(domain, name).map_or(&[], |operator| operator.versions)
}

/// Returns the version of an operator that a model uses whose import of the domain is this opset: the one
/// with the greatest since that is not above it. `None` if there is no such operator, or if it is newer.
/// Where ONNX has no version yet, that of ONNX Runtime is found.
pub fn lookup(domain: &str, name: &str, opset: u32) -> Option<&'static OperatorSchema> {
    let found = operator(domain, name)?.at(opset);
    found.or_else(|| contrib_operator(domain, name)?.at(opset))
}
