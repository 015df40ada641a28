//! Inverse: the inverses of a stack of square matrices, by elimination with partial pivoting in f64.

use onnx_schema::CONTRIB_DOMAIN;

use crate::call::{count, one};
use crate::error::{Problem, invalid};
use crate::numbers::{floats, from_floats};
use crate::shapes::SAME;
use crate::{Call, Outcome, Row, row_of};

pub const ROWS: &[Row] = &[row_of(CONTRIB_DOMAIN, "Inverse", 1, SAME, inverse)];

fn inverse(call: &Call) -> Outcome {
    let x = call.tensor(0)?;
    let &[.., rows, columns] = x.shape() else {
        return invalid("the input must have a rank of at least 2");
    };
    if rows != columns {
        return invalid(format!("matrices of shape {:?} are not square", x.shape()));
    }
    count(x.shape())?;
    let mut elements = floats(x)?;
    for matrix in elements.chunks_exact_mut((rows * rows).max(1)) {
        invert(matrix, rows)?;
    }
    one(from_floats(x.dtype(), x.shape(), elements)?)
}

/// Replaces a row-major matrix by its inverse.
fn invert(matrix: &mut [f64], size: usize) -> Result<(), Problem> {
    let mut result = vec![0.0; matrix.len()];
    (0..size).for_each(|at| result[at * size + at] = 1.0);
    for column in 0..size {
        let size_of = |row: &usize| matrix[row * size + column].abs();
        let pivot = (column..size).max_by(|a, b| size_of(a).total_cmp(&size_of(b)));
        let pivot = pivot.filter(|row| size_of(row) != 0.0);
        let Some(pivot) = pivot else {
            return invalid("a matrix has no inverse");
        };
        for place in 0..size {
            matrix.swap(pivot * size + place, column * size + place);
            result.swap(pivot * size + place, column * size + place);
        }
        let head = matrix[column * size + column];
        for row in (0..size).filter(|&row| row != column) {
            let factor = matrix[row * size + column] / head;
            for place in 0..size {
                matrix[row * size + place] -= factor * matrix[column * size + place];
                result[row * size + place] -= factor * result[column * size + place];
            }
        }
    }
    for (row, places) in result.chunks_exact_mut(size).enumerate() {
        places.iter_mut().for_each(|x| *x /= matrix[row * size + row]);
    }
    matrix.copy_from_slice(&result);
    Ok(())
}
