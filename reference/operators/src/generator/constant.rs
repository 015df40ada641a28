//! Constant — the value of an attribute.
//!
//! Version 1 has `value`; 11 adds `sparse_value`, which is output as a dense tensor; 12 adds the forms for
//! scalars and lists. A node sets exactly one of them.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};

pub const OP: OpDef = op(
    "Constant",
    &[
        v(1, First, constant),
        v(9, TypesOnly, constant),
        v(11, Semantics, constant),
        v(12, Semantics, constant),
        v(13, TypesOnly, constant),
        v(19, TypesOnly, constant),
        v(21, TypesOnly, constant),
        v(23, TypesOnly, constant),
        v(24, TypesOnly, constant),
        v(25, TypesOnly, constant),
    ],
);

/// The schema of the version decides which attributes are allowed.
fn constant(call: &Call<'_>) -> Result<Outputs, OpError> {
    let [attribute] = call.given_attributes() else {
        return Err(OpError::invalid("exactly one attribute must be set"));
    };
    let text = |bytes: &Vec<u8>| {
        String::from_utf8(bytes.clone()).map_err(|_| OpError::Attribute {
            name: attribute.name.clone(),
            problem: "is not UTF-8",
        })
    };
    let value = match &attribute.value {
        AttributeValue::Tensor(tensor) => tensor.clone(),
        AttributeValue::Sparse(sparse) => {
            call.reserve(&sparse.shape, sparse.values.dtype())?;
            sparse.to_dense()?
        }
        AttributeValue::Float(value) => Tensor::scalar(*value),
        AttributeValue::Floats(values) => Tensor::vector(values.clone()),
        AttributeValue::Int(value) => Tensor::scalar(*value),
        AttributeValue::Ints(values) => Tensor::vector(values.clone()),
        AttributeValue::String(value) => Tensor::scalar(text(value)?),
        AttributeValue::Strings(values) => Tensor::vector(values.iter().map(text).collect::<Result<_, _>>()?),
        _ => {
            return Err(OpError::Attribute {
                name: attribute.name.clone(),
                problem: "has a different type than the schema declares",
            });
        }
    };
    call.output_dtype(0, value.dtype())?;
    one(value)
}

#[cfg(test)]
mod tests {
    use onnx_model::{Attribute, AttributeValue};
    use onnx_tensor::{SparseTensor, Tensor};

    use crate::frame::testing::{attribute, exact, refused};

    fn sparse(indices: Tensor) -> [Attribute; 1] {
        let values = Tensor::vector(vec![7_i8, 8]);
        let value = AttributeValue::Sparse(SparseTensor {
            values,
            indices,
            shape: vec![2, 2],
        });
        [Attribute {
            name: "sparse_value".to_owned(),
            value,
        }]
    }

    #[test]
    fn sparse_values_become_dense() {
        let dense = [Tensor::new(&[2, 2], vec![0_i8, 7, 8, 0]).unwrap()];
        for since in [11, 25] {
            let indices = Tensor::vector(vec![1_i64, 2]);
            exact(("", "Constant", since), &[], &sparse(indices), &dense);
        }
        let outside = sparse(Tensor::vector(vec![1_i64, 4]));
        refused(("", "Constant", 25), &[], &outside, "is outside");
    }

    #[test]
    fn exactly_one_form() {
        let forms = [attribute("value_int", 1), attribute("value_floats", [1_f32])];
        exact(("", "Constant", 12), &[], &forms[..1], &[Tensor::scalar(1_i64)]);
        exact(
            ("", "Constant", 12),
            &[],
            &forms[1..],
            &[Tensor::vector(vec![1_f32])],
        );
        refused(("", "Constant", 12), &[], &forms, "exactly one");
        refused(("", "Constant", 12), &[], &[], "exactly one");
    }
}
