//! Det: the product of the pivots of an elimination with partial pivoting.
//!
//! The factors that a backend computes are those of A + ΔA with |ΔA| ≤ γₙ·|L|·|U| (Higham, theorem 9.3).
//! The determinant changes by at most Σ|C|·|ΔA| to first order, with the cofactors C = det(A)·A⁻ᵀ; the
//! product of the pivots adds γₙ. Without an inverse of A there is no bound.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;

use super::{Entry, entry};
use crate::number::Number;
use crate::precision::{Growth, gamma, growth};
use crate::{Query, Radius, number};

pub(super) const RULES: &[Entry] = &[entry("Det", determinants)];

fn determinants(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (true, Some(x)) = (query.inputs_exact(), query.input(0)) else {
        return super::exact::decides(query);
    };
    let rows = x.shape().last().copied().unwrap_or(0);
    let elements: Vec<f64> = x.iter().copied().collect();
    let unit = query.unit(0);
    let of = |matrix: &[f64]| {
        let found = determinant(matrix, rows, unit);
        if found.error.is_finite() || growth() == Growth::Worst {
            return found;
        }
        // Without an inverse: each row changes by its rounding errors, and the determinant by no more than
        // the product of the lengths (Hadamard).
        let length = |row: &[f64]| row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let most: f64 = matrix.chunks(rows).map(length).product();
        Number::off(found.value, gamma(rows as f64, unit) * most, unit)
    };
    let numbers: Vec<Number> = match rows {
        0 => vec![Number::exact(1.0); query.output(0).map_or(0, |output| output.len())],
        _ => elements.chunks(rows * rows).map(of).collect(),
    };
    Ok(vec![number::radius(
        query,
        0,
        numbers,
        "elimination with partial pivoting",
    )])
}

/// The determinant of a row-major matrix of `n` rows with its error.
fn determinant(matrix: &[f64], n: usize, unit: f64) -> Number {
    // The matrix augmented with the identity; the elimination transforms it into the upper factor and its
    // transformation matrix.
    let mut rows: Vec<Vec<f64>> = matrix.chunks(n).map(<[f64]>::to_vec).collect();
    for (index, row) in rows.iter_mut().enumerate() {
        row.resize(2 * n, 0.0);
        row[n + index] = 1.0;
    }
    let mut lower = vec![vec![0.0_f64; n]; n];
    let (mut order, mut result): (Vec<usize>, f64) = ((0..n).collect(), 1.0);
    for column in 0..n {
        let largest = |a: &usize, b: &usize| rows[*a][column].abs().total_cmp(&rows[*b][column].abs());
        let pivot = (column..n).max_by(largest).unwrap_or(column);
        if pivot != column {
            rows.swap(pivot, column);
            lower.swap(pivot, column);
            order.swap(pivot, column);
            result = -result;
        }
        let head = rows[column].clone();
        result *= head[column];
        if head[column] == 0.0 {
            return Number::off(0.0, f64::INFINITY, unit);
        }
        lower[column][column] = 1.0;
        for row in column + 1..n {
            let factor = rows[row][column] / head[column];
            lower[row][column] = factor;
            rows[row]
                .iter_mut()
                .zip(&head)
                .for_each(|(x, y)| *x -= factor * y);
        }
    }
    let inverse = back_substituted(&rows, n);
    let mut carried = 0.0;
    for (place, &row) in order.iter().enumerate() {
        for column in 0..n {
            let product: f64 = (0..n).map(|k| (lower[place][k] * rows[k][column]).abs()).sum();
            // The cofactor of (row, column) is the determinant times the inverse at (column, row).
            carried += (result * inverse[[column, row]]).abs() * product;
        }
    }
    let growth = gamma(n as f64, unit);
    Number::off(result, growth * (carried * (1.0 + growth) + result.abs()), unit)
}

/// The inverse, from an upper factor augmented with the matrix that transforms the input into it.
fn back_substituted(rows: &[Vec<f64>], n: usize) -> ArrayD<f64> {
    let mut inverse = ArrayD::zeros(vec![n, n]);
    for row in (0..n).rev() {
        for column in 0..n {
            let known: f64 = (row + 1..n).map(|k| rows[row][k] * inverse[[k, column]]).sum();
            inverse[[row, column]] = (rows[row][n + column] - known) / rows[row][row];
        }
    }
    inverse
}
