//! Det — determinants of a stack of square matrices.
//!
//! Gaussian elimination with partial pivoting in f64, rounded once. For f64 it is backward stable: the
//! result is the exact determinant of a matrix that differs by about m·2⁻⁵³, row by row. The determinant of
//! the empty matrix is 1. Version 22 only adds bf16.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::Tensor;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op("Det", &[v(11, First, det), v(22, TypesOnly, det)]);

fn det(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x: &Tensor = call.tensor(0)?;
    let matrices = widen(x)?;
    let Some((batch, &[m, n])) = x.shape().split_last_chunk::<2>() else {
        return Err(OpError::invalid(
            "the input of a determinant must have a rank of at least 2",
        ));
    };
    if m != n {
        return Err(OpError::invalid(format!("shape {:?} is not square", x.shape())));
    }
    let count = batch.iter().product();
    call.work(&[count, m, m, m])?;
    let stack = matrices.into_shape_with_order((count, m * n))?;
    let determinants = stack
        .outer_iter()
        .map(|matrix| determinant(matrix.to_vec(), m))
        .collect();
    one(narrow(
        ArrayD::from_shape_vec(IxDyn(batch), determinants)?,
        x.dtype(),
    )?)
}

/// The determinant of a row-major matrix of `m` rows.
fn determinant(elements: Vec<f64>, m: usize) -> f64 {
    let mut rows: Vec<Vec<f64>> = elements.chunks_exact(m.max(1)).map(<[f64]>::to_vec).collect();
    let mut result = 1.0;
    for column in 0..m {
        let size = |row: &Vec<f64>| row[column].abs();
        // A NaN counts as the largest element, so that it propagates to the result.
        let pivot = (column..m).max_by(|&a, &b| size(&rows[a]).total_cmp(&size(&rows[b])));
        let Some(pivot) = pivot else { break };
        if pivot != column {
            rows.swap(pivot, column);
            result = -result;
        }
        let head = rows[column].clone();
        result *= head[column];
        if head[column] == 0.0 {
            return 0.0;
        }
        for row in &mut rows[column + 1..] {
            let factor = row[column] / head[column];
            for (x, y) in row[column..].iter_mut().zip(&head[column..]) {
                *x = (-factor).mul_add(*y, *x);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, values};

    /// By hand: −6 needs a row exchange, the second matrix is singular, the last has no rows.
    #[test]
    fn determinants() {
        let stack = Tensor::new(&[2, 2, 2], vec![0.0_f32, 2.0, 3.0, 4.0, 1.0, 2.0, 2.0, 4.0])
            .expect("eight elements");
        exact(
            ("", "Det", 11),
            &[stack],
            &[],
            &[Tensor::vector(vec![-6.0_f32, 0.0])],
        );
        let empty = Tensor::new(&[1, 0, 0], Vec::<f64>::new()).expect("no elements");
        exact(("", "Det", 22), &[empty], &[], &[Tensor::vector(vec![1.0_f64])]);
        let wide = Tensor::new(&[1, 2], vec![1.0_f32, 2.0]).expect("two elements");
        refused(("", "Det", 22), &values(&[wide]), &[], "not square");
    }
}
