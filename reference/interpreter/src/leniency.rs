//! Breaches of the specification that the interpreter runs in spite of, by name.
//!
//! `onnx-checker` reports each of them; here stands only what a run tolerates, and why. Everything else is refused.

use onnx_checker::{Finding, Problem, Rule};
use onnx_schema::OperatorSchema;

/// A breach that a run tolerates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leniency {
    /// A name or a declaration is missing on which no result depends: `graph-name`, `node-name-twice`, `value-type-missing`,
    /// `value-shape-missing`, `ir-feature`.
    Declarations,
    /// Constant-1 gives integers, though that version knows floats only. The PyTorch exporters whose models stand in the
    /// official data of onnx 1.2.1 to 1.10.2 (`test_operator_repeat`, `test_PixelShuffle`, …) wrote shapes so.
    IntegerConstant,
    /// An operator that a later release withdrew as if it had never been: GroupNormalization-18, which onnx 1.13 to 1.20 hold
    /// valid and test (`test_group_normalization_example`).
    WithdrawnLater,
}

impl Leniency {
    /// What makes a run tolerate the finding; `None` if nothing does.
    pub fn towards(finding: &Finding) -> Option<Leniency> {
        let node = finding.node.as_ref();
        match (&finding.problem, finding.rule()) {
            (
                _,
                Rule::GraphName
                | Rule::NodeNameTwice
                | Rule::ValueTypeMissing
                | Rule::ValueShapeMissing
                | Rule::IrFeature,
            ) => Some(Leniency::Declarations),
            (Problem::TypeNotAllowed { what: "output", .. }, _) => node
                .filter(|node| node.operator == "Constant" && node.since == Some(1))
                .map(|_| Leniency::IntegerConstant),
            (Problem::OperatorDeprecated, _) => {
                let node = node?;
                let schema = onnx_schema::lookup("", &node.operator, node.since?)?;
                withdrawn_later(schema).then_some(Leniency::WithdrawnLater)
            }
            _ => None,
        }
    }
}

/// Whether a version is deprecated that was the operator's first: something must have been valid to be withdrawn.
pub(crate) fn withdrawn_later(schema: &OperatorSchema) -> bool {
    let versions = onnx_schema::versions(schema.domain, schema.name);
    schema.deprecated && versions.first().is_some_and(|first| first.since == schema.since)
}
