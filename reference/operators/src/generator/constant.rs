//! Constant — the value of an attribute.
//!
//! Version 1 has `value`; 11 adds `sparse_value`, which gives the dense tensor; 12 adds the forms for scalars and lists.
//! Exactly one is given.

use onnx_model::AttributeValue;
use onnx_tensor::{SparseTensor, Tensor};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

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

/// The schema of the version says which attributes there can be.
fn constant(call: &Call<'_>) -> Result<Outputs, OpError> {
    let [attribute] = call.given_attributes() else {
        return Err(OpError::invalid("exactly one attribute must give the value"));
    };
    let text = |bytes: &Vec<u8>| {
        String::from_utf8(bytes.clone()).map_err(|_| OpError::Attribute {
            name: attribute.name.clone(),
            problem: "is not UTF-8",
        })
    };
    let value = match &attribute.value {
        AttributeValue::Tensor(tensor) => tensor.clone(),
        AttributeValue::Sparse(sparse) => dense(call, sparse)?,
        AttributeValue::Float(value) => Tensor::scalar(*value),
        AttributeValue::Floats(values) => Tensor::vector(values.clone()),
        AttributeValue::Int(value) => Tensor::scalar(*value),
        AttributeValue::Ints(values) => Tensor::vector(values.clone()),
        AttributeValue::String(value) => Tensor::scalar(text(value)?),
        AttributeValue::Strings(values) => Tensor::vector(values.iter().map(text).collect::<Result<_, _>>()?),
        _ => {
            return Err(OpError::Attribute {
                name: attribute.name.clone(),
                problem: "has another kind than the schema says",
            });
        }
    };
    call.output_dtype(0, value.dtype())?;
    one(value)
}

/// The tensor that a sparse one stands for: zero where it holds nothing.
fn dense(call: &Call<'_>, sparse: &SparseTensor) -> Result<Tensor, OpError> {
    let shape = &sparse.shape;
    call.reserve(shape, sparse.values.dtype())?;
    let positions = linear_positions(sparse)?;
    if sparse.values.len() != positions.len() {
        let (values, places) = (sparse.values.len(), positions.len());
        return Err(OpError::invalid(format!("{values} values at {places} places")));
    }
    let zeros = layout::filled(shape, &layout::zero(sparse.values.dtype())?)?;
    layout::put(&zeros, &positions, &sparse.values)
}

/// Row-major positions; the indices are such positions themselves, or coordinates.
fn linear_positions(sparse: &SparseTensor) -> Result<Vec<usize>, OpError> {
    let indices = layout::extents(&sparse.indices.to_vec::<i64>()?)?;
    if sparse.indices.rank() != 2 {
        return Ok(indices);
    }
    let rank = sparse.shape.len();
    let position = |coordinates: &[usize]| {
        let mut pairs = coordinates.iter().zip(&sparse.shape);
        let linear = pairs.try_fold(0_usize, |sum, (&at, &extent)| {
            let row = sum.checked_mul(extent).filter(|_| at < extent)?;
            row.checked_add(at)
        });
        linear.ok_or_else(|| {
            OpError::invalid(format!(
                "no element at {coordinates:?} in shape {:?}",
                sparse.shape
            ))
        })
    };
    if sparse.indices.shape()[1] != rank {
        return Err(OpError::invalid(format!(
            "coordinates of shape {:?} for {rank} axes",
            sparse.indices.shape()
        )));
    }
    indices.chunks(rank.max(1)).map(position).collect()
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
        exact(
            ("", "Constant", 11),
            &[],
            &sparse(Tensor::vector(vec![1_i64, 2])),
            &dense,
        );
        let coordinates = Tensor::new(&[2, 2], vec![0_i64, 1, 1, 0]).unwrap();
        exact(("", "Constant", 25), &[], &sparse(coordinates), &dense);
        refused(
            ("", "Constant", 25),
            &[],
            &sparse(Tensor::vector(vec![1_i64, 4])),
            "no element",
        );
        refused(
            ("", "Constant", 25),
            &[],
            &sparse(Tensor::vector(vec![1_i64])),
            "places",
        );
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
