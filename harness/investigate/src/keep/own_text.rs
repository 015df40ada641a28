//! Writes a model of one node as the text of an own case (`harness_corpus::own`).

use std::fmt::Write;
use std::path::Path;

use harness_corpus::own;
use onnx_model::{AttributeValue, Model};
use onnx_tensor::{Tensor, TensorError, Value, dispatch};

use super::Provenance;
use crate::subject::StoredSet;

/// The maximum number of elements of a tensor in the text.
const READABLE: usize = 64;

/// The text; `None` if the model has no such form: several nodes, bodies, declared types of inner values,
/// values other than tensors of numbers, long tensors.
pub(super) fn text(provenance: &Provenance, model: &Model, set: &StoredSet, name: &str) -> Option<String> {
    let [node] = model.graph.nodes.as_slice() else {
        return None;
    };
    if !model.graph.value_info.is_empty() {
        return None;
    }
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
    // Text that cannot be read back as a case is discarded.
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
        Tensor::String(array) => array.iter().map(|text| format!("{text:?}")).collect(),
        _ => plain(tensor).ok()?,
    };
    let dtype = tensor.dtype();
    Some(format!(
        "dtype = \"{dtype}\", shape = {:?}, values = [{}]",
        tensor.shape(),
        values.join(", ")
    ))
}

/// Booleans and numbers; values without a TOML number are quoted.
fn plain(tensor: &Tensor) -> Result<Vec<String>, TensorError> {
    dispatch!(plain, tensor.dtype(), T => {
        Ok(tensor.array::<T>()?.iter().map(|element: &T| number(format!("{element:?}"))).collect())
    })
}

/// A number in TOML's format.
fn number(text: String) -> String {
    let is_integer = text.trim_start_matches('-').chars().all(|c| c.is_ascii_digit());
    match text.as_str() {
        "NaN" | "inf" | "-inf" => format!("{:?}", text.to_lowercase()),
        _ if is_integer && text.parse::<i64>().is_err() => format!("{text:?}"),
        _ => text,
    }
}

fn attribute_text(value: &AttributeValue) -> Option<String> {
    Some(match value {
        AttributeValue::Float(value) => number(format!("{value:?}")),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::String(text) => format!("{:?}", std::str::from_utf8(text).ok()?),
        AttributeValue::Ints(values) => format!("{{ ints = {values:?} }}"),
        AttributeValue::Floats(values) => format!("{{ floats = {values:?} }}"),
        AttributeValue::Tensor(value) => format!("{{ {} }}", tensor(value)?),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::f16;

    use super::*;

    #[test]
    fn numbers_are_those_of_own_cases() {
        let check = |tensor: Tensor, expected: &[&str]| assert_eq!(plain(&tensor).unwrap(), expected);
        check(
            Tensor::vector(vec![0.1_f32, f32::NAN, -f32::INFINITY]),
            &["0.1", "\"nan\"", "\"-inf\""],
        );
        check(Tensor::vector(vec![f16::from_f32(1.5)]), &["1.5"]);
        check(
            Tensor::vector(vec![u64::MAX, 7]),
            &["\"18446744073709551615\"", "7"],
        );
        check(Tensor::vector(vec![true]), &["true"]);
    }
}
