//! Products of a matrix and vectors in double-double, one vector after another.

use super::compensated::{Sum, push};
use crate::isa::vectorised;

/// The rows that are summed together.
const ROWS: usize = 16;

/// A matrix whose rows are multiplied by many vectors.
#[derive(Clone, PartialEq, Debug)]
pub struct Panels {
    rows: usize,
    columns: usize,
    /// For each 16 rows, column after column.
    panels: Vec<[f64; ROWS]>,
}

impl Panels {
    /// A matrix of `rows` × `columns`, row after row. `None` if there are not as many elements.
    pub fn new(elements: &[f64], rows: usize, columns: usize) -> Option<Panels> {
        if rows.checked_mul(columns)? != elements.len() {
            return None;
        }
        let mut panels = vec![[0.0; ROWS]; rows.div_ceil(ROWS) * columns];
        for (row, elements) in elements.chunks(columns.max(1)).enumerate() {
            let panel = &mut panels[row / ROWS * columns..][..columns];
            panel
                .iter_mut()
                .zip(elements)
                .for_each(|(column, &x)| column[row % ROWS] = x);
        }
        Some(Panels {
            rows,
            columns,
            panels,
        })
    }

    /// Adds the products of each row and `vector` to its sum, one column after another, in double-double.
    /// There is a sum for each row, and an element of `vector` for each column.
    pub fn add(&self, vector: &[f64], sums: &mut [Sum]) {
        let columns = self.columns.max(1);
        for (panel, sums) in self
            .panels
            .chunks(columns)
            .zip(sums[..self.rows].chunks_mut(ROWS))
        {
            let (mut high, mut low) = ([0.0; ROWS], [0.0; ROWS]);
            for (index, &sum) in sums.iter().enumerate() {
                [high[index], low[index]] = sum;
            }
            accumulate(panel, vector, &mut high, &mut low);
            for (index, sum) in sums.iter_mut().enumerate() {
                *sum = [high[index], low[index]];
            }
        }
    }
}

vectorised! {
    fn accumulate(panel: &[[f64; ROWS]], vector: &[f64], high: &mut [f64; ROWS], low: &mut [f64; ROWS]) {
        let (mut h, mut l) = (*high, *low);
        for (column, &x) in panel.iter().zip(vector) {
            for row in 0..ROWS {
                push(column[row], x, &mut h[row], &mut l[row]);
            }
        }
        (*high, *low) = (h, l);
    }
}
