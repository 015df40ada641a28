//! Infers output types that the signature does not determine.

use onnx_model::{AttributeValue, Node};
use onnx_schema::{Formal, OperatorSchema, SchemaType, TypeRef};
use onnx_tensor::{DType, ValueType};

use super::attributes::Attributes;
use super::bind::{bind, is_heterogeneous};
use super::call::{Call, numbered};
use super::{Kind, ml, shapeless};
use crate::problem::Problem;

/// The types of the outputs of a node without bodies, without shapes, as far as the types of its inputs
/// and its attributes determine them. References of attributes must be resolved.
pub fn output_types<'m>(
    schema: &'static OperatorSchema,
    node: &'m Node,
    attributes: impl IntoIterator<Item = (&'m str, &'m AttributeValue)>,
    inputs: &[Option<ValueType>],
) -> Vec<Option<ValueType>> {
    let (bound, _) = bind(schema, inputs.iter().map(Option::as_ref));
    let attributes = &Attributes::known(attributes);
    let call = Call {
        schema,
        node,
        inputs,
        bound: &bound,
        attributes,
    };
    let formal = |position| schema.output(position);
    (0..node.outputs.len())
        .map(|position| output(&call, position, formal(position)?))
        .collect()
}

/// The type of an output of a node without bodies.
pub(super) fn output(call: &Call, index: usize, formal: &'static Formal) -> Kind {
    let special = match call.schema.domain {
        "" => special(call, index),
        "ai.onnx.ml" => ml::output(call, index),
        "ai.onnx.preview.training" => training(call, index),
        _ => None,
    };
    special.or_else(|| by_signature(call, formal))
}

/// The type from the signature: the type bound to the type parameter, or the only allowed type.
fn by_signature(call: &Call, formal: &'static Formal) -> Kind {
    if let TypeRef::Constraint(parameter) = formal.type_ref
        && !is_heterogeneous(formal)
        && let Some(bound) = call.bound.get(parameter)
    {
        return Some(bound.clone());
    }
    match call.schema.types(formal) {
        [only] => Some(value_type(only)),
        _ => None,
    }
}

fn value_type(schema_type: &SchemaType) -> ValueType {
    match schema_type {
        SchemaType::Tensor(dtype) => ValueType::tensor(*dtype),
        SchemaType::SparseTensor(dtype) => ValueType::Sparse {
            dtype: *dtype,
            shape: None,
        },
        SchemaType::Sequence(element) => ValueType::Sequence(Box::new(value_type(element))),
        SchemaType::Optional(element) => ValueType::Optional(Box::new(value_type(element))),
        SchemaType::Map(key, value) => ValueType::Map {
            key: *key,
            value: Box::new(value_type(value)),
        },
    }
}

/// Operators of ai.onnx with special output types.
fn special(call: &Call, index: usize) -> Kind {
    let first = || call.input(0);
    let tensor = |dtype: Option<DType>| dtype.map(ValueType::tensor);
    match call.schema.name {
        "Cast" | "BitCast" => tensor(named(call, "to")),
        "Constant" => tensor(constant(call)),
        "ConstantOfShape" => tensor(filled(call)),
        "RandomNormal" | "RandomUniform" | "Multinomial" => tensor(named(call, "dtype")),
        "RandomNormalLike" | "RandomUniformLike" | "Bernoulli" | "EyeLike" => {
            if call.attributes.absent("dtype") {
                first().cloned()
            } else {
                tensor(named(call, "dtype"))
            }
        }
        "BlackmanWindow" | "HammingWindow" | "HannWindow" | "MelWeightMatrix" => {
            tensor(named(call, "output_datatype"))
        }
        "LayerNormalization" if index > 0 => tensor(named(call, "stash_type")),
        "QuantizeLinear" if !listed(call, 2) => tensor(quantized(call)),
        "DequantizeLinear" if call.schema.since >= 23 => match call.int("output_dtype") {
            Some(0) => call.input(1).cloned(),
            number => tensor(number.and_then(numbered)),
        },
        "SequenceConstruct" | "SplitToSequence" => first()
            .cloned()
            .map(|element| ValueType::Sequence(Box::new(element))),
        "SequenceEmpty" => {
            tensor(or_float(call, "dtype")).map(|element| ValueType::Sequence(Box::new(element)))
        }
        "SequenceAt" | "ConcatFromSequence" => match first()? {
            ValueType::Sequence(element) => Some((**element).clone()),
            _ => None,
        },
        "Optional" => optional(call),
        "OptionalGetElement" => match first()? {
            ValueType::Optional(element) => Some((**element).clone()),
            other => Some(other.clone()),
        },
        _ => None,
    }
}

