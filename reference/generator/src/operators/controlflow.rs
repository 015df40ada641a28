//! Bodies: If, Loop and Scan.

use std::sync::Arc;

use onnx_model::{AttributeValue, Graph, ValueInfo};
use onnx_schema::SchemaType;
use onnx_tensor::{DType, Tensor, Value, ValueType};

use super::sequences::{any_value, identity};
use super::{Declaration, of};
use crate::{Domain, Draft, Made, Reject, value_type};

pub(super) const OPERATORS: &[Declaration] = &[of("If", condition), of("Loop", repeat), of("Scan", scan)];

fn info(name: &str, value_type: ValueType) -> ValueInfo {
    ValueInfo {
        name: name.to_owned(),
        value_type: Some(value_type),
    }
}

/// Branches with constants of the type, or with an outer value if the type cannot be a constant: the
/// node has no inputs.
fn condition(d: &mut Draft) -> Made {
    let of = d.schema_type("V")?;
    let branch = |d: &mut Draft, name: &str| -> Result<AttributeValue, Reject> {
        let SchemaType::Tensor(dtype) = of else {
            return made_inside(d, of, name);
        };
        let tensor = d.tensor(dtype, &[2], Domain::ANY)?;
        let graph = Graph {
            name: name.to_owned(),
            outputs: vec![info(&format!("{name}_result"), value_type(&of))],
            initializers: vec![(format!("{name}_value"), Value::Tensor(tensor))],
            nodes: vec![identity(&format!("{name}_value"), &format!("{name}_result"))],
            ..Graph::default()
        };
        Ok(AttributeValue::Graph(Arc::new(graph)))
    };
    let (then, otherwise) = (branch(d, "then")?, branch(d, "else")?);
    d.attribute("then_branch", then);
    d.attribute("else_branch", otherwise);
    let truth = d.pick("condition", &["true", "false"]) == "true";
    match d.pick("condition form", &["scalar", "one element"]) {
        "scalar" => d.give(Tensor::scalar(truth)),
        _ => d.give(Tensor::vector(vec![truth])),
    }
    d.results(vec![value_type(&of)]);
    Ok(())
}

/// Whether the version of an operator at the opset of the draft accepts a type.
fn taken_by(d: &Draft, operator: &str, of: SchemaType) -> bool {
    let schema = onnx_schema::lookup("", operator, d.since());
    schema.is_some_and(|schema| {
        schema
            .input(0)
            .is_some_and(|formal| schema.types(formal).contains(&of))
    })
}

/// A branch that constructs a sequence or an optional from a constant.
fn made_inside(d: &Draft, of: SchemaType, name: &str) -> Result<AttributeValue, Reject> {
    let dtype = crate::element(of);
    let zero = zero(dtype)?;
    let start = format!("{name}_value");
    let mut nodes = Vec::new();
    let mut chain = vec![];
    let mut outer = of;
    loop {
        let (operator, inside) = match outer {
            SchemaType::Sequence(inside) => ("SequenceConstruct", *inside),
            SchemaType::Optional(inside) => ("Optional", *inside),
            SchemaType::Tensor(_) => break,
            SchemaType::SparseTensor(_) | SchemaType::Map(..) => {
                return Err(Reject("no node produces the type"));
            }
        };
        d.require(
            taken_by(d, operator, inside),
            "no node of the opset produces the type",
        )?;
        chain.push(operator);
        outer = inside;
    }
    let mut from = start.clone();
    for (depth, operator) in chain.iter().rev().enumerate() {
        let to = format!("{name}_{depth}");
        nodes.push(onnx_model::Node {
            operator: (*operator).to_owned(),
            ..identity(&from, &to)
        });
        from = to;
    }
    let graph = Graph {
        name: name.to_owned(),
        outputs: vec![info(&from, value_type(&of))],
        initializers: vec![(start, Value::Tensor(zero))],
        nodes,
        ..Graph::default()
    };
    Ok(AttributeValue::Graph(Arc::new(graph)))
}

fn zero(dtype: DType) -> Result<Tensor, Reject> {
    let tensor: Result<Tensor, onnx_tensor::TensorError> =
        onnx_tensor::dispatch!(all, dtype, T => Tensor::new(&[2], vec![T::default(), T::default()]));
    Ok(tensor?)
}

