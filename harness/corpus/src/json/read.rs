//! Reads the text of a case.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use onnx_model::{Bytes, Graph, Model, Node, encode_value};
use onnx_tensor::Value;
use serde_json::json;

use super::{Document, Execution, FORMAT, JsonProblem, Operator, Slot, VERSION};
use crate::layout::{self, DESCRIPTION, MODEL};
use crate::notation::attribute;
use crate::notation::value::ValueText;
use crate::own::of_node;
use crate::{CaseId, Folder};

/// The files of a case by their names in its folder.
type Files = BTreeMap<String, Bytes>;

/// The case in a text: its id, and its folder in the official layout.
///
/// # Errors
/// The text is not a case of this form.
pub(crate) fn read(text: &[u8]) -> Result<(CaseId, Folder), JsonProblem> {
    let document: Document = serde_json::from_slice(text)?;
    if (document.format.as_str(), document.version) != (FORMAT, VERSION) {
        return Err(JsonProblem::Version {
            format: document.format,
            version: document.version,
        });
    }
    demand(
        document.comparison.nan_equal,
        ("comparison.nan_equal", "true", "NaN is an answer like any other"),
    )?;
    demand(
        document.execution == Execution::default(),
        (
            "execution",
            "{\"require_target_ep\": true, \"allow_cpu_fallback\": false}",
            "the answer of another provider is no answer of the one under test",
        ),
    )?;
    let id = document.id.parse()?;
    Ok((id, Folder::of_files(files(&document)?)))
}

fn demand(
    holds: bool,
    (field, value, reason): (&'static str, &'static str, &'static str),
) -> Result<(), JsonProblem> {
    holds
        .then_some(())
        .ok_or(JsonProblem::Demand { field, value, reason })
}

/// The files of a case.
pub(super) fn files(document: &Document) -> Result<Files, JsonProblem> {
    let inputs = contents("input", &document.inputs)?;
    let outputs = contents("output", &document.outputs)?;
    let model = model(document, &inputs, &outputs)?;
    let comparison = &document.comparison;
    let tolerance = json!({ "rtol": comparison.rtol, "atol": comparison.atol });
    let mut files = Files::from([
        (MODEL.to_owned(), model),
        (DESCRIPTION.to_owned(), tolerance.to_string().into_bytes().into()),
    ]);
    let is_text = document.operator.is_some();
    // A constant of the model is not fed, and what the node omits is no input of the graph.
    let fed = |slots: Vec<Content>| {
        slots
            .into_iter()
            .filter(|slot| !is_text || slot.is_fed())
            .collect()
    };
    add_set(&mut files, layout::data_set::FIRST, fed(inputs), fed(outputs));
    for set in &document.further_data_sets {
        let of = |what, slots| contents(&format!("`{}`: {what}", set.name), slots);
        add_set(
            &mut files,
            &set.name,
            of("input", &set.inputs)?,
            of("output", &set.outputs)?,
        );
    }
    Ok(files)
}

fn add_set(files: &mut Files, name: &str, inputs: Vec<Content>, outputs: Vec<Content>) {
    for (prefix, slots) in [("input", inputs), ("output", outputs)] {
        for (index, slot) in slots.into_iter().enumerate() {
            if let Some(bytes) = slot.bytes {
                files.insert(format!("{name}/{prefix}_{index}.pb"), bytes);
            }
        }
    }
}

/// What a slot holds.
struct Content {
    name: String,
    /// The value, if it is text.
    value: Option<Value>,
    /// As in `input_0.pb`; `None` for an omitted value.
    bytes: Option<Bytes>,
    is_initializer: bool,
}

impl Content {
    fn is_fed(&self) -> bool {
        self.bytes.is_some() && !self.is_initializer
    }
}

fn contents(what: &str, slots: &[Slot]) -> Result<Vec<Content>, JsonProblem> {
    let content = |(index, slot): (usize, &Slot)| content(&format!("{what} {index}"), slot);
    slots.iter().enumerate().map(content).collect()
}

fn content(place: &str, slot: &Slot) -> Result<Content, JsonProblem> {
    let name = slot.name.clone();
    if let (1, Some(serde_json::Value::String(text))) = (slot.content.len(), slot.content.get("pb")) {
        return Ok(Content {
            name,
            value: None,
            bytes: Some(decoded(place, text)?),
            is_initializer: false,
        });
    }
    let text: ValueText = serde_json::from_value(slot.content.clone().into())?;
    let value = text.value().map_err(|problem| JsonProblem::Value {
        place: place.to_owned(),
        problem,
    })?;
    Ok(Content {
        bytes: value.as_ref().map(|value| encode_value(value, &name).into()),
        value,
        is_initializer: text.is_initializer(),
        name,
    })
}

fn decoded(place: &str, text: &str) -> Result<Bytes, JsonProblem> {
    let problem = |problem| JsonProblem::Base64 {
        place: place.to_owned(),
        problem,
    };
    BASE64_STANDARD.decode(text).map(Bytes::from).map_err(problem)
}

fn model(document: &Document, inputs: &[Content], outputs: &[Content]) -> Result<Bytes, JsonProblem> {
    match (&document.operator, &document.model.base64) {
        (None, Some(text)) if document.attributes.is_empty() => decoded("`model.base64`", text),
        (Some(operator), None) => {
            of_operator(document, operator, inputs, outputs).map(|model| model.encode().into())
        }
        _ => Err(JsonProblem::Model),
    }
}

/// The model with one node.
fn of_operator(
    document: &Document,
    operator: &Operator,
    inputs: &[Content],
    outputs: &[Content],
) -> Result<Model, JsonProblem> {
    let attributes =
        attribute::attributes(&document.attributes).map_err(|(name, problem)| JsonProblem::Value {
            place: format!("attribute `{name}`"),
            problem,
        })?;
    let names = |slots: &[Content]| slots.iter().map(|slot| slot.name.clone()).collect();
    let node = Node {
        domain: onnx_schema::canonical_domain(&operator.domain).to_owned(),
        operator: operator.name.clone(),
        inputs: names(inputs),
        outputs: names(outputs),
        attributes,
        ..Node::default()
    };
    let values = |slots: &[Content], initializers: bool| -> Vec<(String, Value)> {
        let chosen = slots.iter().filter(|slot| slot.is_initializer == initializers);
        chosen
            .filter_map(|slot| Some((slot.name.clone(), slot.value.clone()?)))
            .collect()
    };
    let model = of_node(
        node,
        operator.opset,
        &values(inputs, false),
        &values(outputs, false),
        values(inputs, true),
    );
    let text = &document.model;
    let mut opset_imports = model.opset_imports.clone();
    for (domain, opset) in &text.imports {
        opset_imports.entry(domain.clone()).or_insert(*opset);
    }
    let name = text.graph.clone().unwrap_or_else(|| model.graph.name.clone());
    Ok(Model {
        opset_imports,
        ir_version: text.ir_version.unwrap_or(model.ir_version),
        producer_name: text.producer.clone().unwrap_or(model.producer_name),
        producer_version: text.producer_version.clone().unwrap_or(model.producer_version),
        graph: Arc::new(Graph {
            name,
            ..Graph::clone(&model.graph)
        }),
        ..model
    })
}
