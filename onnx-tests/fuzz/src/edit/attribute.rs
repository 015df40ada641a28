//! Edits of attributes: extreme values of each kind, missing attributes, wrong kinds.

use onnx_model::AttributeKind;
use onnx_model::proto::{AttributeProto, NodeProto};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Subject, place, tensor};
use crate::extreme;

/// Changes the value of an attribute, keeping its kind.
pub fn value(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(node) = place::node(&mut subject.model, rng) else {
        return false;
    };
    if node.attribute.is_empty() {
        return false;
    }
    let at = rng.random_range(0..node.attribute.len());
    change(&mut node.attribute[at], rng)
}

fn change(attribute: &mut AttributeProto, rng: &mut ChaCha8Rng) -> bool {
    if let Some(value) = &mut attribute.f {
        *value = extreme::float(rng);
    } else if let Some(value) = &mut attribute.i {
        *value = extreme::int(rng);
    } else if let Some(value) = &mut attribute.s {
        *value = extreme::string(rng);
    } else if let Some(value) = &mut attribute.t {
        tensor::change(value, rng);
    } else if attribute.r#type == Some(AttributeKind::Ints.to_onnx()) {
        list(&mut attribute.ints, rng, extreme::int);
    } else if attribute.r#type == Some(AttributeKind::Floats.to_onnx()) {
        list(&mut attribute.floats, rng, extreme::float);
    } else if attribute.r#type == Some(AttributeKind::Strings.to_onnx()) {
        list(&mut attribute.strings, rng, extreme::string);
    } else {
        return false;
    }
    true
}

/// Changes an element, all of them, or their number.
fn list<T: Clone>(values: &mut Vec<T>, rng: &mut ChaCha8Rng, draw: fn(&mut ChaCha8Rng) -> T) {
    match rng.random_range(0..8) {
        0 => values.push(draw(rng)),
        1 => drop(values.pop()),
        2 => values.clear(),
        3 => {
            let value = draw(rng);
            values.fill(value);
        }
        4 => values.iter_mut().for_each(|value| *value = draw(rng)),
        _ if values.is_empty() => values.push(draw(rng)),
        _ => {
            let at = rng.random_range(0..values.len());
            values[at] = draw(rng);
        }
    }
}

/// Adds an attribute that the operator has and the node omits.
pub fn add(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(node) = place::node(&mut subject.model, rng) else {
        return false;
    };
    let missing: Vec<_> = known(node)
        .into_iter()
        .filter(|(name, _)| !gives(node, name))
        .collect();
    let Some(&(name, kind)) = missing.choose(rng) else {
        return false;
    };
    match of_kind(name, kind, rng) {
        Some(attribute) => node.attribute.push(attribute),
        None => return false,
    }
    true
}

/// The attributes of all versions of a node's operator.
fn known(node: &NodeProto) -> Vec<(&'static str, AttributeKind)> {
    let text =
        |bytes: &Option<Vec<u8>>| String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned();
    let versions = onnx_schema::versions(&text(&node.domain), &text(&node.op_type));
    let attributes = versions.iter().flat_map(|schema| schema.attributes);
    let mut known: Vec<_> = attributes
        .map(|attribute| (attribute.name, attribute.kind))
        .collect();
    known.dedup();
    known
}

fn gives(node: &NodeProto, name: &str) -> bool {
    node.attribute
        .iter()
        .any(|attribute| attribute.name.as_deref() == Some(name.as_bytes()))
}

fn of_kind(name: &str, kind: AttributeKind, rng: &mut ChaCha8Rng) -> Option<AttributeProto> {
    let mut attribute = AttributeProto {
        name: Some(name.as_bytes().to_vec()),
        r#type: Some(kind.to_onnx()),
        ..AttributeProto::default()
    };
    let count = rng.random_range(0..6);
    match kind {
        AttributeKind::Float => attribute.f = Some(extreme::float(rng)),
        AttributeKind::Int => attribute.i = Some(extreme::int(rng)),
        AttributeKind::String => attribute.s = Some(extreme::string(rng)),
        AttributeKind::Tensor => attribute.t = Some(Box::new(tensor::new(rng))),
        AttributeKind::Floats => attribute.floats = (0..count).map(|_| extreme::float(rng)).collect(),
        AttributeKind::Ints => attribute.ints = (0..count).map(|_| extreme::int(rng)).collect(),
        AttributeKind::Strings => attribute.strings = (0..count).map(|_| extreme::string(rng)).collect(),
        AttributeKind::Graph
        | AttributeKind::Tensors
        | AttributeKind::Graphs
        | AttributeKind::SparseTensor
        | AttributeKind::SparseTensors
        | AttributeKind::TypeProto
        | AttributeKind::TypeProtos => return None,
    }
    Some(attribute)
}

/// Removes an attribute.
pub fn remove(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(node) = place::node(&mut subject.model, rng).filter(|node| !node.attribute.is_empty()) else {
        return false;
    };
    let at = rng.random_range(0..node.attribute.len());
    node.attribute.remove(at);
    true
}

/// Gives an attribute a value of another kind.
pub fn kind(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    const KINDS: [AttributeKind; 6] = [
        AttributeKind::Int,
        AttributeKind::Ints,
        AttributeKind::Float,
        AttributeKind::Floats,
        AttributeKind::String,
        AttributeKind::Tensor,
    ];
    let Some(node) = place::node(&mut subject.model, rng).filter(|node| !node.attribute.is_empty()) else {
        return false;
    };
    let at = rng.random_range(0..node.attribute.len());
    let name = String::from_utf8_lossy(node.attribute[at].name.as_deref().unwrap_or_default()).into_owned();
    let kind = *KINDS.choose(rng).unwrap_or(&AttributeKind::Int);
    if let Some(attribute) = of_kind(&name, kind, rng) {
        node.attribute[at] = attribute;
    }
    true
}
