//! Det.

use super::super::call::one;
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use crate::error::invalid;
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row(
    "Det",
    11,
    First(|known| known.det()),
    |call: &Call| -> Outcome {
        let tensor = call.tensor(0)?;
        let Some((stack, &[rows, columns])) = tensor.shape().split_last_chunk::<2>() else {
            return invalid("expected a matrix");
        };
        if rows != columns {
            return invalid(format!(
                "expected a square matrix, got {rows} rows and {columns} columns"
            ));
        }
        let values = floats(tensor)?;
        let count: usize = stack.iter().product();
        let size = rows * columns;
        let results = (0..count).map(|at| determinant(values[at * size..][..size].to_vec(), rows));
        one(from_floats(tensor.dtype(), stack, results.collect())?)
    },
)];

/// Eliminates with the largest pivot of each column.
fn determinant(mut matrix: Vec<f64>, n: usize) -> f64 {
    let mut result = 1.0;
    for column in 0..n {
        let magnitude = |row: usize| matrix[row * n + column].abs();
        let pivot = (column..n)
            .max_by(|&a, &b| magnitude(a).total_cmp(&magnitude(b)))
            .unwrap_or(column);
        if pivot != column {
            (0..n).for_each(|at| matrix.swap(pivot * n + at, column * n + at));
            result = -result;
        }
        let head = matrix[column * n + column];
        if head == 0.0 {
            return 0.0;
        }
        result *= head;
        for row in column + 1..n {
            let factor = matrix[row * n + column] / head;
            (column..n).for_each(|at| matrix[row * n + at] -= factor * matrix[column * n + at]);
        }
    }
    result
}
