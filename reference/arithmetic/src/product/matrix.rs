//! Matrices in memory.

use std::ops::Range;

use super::element::{Element, Sum};
use super::kernel::{Kernel, LANES};
use super::{Part, Terms, split};

/// A matrix whose rows or columns follow each other in memory.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, E> {
    elements: &'a [E],
    rows: usize,
    columns: usize,
    order: Order,
}

/// What follows each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Order {
    Rows,
    Columns,
}

impl<'a, E: Copy> Matrix<'a, E> {
    /// A matrix of `rows` × `columns`, row after row. `None` if there are not as many elements.
    pub fn by_rows(elements: &'a [E], rows: usize, columns: usize) -> Option<Matrix<'a, E>> {
        (rows.checked_mul(columns)? == elements.len()).then_some(Matrix {
            elements,
            rows,
            columns,
            order: Order::Rows,
        })
    }

    /// The matrix with rows and columns exchanged.
    #[must_use]
    pub fn transposed(self) -> Matrix<'a, E> {
        Matrix {
            elements: self.elements,
            rows: self.columns,
            columns: self.rows,
            order: match self.order {
                Order::Rows => Order::Columns,
                Order::Columns => Order::Rows,
            },
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The rows, if each follows in memory.
    pub fn as_rows(&self) -> Option<&'a [E]> {
        (self.order == Order::Rows).then_some(self.elements)
    }

    /// The columns, if each follows in memory.
    pub fn as_columns(&self) -> Option<&'a [E]> {
        (self.order == Order::Columns).then_some(self.elements)
    }
}

impl<E: Element> Terms<E::Factor> for Matrix<'_, E> {
    fn is_by_columns(&self) -> bool {
        self.order == Order::Columns
    }

    fn fill(&self, term: usize, columns: Range<usize>, into: &mut [E::Factor]) {
        match self.order {
            Order::Rows => {
                let at = term * self.columns;
                E::widen(&self.elements[at + columns.start..at + columns.end], into);
            }
            Order::Columns => {
                let column = columns.map(|column| self.elements[column * self.rows + term].factor());
                into.iter_mut().zip(column).for_each(|(into, x)| *into = x);
            }
        }
    }

    fn add_products(
        &self,
        term: usize,
        columns: Range<usize>,
        factor: E::Factor,
        row: &mut [E::Factor],
        sums: &mut [Sum<E>],
    ) {
        if self.order == Order::Rows {
            let at = term * self.columns;
            return E::add_products(
                factor,
                &self.elements[at + columns.start..at + columns.end],
                1,
                sums,
            );
        }
        self.fill(term, columns, row);
        E::Factor::scaled(factor, row, sums);
    }

    fn panels(&self, terms: Range<usize>, columns: Range<usize>, into: &mut [E::Factor]) {
        match self.order {
            Order::Rows => self.panels_of_rows(terms, columns, into),
            Order::Columns => self.panels_of_columns(&terms, columns, into),
        }
    }
}

/// The elements of a column that are widened at a time.
const CHUNK: usize = 64;

impl<E: Element> Matrix<'_, E> {
    fn panels_of_rows(&self, terms: Range<usize>, columns: Range<usize>, into: &mut [E::Factor]) {
        let (count, mut row) = (terms.len(), [E::Factor::default(); super::WIDTH]);
        for Part { at, range } in split(columns, super::WIDTH) {
            let row = &mut row[..range.len()];
            for (index, term) in terms.clone().enumerate() {
                self.fill(term, range.clone(), row);
                E::Factor::spread(row, index, count, &mut into[at * count..]);
            }
        }
    }

    fn panels_of_columns(&self, terms: &Range<usize>, columns: Range<usize>, into: &mut [E::Factor]) {
        let count = terms.len();
        let panels = into.chunks_exact_mut(count * LANES);
        for (columns, panel) in split(columns, LANES).zip(panels) {
            let mut wide = [[E::Factor::default(); CHUNK]; LANES];
            for Part { at, range } in split(terms.clone(), CHUNK) {
                for (wide, column) in wide.iter_mut().zip(columns.range.clone()) {
                    let start = column * self.rows;
                    E::widen(
                        &self.elements[start + range.start..start + range.end],
                        &mut wide[..range.len()],
                    );
                }
                let (into, _) = panel[at * LANES..].as_chunks_mut::<LANES>();
                for (term, into) in into.iter_mut().enumerate().take(range.len()) {
                    for lane in 0..LANES {
                        into[lane] = wide[lane][term];
                    }
                }
            }
        }
    }
}
