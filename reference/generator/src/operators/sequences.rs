//! Sequences and optionals.

use std::sync::Arc;

use onnx_model::{AttributeValue, Graph, Node, ValueInfo};
use onnx_schema::SchemaType;
use onnx_tensor::{DType, Map, MapKey, Sequence, SparseTensor, Tensor, Value, ValueType};

use super::{Declaration, of};
use crate::families::{axis, full, shape};
use crate::{Domain, Draft, Made, Reject, value_type};

pub(super) const OPERATORS: &[Declaration] = &[
    of("ConcatFromSequence", concat),
    of("Optional", optional),
    of("OptionalGetElement", |d| {
        let (from, to) = (d.schema_type("O")?, d.schema_type("V")?);
        let fits = matches!(from, SchemaType::Optional(inside) if *inside == to) || from == to;
        d.require(fits, "the element has another type")?;
        let value = any_value(d, from, Domain::ANY)?;
        let there = !matches!(value, Value::Optional { value: None, .. });
        d.require(there, "there is no element")?;
        d.give(value);
        Ok(())
    }),
    of("OptionalHasElement", |d| {
        let from = d.schema_type("O")?;
        if d.since() >= 18 && d.pick("input", &["given", "absent"]) == "absent" {
            return Ok(());
        }
        let value = any_value(d, from, Domain::ANY)?;
        d.give(value);
        Ok(())
    }),
    of("SequenceAt", |d| {
        element_of(d, "S", "T")?;
        let count = sequence(d, 1)?;
        let at = position(d, count, false);
        d.number(at)
    }),
    of("SequenceConstruct", |d| {
        element_of(d, "S", "T")?;
        let count: usize = d.pick("inputs", &["1", "2", "4"]).parse().unwrap_or(1);
        for _ in 0..count {
            let shape = shape(d, 0, 3);
            d.input(&shape, Domain::ANY)?;
        }
        Ok(())
    }),
    of("SequenceEmpty", |d| {
        let dtype = d.dtype("S")?;
        if dtype != DType::Float || d.whether("dtype") {
            d.int("dtype", dtype as i64);
        }
        Ok(())
    }),
    of("SequenceErase", |d| {
        let count = sequence(d, 1)?;
        if d.whether("position") {
            let at = position(d, count, false);
            return d.number(at);
        }
        Ok(())
    }),
    of("SequenceInsert", |d| {
        element_of(d, "S", "T")?;
        let count = sequence(d, 0)?;
        let shape = full(d, 0, 3);
        d.input(&shape, Domain::ANY)?;
        if d.whether("position") {
            let at = position(d, count, true);
            return d.number(at);
        }
        Ok(())
    }),
    of("SequenceLength", |d| sequence(d, 0).map(drop)),
    of("SequenceMap", sequence_map),
    of("SplitToSequence", split),
];

/// A value of any type of the schema.
pub(super) fn any_value(d: &mut Draft, of: SchemaType, domain: Domain) -> Result<Value, Reject> {
    Ok(match of {
        SchemaType::Tensor(dtype) => {
            let shape = shape(d, 0, 4);
            d.tensor(dtype, &shape, domain)?.into()
        }
        SchemaType::SparseTensor(dtype) => Value::Sparse(SparseTensor {
            values: d.tensor(dtype, &[2], domain)?,
            indices: Tensor::vector(vec![0_i64, 2]),
            shape: vec![4],
        }),
        SchemaType::Sequence(inside) => {
            let count: usize = d.pick("elements", &["2", "1", "0", "3"]).parse().unwrap_or(0);
            let values = (0..count)
                .map(|_| element(d, *inside, domain))
                .collect::<Result<_, _>>()?;
            Value::Sequence(Sequence {
                element: value_type(inside),
                values,
            })
        }
        SchemaType::Optional(inside) => {
            let there = d.pick("optional", &["full", "none"]) == "full";
            let value = if there {
                Some(Box::new(any_value(d, *inside, domain)?))
            } else {
                None
            };
            Value::Optional {
                element: value_type(inside),
                value,
            }
        }
        SchemaType::Map(key, inside) => {
            let mut entries = std::collections::BTreeMap::new();
            for number in [1, 3, 4] {
                let name = match key {
                    DType::String => MapKey::String(["", "a", "b", "c", "d"][number].to_owned()),
                    _ => MapKey::Int(number as i128),
                };
                let dtype = crate::element(*inside);
                entries.insert(name, d.tensor(dtype, &[], domain)?.into());
            }
            Value::Map(Map {
                key,
                element: value_type(inside),
                entries,
            })
        }
    })
}

/// An element of a sequence: small, with a shape of its own.
fn element(d: &mut Draft, of: SchemaType, domain: Domain) -> Result<Value, Reject> {
    match of {
        SchemaType::Tensor(dtype) => {
            let shape: Vec<usize> = (0..d.draws.below(3)).map(|_| 1 + d.draws.below(3)).collect();
            Ok(d.tensor(dtype, &shape, domain)?.into())
        }
        other => any_value(d, other, domain),
    }
}

/// The tensor parameter has the type of the sequence's elements.
fn element_of(d: &Draft, sequence: &str, tensor: &str) -> Made {
    d.require(
        d.dtype(sequence)? == d.dtype(tensor)?,
        "the sequence has elements of another type",
    )
}

