//! Parts with the shapes that a form adds, and the first form in which a failure stays.

use std::collections::HashMap;
use std::sync::Arc;

use onnx_model::{Graph, ValueInfo};
use onnx_tensor::{Dim, ValueType};

use crate::InvestigateError;
use crate::cut::{Part, Prepared, bare};
use crate::form::{Form, Shapes};
use crate::graphs::defines;
use crate::runner::Runner;
use crate::trial::request;

/// The first form in which the complete model fails, by `fails`.
pub(crate) fn first(
    prepared: &Prepared,
    reference: &mut Runner,
    mut fails: impl FnMut(&Part, &mut Runner) -> Result<bool, InvestigateError>,
) -> Result<Option<Form>, InvestigateError> {
    let mut tried = Vec::new();
    for form in Form::all() {
        let part = finish(prepared.complete(form), form.adds, reference)?;
        let bytes = part.model.encode();
        if tried.contains(&bytes) {
            continue;
        }
        if fails(&part, reference)? {
            return Ok(Some(form));
        }
        tried.push(bytes);
    }
    Ok(None)
}

/// The part with the added shapes. Unchanged if the reference does not answer on it.
pub(crate) fn finish(mut part: Part, adds: Shapes, reference: &mut Runner) -> Result<Part, InvestigateError> {
    let inner = match adds {
        Shapes::None => return Ok(part),
        Shapes::Outputs => Vec::new(),
        Shapes::All => undeclared(&part.model.graph),
    };
    let mut probe = bare(&part);
    let graph = Arc::make_mut(&mut probe.model.graph);
    graph.outputs.extend(inner.iter().map(|name| ValueInfo {
        name: name.clone(),
        value_type: None,
    }));
    let Ok(outputs) = reference.run(&request(&probe))? else {
        return Ok(part);
    };
    let types: HashMap<String, ValueType> = outputs
        .values
        .iter()
        .map(|(name, value)| (name.clone(), value.value_type()))
        .collect();
    let graph = Arc::make_mut(&mut part.model.graph);
    for info in graph.outputs.iter_mut().filter(|info| !is_complete(info)) {
        info.value_type = types.get(&info.name).cloned().or(info.value_type.take());
    }
    graph.value_info.retain(|info| !inner.contains(&info.name));
    graph.value_info.extend(inner.into_iter().filter_map(|name| {
        Some(ValueInfo {
            value_type: Some(types.get(&name)?.clone()),
            name,
        })
    }));
    Ok(part)
}

/// The inner values of the main graph without a complete type.
fn undeclared(graph: &Graph) -> Vec<String> {
    let declared = graph.value_info.iter().filter(|info| is_complete(info));
    let known: Vec<&str> = declared
        .chain(&graph.outputs)
        .map(|info| info.name.as_str())
        .collect();
    let inner = graph.nodes.iter().flat_map(defines);
    inner
        .filter(|name| !known.contains(&name.as_str()))
        .cloned()
        .collect()
}

/// Whether a declaration leaves no extent open.
fn is_complete(info: &ValueInfo) -> bool {
    match &info.value_type {
        Some(ValueType::Tensor { shape, .. }) => shape
            .as_ref()
            .is_some_and(|shape| shape.iter().all(|dim| matches!(dim, Dim::Fixed(_)))),
        Some(_) => true,
        None => false,
    }
}
