//! Values of 16-bit types that stay in float from node to node.
//!
//! Runtimes without kernels for float16 convert the operands of each node to float and its results back, and
//! then drop each pair of conversions between two nodes. An intermediate value above 65504 is finite there.

use std::borrow::Cow;

use onnx_model::{Attribute, AttributeValue};
use onnx_tensor::{Array, DType, Float, Sequence, Tensor, Value, ValueType, bf16, f16};

/// The attributes that name the type of a result.
const TYPES: [&str; 4] = ["to", "dtype", "output_dtype", "output_datatype"];

/// The value with elements of 16-bit floats in float.
pub(crate) fn widened(value: Value) -> Value {
    match value {
        Value::Tensor(Tensor::Float16(array)) => Tensor::from(array.mapv(f32::from).into_shared()).into(),
        Value::Tensor(Tensor::Bfloat16(array)) => Tensor::from(array.mapv(f32::from).into_shared()).into(),
        Value::Sequence(Sequence { element, values }) => Value::Sequence(Sequence {
            element: wide(element),
            values: values.into_iter().map(widened).collect(),
        }),
        Value::Optional { element, value } => Value::Optional {
            element: wide(element),
            value: value.map(|value| Box::new(widened(*value))),
        },
        other => other,
    }
}

/// The attributes with float in place of a 16-bit type.
pub(crate) fn attributes(given: Cow<'_, [Attribute]>) -> Cow<'_, [Attribute]> {
    let is_half = |attribute: &Attribute| match attribute.value {
        AttributeValue::Int(number) if TYPES.contains(&attribute.name.as_str()) => {
            DType::from_onnx(number).is_ok_and(|dtype| dtype != widest(dtype))
        }
        _ => false,
    };
    if !given.iter().any(is_half) {
        return given;
    }
    let mut given = given.into_owned();
    for attribute in given.iter_mut().filter(|attribute| is_half(attribute)) {
        attribute.value = AttributeValue::Int(DType::Float.to_onnx().into());
    }
    Cow::Owned(given)
}

/// An output of the graph in its declared type.
pub(crate) fn narrowed(value: Value, declared: Option<&ValueType>) -> Value {
    let Some(ValueType::Tensor { dtype, .. }) = declared else {
        return value;
    };
    match (value, dtype) {
        (Value::Tensor(Tensor::Float(array)), DType::Float16) => rounded::<f16>(&array).into(),
        (Value::Tensor(Tensor::Float(array)), DType::Bfloat16) => rounded::<bf16>(&array).into(),
        (value, _) => value,
    }
}

fn rounded<T: Float>(array: &Array<f32>) -> Tensor {
    Tensor::from(array.map(|x| T::from_f64(f64::from(*x))).into_shared())
}

/// Float for a 16-bit float, any other type as it is.
fn widest(dtype: DType) -> DType {
    match dtype {
        DType::Float16 | DType::Bfloat16 => DType::Float,
        other => other,
    }
}

fn wide(element: ValueType) -> ValueType {
    match element {
        ValueType::Tensor { dtype, shape } => ValueType::Tensor {
            dtype: widest(dtype),
            shape,
        },
        other => other,
    }
}
