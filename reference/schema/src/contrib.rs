//! Operators and domains beyond ONNX.
//!
//! ONNX Runtime adds operators: in its own domain `com.microsoft`, and a few in the domain of ONNX, of which
//! SimplifiedLayerNormalization is in many models, as is a version of LayerNormalization that is older than
//! that of ONNX. Their schemas are generated from one release of it
//! ([`runtime_release`]). They are not in [`all`](crate::all), [`operators`](crate::operators) and
//! [`domains`](crate::domains), which have the operators of ONNX; [`lookup`](crate::lookup) and
//! [`resolve`](crate::resolve()) find them.

use crate::generated::contrib::{OPERATORS, RELEASE};
use crate::rows::{Operator, canonical_domain};
use crate::schema::OperatorSchema;

/// The domain of the contrib operators of ONNX Runtime.
pub const CONTRIB_DOMAIN: &str = "com.microsoft";

/// The only opset of [`CONTRIB_DOMAIN`].
pub(crate) const CONTRIB_OPSET: u32 = 1;

/// Domains whose operators have no schema here, each with the reason and what a person can do.
const FOREIGN: [(&str, &str); 4] = [
    (
        "ai.onnx.contrib",
        "it has the custom operators of onnxruntime-extensions, whose meaning no schema defines",
    ),
    (
        "com.microsoft.nchwc",
        "ONNX Runtime writes it for the blocks of channels of one machine; write the optimized model again with \
         the level `extended`, or use the original model",
    ),
    (
        "com.ms.internal.nhwc",
        "ONNX Runtime uses it between its own passes; use the original model",
    ),
    (
        "org.pytorch.aten",
        "it calls functions of PyTorch by name; export the model again without ATen operators",
    ),
];

/// Returns the release of ONNX Runtime whose contrib operators the table has.
pub fn runtime_release() -> &'static str {
    RELEASE
}

/// Returns all operator versions that ONNX Runtime adds, sorted by domain, name (both by bytes) and since.
pub fn contrib() -> impl Iterator<Item = &'static OperatorSchema> {
    OPERATORS.iter().flat_map(|operator| operator.versions)
}

/// Returns the reason why the operators of a domain have no schema; `None` for a domain of which nothing is
/// known.
pub fn foreign_domain(domain: &str) -> Option<&'static str> {
    FOREIGN
        .iter()
        .find(|(known, _)| *known == domain)
        .map(|(_, reason)| *reason)
}

/// Returns the operator of this name that ONNX Runtime adds.
pub(crate) fn contrib_operator(domain: &str, name: &str) -> Option<&'static Operator> {
    let key = (canonical_domain(domain), name);
    let index = OPERATORS
        .binary_search_by(|operator| (operator.domain, operator.name).cmp(&key))
        .ok()?;
    OPERATORS.get(index)
}

impl OperatorSchema {
    /// Whether ONNX Runtime adds this operator or this version, in its own domain or in that of ONNX.
    pub fn is_contrib(&self) -> bool {
        let added = contrib_operator(self.domain, self.name);
        added.is_some_and(|operator| operator.versions.iter().any(|row| row.since == self.since))
    }
}
