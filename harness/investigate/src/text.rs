//! A model in the text form of ONNX (`onnx.parser`, `onnx.printer`), for people. Long tensors are
//! truncated with `…`, so that the text of such a model cannot be parsed.

use std::fmt::Write;

use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{Dim, Tensor, TensorError, Value, ValueType, dispatch};

/// The maximum number of elements of a tensor in the text.
const WRITTEN: usize = 16;

/// The text of a model.
pub fn text(model: &Model) -> String {
    let imports: Vec<String> = model
        .opset_imports
        .iter()
        .map(|(domain, opset)| format!("\"{domain}\" : {opset}"))
        .collect();
    let mut out = format!(
        "<\n  ir_version: {},\n  opset_import: [{}]\n>\n",
        model.ir_version,
        imports.join(", ")
    );
    let name = if model.graph.name.is_empty() {
        "graph"
    } else {
        &model.graph.name
    };
    graph(&mut out, name, &model.graph, 0);
    for function in &model.functions {
        let formals = |names: &[String]| {
            names
                .iter()
                .map(|name| identifier(name))
                .collect::<Vec<_>>()
                .join(", ")
        };
        let imports: Vec<String> = function
            .opset_imports
            .iter()
            .map(|(domain, opset)| format!("\"{domain}\" : {opset}"))
            .collect();
        let _ = write!(
            out,
            "\n<domain: \"{}\", opset_import: [{}]>\n{} ({}) => ({})\n{{\n",
            function.domain,
            imports.join(", "),
            identifier(&function.name),
            formals(&function.inputs),
            formals(&function.outputs)
        );
        function.nodes.iter().for_each(|inner| node(&mut out, inner, 1));
        out.push_str("}\n");
    }
    out
}

fn graph(out: &mut String, name: &str, graph: &Graph, depth: usize) {
    let indent = "  ".repeat(depth);
    let infos = |infos: &[ValueInfo]| infos.iter().map(info).collect::<Vec<_>>().join(", ");
    let _ = write!(
        out,
        "{} ({}) => ({})",
        identifier(name),
        infos(&graph.inputs),
        infos(&graph.outputs)
    );
    if !graph.initializers.is_empty() || !graph.value_info.is_empty() {
        let values = graph.initializers.iter().map(|(name, value)| match value {
            Value::Tensor(tensor) => format!(
                "{} {} = {{{}}}",
                typed(tensor),
                identifier(name),
                elements(tensor)
            ),
            other => format!("{} {} = {{…}}", other.value_type(), identifier(name)),
        });
        let values: Vec<String> = values.chain(graph.value_info.iter().map(info)).collect();
        let _ = write!(out, "\n{indent}<{}>", values.join(", "));
    }
    let _ = writeln!(out, "\n{indent}{{");
    graph.nodes.iter().for_each(|inner| node(out, inner, depth + 1));
    let _ = writeln!(out, "{indent}}}");
}

