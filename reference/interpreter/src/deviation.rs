//! Maps findings of the checker to the [`Deviation`] under which a run tolerates them. All others are
//! rejected.

use onnx_checker::{Finding, Problem, Rule};
use onnx_operators::frame::Deviation;
use onnx_schema::OperatorSchema;

/// The deviation that covers the finding; `None` if there is none.
pub(crate) fn of(finding: &Finding) -> Option<Deviation> {
    let node = finding.node.as_ref();
    match (&finding.problem, finding.rule()) {
        (
            _,
            Rule::GraphName
            | Rule::NodeNameTwice
            | Rule::ValueTypeMissing
            | Rule::ValueShapeMissing
            | Rule::ValueTypeWrong
            | Rule::IrFeature
            | Rule::FunctionImport
            | Rule::InitializerNotInput
            | Rule::ExtentNegative
            | Rule::AttributeUntyped
            | Rule::DomainAlias
            | Rule::MetadataTwice,
        ) => Some(Deviation::Declarations),
        (Problem::OperatorOfRuntime, _) => Some(Deviation::RuntimeOperator),
        (Problem::NodeOrder { .. }, _) => Some(Deviation::NodeOrder),
        (Problem::TypeNotAllowed { what: "output", .. }, _) => node
            .filter(|node| node.operator == "Constant" && node.since == Some(1))
            .map(|_| Deviation::IntegerConstant),
        (Problem::OperatorDeprecated, _) => {
            let node = node?;
            let schema = onnx_schema::lookup("", &node.operator, node.since?)?;
            withdrawn_later(schema).then_some(Deviation::WithdrawnLater)
        }
        _ => None,
    }
}

/// Whether the version is deprecated and is the operator's first: a valid version must have existed before
/// it was withdrawn.
pub(crate) fn withdrawn_later(schema: &OperatorSchema) -> bool {
    let versions = onnx_schema::versions(schema.domain, schema.name);
    schema.deprecated && versions.first().is_some_and(|first| first.since == schema.since)
}
