//! The details of a failing case for reports: its model and its inputs, truncated.

use harness_compare::first_elements;
use harness_corpus::CaseFiles;
use onnx_model::{Attribute, AttributeValue, Limits, Model, Node, Source, ValueInfo};
use onnx_tensor::{Dim, Tensor, Value, ValueType};
use run_record::text::counted;
use run_record::{CaseDetail, DataSetDetail, NodeDetail, Part, Typed, Values};

use super::{Case, DataSet};

/// The maximum number of nodes of a model.
const NODES: usize = 200;

/// The maximum number of names, attributes, values and data sets in a list.
const ITEMS: usize = 16;

/// The maximum number of elements of a tensor.
const ELEMENTS: usize = 12;

/// The maximum number of characters of a text.
const CHARACTERS: usize = 120;

/// The model and the inputs of a case; `None` if the case cannot be read, which its verdict states.
pub fn detail(files: &CaseFiles) -> Option<CaseDetail> {
    let (case, model) = Case::decode_plain(files).ok()?;
    let (case, model) = match files.form {
        None => (case, model),
        Some(form) => {
            let case = case.in_form(&model, form).ok()?;
            let source = Source::named("variant");
            let model = Model::decode(case.model.clone(), &source, &Limits::default()).ok()?;
            (case, model)
        }
    };
    Some(CaseDetail {
        case: case.id.to_string(),
        imports: model
            .opset_imports
            .iter()
            .take(ITEMS)
            .map(|(domain, opset)| (clip(domain), *opset))
            .collect(),
        inputs: part(&model.graph.inputs, ITEMS, typed),
        outputs: part(&model.graph.outputs, ITEMS, typed),
        initializers: part(&model.graph.initializers, ITEMS, |(name, value)| {
            values(name, value)
        }),
        nodes: part(&model.graph.nodes, NODES, |inner| node(&model, inner)),
        data_sets: part(&case.data_sets, ITEMS, data_set),
    })
}

fn part<T, U>(items: &[T], most: usize, show: impl Fn(&T) -> U) -> Part<U> {
    Part {
        first: items.iter().take(most).map(show).collect(),
        count: items.len() as u64,
    }
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(CHARACTERS) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

fn typed(info: &ValueInfo) -> Typed {
    Typed {
        name: clip(&info.name),
        value_type: info.value_type.as_ref().map_or_else(String::new, type_text),
    }
}

/// `float[2,N]` for a tensor; the notation of schemas for other types.
fn type_text(value_type: &ValueType) -> String {
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => extent.to_string(),
        Dim::Named(name) => clip(name),
        Dim::Unknown => "?".to_owned(),
    };
    match value_type {
        ValueType::Tensor {
            dtype,
            shape: Some(shape),
        } => {
            let extents: Vec<String> = shape.iter().take(ITEMS).map(extent).collect();
            format!("{dtype}[{}]", extents.join(","))
        }
        other => clip(&other.to_string()),
    }
}

fn values(name: &str, value: &Value) -> Values {
    Values {
        name: clip(name),
        value_type: type_text(&value.value_type()),
        elements: match value {
            Value::Tensor(tensor) => elements(tensor),
            Value::Sparse(sparse) => elements(&sparse.values),
            Value::Stored(stored) => Part {
                first: Vec::new(),
                count: stored.shape.iter().map(|&extent| extent as u64).product(),
            },
            Value::Sequence(sequence) => {
                part(&sequence.values, ELEMENTS, |value| type_text(&value.value_type()))
            }
            Value::Map(map) => Part {
                first: Vec::new(),
                count: map.entries.len() as u64,
            },
            Value::Optional { value, .. } => Part {
                first: value.iter().map(|value| type_text(&value.value_type())).collect(),
                count: u64::from(value.is_some()),
            },
        },
    }
}

fn elements(tensor: &Tensor) -> Part<String> {
    Part {
        first: first_elements(tensor, ELEMENTS),
        count: tensor.len() as u64,
    }
}