/// The next input: a sequence of at least `least` tensors. Returns the number of elements.
fn sequence(d: &mut Draft, least: usize) -> Result<usize, Reject> {
    let of = d.input_type(d.inputs.len())?;
    let value = any_value(d, of, Domain::ANY)?;
    let count = match &value {
        Value::Sequence(sequence) => sequence.values.len(),
        _ => 0,
    };
    d.require(count >= least, "the sequence has too few elements")?;
    d.give(value);
    Ok(count)
}

/// A position in a sequence, from the front or the back; for an insertion also one past the last.
fn position(d: &mut Draft, count: usize, behind: bool) -> i64 {
    let count = count as i64;
    match d.pick("position sign", &["plain", "negative"]) {
        "negative" if count > 0 => d.draws.between(-count, -1),
        _ => d
            .draws
            .between(0, if behind { count } else { (count - 1).max(0) }),
    }
}

/// Tensors that differ only in the axis, or with a new axis in all.
fn concat(d: &mut Draft) -> Made {
    element_of(d, "S", "T")?;
    let dtype = d.dtype("T")?;
    let new = d.flag("new_axis", false);
    let shape = full(d, usize::from(!new), 3);
    let (given, at) = axis(d, shape.len() + usize::from(new), 11);
    d.int("axis", given);
    let count = 1 + d.draws.below(3);
    let mut values = Vec::new();
    for _ in 0..count {
        let mut part = shape.clone();
        if !new {
            part[at] = 1 + d.draws.below(3);
        }
        values.push(d.tensor(dtype, &part, Domain::ANY)?.into());
    }
    d.give(Value::Sequence(Sequence {
        element: ValueType::tensor(dtype),
        values,
    }));
    Ok(())
}

/// Parts of one extent, given by a scalar, or each by its own; single elements without an axis if
/// `keepdims` is 0.
fn split(d: &mut Draft) -> Made {
    let held = d.dtype("S")?;
    d.require(held == d.dtype("T")?, "the sequence has elements of another type")?;
    let mut shape = full(d, 1, 3);
    let (given, at) = axis(d, shape.len(), 11);
    if d.whether("axis given") {
        d.int("axis", given);
    } else {
        d.require(at == 0, "the default axis is the first")?;
    }
    let form = d.pick("split", &["absent", "scalar", "sizes"]);
    d.flag("keepdims", true);
    let sizes: Vec<i64> = (0..2).map(|_| 1 + d.draws.below(3) as i64).collect();
    if form == "sizes" {
        shape[at] = sizes.iter().sum::<i64>() as usize;
    }
    d.input(&shape, Domain::ANY)?;
    match form {
        "scalar" => d.number(2),
        "sizes" => d.numbers(&sizes),
        _ => Ok(()),
    }
}

/// A value, or the type of a missing value.
fn optional(d: &mut Draft) -> Made {
    let (from, to) = (d.schema_type("V")?, d.schema_type("O")?);
    let fits = matches!(to, SchemaType::Optional(inside) if *inside == from);
    d.require(fits, "the optional has another type")?;
    if d.pick("input", &["given", "absent"]) == "absent" {
        d.attribute("type", AttributeValue::Type(value_type(&from)));
        return Ok(());
    }
    let value = any_value(d, from, Domain::ANY)?;
    d.give(value);
    Ok(())
}

/// A body that returns each element, and an additional input.
fn sequence_map(d: &mut Draft) -> Made {
    let (held, beside) = (d.schema_type("S")?, d.schema_type("V")?);
    let SchemaType::Sequence(inside) = held else {
        return Err(Reject("the type is not a sequence"));
    };
    let count: usize = d.pick("elements", &["2", "1", "0", "3"]).parse().unwrap_or(0);
    let sequence = |d: &mut Draft, of: SchemaType| -> Result<Value, Reject> {
        let values = (0..count)
            .map(|_| element(d, of, Domain::ANY))
            .collect::<Result<_, _>>()?;
        Ok(Value::Sequence(Sequence {
            element: value_type(&of),
            values,
        }))
    };
    let first = sequence(d, *inside)?;
    d.give(first);
    let (second, of) = match beside {
        SchemaType::Sequence(inside) => (sequence(d, *inside)?, *inside),
        other => (any_value(d, other, Domain::ANY)?, other),
    };
    d.give(second);
    let info = |name: &str, of: &SchemaType| ValueInfo {
        name: name.to_owned(),
        value_type: Some(value_type(of)),
    };
    let body = Graph {
        name: "body".to_owned(),
        inputs: vec![info("element", inside), info("beside", &of)],
        outputs: vec![info("result", inside)],
        nodes: vec![identity("element", "result")],
        ..Graph::default()
    };
    d.attribute("body", AttributeValue::Graph(Arc::new(body)));
    d.results(vec![value_type(&held)]);
    Ok(())
}

/// A node that returns its input.
pub(super) fn identity(from: &str, to: &str) -> Node {
    Node {
        operator: "Identity".to_owned(),
        inputs: vec![from.to_owned()],
        outputs: vec![to.to_owned()],
        ..Node::default()
    }
}