/// A carried value that is unchanged, with a scan output if it is a tensor.
fn repeat(d: &mut Draft) -> Made {
    let of = d.schema_type("V")?;
    let trips: i64 = d.pick("trips", &["3", "1", "0"]).parse().unwrap_or(0);
    match d.pick("M", &["given", "absent"]) {
        "given" => d.give(Tensor::scalar(trips)),
        _ => {
            let ends = d.pick("cond", &["absent", "true", "false"]) == "false";
            d.require(ends, "a loop without an end")?;
            d.skip();
        }
    }
    match d.pick("cond", &["absent", "true", "false"]) {
        "absent" => d.skip(),
        truth => d.give(Tensor::scalar(truth == "true")),
    }
    let value = any_value(d, of, Domain::ANY)?;
    let scanned = matches!(of, SchemaType::Tensor(_)) && d.whether("scan output");
    let stops = d.pick("body condition", &["passed on", "constant"]) == "constant";
    let carried = match &value {
        Value::Tensor(_) => value.value_type(),
        _ => value_type(&of),
    };
    d.give(value);
    let mut body = Graph {
        name: "body".to_owned(),
        inputs: vec![
            info(
                "trip",
                ValueType::Tensor {
                    dtype: DType::Int64,
                    shape: Some(Vec::new()),
                },
            ),
            info(
                "going",
                ValueType::Tensor {
                    dtype: DType::Bool,
                    shape: Some(Vec::new()),
                },
            ),
            info("carried", carried.clone()),
        ],
        outputs: vec![
            info(
                "go_on",
                ValueType::Tensor {
                    dtype: DType::Bool,
                    shape: Some(Vec::new()),
                },
            ),
            info("kept", carried.clone()),
        ],
        nodes: vec![identity(if stops { "always" } else { "going" }, "go_on")],
        ..Graph::default()
    };
    if taken_by(d, "Identity", of) {
        body.nodes.push(identity("carried", "kept"));
    } else {
        // No node of the opset accepts the type: the body returns its input.
        body.outputs[1].name = "carried".to_owned();
    }
    if stops {
        body.initializers
            .push(("always".to_owned(), Value::Tensor(Tensor::scalar(false))));
    }
    let mut results = vec![value_type(&of)];
    if scanned {
        body.nodes.push(identity("carried", "scanned"));
        body.outputs.push(info("scanned", carried));
        results.push(value_type(&of));
    }
    d.attribute("body", AttributeValue::Graph(Arc::new(body)));
    d.results(results);
    Ok(())
}

/// A state that becomes the last scanned element, and the scanned elements. Version 8 has a batch axis.
fn scan(d: &mut Draft) -> Made {
    let of = d.schema_type("V")?;
    let SchemaType::Tensor(dtype) = of else {
        return Err(Reject("the type is not a tensor"));
    };
    let batched = d.since() == 8;
    let (length, width) = (1 + d.draws.below(4), 1 + d.draws.below(3));
    let axes: &[&str] = if d.since() >= 11 {
        &["0", "1", "-1"]
    } else {
        &["0", "1"]
    };
    let input_axis = if batched {
        0
    } else {
        d.pick("scan axis", axes).parse().unwrap_or(0)
    };
    let backward = d.pick("direction", &["absent", "forward", "backward"]);
    let direction = i64::from(backward == "backward");
    d.int("num_scan_inputs", 1);
    if backward != "absent" {
        d.ints("directions", &[direction]);
        d.ints("scan_input_directions", &[direction]);
    }
    if input_axis != 0 {
        d.ints("scan_input_axes", &[input_axis]);
    }
    match d.pick("scan output", &["plain", "axis", "backward"]) {
        "axis" => d.ints("scan_output_axes", &[1]),
        "backward" => d.ints("scan_output_directions", &[1]),
        _ => {}
    }
    let batch = 1 + d.draws.below(2);
    if batched && d.whether("sequence_lens") {
        d.numbers(&vec![length as i64; batch])?;
    } else if batched {
        d.skip();
    }
    let whole = |shape: Vec<usize>| {
        if batched {
            [vec![batch], shape].concat()
        } else {
            shape
        }
    };
    let state = d.tensor(dtype, &whole(vec![width]), Domain::ANY)?;
    d.give(state);
    let scanned = if input_axis == 0 {
        vec![length, width]
    } else {
        vec![width, length]
    };
    let scanned = d.tensor(dtype, &whole(scanned), Domain::ANY)?;
    d.give(scanned);
    let element = ValueType::Tensor {
        dtype,
        shape: Some(vec![onnx_tensor::Dim::Fixed(width)]),
    };
    let body = Graph {
        name: "body".to_owned(),
        inputs: vec![info("state", element.clone()), info("element", element.clone())],
        outputs: vec![info("next", element.clone()), info("given", element)],
        nodes: vec![identity("element", "next"), identity("state", "given")],
        ..Graph::default()
    };
    d.attribute("body", AttributeValue::Graph(Arc::new(body)));
    d.results(vec![value_type(&of), value_type(&of)]);
    Ok(())
}
