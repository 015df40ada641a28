//! The graph as text, for dumps.

use std::fmt;

use onnx_model::AttributeValue;
use onnx_tensor::{Dim, ValueType};

use super::graph::{Graph, Layout, ValueId};
use super::op::{Op, Operator};

/// Writes one line for each input, node and output, in execution order:
/// `%7 relu1: float[1, 64, 56, 56] = Relu-14(%6)`.
impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

impl Graph {
    fn write(&self, f: &mut fmt::Formatter<'_>, indent: &str) -> fmt::Result {
        for &id in &self.inputs {
            writeln!(f, "{indent}input {}", self.defined(id))?;
        }
        for node in &self.nodes {
            let outputs: Vec<_> = node
                .outputs
                .iter()
                .flatten()
                .map(|&id| self.defined(id))
                .collect();
            let inputs = node
                .inputs
                .iter()
                .map(|input| input.map_or_else(|| "-".to_owned(), |id| self.read(id)));
            let inputs: Vec<_> = inputs.collect();
            writeln!(
                f,
                "{indent}{} = {}({})",
                outputs.join(", "),
                node.op,
                inputs.join(", ")
            )?;
            let deeper = format!("{indent}  ");
            match &node.op {
                Op::If { branches, .. } => {
                    for (branch, name) in branches.iter().zip(["then", "else"]) {
                        writeln!(f, "{indent}  {name}:")?;
                        branch.write(f, &deeper)?;
                    }
                }
                Op::Repeat { body, .. } => body.write(f, &deeper)?,
                _ => {}
            }
        }
        let outputs: Vec<_> = self.outputs.iter().map(|&id| self.read(id)).collect();
        writeln!(f, "{indent}return {}", outputs.join(", "))
    }

    fn defined(&self, id: ValueId) -> String {
        let value = self.value(id);
        let layout = match value.layout {
            Layout::Plain => "",
            Layout::Blocked => " blocked",
            Layout::ChannelsLast => " channels last",
        };
        format!(
            "%{} {}: {}{layout}",
            id.0,
            value.name,
            TypeText(value.known.as_ref())
        )
    }

    /// A constant is written as its type, with its elements if they are few.
    fn read(&self, id: ValueId) -> String {
        let value = self.value(id);
        match &value.constant {
            Some(onnx_tensor::Value::Tensor(tensor)) => {
                let elements = crate::ops::numbers::floats(tensor).ok().filter(|e| e.len() <= 4);
                let elements = elements.map_or(String::new(), |elements| format!(" {elements:?}"));
                format!("const {}{elements}", TypeText(value.known.as_ref()))
            }
            _ => format!("%{}", id.0),
        }
    }
}

/// A type as text: `float[1, 64, ?]`; `?` if it is unknown.
pub struct TypeText<'a>(pub Option<&'a ValueType>);

impl fmt::Display for TypeText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("?"),
            Some(ValueType::Tensor { dtype, shape: None }) => write!(f, "{dtype}[..]"),
            Some(ValueType::Tensor {
                dtype,
                shape: Some(shape),
            }) => {
                let extents = shape.iter().map(|dim| match dim {
                    Dim::Fixed(extent) => extent.to_string(),
                    Dim::Named(name) => name.clone(),
                    Dim::Unknown => "?".to_owned(),
                });
                write!(f, "{dtype}[{}]", extents.collect::<Vec<_>>().join(", "))
            }
            Some(other) => write!(f, "{other}"),
        }
    }
}

/// Writes the operator with its attributes, including defaults.
impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.schema)?;
        let attributes = self.attributes.iter().map(|(name, value)| match value {
            AttributeValue::Int(value) => format!("{name}={value}"),
            AttributeValue::Float(value) => format!("{name}={value}"),
            AttributeValue::Ints(values) => format!("{name}={values:?}"),
            AttributeValue::Floats(values) => format!("{name}={values:?}"),
            AttributeValue::String(bytes) => format!("{name}={:?}", String::from_utf8_lossy(bytes)),
            _ => format!("{name}=…"),
        });
        let attributes: Vec<_> = attributes.collect();
        if attributes.is_empty() {
            return Ok(());
        }
        write!(f, "{{{}}}", attributes.join(" "))
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Op::Fused(fused) => write!(f, "{fused}"),
            Op::Plain(operator) | Op::If { operator, .. } | Op::Repeat { operator, .. } => {
                write!(f, "{operator}")
            }
        }
    }
}
