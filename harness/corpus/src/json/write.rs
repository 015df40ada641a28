//! Writes the text of a case.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use onnx_model::{Bytes, Limits, Model, Node, Source, ValueInfo, decode_value};
use serde_json::{Map, json};

use super::lines::to_string;
use super::read::files;
use super::{
    Comparison, DataSetText, Document, Execution, FORMAT, JsonProblem, ModelText, Operator, Slot, VERSION,
};
use crate::CaseFiles;
use crate::case::DataSetFiles;
use crate::digest::external_locations;
use crate::layout::{MODEL, data_set};
use crate::notation::attribute::AttributeText;
use crate::notation::value::ValueText;

/// The largest value in text, in bytes of its message; larger ones are in base64.
const LARGEST: usize = 1 << 16;

impl CaseFiles {
    /// The case as JSON text, from which `--cases` reads the same bytes.
    ///
    /// # Errors
    /// A file cannot be read or decoded, and cases that are not only their model and values: variants, models
    /// with external data, data sets whose inputs are generated.
    pub fn to_json(&self) -> Result<String, JsonProblem> {
        let bytes = self.model.read()?;
        if self.form.is_some() {
            return Err(JsonProblem::InFiles("the form of a variant"));
        }
        if !external_locations(&bytes).is_empty() {
            return Err(JsonProblem::InFiles("external data"));
        }
        if self.data_sets.iter().any(|set| set.generated_inputs) {
            return Err(JsonProblem::InFiles("inputs that are generated"));
        }
        let model = Model::decode(
            bytes.clone(),
            &Source::named(&self.model.to_string()),
            &Limits::default(),
        )?;
        let mut sets = self.data_sets.iter();
        let Some(first) = sets.next().filter(|set| set.name == data_set::FIRST) else {
            return Err(JsonProblem::InFiles("no `test_data_set_0`"));
        };
        let further = sets.map(|set| {
            let (inputs, outputs) = slots(set, &model)?;
            let name = set.name.clone();
            Ok(DataSetText {
                name,
                inputs,
                outputs,
            })
        });
        let further = further.collect::<Result<Vec<_>, JsonProblem>>()?;
        let (inputs, outputs) = slots(first, &model)?;
        let document = match self.with_operator(&model, &inputs, &outputs) {
            Some(document) if files(&document)?.get(MODEL) == Some(&bytes) => document,
            _ => self.with_model(&bytes, inputs, outputs),
        };
        Ok(to_string(&Document {
            further_data_sets: further,
            ..document
        })?)
    }

    fn with_model(&self, bytes: &Bytes, inputs: Vec<Slot>, outputs: Vec<Slot>) -> Document {
        Document {
            format: FORMAT.to_owned(),
            version: VERSION,
            id: self.id.to_string(),
            operator: None,
            attributes: BTreeMap::new(),
            inputs,
            outputs,
            further_data_sets: Vec::new(),
            comparison: Comparison {
                rtol: self.tolerance.rtol,
                atol: self.tolerance.atol,
                nan_equal: true,
            },
            execution: Execution::default(),
            model: ModelText {
                base64: Some(BASE64_STANDARD.encode(bytes)),
                ..ModelText::default()
            },
        }
    }

    /// The text of a model with one node, if it can be said; `inputs` and `outputs` are those of the graph.
    fn with_operator(&self, model: &Model, inputs: &[Slot], outputs: &[Slot]) -> Option<Document> {
        let [node] = model.graph.nodes.as_slice() else {
            return None;
        };
        let attribute = |attribute: &onnx_model::Attribute| {
            Some((attribute.name.clone(), AttributeText::of(&attribute.value)?))
        };
        let operator = Operator {
            domain: node.domain.clone(),
            name: node.operator.clone(),
            opset: u32::try_from(*model.opset_imports.get(&node.domain)?).ok()?,
        };
        let imports = model
            .opset_imports
            .iter()
            .filter(|(domain, _)| **domain != node.domain);
        let others = imports.map(|(domain, opset)| (domain.clone(), *opset));
        Some(Document {
            operator: Some(operator),
            attributes: node.attributes.iter().map(attribute).collect::<Option<_>>()?,
            inputs: node_inputs(node, model, inputs)?,
            outputs: node
                .outputs
                .iter()
                .map(|name| slot_of(name, outputs))
                .collect::<Option<_>>()?,
            model: ModelText {
                ir_version: Some(model.ir_version),
                graph: Some(model.graph.name.clone()),
                producer: Some(model.producer_name.clone()),
                producer_version: Some(model.producer_version.clone()),
                imports: others.collect(),
                base64: None,
            },
            ..self.with_model(&Bytes::new(), Vec::new(), Vec::new())
        })
    }
}

