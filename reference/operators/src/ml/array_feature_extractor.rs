//! ArrayFeatureExtractor — selects elements along the last axis.
//!
//! `Z[…, k] = X[…, Y[k]]`, with the elements of `Y` in row-major order. Interpretation: for an input of
//! rank 1 the output has the shape `[1, len(Y)]` (ONNX Runtime and the shape inference of ONNX); a negative
//! index is an error (ONNX Runtime; the specification says "based on 0 as the first index").

use super::lists::index;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op_in, v};
use crate::shared::layout;

pub const OP: OpDef = op_in("ai.onnx.ml", "ArrayFeatureExtractor", &[v(1, First, eval)]);

fn eval(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let Some((&extent, outer)) = x.shape().split_last() else {
        return Err(OpError::invalid(
            "input `X` is a scalar and has no axis to select from",
        ));
    };
    let picked = call.integers(1)?;
    let picked: Vec<usize> = picked
        .iter()
        .map(|&at| index(at, extent, "an index in `Y`"))
        .collect::<Result<_, _>>()?;
    let mut shape = if outer.is_empty() { vec![1] } else { outer.to_vec() };
    shape.push(picked.len());
    call.reserve(&shape, x.dtype())?;
    let selected = layout::pick(x, x.rank() - 1, picked.into_iter())?;
    one(selected.reshape(&shape)?)
}

#[cfg(test)]
mod tests {
    use crate::frame::testing::{check, refused, rows, strings};
    use onnx_tensor::Tensor;

    /// Worked by hand; the shapes are those of ONNX Runtime 1.31.1.
    #[test]
    fn selects() {
        let op = ("ai.onnx.ml", "ArrayFeatureExtractor", 1);
        let at = |list: &[i64]| Tensor::vector(list.to_vec());
        let words = strings(&["a", "b", "c"]);
        let twice = Tensor::new(&[2, 2], vec![2_i64, 0, 1, 1]).unwrap();
        let expected = strings(&["c", "a", "b", "b"]).reshape(&[1, 4]).unwrap();
        check(op, &[words.clone().into(), twice.into()], &[], &[expected.into()]);
        let x = rows(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        let expected = rows(&[[3.0, 1.0], [6.0, 4.0]]);
        check(op, &[x.into(), at(&[2, 0]).into()], &[], &[expected.into()]);
        refused(op, &[words.clone().into(), at(&[-1]).into()], &[], "outside");
        refused(
            op,
            &[Tensor::scalar(1_i32).into(), at(&[0]).into()],
            &[],
            "no axis",
        );
    }
}
