//! Products of few rows with columns that follow in memory, which are read once.

use super::element::Element;
use super::{Matrix, Part, split};
use crate::isa::vectorised;
use crate::threads;

/// The columns that are processed together, so that an addition does not wait for the one before it; and
/// the sums of a column.
const FOUR: usize = 4;

/// The elements of a column that are widened at a time.
const CHUNK: usize = 512;

/// The product of `rows` and the columns of `b`, which follow in memory: `result` has a row for each row.
///
/// A sum consists of four, of the terms whose index modulo 4 is 0, 1, 2 and 3. They are added up in this
/// order, and then the terms that are left when the number of terms is divided by 4.
pub fn dots<E: Element<Factor = f64>>(rows: &[Vec<f64>], b: &Matrix<'_, E>, result: &mut [f64]) {
    let (terms, columns, Some(elements)) = (b.rows(), b.columns(), b.as_columns()) else {
        return;
    };
    if columns == 0 || terms == 0 {
        return result.fill(0.0);
    }
    let parts = threads::parts(terms.saturating_mul(columns));
    let width = columns.div_ceil(parts).next_multiple_of(FOUR);
    let mut shares: Vec<(&[E], Vec<&mut [f64]>)> = elements
        .chunks(width * terms)
        .map(|elements| (elements, Vec::with_capacity(rows.len())))
        .collect();
    for result in result.chunks_mut(columns) {
        for ((_, shares), part) in shares.iter_mut().zip(result.chunks_mut(width)) {
            shares.push(part);
        }
    }
    threads::for_each(
        shares.into_iter(),
        parts,
        Vec::new,
        |wide, (elements, mut results)| {
            for (index, elements) in elements.chunks(FOUR * terms).enumerate() {
                let at = index * FOUR;
                four(rows, elements, terms, wide, |row, sums| {
                    results[row][at..at + sums.len()].copy_from_slice(sums);
                });
            }
        },
    );
}

/// The sums of up to four columns, row by row.
fn four<E: Element<Factor = f64>>(
    rows: &[Vec<f64>],
    elements: &[E],
    terms: usize,
    wide: &mut Vec<f64>,
    mut result: impl FnMut(usize, &[f64]),
) {
    let (count, whole) = (elements.len() / terms, terms - terms % FOUR);
    let mut sums = vec![[[0.0; FOUR]; FOUR]; rows.len()];
    wide.resize(FOUR * CHUNK, 0.0);
    for Part { range, .. } in split(0..whole, CHUNK) {
        for (wide, column) in wide.chunks_mut(CHUNK).zip(elements.chunks(terms)) {
            E::widen(&column[range.clone()], &mut wide[..range.len()]);
        }
        for (row, sums) in rows.iter().zip(&mut sums) {
            add(&row[range.clone()], wide, sums);
        }
    }
    for (index, (row, sums)) in rows.iter().zip(&sums).enumerate() {
        let mut totals = [0.0; FOUR];
        for ((total, sums), column) in totals.iter_mut().zip(sums).zip(elements.chunks(terms)) {
            let rest = row[whole..].iter().zip(&column[whole..]);
            *total = rest.fold(sums.iter().sum(), |sum, (x, y)| sum + x * y.factor());
        }
        result(index, &totals[..count]);
    }
}

vectorised! {
    fn add(row: &[f64], wide: &[f64], sums: &mut [[f64; FOUR]; FOUR]) {
        let (row, _) = row.as_chunks::<FOUR>();
        let mut total = *sums;
        let [a, b, c, d] = [0, 1, 2, 3].map(|column| wide[column * CHUNK..][..CHUNK].as_chunks::<FOUR>().0);
        for ((((x, a), b), c), d) in row.iter().zip(a).zip(b).zip(c).zip(d) {
            for lane in 0..FOUR {
                total[0][lane] = x[lane].mul_add(a[lane], total[0][lane]);
                total[1][lane] = x[lane].mul_add(b[lane], total[1][lane]);
                total[2][lane] = x[lane].mul_add(c[lane], total[2][lane]);
                total[3][lane] = x[lane].mul_add(d[lane], total[3][lane]);
            }
        }
        *sums = total;
    }
}
