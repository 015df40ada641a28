//! Edits of inputs, outputs and initializers of graphs, and of the values of inputs.

use onnx_model::proto::{
    DimensionProto, DimensionValue, ModelProto, TensorProto, TensorShapeProto, TensorTypeProto, TypeKind,
    TypeProto, ValueInfoProto,
};
use rand::RngExt;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

use super::{Subject, place, tensor};
use crate::extreme;
use crate::seed::Fed;

/// Changes the tensor of an input; its declaration is mostly updated.
pub fn fed(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some((name, proto)) = fed_tensor(subject, rng) else {
        return false;
    };
    tensor::change(proto, rng);
    let (name, proto) = (name.clone(), proto.clone());
    if rng.random_bool(0.9) {
        declare(&mut subject.model, &name, &proto);
        undeclare_shapes(&mut subject.model);
    }
    true
}

fn fed_tensor<'a>(
    subject: &'a mut Subject,
    rng: &mut ChaCha8Rng,
) -> Option<(&'a String, &'a mut TensorProto)> {
    let tensors = subject.inputs.iter_mut().filter_map(|(name, fed)| match fed {
        Fed::Tensor(proto) => Some((&*name, proto)),
        Fed::Other(_) => None,
    });
    let mut tensors: Vec<_> = tensors.collect();
    let at = (!tensors.is_empty()).then(|| rng.random_range(0..tensors.len()))?;
    Some(tensors.swap_remove(at))
}

/// Declares the graph input of this name with the type of the tensor, without a shape.
fn declare(model: &mut ModelProto, name: &str, proto: &TensorProto) {
    let inputs = model.graph.iter_mut().flat_map(|graph| &mut graph.input);
    for info in inputs.filter(|info| info.name.as_deref() == Some(name.as_bytes())) {
        info.r#type = Some(tensor_type(proto.data_type, None));
    }
}

fn tensor_type(elem_type: Option<i32>, shape: Option<TensorShapeProto>) -> TypeProto {
    TypeProto {
        value: Some(TypeKind::Tensor(TensorTypeProto { elem_type, shape })),
        denotation: None,
    }
}

/// Makes the tensor of an input an initializer, and mostly removes the input.
pub fn fed_to_initializer(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some((name, proto)) = fed_tensor(subject, rng) else {
        return false;
    };
    let (name, mut proto) = (name.clone(), proto.clone());
    let Some(graph) = &mut subject.model.graph else {
        return false;
    };
    proto.name = Some(name.clone().into_bytes());
    graph.initializer.push(proto);
    if rng.random_bool(0.8) {
        graph
            .input
            .retain(|info| info.name.as_deref() != Some(name.as_bytes()));
        subject.inputs.retain(|(known, _)| *known != name);
    }
    true
}

/// Changes an initializer.
pub fn initializer(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng).filter(|graph| !graph.initializer.is_empty())
    else {
        return false;
    };
    let at = rng.random_range(0..graph.initializer.len());
    tensor::change(&mut graph.initializer[at], rng);
    true
}

/// Lists an initializer among the inputs, or makes it an input.
pub fn initializer_to_input(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = subject
        .model
        .graph
        .as_mut()
        .filter(|graph| !graph.initializer.is_empty())
    else {
        return false;
    };
    let at = rng.random_range(0..graph.initializer.len());
    let proto = graph.initializer[at].clone();
    let name = proto.name.clone().unwrap_or_default();
    graph.input.push(ValueInfoProto {
        name: Some(name.clone()),
        r#type: Some(tensor_type(proto.data_type, None)),
        ..ValueInfoProto::default()
    });
    if rng.random_bool(0.5) {
        graph.initializer.remove(at);
    }
    if rng.random_bool(0.8) {
        let name = String::from_utf8_lossy(&name).into_owned();
        subject.inputs.push((name, Fed::Tensor(proto)));
    }
    true
}

