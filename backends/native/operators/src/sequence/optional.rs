//! Optionals.

use onnx_model::AttributeValue;
use onnx_tensor::{Tensor, Value, ValueType};

use super::super::call::one;
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;
use crate::shapes::SCALAR;
use crate::shapes::Shapes::Open;

pub const ROWS: &[Row] = &[
    row(
        "Optional",
        15,
        Open("its result is an optional", |_| None),
        |call| {
            let (element, value) = match (call.find(0), call.attributes.get("type")) {
                (Some(value), _) => (value.value_type(), Some(Box::new(value.clone()))),
                (None, Some(AttributeValue::Type(element))) => (element.clone(), None),
                _ => return invalid("the node has neither a value nor a type"),
            };
            // No version of the operator allows a deeper type, which would grow in every round of a loop.
            let is_allowed = match &element {
                ValueType::Tensor { .. } => true,
                ValueType::Sequence(inside) => matches!(**inside, ValueType::Tensor { .. }),
                ValueType::Sparse { .. } | ValueType::Map { .. } | ValueType::Optional(_) => false,
            };
            if is_allowed {
                Ok(vec![Value::Optional { element, value }])
            } else {
                invalid(format!("an optional cannot hold {element}"))
            }
        },
    ),
    row("OptionalHasElement", 15, SCALAR, |call| {
        let has = !matches!(call.find(0), None | Some(Value::Optional { value: None, .. }));
        one(Tensor::scalar(has))
    }),
    row(
        "OptionalGetElement",
        15,
        Open("the types of optionals have no shapes here", |_| None),
        |call: &Call| -> Outcome {
            match call.value(0)? {
                Value::Optional {
                    value: Some(inside), ..
                } => Ok(vec![(**inside).clone()]),
                Value::Optional { value: None, .. } => invalid("the optional is empty"),
                other => Ok(vec![other.clone()]),
            }
        },
    ),
];
