//! Violations with their messages.

use onnx_model::ModelError;

use crate::decode;
use crate::rule::Rule;

/// A violation of a rule, with the details to correct it.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    #[error("ir_version {found} is unknown: expected 1 to {newest}")]
    IrVersion { found: i64, newest: u32 },
    #[error("{feature} requires IR version {needs}, but the model has {found}")]
    IrFeature {
        feature: &'static str,
        needs: i64,
        found: i64,
    },
    #[error("domain `{domain}` is not among the opset imports")]
    ImportMissing { domain: String },
    #[error("opset {opset} of domain `{domain}` is unknown: expected 1 to {newest}")]
    OpsetUnknown { domain: String, opset: i64, newest: u32 },

    #[error("function {index} has no name, so that no node can call it")]
    FunctionName { index: usize },
    #[error(
        "it is version {here} by the imports of the function, but {} by those of the model: import the same opset in both",
        .model.map_or_else(|| "unknown".to_owned(), |since| since.to_string())
    )]
    FunctionImport { here: u32, model: Option<u32> },
    #[error("two functions are named `{function}`; calls use the first")]
    FunctionTwice { function: String },
    #[error("functions call each other recursively: {}", .functions.join(" → "))]
    FunctionRecursion { functions: Vec<String> },
    #[error("attribute `{name}` is declared twice")]
    FunctionAttributeTwice { name: String },
    #[error("output {index} is `{name}`, which is already output {first}")]
    FunctionOutputTwice {
        name: String,
        first: usize,
        index: usize,
    },

    #[error("the graph has no name")]
    GraphName,
    #[error("{what} {index} has no name")]
    ValueName { what: &'static str, index: usize },
    #[error("{what} `{name}` declares no type")]
    ValueTypeMissing { what: &'static str, name: String },
    #[error("{what} `{name}` declares no shape, not even a rank")]
    ValueShapeMissing { what: &'static str, name: String },
    #[error("value `{name}` is defined twice: as {first} and as {second}")]
    ValueTwice {
        name: String,
        first: &'static str,
        second: &'static str,
    },
    #[error("output `{name}` has the name of a value of an enclosing graph")]
    ValueShadowed { name: String },
    #[error("input {index} reads `{name}`, which is not defined")]
    ValueUndefined { index: usize, name: String },
    #[error("graph output `{name}` is not defined in this graph{}", if *.enclosing { ": it is a value of an enclosing graph" } else { "" })]
    OutputUndefined { name: String, enclosing: bool },
    #[error("input {index} reads `{name}`, which a later node `{producer}` defines")]
    NodeOrder {
        index: usize,
        name: String,
        producer: String,
    },
    #[error("nodes depend on each other in a cycle: {}", .nodes.join(", "))]
    Cycle { nodes: Vec<String> },
    #[error("another node of this graph is also named `{name}`")]
    NodeNameTwice { name: String },

    #[error("two initializers are named `{name}`")]
    InitializerTwice { name: String },
    #[error("initializer `{name}` is not a graph input, which IR version {ir_version} requires")]
    InitializerNotInput { name: String, ir_version: i64 },
    #[error("initializer `{name}` of a body is also one of its inputs")]
    InitializerIsBodyInput { name: String },
    #[error("initializer `{name}` is {found}, but the input of this name is {declared}")]
    InitializerType {
        name: String,
        found: String,
        declared: String,
    },

    #[error("there is no operator `{name}` at opset {opset} of domain `{domain}`")]
    OperatorUnknown {
        domain: String,
        name: String,
        opset: i64,
    },
    #[error("the node names no operator")]
    OperatorUnnamed,
    #[error(
        "the model has no function `{function}` with the overload `{overload}`, which only a function has"
    )]
    OverloadUnknown { function: String, overload: String },
    #[error("deprecated at this version: models of this opset cannot use it")]
    OperatorDeprecated,
    #[error("ONNX has no operator of this name; ONNX Runtime adds it to the domain of ONNX")]
    OperatorOfRuntime,
    #[error("{found} inputs, but {} allowed", Range(*.least, *.most))]
    InputCount { found: usize, least: usize, most: usize },
    #[error("{found} outputs, but {} allowed", Range(*.least, *.most))]
    OutputCount { found: usize, least: usize, most: usize },
    #[error("{what} {index} (`{name}`) has an empty name, but is not optional")]
    ParameterOmitted {
        what: &'static str,
        index: usize,
        name: String,
    },
    #[error("this version has no attribute `{name}`")]
    AttributeUnknown { name: String },
    #[error("attribute `{name}` is required")]
    AttributeMissing { name: String },
    #[error("attribute `{name}` is {found}; this version requires {expected}")]
    AttributeKind {
        name: String,
        found: &'static str,
        expected: &'static str,
    },
    #[error("attribute `{name}` is {value}, which is not an element type")]
    AttributeElementType { name: String, value: String },
    #[error("attribute `{name}` is `{word}`, expected one of {allowed}")]
    AttributeWord {
        name: String,
        word: String,
        allowed: String,
    },
    #[error("attribute `{name}` is {found}, expected {expected}")]
    AttributeRange {
        name: String,
        found: i64,
        expected: String,
    },
    #[error("{found} of the attributes that hold a value are set; exactly one is required")]
    ConstantValues { found: usize },
    #[error("attribute `{name}` refers to `{target}`, but is not in a function")]
    ReferenceOutside { name: String, target: String },
    #[error("attribute `{name}` refers to `{target}`, which the function does not declare")]
    ReferenceUndeclared { name: String, target: String },
    #[error("`{body}` has {found} {what}, but the node requires {expected}")]
    BodyArity {
        body: String,
        what: &'static str,
        found: usize,
        expected: usize,
    },

    #[error("{what} {index} (`{name}`) is {found}; this version accepts {allowed}")]
    TypeNotAllowed {
        what: &'static str,
        index: usize,
        name: String,
        found: String,
        allowed: String,
    },
    #[error("{what} {index} (`{name}`) is {found}, but type parameter {parameter} is already {bound}")]
    TypeConflict {
        what: &'static str,
        index: usize,
        name: String,
        found: String,
        parameter: &'static str,
        bound: String,
    },
    #[error("{what} `{name}` is declared as {declared}, but is {found}")]
    DeclaredType {
        what: &'static str,
        name: String,
        declared: String,
        found: String,
    },
    #[error("output {index} is {then} after `then_branch`, but {other} after `else_branch`")]
    BranchType {
        index: usize,
        then: String,
        other: String,
    },

    #[error("output {output} of the body is {found}, but the next iteration reads {expected}")]
    StateType {
        output: usize,
        found: String,
        expected: String,
    },

    #[error("{path}: two entries have the key `{key}`")]
    MetadataTwice { path: String, key: String },
    #[error("{path}: extent {axis} is {extent}; an extent that is not known has no number")]
    ExtentNegative { path: String, axis: usize, extent: i64 },
    #[error("{path} states no type")]
    AttributeUntyped { path: String },
    #[error(
        "{path}: its domain is `ai.onnx`, but the empty domain is imported: write the one that is imported"
    )]
    DomainAlias { path: String },
    #[error(transparent)]
    Decode(ModelError),

    #[error("more than {limit} nested graphs and functions: deeper ones are not checked")]
    TooDeep { limit: usize },
}