/// The inputs of a node: fed ones, constants of the model, omitted ones.
fn node_inputs(node: &Node, model: &Model, fed: &[Slot]) -> Option<Vec<Slot>> {
    let input = |name: &String| {
        let constant = model.graph.initializers.iter().find(|(known, _)| known == name);
        match constant {
            Some((_, value)) => Some(Slot {
                name: name.clone(),
                content: fields(&ValueText::of(value)?.into_initializer())?,
            }),
            None => slot_of(name, fed),
        }
    };
    node.inputs.iter().map(input).collect()
}

/// The slot of this name; an omitted one for an empty name.
fn slot_of(name: &str, slots: &[Slot]) -> Option<Slot> {
    match name {
        "" => omitted(),
        name => slots.iter().find(|slot| slot.name == name).map(|slot| Slot {
            name: slot.name.clone(),
            content: slot.content.clone(),
        }),
    }
}

fn omitted() -> Option<Slot> {
    Some(Slot {
        name: String::new(),
        content: fields(&ValueText::omitted())?,
    })
}

fn fields(text: &ValueText) -> Option<Map<String, serde_json::Value>> {
    match serde_json::to_value(text) {
        Ok(serde_json::Value::Object(fields)) => Some(fields),
        _ => None,
    }
}

/// The values of a data set, in the order of the graph.
fn slots(set: &DataSetFiles, model: &Model) -> Result<(Vec<Slot>, Vec<Slot>), JsonProblem> {
    let of = |info: Option<&ValueInfo>, bytes: Option<Bytes>| {
        Ok(match (info, bytes) {
            (_, None) => omitted().ok_or(JsonProblem::Model)?,
            (None, Some(bytes)) => raw("", &bytes),
            (Some(info), Some(bytes)) => text(info, &bytes).unwrap_or_else(|| raw(&info.name, &bytes)),
        })
    };
    let read = |file: &crate::FileRef| file.read();
    let inputs = set.inputs.iter().enumerate();
    let inputs = inputs.map(|(index, file)| {
        of(
            model.graph.inputs.get(index),
            file.as_ref().map(read).transpose()?,
        )
    });
    let outputs = set.outputs.iter().enumerate();
    let outputs = outputs.map(|(index, file)| of(model.graph.outputs.get(index), Some(read(file)?)));
    Ok((
        inputs.collect::<Result<_, JsonProblem>>()?,
        outputs.collect::<Result<_, JsonProblem>>()?,
    ))
}

/// A value as text, if the text gives the same bytes.
fn text(info: &ValueInfo, bytes: &Bytes) -> Option<Slot> {
    if bytes.len() > LARGEST {
        return None;
    }
    let value = decode_value(bytes, info.value_type.as_ref()?, &Limits::default()).ok()?;
    let content = fields(&ValueText::of(&value)?)?;
    // As a reader has it, after the numbers were written and read.
    let read: ValueText = serde_json::from_str(&serde_json::to_string(&content).ok()?).ok()?;
    let again = onnx_model::encode_value(&read.value().ok()??, &info.name);
    (again == **bytes).then(|| Slot {
        name: info.name.clone(),
        content,
    })
}

fn raw(name: &str, bytes: &Bytes) -> Slot {
    Slot {
        name: name.to_owned(),
        content: Map::from_iter([("pb".to_owned(), json!(BASE64_STANDARD.encode(bytes)))]),
    }
}
