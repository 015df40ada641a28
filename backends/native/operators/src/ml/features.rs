//! The input of a predictor: rows of features.

use super::super::Call;
use super::super::call::count;
use super::super::numbers::floats;
use crate::error::{Problem, invalid};

/// Rows of features of equal width, as f64. An int64 beyond 2^53 is rounded.
pub struct Features {
    /// The number of rows.
    pub rows: usize,
    /// The number of features of a row.
    pub width: usize,
    values: Vec<f64>,
}

impl Features {
    /// Reads the first input, of shape `[rows, width]`, or `[width]` as one row.
    pub fn read(call: &Call) -> Result<Features, Problem> {
        let x = call.tensor(0)?;
        let (rows, width) = match *x.shape() {
            [width] => (1, width),
            [rows, width] => (rows, width),
            ref other => return invalid(format!("expected X of one or two axes, got the shape {other:?}")),
        };
        Ok(Features {
            rows,
            width,
            values: floats(x)?,
        })
    }

    pub fn row(&self, at: usize) -> &[f64] {
        &self.values[at * self.width..(at + 1) * self.width]
    }

    /// Returns all rows, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.rows).map(|at| self.row(at))
    }
}

/// Returns a number from an attribute that counts something: at least 1.
pub fn counted(call: &Call, name: &str) -> Result<usize, Problem> {
    let value = call.attributes.int(name)?;
    match usize::try_from(value) {
        Ok(count) if count > 0 => Ok(count),
        _ => invalid(format!("attribute `{name}` is {value}, expected at least 1")),
    }
}

/// Checks the number of scores before they are computed.
pub fn check_scores(rows: usize, width: usize) -> Result<(), Problem> {
    count(&[rows.max(1), width]).map(|_| ())
}
