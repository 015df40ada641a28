//! Inverse — the inverses of a stack of square matrices.
//!
//! Gaussian elimination with partial pivoting in f64, rounded once. The inverse of a matrix with a pivot of 0
//! does not exist: "every matrix must be invertible".

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::DType;

use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, contrib, one, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = contrib("Inverse", &[v(1, First, inverse)]);

fn inverse(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x = call.tensor(0)?;
    let Some((batch, &[rows, columns])) = x.shape().split_last_chunk::<2>() else {
        return Err(OpError::invalid("the input must have a rank of at least 2"));
    };
    if rows != columns {
        return Err(OpError::invalid(format!("shape {:?} is not square", x.shape())));
    }
    let count = batch.iter().product::<usize>();
    call.work(&[count, rows, rows, rows])?;
    call.reserve(&[count, rows, rows], DType::Double)?;
    let stack = widen(x)?.as_standard_layout().into_owned();
    let stack = stack.into_shape_with_order((count, rows * rows))?;
    let mut result = Vec::with_capacity(stack.len());
    for matrix in stack.outer_iter() {
        result.extend(inverted(&matrix.to_vec(), rows)?);
    }
    one(narrow(
        ArrayD::from_shape_vec(IxDyn(x.shape()), result)?,
        x.dtype(),
    )?)
}

/// The inverse of a row-major matrix of `size` rows.
fn inverted(elements: &[f64], size: usize) -> Result<Vec<f64>, OpError> {
    // Each row is followed by the row of the unit matrix.
    let row = |(at, row): (usize, &[f64])| {
        let unit = (0..size).map(|column| if column == at { 1.0 } else { 0.0 });
        row.iter().copied().chain(unit).collect::<Vec<f64>>()
    };
    let mut rows: Vec<Vec<f64>> = elements.chunks_exact(size.max(1)).enumerate().map(row).collect();
    for column in 0..size {
        let largest = |&a: &usize, &b: &usize| rows[a][column].abs().total_cmp(&rows[b][column].abs());
        let Some(pivot) = (column..size).max_by(largest) else {
            break;
        };
        rows.swap(pivot, column);
        let head = rows[column].clone();
        if head[column] == 0.0 {
            return Err(OpError::undefined("the inverse of a singular matrix"));
        }
        for (at, row) in rows.iter_mut().enumerate() {
            let factor = row[column] / head[column];
            if at == column || factor == 0.0 {
                continue;
            }
            for (x, y) in row.iter_mut().zip(&head) {
                *x = factor.mul_add(-y, *x);
            }
        }
    }
    let scaled = |(at, row): (usize, Vec<f64>)| {
        let pivot = row[at];
        row.into_iter()
            .skip(size)
            .map(move |x| x / pivot)
            .collect::<Vec<f64>>()
    };
    Ok(rows.into_iter().enumerate().flat_map(scaled).collect())
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{exact, refused, rows, values};

    const UNDER: crate::frame::testing::OpVersion = ("com.microsoft", "Inverse", 1);

    /// By hand; the first pivot is in the second row.
    #[test]
    fn a_stack() {
        let x = Tensor::new(&[2, 2, 2], vec![0.0_f32, 2.0, 4.0, 0.0, 2.0, 1.0, 1.0, 1.0]).expect("two");
        let y = Tensor::new(&[2, 2, 2], vec![0.0_f32, 0.25, 0.5, 0.0, 1.0, -1.0, -1.0, 2.0]).expect("two");
        exact(UNDER, &[x], &[], &[y]);
    }

    #[test]
    fn singular_matrices_are_refused() {
        let x = rows(&[[1.0_f32, 2.0], [2.0, 4.0]]);
        refused(UNDER, &values(&[x]), &[], "singular");
    }
}
