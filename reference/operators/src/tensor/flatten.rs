//! Flatten — a matrix whose rows are the axes before `axis` and whose columns are the other axes. `axis`
//! may be negative since version 11, and may equal the rank.

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout::count;

pub const OP: OpDef = op(
    "Flatten",
    &[
        v(1, First, |call| flatten(call, 0)),
        v(9, TypesOnly, |call| flatten(call, 0)),
        v(11, Semantics, from_back),
        v(13, TypesOnly, from_back),
        v(21, TypesOnly, from_back),
        v(23, TypesOnly, from_back),
        v(24, TypesOnly, from_back),
        v(25, TypesOnly, from_back),
    ],
);

fn from_back(call: &Call<'_>) -> Result<Outputs, OpError> {
    flatten(call, call.tensor(0)?.rank() as i64)
}

/// `lowest` is the least allowed value of `axis`.
fn flatten(call: &Call<'_>, lowest: i64) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let (axis, rank) = (call.int("axis")?, x.rank() as i64);
    if !(-lowest..=rank).contains(&axis) {
        return Err(OpError::invalid(format!(
            "axis {axis} is outside [{}, {rank}]",
            -lowest
        )));
    }
    let front = if axis < 0 { axis + rank } else { axis };
    let (rows, columns) = x.shape().split_at(front as usize);
    one(x.reshape(&[count(rows), count(columns)])?)
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    #[test]
    fn axis_counts_from_the_back_from_version_11_on() {
        let x = [Tensor::new(&[2, 3, 4], vec![0_f32; 24]).unwrap()];
        let back = [attribute("axis", -1)];
        exact(("", "Flatten", 11), &x, &back, &[x[0].reshape(&[6, 4]).unwrap()]);
        refused(("", "Flatten", 9), &values(&x), &back, "outside");
        exact(
            ("", "Flatten", 1),
            &x,
            &[attribute("axis", 3)],
            &[x[0].reshape(&[24, 1]).unwrap()],
        );
    }
}
