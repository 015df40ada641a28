//! Constant and ConstantOfShape.

use onnx_model::AttributeValue;
use onnx_tensor::{Element, Tensor, dispatch};

use super::super::call::{count, densified, extents, one};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::Shapes::{First, Open};

pub const ROWS: &[Row] = &[
    row(
        "Constant",
        1,
        Open("it is folded: its value is known", |_| None),
        constant,
    ),
    row(
        "ConstantOfShape",
        9,
        First(|known| known.listed(0)),
        constant_of_shape,
    )
    .of_type(|known| known.filled_dtype()),
];

fn constant(call: &Call) -> Outcome {
    let Some((_, value)) = call.attributes.iter().next() else {
        return invalid("the node has no value attribute");
    };
    let utf8 = |bytes: &Vec<u8>| match String::from_utf8(bytes.clone()) {
        Ok(text) => Ok(text),
        Err(_) => invalid("a string is not UTF-8"),
    };
    one(match value {
        AttributeValue::Tensor(tensor) => tensor.to_standard(),
        AttributeValue::Int(value) => Tensor::scalar(*value),
        AttributeValue::Ints(values) => Tensor::vector(values.clone()),
        AttributeValue::Float(value) => Tensor::scalar(*value),
        AttributeValue::Floats(values) => Tensor::vector(values.clone()),
        AttributeValue::String(text) => Tensor::scalar(utf8(text)?),
        AttributeValue::Strings(texts) => {
            Tensor::vector(texts.iter().map(utf8).collect::<Result<Vec<_>, _>>()?)
        }
        AttributeValue::Sparse(sparse) => densified(sparse)?,
        _ => return unsupported("a constant of this kind is not implemented"),
    })
}

fn constant_of_shape(call: &Call) -> Outcome {
    let shape = extents(&call.ints(0)?)?;
    let total = count(&shape)?;
    let zero = Tensor::vector(vec![0.0_f32]);
    let value = call.attributes.tensor("value")?.unwrap_or(&zero);
    one(dispatch!(all, value.dtype(), T => filled::<T>(value, &shape, total))?)
}

fn filled<T: Element>(value: &Tensor, shape: &[usize], total: usize) -> Result<Tensor, Problem> {
    match value.array::<T>()?.first() {
        Some(element) => Ok(Tensor::new::<T>(shape, vec![element.clone(); total])?),
        None => invalid("the value is empty"),
    }
}
