//! Resolves the operator of a node to a version, by the opset imports of its model.

use std::collections::BTreeMap;
use std::fmt;

use crate::rows::canonical_domain;
use crate::schema::OperatorSchema;
use crate::table::{lookup, newest_opset};

/// Why an operator name has no version.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unresolved {
    /// The model does not import the operator's domain.
    NoImport { domain: String },
    /// The opset is newer than the newest in the table.
    UnknownOpset {
        domain: String,
        /// The opset that the model imports.
        opset: i64,
        /// The newest opset in the table.
        newest: u32,
    },
    /// No operator has this name at that opset.
    UnknownOperator {
        domain: String,
        /// The operator.
        name: String,
        /// The opset that the model imports.
        opset: i64,
    },
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = |domain: &str| {
            if domain.is_empty() {
                "ai.onnx".to_owned()
            } else {
                domain.to_owned()
            }
        };
        match self {
            Unresolved::NoImport { domain } => {
                write!(f, "domain `{}` is not among the opset imports", shown(domain))
            }
            Unresolved::UnknownOpset {
                domain,
                opset,
                newest,
            } => {
                write!(
                    f,
                    "opset {opset} of domain `{}` is not known: the newest is {newest}",
                    shown(domain)
                )
            }
            Unresolved::UnknownOperator { domain, name, opset } => {
                write!(
                    f,
                    "there is no operator `{name}` at opset {opset} of domain `{}`",
                    shown(domain)
                )
            }
        }
    }
}

impl std::error::Error for Unresolved {}

/// Returns the version of operator `name` for a model with these opset imports (`""` or `ai.onnx` is the
/// default domain).
pub fn resolve(
    imports: &BTreeMap<String, i64>,
    domain: &str,
    name: &str,
) -> Result<&'static OperatorSchema, Unresolved> {
    let domain = canonical_domain(domain);
    let Some(&opset) = imports.get(domain) else {
        return Err(Unresolved::NoImport {
            domain: domain.to_owned(),
        });
    };
    if let Some(newest) = newest_opset(domain).filter(|&newest| opset > i64::from(newest)) {
        return Err(Unresolved::UnknownOpset {
            domain: domain.to_owned(),
            opset,
            newest,
        });
    }
    let found = u32::try_from(opset)
        .ok()
        .and_then(|opset| lookup(domain, name, opset));
    found.ok_or_else(|| Unresolved::UnknownOperator {
        domain: domain.to_owned(),
        name: name.to_owned(),
        opset,
    })
}

/// The operator of a node with its version, such as `Softmax-13`; without the version if it cannot be
/// resolved.
pub fn operator_label(imports: &BTreeMap<String, i64>, domain: &str, name: &str) -> String {
    resolve(imports, domain, name).map_or_else(|_| name.to_owned(), ToString::to_string)
}

/// Writes `Softmax-13` or `ai.onnx.ml.Scaler-1`.
impl fmt::Display for OperatorSchema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.domain.is_empty() {
            write!(f, "{}.", self.domain)?;
        }
        write!(f, "{}-{}", self.name, self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(domain: &str, name: &str, expected: &str) {
        let imports = BTreeMap::from([(String::new(), 12), ("ai.onnx.ml".to_owned(), 99)]);
        let found = match resolve(&imports, domain, name) {
            Ok(schema) => schema.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn a_name_resolves_to_the_newest_version_not_above_the_import() {
        check("", "Softmax", "Softmax-11");
        check("ai.onnx", "Add", "Add-7");
        check(
            "",
            "Gelu",
            "there is no operator `Gelu` at opset 12 of domain `ai.onnx`",
        );
        check(
            "ai.onnx.ml",
            "Scaler",
            "opset 99 of domain `ai.onnx.ml` is not known: the newest is 5",
        );
        check("mine", "Scaler", "domain `mine` is not among the opset imports");
    }
}
