//! Reshape — the same elements in row-major order with another shape.
//!
//! One extent may be −1 and is inferred. An extent of 0 copies that of the input at the same axis, or with
//! `allowzero` (since version 14) is zero. In version 1 the shape is an attribute, since version 5 an
//! input. Interpretation: if the product of the other extents is zero, −1 is ambiguous, which is an error
//! in every version.

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;

pub const OP: OpDef = op(
    "Reshape",
    &[
        v(1, First, |call| reshape(call, &call.ints("shape")?, false)),
        v(5, Semantics, |call| reshape(call, &call.integers(1)?, false)),
        v(13, TypesOnly, |call| reshape(call, &call.integers(1)?, false)),
        v(14, Semantics, zero_allowed),
        v(19, TypesOnly, zero_allowed),
        v(21, TypesOnly, zero_allowed),
        v(23, TypesOnly, zero_allowed),
        v(24, TypesOnly, zero_allowed),
        v(25, TypesOnly, zero_allowed),
    ],
);

fn zero_allowed(call: &Call<'_>) -> Result<Outputs, OpError> {
    reshape(call, &call.integers(1)?, call.flag("allowzero")?)
}

fn reshape(call: &Call<'_>, wanted: &[i64], allow_zero: bool) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let mut shape = Vec::with_capacity(wanted.len());
    for (axis, &extent) in wanted.iter().enumerate() {
        shape.push(match extent {
            0 if !allow_zero => layout::extent(x, axis)? as i64,
            extent => extent,
        });
    }
    if let Some(unknown) = shape.iter().position(|&extent| extent == -1) {
        shape[unknown] = infer(x.len(), &shape, unknown)?;
    }
    one(x.reshape(&layout::extents(&shape)?)?)
}

/// The extent at `unknown`, from the other extents and the number of elements.
fn infer(elements: usize, shape: &[i64], unknown: usize) -> Result<i64, OpError> {
    let others: Vec<i64> = shape
        .iter()
        .enumerate()
        .filter(|&(axis, _)| axis != unknown)
        .map(|(_, &e)| e)
        .collect();
    let product = layout::extents(&others)?
        .into_iter()
        .try_fold(1_usize, usize::checked_mul);
    match product {
        Some(product) if product != 0 && elements.is_multiple_of(product) => Ok((elements / product) as i64),
        _ => Err(OpError::invalid(format!(
            "-1 in {shape:?} cannot be inferred for {elements} elements"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, evaluate, exact, refused, values};

    fn zeros(shape: &[usize]) -> Tensor {
        Tensor::new(shape, vec![0_f32; shape.iter().product()]).unwrap()
    }

    #[test]
    fn version_1_has_an_attribute() {
        exact(
            ("", "Reshape", 1),
            &[zeros(&[2, 3, 2])],
            &[attribute("shape", [0, -1])],
            &[zeros(&[2, 6])],
        );
    }

    #[test]
    fn zero_is_literal_only_with_allowzero() {
        let inputs = [zeros(&[3, 0]), Tensor::vector(vec![0_i64, 3])];
        exact(
            ("", "Reshape", 14),
            &inputs,
            &[attribute("allowzero", 1)],
            &[zeros(&[0, 3])],
        );
        assert!(
            evaluate(("", "Reshape", 14), &values(&inputs), &[]).is_err(),
            "[3, 3] has nine elements"
        );
    }

    #[test]
    fn ambiguous_extents_are_rejected() {
        for shape in [[0_i64, -1], [-1, -1], [-2, 1]] {
            let inputs = values(&[zeros(&[0, 2]), Tensor::vector(shape.to_vec())]);
            refused(("", "Reshape", 5), &inputs, &[], "-");
        }
    }
}