fn node(out: &mut String, node: &Node, depth: usize) {
    let names = |names: &[String]| {
        names
            .iter()
            .map(|name| identifier(name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let domain = if node.domain.is_empty() {
        String::new()
    } else {
        format!("{}.", node.domain)
    };
    let _ = write!(out, "{}", "  ".repeat(depth));
    if !node.name.is_empty() {
        let _ = write!(out, "[{}] ", identifier(&node.name));
    }
    let _ = write!(out, "{} = {domain}{}", names(&node.outputs), node.operator);
    if !node.attributes.is_empty() {
        out.push_str(" <");
        for (place, given) in node.attributes.iter().enumerate() {
            out.push_str(if place == 0 { "" } else { ", " });
            attribute(out, given, depth + 1);
        }
        out.push('>');
    }
    let _ = writeln!(out, " ({})", names(&node.inputs));
}

fn attribute(out: &mut String, given: &Attribute, depth: usize) {
    let name = identifier(&given.name);
    let list = |texts: Vec<String>| format!("[{}]", texts.join(", "));
    let quoted = |text: &Vec<u8>| format!("{:?}", String::from_utf8_lossy(text));
    let value = match &given.value {
        AttributeValue::Float(value) => format!("{value:?}"),
        AttributeValue::Int(value) => value.to_string(),
        AttributeValue::String(text) => quoted(text),
        AttributeValue::Tensor(tensor) => format!("{} {{{}}}", typed(tensor), elements(tensor)),
        AttributeValue::Floats(values) => list(values.iter().map(|value| format!("{value:?}")).collect()),
        AttributeValue::Ints(values) => list(values.iter().map(i64::to_string).collect()),
        AttributeValue::Strings(values) => list(values.iter().map(quoted).collect()),
        AttributeValue::Type(value) => value.to_string(),
        AttributeValue::Reference(of, _) => format!("@{of}"),
        AttributeValue::Graph(body) => {
            let _ = write!(out, "{name} = ");
            graph(
                out,
                if body.name.is_empty() { "body" } else { &body.name },
                body,
                depth,
            );
            out.truncate(out.trim_end().len());
            return;
        }
        AttributeValue::Sparse(_)
        | AttributeValue::Tensors(_)
        | AttributeValue::Graphs(_)
        | AttributeValue::Sparses(_)
        | AttributeValue::Types(_) => "…".to_owned(),
    };
    let _ = write!(out, "{name} = {value}");
}

fn info(info: &ValueInfo) -> String {
    let name = identifier(&info.name);
    match &info.value_type {
        Some(ValueType::Tensor {
            dtype,
            shape: Some(shape),
        }) => {
            let extent = |dim: &Dim| match dim {
                Dim::Fixed(extent) => extent.to_string(),
                Dim::Named(name) => name.clone(),
                Dim::Unknown => "?".to_owned(),
            };
            let extents: Vec<String> = shape.iter().map(extent).collect();
            format!("{dtype}[{}] {name}", extents.join(","))
        }
        Some(ValueType::Tensor { dtype, shape: None }) => format!("{dtype}[] {name}"),
        Some(other) => format!("{other} {name}"),
        None => name,
    }
}

fn typed(tensor: &Tensor) -> String {
    let extents: Vec<String> = tensor.shape().iter().map(usize::to_string).collect();
    format!("{}[{}]", tensor.dtype(), extents.join(","))
}

/// The first elements.
pub fn elements(tensor: &Tensor) -> String {
    let mut texts = first(tensor).unwrap_or_default();
    if tensor.len() > WRITTEN {
        texts.push("…".to_owned());
    }
    texts.join(", ")
}

fn first(tensor: &Tensor) -> Result<Vec<String>, TensorError> {
    dispatch!(all, tensor.dtype(), T => {
        let elements = tensor.array::<T>()?.iter().take(WRITTEN);
        Ok(elements.map(|element: &T| format!("{element:?}")).collect())
    })
}

/// A name in the text form: unquoted if it is an identifier, else quoted.
fn identifier(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let start = name.chars().next().is_none_or(|c| !c.is_ascii_digit());
    if start && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("{name:?}")
    }
}

#[cfg(test)]
mod tests {

    use onnx_tensor::DType;

    use super::*;

    #[test]
    fn the_text_of_a_model_follows_the_syntax_of_onnx_parser() {
        let info = |name: &str| ValueInfo {
            name: name.to_owned(),
            value_type: Some(ValueType::Tensor {
                dtype: DType::Float,
                shape: Some(vec![Dim::Named("N".to_owned()), Dim::Fixed(2)]),
            }),
        };
        let node = Node {
            name: "a/b".to_owned(),
            operator: "Gemm".to_owned(),
            inputs: vec!["x".to_owned(), "1w".to_owned()],
            outputs: vec!["y".to_owned()],
            attributes: vec![Attribute {
                name: "alpha".to_owned(),
                value: AttributeValue::Float(0.5),
            }],
            ..Node::default()
        };
        let model = Model::new(
            13,
            Graph {
                inputs: vec![info("x")],
                outputs: vec![info("y")],
                initializers: vec![(
                    "1w".to_owned(),
                    Tensor::new(&[2, 1], vec![1.0_f32, -2.5]).unwrap().into(),
                )],
                nodes: vec![node],
                value_info: vec![info("t")],
                ..Graph::default()
            },
        );
        let expected = "<\n  ir_version: 8,\n  opset_import: [\"\" : 13]\n>\n\
            graph (float[N,2] x) => (float[N,2] y)\n<float[2,1] \"1w\" = {1.0, -2.5}, float[N,2] t>\n{\n  \
            [\"a/b\"] y = Gemm <alpha = 0.5> (x, \"1w\")\n}\n";
        assert_eq!(text(&model), expected);
    }
}