/// Whether the node lists a name at this position.
fn listed(call: &Call, index: usize) -> bool {
    call.node.inputs.get(index).is_some_and(|name| !name.is_empty())
}

/// The element type in an attribute: by its number, or in Cast-1 by its name.
fn named(call: &Call, attribute: &str) -> Option<DType> {
    match call.attributes.value(attribute) {
        Some(AttributeValue::String(name)) => text_dtype(name),
        _ => call.int(attribute).and_then(numbered),
    }
}

/// Like [`named`], for attributes whose default float32 is in the text but not in the signature.
fn or_float(call: &Call, attribute: &str) -> Option<DType> {
    if call.attributes.absent(attribute) {
        Some(DType::Float)
    } else {
        named(call, attribute)
    }
}

/// An element type by its name in `TensorProto.DataType`, such as `FLOAT` or `INT64`.
fn text_dtype(name: &[u8]) -> Option<DType> {
    DType::from_onnx_name(&String::from_utf8_lossy(name).to_ascii_lowercase()).ok()
}

/// Reports an attribute with an element type that does not exist. 0 means "not set" where the specification
/// says so.
pub(super) fn unknown_element_type(call: &Call) -> Option<Problem> {
    let zero_is_open = |name: &str| name == "output_dtype";
    for name in ["to", "dtype", "output_datatype", "output_dtype", "stash_type"] {
        let value = match (call.schema.attribute(name), call.attributes.value(name)) {
            (Some(_), Some(AttributeValue::Int(0))) if zero_is_open(name) => continue,
            (Some(_), Some(AttributeValue::Int(number))) if numbered(*number).is_none() => number.to_string(),
            (Some(_), Some(AttributeValue::String(text))) if text_dtype(text).is_none() => {
                format!("{:?}", String::from_utf8_lossy(text))
            }
            _ => continue,
        };
        return Some(Problem::AttributeElementType {
            name: name.to_owned(),
            value,
        });
    }
    None
}

/// Constant: from the attribute that is set. A sparse value represents a dense tensor.
fn constant(call: &Call) -> Option<DType> {
    let given = |name: &str| call.attributes.value(name);
    let scalars = [
        (["value_float", "value_floats"], DType::Float),
        (["value_int", "value_ints"], DType::Int64),
        (["value_string", "value_strings"], DType::String),
    ];
    match (given("value"), given("sparse_value")) {
        (Some(AttributeValue::Tensor(tensor)), _) => Some(tensor.dtype()),
        (_, Some(AttributeValue::Sparse(sparse))) => Some(sparse.values.dtype()),
        _ => scalars
            .into_iter()
            .find(|(names, _)| names.iter().any(|name| !call.attributes.absent(name)))
            .map(|(_, dtype)| dtype),
    }
}

/// ConstantOfShape: the type of `value`, by default float32.
fn filled(call: &Call) -> Option<DType> {
    match call.attributes.value("value") {
        Some(AttributeValue::Tensor(tensor)) => Some(tensor.dtype()),
        _ if call.attributes.absent("value") => Some(DType::Float),
        _ => None,
    }
}

/// QuantizeLinear without a zero point: `output_dtype` if the version has it, otherwise uint8.
fn quantized(call: &Call) -> Option<DType> {
    match call.schema.attribute("output_dtype") {
        None => Some(DType::Uint8),
        Some(_) => match call.int("output_dtype")? {
            0 => Some(DType::Uint8),
            number => numbered(number),
        },
    }
}

/// Optional: from its input, or from `type`.
fn optional(call: &Call) -> Kind {
    let element = match (call.input(0), call.attributes.value("type")) {
        (Some(element), _) => element.clone(),
        (None, Some(AttributeValue::Type(element))) if !listed(call, 0) => shapeless(element),
        _ => return None,
    };
    Some(ValueType::Optional(Box::new(element)))
}

/// Gradient has one output of its type for each of `xs`. The optimizers list groups of tensors (parameters,
/// gradients, states), with one tensor for each parameter, and return parameters and states.
fn training(call: &Call, index: usize) -> Kind {
    let groups = match call.schema.name {
        "Gradient" => return call.input(index).cloned(),
        "Adagrad" | "Momentum" => 3,
        "Adam" => 4,
        _ => return None,
    };
    let parameters = call.inputs.len().checked_sub(2)? / groups;
    let group = index.checked_div(parameters)?;
    // The gradients, the second group of inputs, are not outputs.
    let skipped = if group == 0 { 0 } else { parameters };
    call.input(2 + index + skipped).cloned()
}
