//! Edits of the complete model: opsets, the IR version, replaced element types.

use onnx_model::proto::{GraphProto, OperatorSetIdProto, TypeKind, TypeProto};
use onnx_tensor::DType;
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Subject, tensor};
use crate::extreme;
use crate::seed::Fed;

/// Imports another opset.
pub fn opset(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let imports = &mut subject.model.opset_import;
    if imports.is_empty() || rng.random_bool(0.1) {
        imports.push(OperatorSetIdProto {
            domain: Some(extreme::string(rng)),
            version: Some(rng.random_range(0..30)),
        });
        return true;
    }
    let at = rng.random_range(0..imports.len());
    imports[at].version = match rng.random_range(0..8) {
        0 => Some(extreme::int(rng)),
        1 => None,
        _ => Some(rng.random_range(1..=28)),
    };
    true
}

/// Changes the IR version.
pub fn ir_version(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    subject.model.ir_version = match rng.random_range(0..4) {
        0 => Some(extreme::int(rng)),
        1 => None,
        _ => Some(rng.random_range(1..=14)),
    };
    true
}

/// Replaces one element type by another everywhere, so that types still match.
pub fn retype(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let tensors = subject.inputs.iter().filter_map(|(_, fed)| match fed {
        Fed::Tensor(proto) => proto.data_type,
        Fed::Other(_) => None,
    });
    let found: Vec<i32> = tensors.collect();
    let (Some(&from), Some(&to)) = (found.choose(rng), DType::ALL.choose(rng)) else {
        return false;
    };
    for (_, fed) in &mut subject.inputs {
        if let Fed::Tensor(proto) = fed
            && proto.data_type == Some(from)
        {
            tensor::retype(proto, to, rng);
        }
    }
    if let Some(graph) = &mut subject.model.graph {
        retype_graph(graph, from, to, rng);
    }
    true
}

fn retype_graph(graph: &mut GraphProto, from: i32, to: DType, rng: &mut ChaCha8Rng) {
    let infos = graph
        .input
        .iter_mut()
        .chain(&mut graph.output)
        .chain(&mut graph.value_info);
    infos
        .filter_map(|info| info.r#type.as_mut())
        .for_each(|found| retype_type(found, from, to));
    for proto in &mut graph.initializer {
        if proto.data_type == Some(from) {
            tensor::retype(proto, to, rng);
        }
    }
    for attribute in graph.node.iter_mut().flat_map(|node| &mut node.attribute) {
        if let Some(body) = &mut attribute.g {
            retype_graph(body, from, to, rng);
        }
        if let Some(proto) = attribute.t.as_mut().filter(|proto| proto.data_type == Some(from)) {
            tensor::retype(proto, to, rng);
        }
        if attribute.name.as_deref() == Some(b"to") && attribute.i == Some(i64::from(from)) {
            attribute.i = Some(i64::from(to.to_onnx()));
        }
    }
}

fn retype_type(found: &mut TypeProto, from: i32, to: DType) {
    match &mut found.value {
        Some(TypeKind::Tensor(tensor)) if tensor.elem_type == Some(from) => {
            tensor.elem_type = Some(to.to_onnx())
        }
        Some(TypeKind::Sequence(sequence)) => {
            if let Some(element) = &mut sequence.elem_type {
                retype_type(element, from, to);
            }
        }
        Some(TypeKind::Optional(optional)) => {
            if let Some(element) = &mut optional.elem_type {
                retype_type(element, from, to);
            }
        }
        Some(TypeKind::Tensor(_) | TypeKind::Map(_) | TypeKind::Opaque(_) | TypeKind::SparseTensor(_))
        | None => {}
    }
}
