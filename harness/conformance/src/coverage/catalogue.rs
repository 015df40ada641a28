//! The operator versions of the specification, as records for the report.

use std::collections::BTreeSet;

use onnx_schema::{AttributeSchema, DefaultValue, FormalOption, OperatorSchema, SchemaType, TypeRef};
use run_record::{AttributeDomain, CaseExercises, OperatorVersion, TypeParameter};

use super::exercise::distinct;
use onnx_generator::enumerated;

/// Every operator version, sorted by domain, name and since.
pub fn catalogue() -> Vec<OperatorVersion> {
    onnx_schema::all().map(version).collect()
}

/// Every operator version that ONNX Runtime adds, with the versions of ONNX that the cases exercise.
pub fn added<'a>(cases: impl IntoIterator<Item = &'a CaseExercises>) -> Vec<OperatorVersion> {
    let mut versions = touched(cases);
    versions.retain(|version| !version.added);
    versions.extend(onnx_schema::contrib().map(version));
    versions
}

/// The versions of those operators that at least one case exercises, also of operators that ONNX Runtime
/// adds: the measure for a selection of cases.
pub fn touched<'a>(cases: impl IntoIterator<Item = &'a CaseExercises>) -> Vec<OperatorVersion> {
    let uses = cases.into_iter().flat_map(|case| &case.exercises);
    let used: BTreeSet<&str> = uses.map(|exercise| exercise.operator.as_str()).collect();
    let touched = |version: &OperatorSchema| used.contains(version.to_string().as_str());
    let operators = onnx_schema::operators().iter();
    let operators = operators.filter(|operator| operator.versions.iter().any(touched));
    let added = onnx_schema::contrib().filter(|version| touched(version));
    operators
        .flat_map(|operator| operator.versions)
        .chain(added)
        .map(version)
        .collect()
}

fn version(schema: &OperatorSchema) -> OperatorVersion {
    let formals = schema.inputs.iter().chain(schema.outputs);
    let optional = formals.filter(|formal| formal.option == FormalOption::Optional);
    OperatorVersion {
        domain: if schema.domain.is_empty() {
            "ai.onnx"
        } else {
            schema.domain
        }
        .to_owned(),
        name: schema.name.to_owned(),
        since: schema.since,
        deprecated: schema.deprecated,
        added: schema.is_contrib(),
        parameters: parameters(schema),
        attributes: schema
            .attributes
            .iter()
            .map(|attribute| domain(schema, attribute))
            .collect(),
        optional: distinct(optional.map(|formal| formal.name)),
    }
}

/// The type parameters in the order of the schema, then inputs and outputs with types of their own.
fn parameters(schema: &OperatorSchema) -> Vec<TypeParameter> {
    let parameter = |name: &str, types: &[SchemaType]| TypeParameter {
        name: name.to_owned(),
        types: types.iter().map(label).collect(),
    };
    let named = schema
        .type_constraints
        .iter()
        .map(|constraint| parameter(constraint.name, constraint.types));
    let mut parameters: Vec<TypeParameter> = named.collect();
    for formal in schema.inputs.iter().chain(schema.outputs) {
        if let TypeRef::Concrete(types) = formal.type_ref
            && parameters.iter().all(|known| known.name != formal.name)
        {
            parameters.push(parameter(formal.name, types));
        }
    }
    parameters
}

/// A short name of a type: the element type for a tensor, `float16`; ONNX's notation for others.
pub(super) fn label(of: &SchemaType) -> String {
    match of {
        SchemaType::Tensor(element) => element.onnx_name().to_owned(),
        other => other.to_string(),
    }
}

fn domain(schema: &OperatorSchema, attribute: &AttributeSchema) -> AttributeDomain {
    let values = enumerated(schema, attribute.name);
    let default = attribute
        .default
        .as_ref()
        .map(|value| default(value, !values.is_empty()));
    AttributeDomain {
        name: attribute.name.to_owned(),
        kind: format!("{:?}", attribute.kind).to_lowercase(),
        default,
        values,
    }
}

/// The default in the notation of cases: the elements of a list whose values are enumerated, otherwise
/// one text.
fn default(value: &DefaultValue, enumerated: bool) -> Vec<String> {
    let list = |texts: Vec<String>| vec![format!("[{}]", texts.join(", "))];
    match value {
        DefaultValue::Int(value) => vec![value.to_string()],
        DefaultValue::Float(value) => vec![format!("{value:?}")],
        DefaultValue::String(text) => vec![(*text).to_owned()],
        DefaultValue::Ints(values) => list(values.iter().map(i64::to_string).collect()),
        DefaultValue::Floats(values) => list(values.iter().map(|value| format!("{value:?}")).collect()),
        DefaultValue::Strings(texts) if enumerated => distinct(texts.iter().copied()),
        DefaultValue::Strings(texts) => list(texts.iter().map(|text| (*text).to_owned()).collect()),
    }
}
