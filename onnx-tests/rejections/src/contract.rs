//! Whether a backend may accept a model that violates a rule.

use onnx_checker::Rule;

/// Whether a backend may accept a model that violates a rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Contract {
    /// It must be refused: its meaning is undefined or ambiguous.
    Refused,
    /// It may be accepted: its meaning is clear, every runtime accepts it, and such models exist.
    Unpredictable,
}

impl Contract {
    /// The contract of a rule.
    pub const fn of(rule: Rule) -> Contract {
        match rule {
            // No result depends on the missing name or declaration (deviation `declarations` of the
            // reference).
            Rule::GraphName
            | Rule::NodeNameTwice
            | Rule::ValueTypeMissing
            | Rule::ValueShapeMissing
            | Rule::IrFeature
            | Rule::InitializerNotInput
            // All topological orders give the same result (deviation `node-order`).
            | Rule::NodeOrder => Contract::Unpredictable,
            Rule::IrVersion
            | Rule::ImportMissing
            | Rule::OpsetUnknown
            | Rule::ImportTwice
            | Rule::FunctionTwice
            | Rule::FunctionRecursion
            | Rule::FunctionAttributeTwice
            | Rule::ValueName
            | Rule::ValueTwice
            | Rule::ValueShadowed
            | Rule::ValueUndefined
            | Rule::OutputUndefined
            | Rule::Cycle
            | Rule::InitializerTwice
            | Rule::InitializerIsBodyInput
            | Rule::InitializerType
            | Rule::OperatorUnknown
            | Rule::OperatorDeprecated
            | Rule::InputCount
            | Rule::OutputCount
            | Rule::ParameterOmitted
            | Rule::AttributeUnknown
            | Rule::AttributeMissing
            | Rule::AttributeKind
            | Rule::AttributeTwice
            | Rule::AttributeElementType
            | Rule::ReferenceOutside
            | Rule::ReferenceUndeclared
            | Rule::BodyArity
            | Rule::TypeNotAllowed
            | Rule::TypeConflict
            | Rule::DeclaredType
            | Rule::BranchType
            | Rule::TensorData
            | Rule::ExternalData
            | Rule::SparseData
            | Rule::Format
            | Rule::TooDeep => Contract::Refused,
        }
    }
}
