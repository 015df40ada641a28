//! Variants: cases in a form that must not change the answer.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CaseId;

/// The separator between the name of a case and the form of a variant: `test_abs~function`.
pub const VARIANT_MARK: char = '~';

/// How a variant differs from the plain case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum VariantKind {
    /// Inputs are initializers, or initializers are inputs.
    Initializers,
    /// Extents are symbolic or unknown.
    Shapes,
    /// Outputs are omitted.
    Outputs,
    /// The nodes are in the branches of an If.
    Branch,
    /// The nodes are in a function local to the model.
    Function,
    /// An Identity follows each input, or precedes each output.
    Identity,
    /// An output of one element gets one more axis.
    Reshape,
}

impl VariantKind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 7] = [
        Self::Initializers,
        Self::Shapes,
        Self::Outputs,
        Self::Branch,
        Self::Function,
        Self::Identity,
        Self::Reshape,
    ];

    /// The stable key, which is the prefix of a variant's form: `initializers` for `initializers-all`.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Initializers => "initializers",
            Self::Shapes => "shapes",
            Self::Outputs => "outputs",
            Self::Branch => "branch",
            Self::Function => "function",
            Self::Identity => "identity",
            Self::Reshape => "reshape",
        }
    }

    /// The kind with this key.
    pub fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// The kind whose key is the prefix of the form.
    fn of_form(form: &str) -> Option<Self> {
        Self::of_key(form.split_once('-').map_or(form, |(kind, _)| kind))
    }
}

/// The parts of a variant's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VariantId<'a> {
    /// The id of the plain case.
    pub plain: &'a str,
    /// The kind.
    pub kind: VariantKind,
    /// The form, which starts with the key of the kind: `initializers-all`.
    pub form: &'a str,
}

impl<'a> VariantId<'a> {
    /// Parses the id of a variant; `None` for a plain case.
    pub fn parse(case: &'a str) -> Option<Self> {
        let (plain, form) = case.rsplit_once(VARIANT_MARK)?;
        let kind = VariantKind::of_form(form)?;
        (!CaseId::parse(plain).name.is_empty()).then_some(Self { plain, kind, form })
    }
}

/// The number of variants of one kind in a run, and why the kind does not apply to cases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct VariantPlan {
    /// The kind.
    pub kind: VariantKind,
    /// The number of variants of it on each backend.
    pub variants: u64,
    /// Why forms of it do not apply: the number of cases for each reason.
    pub not_applicable: std::collections::BTreeMap<String, u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_variants_differ_from_plain_ones() {
        let check = |id: &str, expected: Option<(&str, VariantKind, &str)>| {
            let found = VariantId::parse(id).map(|variant| (variant.plain, variant.kind, variant.form));
            assert_eq!(found, expected, "{id}");
        };
        let plain = "onnx-1.22.0/node/test_abs";
        check(plain, None);
        check(
            "onnx-1.22.0/node/test_abs~function",
            Some((plain, VariantKind::Function, "function")),
        );
        check(
            "onnx-1.22.0/node/test_abs~initializers-0",
            Some((plain, VariantKind::Initializers, "initializers-0")),
        );
        check("local/a/b~c", None);
        check(
            "local/a/b~c~shapes-unknown",
            Some(("local/a/b~c", VariantKind::Shapes, "shapes-unknown")),
        );
        check("local/a/~function", None);
    }

    #[test]
    fn every_kind_has_a_unique_key() {
        for kind in VariantKind::ALL {
            assert_eq!(VariantKind::of_key(kind.key()), Some(kind));
        }
        assert_eq!(VariantKind::of_key("odd"), None);
    }
}