impl Problem {
    /// The violated rule.
    pub fn rule(&self) -> Rule {
        match self {
            Problem::IrVersion { .. } => Rule::IrVersion,
            Problem::IrFeature { .. } => Rule::IrFeature,
            Problem::ImportMissing { .. } => Rule::ImportMissing,
            Problem::OpsetUnknown { .. } => Rule::OpsetUnknown,
            Problem::FunctionName { .. } => Rule::FunctionName,
            Problem::FunctionImport { .. } => Rule::FunctionImport,
            Problem::FunctionTwice { .. } => Rule::FunctionTwice,
            Problem::FunctionRecursion { .. } => Rule::FunctionRecursion,
            Problem::FunctionAttributeTwice { .. } => Rule::FunctionAttributeTwice,
            Problem::FunctionOutputTwice { .. } => Rule::FunctionOutputTwice,
            Problem::GraphName => Rule::GraphName,
            Problem::ValueName { .. } => Rule::ValueName,
            Problem::ValueTypeMissing { .. } => Rule::ValueTypeMissing,
            Problem::ValueShapeMissing { .. } => Rule::ValueShapeMissing,
            Problem::ValueTwice { .. } => Rule::ValueTwice,
            Problem::ValueShadowed { .. } => Rule::ValueShadowed,
            Problem::ValueUndefined { .. } => Rule::ValueUndefined,
            Problem::OutputUndefined { .. } => Rule::OutputUndefined,
            Problem::NodeOrder { .. } => Rule::NodeOrder,
            Problem::Cycle { .. } => Rule::Cycle,
            Problem::NodeNameTwice { .. } => Rule::NodeNameTwice,
            Problem::InitializerTwice { .. } => Rule::InitializerTwice,
            Problem::InitializerNotInput { .. } => Rule::InitializerNotInput,
            Problem::InitializerIsBodyInput { .. } => Rule::InitializerIsBodyInput,
            Problem::InitializerType { .. } => Rule::InitializerType,
            Problem::OperatorUnknown { .. } | Problem::OperatorUnnamed | Problem::OverloadUnknown { .. } => {
                Rule::OperatorUnknown
            }
            Problem::OperatorDeprecated => Rule::OperatorDeprecated,
            Problem::OperatorOfRuntime => Rule::OperatorOfRuntime,
            Problem::InputCount { .. } => Rule::InputCount,
            Problem::OutputCount { .. } => Rule::OutputCount,
            Problem::ParameterOmitted { .. } => Rule::ParameterOmitted,
            Problem::AttributeUnknown { .. } => Rule::AttributeUnknown,
            Problem::AttributeMissing { .. } => Rule::AttributeMissing,
            Problem::AttributeKind { .. } => Rule::AttributeKind,
            Problem::AttributeElementType { .. } => Rule::AttributeElementType,
            Problem::AttributeWord { .. }
            | Problem::AttributeRange { .. }
            | Problem::ConstantValues { .. } => Rule::AttributeValue,
            Problem::ReferenceOutside { .. } => Rule::ReferenceOutside,
            Problem::ReferenceUndeclared { .. } => Rule::ReferenceUndeclared,
            Problem::BodyArity { .. } => Rule::BodyArity,
            Problem::TypeNotAllowed { .. } => Rule::TypeNotAllowed,
            Problem::TypeConflict { .. } => Rule::TypeConflict,
            Problem::DeclaredType { what: "value", .. } => Rule::ValueTypeWrong,
            Problem::DeclaredType { .. } => Rule::DeclaredType,
            Problem::BranchType { .. } => Rule::BranchType,
            Problem::StateType { .. } => Rule::StateType,
            Problem::MetadataTwice { .. } => Rule::MetadataTwice,
            Problem::ExtentNegative { .. } => Rule::ExtentNegative,
            Problem::AttributeUntyped { .. } => Rule::AttributeUntyped,
            Problem::DomainAlias { .. } => Rule::DomainAlias,
            Problem::Decode(error) => decode::rule(&error.kind).unwrap_or(Rule::Format),
            Problem::TooDeep { .. } => Rule::TooDeep,
        }
    }
}

/// `1 is`, `1 to 3 are`, `1 or more are`.
struct Range(usize, usize);

impl std::fmt::Display for Range {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.0, self.1) {
            (least, usize::MAX) => write!(f, "{least} or more are"),
            (1, 1) => f.write_str("1 is"),
            (least, most) if least == most => write!(f, "{least} are"),
            (least, most) => write!(f, "{least} to {most} are"),
        }
    }
}