/// Renames a graph input.
pub fn rename_input(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng).filter(|graph| !graph.input.is_empty()) else {
        return false;
    };
    let at = rng.random_range(0..graph.input.len());
    let others = place::names(graph);
    let name = match others.choose(rng) {
        Some(name) if rng.random_bool(0.5) => name.clone(),
        _ => extreme::string(rng),
    };
    graph.input[at].name = Some(name);
    true
}

/// Removes a graph input, or the value of one.
pub fn drop_input(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    if rng.random_bool(0.3) && !subject.inputs.is_empty() {
        let at = rng.random_range(0..subject.inputs.len());
        subject.inputs.remove(at);
        return true;
    }
    let Some(graph) = place::graph(&mut subject.model, rng).filter(|graph| !graph.input.is_empty()) else {
        return false;
    };
    let at = rng.random_range(0..graph.input.len());
    graph.input.remove(at);
    true
}

/// Changes the declaration of an input, output or inner value.
pub fn declared_type(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng) else {
        return false;
    };
    let list = match rng.random_range(0..3) {
        0 => &mut graph.input,
        1 => &mut graph.output,
        _ => &mut graph.value_info,
    };
    if list.is_empty() {
        return false;
    }
    let at = rng.random_range(0..list.len());
    let elem_type = match &list[at].r#type {
        Some(TypeProto {
            value: Some(TypeKind::Tensor(tensor)),
            ..
        }) if rng.random_bool(0.8) => tensor.elem_type,
        _ => Some(rng.random_range(0..30)),
    };
    let shape = rng.random_bool(0.9).then(|| shape(rng));
    list[at].r#type = rng.random_bool(0.95).then(|| tensor_type(elem_type, shape));
    true
}

fn shape(rng: &mut ChaCha8Rng) -> TensorShapeProto {
    let dimension = |rng: &mut ChaCha8Rng| {
        let value = match rng.random_range(0..4) {
            0 => Some(DimensionValue::DimParam(b"n".to_vec())),
            1 => Some(DimensionValue::DimValue(extreme::extent(rng))),
            2 => None,
            _ => Some(DimensionValue::DimValue(rng.random_range(0..6))),
        };
        DimensionProto {
            value,
            denotation: None,
        }
    };
    TensorShapeProto {
        dim: (0..rng.random_range(0..6)).map(|_| dimension(rng)).collect(),
    }
}

/// Removes every declared shape of the main graph, so that values of other shapes are valid.
pub fn undeclare(subject: &mut Subject, _rng: &mut ChaCha8Rng) -> bool {
    undeclare_shapes(&mut subject.model);
    true
}

fn undeclare_shapes(model: &mut ModelProto) {
    let Some(graph) = &mut model.graph else {
        return;
    };
    graph.value_info.clear();
    for info in graph.input.iter_mut().chain(&mut graph.output) {
        if let Some(TypeProto {
            value: Some(TypeKind::Tensor(tensor)),
            ..
        }) = &mut info.r#type
        {
            tensor.shape = None;
        }
    }
}

/// Also makes an inner value, an input or a constant an output of its graph.
pub fn add_output(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng) else {
        return false;
    };
    let Some(name) = place::names(graph).choose(rng).cloned() else {
        return false;
    };
    let known = graph
        .input
        .iter()
        .chain(&graph.output)
        .find(|info| info.name.as_ref() == Some(&name));
    let r#type = known
        .and_then(|info| info.r#type.clone())
        .or_else(|| Some(tensor_type(Some(1), None)));
    graph.output.push(ValueInfoProto {
        name: Some(name),
        r#type,
        ..ValueInfoProto::default()
    });
    true
}

/// Removes, repeats or swaps outputs.
pub fn outputs(subject: &mut Subject, rng: &mut ChaCha8Rng) -> bool {
    let Some(graph) = place::graph(&mut subject.model, rng).filter(|graph| !graph.output.is_empty()) else {
        return false;
    };
    let (at, other) = (
        rng.random_range(0..graph.output.len()),
        rng.random_range(0..graph.output.len()),
    );
    match rng.random_range(0..3) {
        0 => drop(graph.output.remove(at)),
        1 => graph.output.push(graph.output[at].clone()),
        _ => graph.output.swap(at, other),
    }
    true
}
