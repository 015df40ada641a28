//! A model of one node as the text of an own case (`harness_corpus::own`).

use std::fmt::Write;
use std::path::Path;

use harness_corpus::own;
use onnx_model::{AttributeValue, Model};
use onnx_tensor::{Tensor, Value};

use super::Provenance;
use crate::subject::StoredSet;

/// Elements of the largest tensor that a person would read.
const READABLE: usize = 64;

/// The text; none of a model that has no such form: several nodes, bodies, values that are no tensors of numbers, long tensors.
pub(super) fn text(provenance: &Provenance, model: &Model, set: &StoredSet, name: &str) -> Option<String> {
    let [node] = model.graph.nodes.as_slice() else {
        return None;
    };
    let opset = u32::try_from(*model.opset_imports.get(&node.domain)?).ok()?;
    let since = onnx_schema::lookup(&node.domain, &node.operator, opset)?.since;
    let domain = if node.domain.is_empty() {
        "ai.onnx"
    } else {
        &node.domain
    };
    let mut out = format!(
        "operator = {:?}\ndomain = {domain:?}\n\n[[case]]\nname = {name:?}\nsince = [{since}]\n",
        node.operator
    );
    if opset != since {
        let _ = writeln!(out, "opset = {opset}");
    }
    let derivation = format!(
        "{}; {} fails here ({}): reduced from `{}` (SHA-256 {})",
        provenance.expected, provenance.version, provenance.verdict, provenance.model, provenance.sha256
    );
    let _ = writeln!(out, "derivation = {derivation:?}");
    if !node.attributes.is_empty() {
        let texts: Option<Vec<String>> = node
            .attributes
            .iter()
            .map(|attribute| {
                Some(format!(
                    "{} = {}",
                    attribute.name,
                    attribute_text(&attribute.value)?
                ))
            })
            .collect();
        let _ = writeln!(out, "attributes = {{ {} }}", texts?.join(", "));
    }
    let inputs: Option<Vec<String>> = node.inputs.iter().map(|name| input(model, set, name)).collect();
    let _ = writeln!(out, "inputs = [{}]", inputs?.join(", "));
    let outputs: Option<Vec<String>> = node.outputs.iter().map(|name| output(set, name)).collect();
    let _ = writeln!(out, "outputs = [{}]", outputs?.join(", "));
    // What is not read back as a case is none.
    own::parse(Path::new(name), &out).is_ok().then_some(out)
}

fn input(model: &Model, set: &StoredSet, name: &str) -> Option<String> {
    if name.is_empty() {
        return Some("{ omitted = true }".to_owned());
    }
    let fed = set
        .inputs
        .iter()
        .find(|(known, _)| known == name)
        .map(|(_, value)| value);
    match fed {
        Some(value) => Some(format!("{{ {} }}", tensor(value.as_tensor()?)?)),
        None => {
            let constant = model.graph.initializer(name)?.as_tensor()?;
            Some(format!("{{ {}, initializer = true }}", tensor(constant)?))
        }
    }
}

fn output(set: &StoredSet, name: &str) -> Option<String> {
    match set.outputs.iter().find(|(known, _)| known == name) {
        Some((_, Value::Tensor(value))) => Some(format!("{{ {} }}", tensor(value)?)),
        _ if name.is_empty() => Some("{ omitted = true }".to_owned()),
        _ => None,
    }
}

/// Type, shape and values.
fn tensor(tensor: &Tensor) -> Option<String> {
    if tensor.len() > READABLE {
        return None;
    }
    let values: Vec<String> = match tensor {
        Tensor::Float(array) => array
            .iter()
            .map(|x| float(f64::from(*x), format!("{x:?}")))
            .collect(),
        Tensor::Double(array) => array.iter().map(|x| float(*x, format!("{x:?}"))).collect(),
        Tensor::Int64(array) => array.iter().map(ToString::to_string).collect(),
        Tensor::Int32(array) => array.iter().map(ToString::to_string).collect(),
        Tensor::Int8(array) => array.iter().map(ToString::to_string).collect(),
        Tensor::Uint8(array) => array.iter().map(ToString::to_string).collect(),
        Tensor::Bool(array) => array.iter().map(ToString::to_string).collect(),
        Tensor::String(array) => array.iter().map(|text| format!("{text:?}")).collect(),
        _ => return None,
    };
    let dtype = tensor.dtype();
    Some(format!(
        "dtype = \"{dtype}\", shape = {:?}, values = [{}]",
        tensor.shape(),
        values.join(", ")
    ))
}

fn float(value: f64, text: String) -> String {
    match value {
        value if value.is_nan() => "\"nan\"".to_owned(),
        f64::INFINITY => "\"inf\"".to_owned(),
        f64::NEG_INFINITY => "\"-inf\"".to_owned(),
        _ => text,
    }
}

fn attribute_text(value: &AttributeValue) -> Option<String> {
    Some(match value {
        AttributeValue::Float(value) => float(f64::from(*value), format!("{value:?}")),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::String(text) => format!("{:?}", std::str::from_utf8(text).ok()?),
        AttributeValue::Ints(values) => format!("{{ ints = {values:?} }}"),
        AttributeValue::Floats(values) => format!("{{ floats = {values:?} }}"),
        AttributeValue::Tensor(value) => format!("{{ {} }}", tensor(value)?),
        _ => return None,
    })
}
