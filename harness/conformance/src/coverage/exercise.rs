//! The uses of operators in one model.

use std::collections::{BTreeMap, BTreeSet};

use onnx_checker::{AttributeUse, NodeUse, ParameterUse, usage};
use onnx_model::Model;
use onnx_schema::{AttributeKind, Formal, FormalOption, OperatorSchema};
use run_record::Exercise;

use super::catalogue::label;
use onnx_generator::enumerated;

/// The maximum length of a text; a longer value is unlikely to occur in another case.
const MAX_LENGTH: usize = 60;

/// Every distinct use of an operator version, sorted.
pub fn exercises(model: &Model) -> Vec<Exercise> {
    let uses: BTreeSet<Exercise> = usage(model).iter().filter_map(exercise).collect();
    uses.into_iter().collect()
}

/// The use that a node represents; `None` for a function call, whose nodes count instead.
fn exercise(node: &NodeUse) -> Option<Exercise> {
    let versions = onnx_schema::versions(&node.domain, &node.operator);
    let schema = versions
        .iter()
        .find(|version| Some(version.since) == node.since)?;
    let declared = node
        .attributes
        .iter()
        .filter(|attribute| schema.attribute(&attribute.name).is_some());
    let attributes = declared.map(|attribute| (attribute.name.clone(), texts(schema, attribute)));
    Some(Exercise {
        operator: schema.to_string(),
        types: types(schema, node),
        attributes: attributes.collect(),
        optional: optional(schema, node),
    })
}

/// The optional inputs and outputs that a node gives, sorted.
fn optional(schema: &OperatorSchema, node: &NodeUse) -> Vec<String> {
    let is_optional = |formal: Option<&Formal>| formal.is_some_and(|of| of.option == FormalOption::Optional);
    let inputs = node.inputs.iter().enumerate();
    let inputs = inputs.filter(|(at, _)| is_optional(schema.input(*at)));
    let outputs = node.outputs.iter().enumerate();
    let outputs = outputs.filter(|(at, _)| is_optional(schema.output(*at)));
    let given = inputs.chain(outputs).filter(|(_, used)| used.given);
    distinct(given.map(|(_, used)| used.name))
}

/// The types by parameter, each once and sorted.
fn types(schema: &OperatorSchema, node: &NodeUse) -> BTreeMap<String, Vec<String>> {
    let inputs = node
        .inputs
        .iter()
        .enumerate()
        .map(|(at, used)| (schema.input(at), used));
    let outputs = node
        .outputs
        .iter()
        .enumerate()
        .map(|(at, used)| (schema.output(at), used));
    let mut types: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (formal, used) in inputs.chain(outputs) {
        let ParameterUse {
            name,
            parameter,
            value_type: Some(found),
            ..
        } = used
        else {
            continue;
        };
        let allowed = formal.map_or(&[][..], |formal| schema.types(formal));
        if let Some(of) = allowed.iter().find(|of| of.matches(found)) {
            let bound = types.entry(parameter.unwrap_or(name).to_owned()).or_default();
            bound.insert(label(of));
        }
    }
    let sorted = types
        .into_iter()
        .map(|(name, types)| (name, types.into_iter().collect()));
    sorted.collect()
}

/// A value as text. A list of enumerated values gives its distinct elements, any other list one text.
/// Graphs, long values and unknown values give none.
fn texts(schema: &OperatorSchema, attribute: &AttributeUse) -> Vec<String> {
    let kind = schema.attribute(&attribute.name).map(|declared| declared.kind);
    let graph = matches!(kind, Some(AttributeKind::Graph | AttributeKind::Graphs));
    if graph || attribute.value == "?" {
        return Vec::new();
    }
    let elements = attribute
        .value
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'));
    match elements.filter(|_| kind == Some(AttributeKind::Strings)) {
        Some(elements) if !enumerated(schema, &attribute.name).is_empty() => distinct(elements.split(", ")),
        _ if attribute.value.len() > MAX_LENGTH => Vec::new(),
        _ => vec![attribute.value.clone()],
    }
}

/// The distinct texts, sorted, without the mark for omitted elements.
pub(super) fn distinct<'a>(texts: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let texts = texts.into_iter().filter(|text| !text.starts_with('…'));
    texts
        .collect::<BTreeSet<_>>()
        .into_iter()
        .map(str::to_owned)
        .collect()
}
