//! Sub — elementwise difference; correctly rounded, wrapping for integers.

use onnx_arithmetic::pairs::Pair;
use onnx_tensor::{Real, dispatch};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::elementwise::Broadcasting::{self, Legacy, Multidirectional};
use crate::shared::elementwise::binary;
use crate::shared::pairs::floats;

pub const OP: OpDef = op(
    "Sub",
    &[
        v(1, First, |call| difference(call, Legacy)),
        v(6, TypesOnly, |call| difference(call, Legacy)),
        v(7, Semantics, |call| difference(call, Multidirectional)),
        v(13, TypesOnly, |call| difference(call, Multidirectional)),
        v(14, TypesOnly, |call| difference(call, Multidirectional)),
    ],
);

fn difference(call: &Call<'_>, broadcasting: Broadcasting) -> Result<Outputs, OpError> {
    if let Some(outputs) = floats(call, broadcasting, Pair::Sub)? {
        return Ok(outputs);
    }
    dispatch!(real, call.dtype(0)?, T => binary(call, broadcasting, |x: &T, y: &T| Ok(x.sub(*y))))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    /// A vector subtracted from rows and from columns, by the rules of version 1 (`docs/Broadcasting.md` of
    /// that time).
    #[test]
    fn legacy_broadcast() {
        let matrix = Tensor::new(&[2, 3], vec![1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
        let (rows, columns) = (
            Tensor::vector(vec![1.0_f32, 2.0]),
            Tensor::vector(vec![1.0_f32, 2.0, 3.0]),
        );
        let by_row = Tensor::new(&[2, 3], vec![0.0_f32, 1.0, 2.0, 2.0, 3.0, 4.0]).unwrap();
        let by_column = Tensor::new(&[2, 3], vec![0.0_f32, 0.0, 0.0, 3.0, 3.0, 3.0]).unwrap();
        let on = attribute("broadcast", 1);
        exact(
            ("", "Sub", 1),
            &[matrix.clone(), rows.clone()],
            &[on.clone(), attribute("axis", 0)],
            &[by_row],
        );
        exact(
            ("", "Sub", 6),
            &[matrix.clone(), columns.clone()],
            std::slice::from_ref(&on),
            &[by_column],
        );
        refused(
            ("", "Sub", 6),
            &values(&[matrix.clone(), columns.clone()]),
            &[],
            "`broadcast` is 0",
        );
        refused(
            ("", "Sub", 6),
            &values(&[columns, matrix]),
            &[on],
            "only the second operand",
        );
    }
}