fn node(model: &Model, node: &Node) -> NodeDetail {
    NodeDetail {
        name: clip(&node.name),
        operator: clip(&onnx_schema::operator_label(
            &model.opset_imports,
            &node.domain,
            &node.operator,
        )),
        inputs: part(&node.inputs, ITEMS, |name| clip(name)),
        outputs: part(&node.outputs, ITEMS, |name| clip(name)),
        attributes: part(&node.attributes, ITEMS, attribute),
    }
}

fn attribute(attribute: &Attribute) -> (String, String) {
    fn list<T>(items: &[T], show: impl Fn(&T) -> String) -> String {
        let texts: Vec<String> = items.iter().take(ITEMS).map(show).collect();
        let more = if items.len() > ITEMS { ", …" } else { "" };
        format!("[{}{more}]", texts.join(", "))
    }
    let text = |bytes: &Vec<u8>| format!("{:?}", clip(&String::from_utf8_lossy(bytes)));
    let tensor = |tensor: &Tensor| {
        let Part { first, count } = elements(tensor);
        let more = if count > first.len() as u64 { ", …" } else { "" };
        let dtype = tensor.dtype();
        format!("{dtype}{:?} {{{}{more}}}", tensor.shape(), first.join(", "))
    };
    let value = match &attribute.value {
        AttributeValue::Float(value) => value.to_string(),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::String(bytes) => text(bytes),
        AttributeValue::Tensor(value) => tensor(value),
        AttributeValue::Graph(body) => format!("a graph of {}", counted(body.nodes.len(), "node")),
        AttributeValue::Sparse(value) => format!("a sparse tensor {:?}", value.shape),
        AttributeValue::Type(value) => value.to_string(),
        AttributeValue::Floats(values) => list(values, f32::to_string),
        AttributeValue::Ints(values) => list(values, i64::to_string),
        AttributeValue::Strings(values) => list(values, text),
        AttributeValue::Tensors(values) => list(values, tensor),
        AttributeValue::Graphs(bodies) => format!("{} graphs", bodies.len()),
        AttributeValue::Sparses(values) => format!("{} sparse tensors", values.len()),
        AttributeValue::Types(values) => list(values, ValueType::to_string),
        AttributeValue::Reference(name, _) => format!("@{}", clip(name)),
    };
    (clip(&attribute.name), clip(&value))
}

fn data_set(set: &DataSet) -> DataSetDetail {
    DataSetDetail {
        name: clip(&set.name),
        inputs: part(&set.inputs, ITEMS, |(name, value)| values(name, value)),
    }
}

#[cfg(test)]
mod tests {
    use harness_corpus::own;

    use super::*;

    #[test]
    fn every_own_case_has_a_detail_of_bounded_size() {
        for files in own::corpus().unwrap().cases() {
            let detail = detail(files).unwrap();
            assert_eq!(detail.case, files.id.to_string());
            assert!(!detail.nodes.first.is_empty() || detail.nodes.count == 0);
            let bytes = serde_json::to_vec(&detail).unwrap().len();
            assert!(bytes < 64 << 10, "{}: {bytes} bytes", detail.case);
        }
    }

    #[test]
    fn types_attributes_and_values_are_shown() {
        let corpus = own::corpus().unwrap();
        let files = corpus
            .cases()
            .iter()
            .find(|case| case.id.to_string().starts_with("own/Clip"))
            .unwrap();
        let detail = detail(files).unwrap();
        let node = &detail.nodes.first[0];
        assert!(node.operator.starts_with("Clip-"), "{node:?}");
        let fed = &detail.data_sets.first[0].inputs.first[0];
        assert!(fed.value_type.contains('['), "{fed:?}");
        assert_eq!(fed.elements.first.len() as u64, fed.elements.count.min(12));
    }

    #[test]
    fn a_long_text_is_truncated() {
        assert_eq!(clip(&"é".repeat(500)).chars().count(), CHARACTERS + 1);
        assert_eq!(clip("short"), "short");
    }
}
