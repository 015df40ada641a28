//! Optional — the input wrapped in an optional or, without an input, an empty optional of the type in
//! `type`.
//!
//! Interpretation: without input and `type` the type is unknown, which is an error; an input that does not
//! have the type in `type` is an error.

use onnx_tensor::Value;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::types;

pub const OP: OpDef = op("Optional", &[v(15, First, optional), v(28, TypesOnly, optional)]);

fn optional(call: &Call<'_>) -> Result<Outputs, OpError> {
    let value = call.optional(0).cloned().map(Box::new);
    let found = value.as_ref().map(|value| value.value_type());
    let element = match (call.optional_type_attribute("type")?, found) {
        (Some(declared), Some(found)) if !declared.same_kind(&found) => {
            return Err(OpError::invalid(format!(
                "`type` is {declared}, but the input is {found}"
            )));
        }
        (Some(declared), _) => declared.clone(),
        (None, Some(found)) => found,
        (None, None) => {
            return Err(OpError::invalid("without an input, `type` must be set"));
        }
    };
    let optional = Value::Optional { element, value };
    types::check_output(call, 0, &optional.value_type())?;
    one(optional)
}

#[cfg(test)]
mod tests {
    use onnx_model::{Attribute, AttributeValue};
    use onnx_tensor::{DType, Tensor, Value, ValueType};

    use crate::frame::testing::{check, refused};

    #[test]
    fn kinds_and_emptiness() {
        let of = |dtype| Attribute {
            name: "type".to_owned(),
            value: AttributeValue::Type(ValueType::tensor(dtype)),
        };
        let one = || Value::from(Tensor::scalar(1_i64));
        let optional = |value: Option<Value>| Value::Optional {
            element: ValueType::tensor(DType::Int64),
            value: value.map(Box::new),
        };
        refused(("", "Optional", 15), &[], &[], "`type` must be set");
        refused(
            ("", "Optional", 15),
            &[one()],
            &[of(DType::Float)],
            "the input is",
        );
        refused(("", "Optional", 15), &[], &[of(DType::Bfloat16)], "cannot be");
        refused(
            ("", "OptionalGetElement", 18),
            &[optional(None)],
            &[],
            "empty optional",
        );
        check(("", "OptionalGetElement", 18), &[one()], &[], &[one()]);
        check(
            ("", "OptionalGetElement", 28),
            &[optional(Some(one()))],
            &[],
            &[one()],
        );
        let has = |inputs: &[Value], expected: bool| {
            check(
                ("", "OptionalHasElement", 28),
                inputs,
                &[],
                &[Tensor::scalar(expected).into()],
            );
        };
        has(&[], false);
        has(&[optional(None)], false);
        has(&[one()], true);
    }
}
