//! `check --shapes` and `check --infer`: the inferred shapes as a table, as records, and in the model.

use std::collections::HashSet;
use std::path::Path;

use harness_console::{OutputError, outln};
use onnx_model::Model;
use onnx_model::proto::{
    DimensionProto, DimensionValue, ModelProto, TensorShapeProto, TensorTypeProto, TypeKind, TypeProto,
    ValueInfoProto,
};
use onnx_shapes::{Atom, Inference};
use onnx_tensor::{Dim, ValueType};
use prost::Message;
use schemars::JsonSchema;
use serde::Serialize;

use super::Checked;
use crate::CliError;
use crate::columns::columns;

/// A value of the main graph. Fields are never removed; new ones may be added.
#[derive(Serialize, JsonSchema)]
pub(super) struct ValueRecord {
    name: String,
    /// `tensor(float)`; absent if it is not known.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// An extent is a number, an expression of names, or `?`; absent if the rank is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    shape: Option<Vec<String>>,
}

/// The inputs and the outputs of nodes of the main graph, in the order of the file.
pub(super) fn records(model: &Model, inference: &mut Inference) -> Vec<ValueRecord> {
    let inputs = model.graph.inputs.iter().map(|input| &input.name);
    let outputs = model.graph.nodes.iter().flat_map(|node| &node.outputs);
    let mut seen = HashSet::new();
    let named = inputs
        .chain(outputs)
        .filter(|name| !name.is_empty() && seen.insert(*name));
    let record = |name: &String| {
        let shape = inference.shape(name);
        let kind = inference.value_type(name).map(|kind| kind.to_string());
        let text = |shape: Vec<onnx_shapes::Expr>| {
            shape
                .iter()
                .map(|extent| inference.symbols.text(extent))
                .collect()
        };
        ValueRecord {
            name: name.clone(),
            kind,
            shape: shape.map(text),
        }
    };
    named.map(record).collect()
}

/// Prints the shapes, then the conditions that inputs must meet, as far as they have names.
pub(super) fn table(values: &[ValueRecord], inference: &Inference) -> Result<(), OutputError> {
    let row = |record: &ValueRecord| {
        let shape = record
            .shape
            .as_ref()
            .map(|shape| format!("[{}]", shape.join(", ")));
        let kind = record.kind.clone().unwrap_or_else(|| "?".to_owned());
        vec![record.name.clone(), kind, shape.unwrap_or_default()]
    };
    let rows: Vec<Vec<String>> = values.iter().map(row).collect();
    for line in columns("  ", &rows) {
        outln(format_args!("{line}"))?;
    }
    let mut said = HashSet::new();
    for constraint in inference
        .constraints
        .iter()
        .filter(|constraint| constraint.certain)
    {
        let text = constraint.text(&inference.symbols);
        let named = !text.contains('?') && said.insert(text.clone());
        if named {
            let line = format!("requires {text} ({}, {})", constraint.what, constraint.cause);
            outln(format_args!("  {}", run_record::shown::one_line(&line)))?;
        }
    }
    Ok(())
}

/// Writes the model of a check of one file with the types and extents of its values. Everything else in
/// the file stays; external data is still looked for beside the file.
pub(super) fn write(checked: &mut [Checked], out: &Path) -> Result<(), CliError> {
    let [checked] = checked else {
        return Err(CliError::Usage("--infer takes one model".to_owned()));
    };
    let path = checked.path.display().to_string();
    let Some((model, inference)) = checked
        .found
        .as_mut()
        .ok()
        .and_then(|found| found.shapes.as_mut())
    else {
        return Err(CliError::Usage(format!(
            "the shapes of {path} cannot be inferred: see its findings"
        )));
    };
    let unreadable = |error: &dyn std::fmt::Display| CliError::Usage(format!("{path}: {error}"));
    let bytes = std::fs::read(&checked.path).map_err(|error| unreadable(&error))?;
    let mut file = ModelProto::decode(bytes.as_slice()).map_err(|error| unreadable(&error))?;
    if let Some(graph) = &mut file.graph {
        let of_inputs = inference.symbols_of(model.graph.inputs.iter().map(|input| &input.name));
        for info in graph.output.iter_mut().chain(&mut graph.value_info) {
            declare(info, inference, &of_inputs);
        }
        let named = |infos: &[ValueInfoProto]| {
            infos
                .iter()
                .filter_map(|info| info.name.clone())
                .collect::<Vec<_>>()
        };
        let declared = [
            named(&graph.value_info),
            named(&graph.output),
            named(&graph.input),
        ]
        .concat();
        let mut declared: HashSet<Vec<u8>> = declared.into_iter().collect();
        for name in model.graph.nodes.iter().flat_map(|node| &node.outputs) {
            if name.is_empty() || !declared.insert(name.clone().into_bytes()) {
                continue;
            }
            let mut info = ValueInfoProto {
                name: Some(name.clone().into_bytes()),
                ..ValueInfoProto::default()
            };
            declare(&mut info, inference, &of_inputs);
            if info.r#type.is_some() {
                graph.value_info.push(info);
            }
        }
    }
    run_record::replace(out, &file.encode_to_vec())?;
    Ok(())
}

/// Sets the type of a tensor. An extent that depends on values stays as it is declared; where the open
/// extents of inputs decide it, a declared number holds for some of them only, and is left out.
fn declare(info: &mut ValueInfoProto, inference: &mut Inference, of_inputs: &HashSet<Atom>) {
    let name = info
        .name
        .as_deref()
        .map(String::from_utf8_lossy)
        .unwrap_or_default();
    let Some(ValueType::Tensor {
        dtype,
        shape: Some(shape),
    }) = inference.value_type(&name)
    else {
        return;
    };
    let before = match info.r#type.as_ref().and_then(|before| before.value.as_ref()) {
        Some(TypeKind::Tensor(before)) => before.shape.as_ref().map(|shape| shape.dim.clone()),
        Some(_) => return,
        None => None,
    };
    let before = before
        .filter(|before| before.len() == shape.len())
        .unwrap_or_default();
    let decided = inference.decided_by(&name, of_inputs);
    let dim = |(at, extent): (usize, &Dim)| match extent {
        Dim::Fixed(extent) => DimensionProto {
            value: i64::try_from(*extent).ok().map(DimensionValue::DimValue),
            ..before.get(at).cloned().unwrap_or_default()
        },
        Dim::Named(name) => DimensionProto {
            value: Some(DimensionValue::DimParam(name.clone().into_bytes())),
            ..before.get(at).cloned().unwrap_or_default()
        },
        Dim::Unknown => {
            let mut before: DimensionProto = before.get(at).cloned().unwrap_or_default();
            before.value = before.value.filter(|value| {
                matches!(value, DimensionValue::DimParam(_))
                    || !decided.get(at).is_some_and(|decided| *decided)
            });
            before
        }
    };
    let tensor = TensorTypeProto {
        elem_type: Some(dtype.to_onnx()),
        shape: Some(TensorShapeProto {
            dim: shape.iter().enumerate().map(dim).collect(),
        }),
    };
    info.r#type = Some(TypeProto {
        value: Some(TypeKind::Tensor(tensor)),
        ..info.r#type.take().unwrap_or_default()
    });
}
