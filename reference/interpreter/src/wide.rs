//! Values of 16-bit types that stay in float from node to node.
//!
//! Runtimes without kernels for float16 convert the operands of each node to float and its results back, and
//! then drop each pair of conversions between two nodes. An intermediate value above 65504 is finite there.

use std::borrow::Cow;
use std::sync::Arc;

use onnx_model::{Attribute, AttributeValue, Node, ValueInfo};
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

/// What a node has to do with values of 16-bit types that stay in float.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kept {
    /// It computes with other types only.
    Nothing,
    /// It reads such a value, and results in another type that it names.
    Operands,
    /// It computes in such a type.
    Results,
}

/// Whether a value is of a 16-bit type.
pub(crate) fn is_of_halves(value: &Value) -> bool {
    wide(value.value_type()) != value.value_type()
}

/// What a node with the attributes that its author `given` it has to do with values that stay in float;
/// `reads` says whether a name is that of such a value.
pub(crate) fn kept(node: &Node, given: &[Attribute], reads: impl Fn(&str) -> bool) -> Kept {
    let named = given
        .iter()
        .filter(|attribute| TYPES.contains(&attribute.name.as_str()));
    if given.iter().any(names_halves) {
        Kept::Results
    } else if !node.inputs.iter().any(|name| reads(name)) {
        Kept::Nothing
    } else if named.count() > 0 {
        Kept::Operands
    } else {
        Kept::Results
    }
}

/// Whether an attribute names a 16-bit type, or a body declares one.
fn names_halves(attribute: &Attribute) -> bool {
    match &attribute.value {
        AttributeValue::Int(number) if TYPES.contains(&attribute.name.as_str()) => {
            DType::from_onnx(*number).is_ok_and(|dtype| dtype != widest(dtype))
        }
        AttributeValue::Graph(body) => body.inputs.iter().chain(&body.outputs).any(has_halves),
        _ => false,
    }
}

/// The attributes with float in place of a 16-bit type, also in what bodies declare of their inputs and
/// outputs.
pub(crate) fn attributes(given: Cow<'_, [Attribute]>) -> Cow<'_, [Attribute]> {
    if !given.iter().any(names_halves) {
        return given;
    }
    let mut given = given.into_owned();
    for attribute in given.iter_mut().filter(|attribute| names_halves(attribute)) {
        match &mut attribute.value {
            AttributeValue::Graph(body) => {
                let body = Arc::make_mut(body);
                let infos = body.inputs.iter_mut().chain(&mut body.outputs);
                infos.for_each(|info| info.value_type = info.value_type.take().map(wide));
            }
            value => *value = AttributeValue::Int(DType::Float.to_onnx().into()),
        }
    }
    Cow::Owned(given)
}

/// Whether a value is declared with a 16-bit type.
fn has_halves(info: &ValueInfo) -> bool {
    let declared = info.value_type.as_ref();
    declared.is_some_and(|declared| wide(declared.clone()) != *declared)
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
        ValueType::Sequence(inner) => ValueType::Sequence(Box::new(wide(*inner))),
        ValueType::Optional(inner) => ValueType::Optional(Box::new(wide(*inner))),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::Graph;

    use super::*;

    /// The body of a Loop gets its states in float.
    #[test]
    fn bodies_declare_float() {
        let info = |value_type| ValueInfo {
            name: "s".to_owned(),
            value_type: Some(value_type),
        };
        let half = ValueType::tensor(DType::Float16);
        let body = Graph {
            inputs: vec![info(half.clone()), info(ValueType::tensor(DType::Int64))],
            outputs: vec![info(ValueType::Sequence(Box::new(half)))],
            ..Graph::default()
        };
        let given = [Attribute {
            name: "body".to_owned(),
            value: AttributeValue::Graph(Arc::new(body)),
        }];
        let found = attributes(Cow::Borrowed(&given));
        let AttributeValue::Graph(body) = &found[0].value else {
            panic!("no graph")
        };
        let infos = body.inputs.iter().chain(&body.outputs);
        let types: Vec<String> = infos
            .map(|info| info.value_type.as_ref().expect("a type").to_string())
            .collect();
        assert_eq!(types, ["tensor(float)", "tensor(int64)", "seq(tensor(float))"]);
    }
}
