//! Einsum of two operands as products of matrices.
//!
//! A label of the result belongs to the rows if only the first operand has it, to the columns if only the
//! second has it, and to the matrices of a stack otherwise. The other labels are the terms. The order of a
//! sum is that of the terms, one after another.

use std::ops::Range;

use onnx_arithmetic::Element as Cell;
use onnx_arithmetic::product::{Blocks, Operands, Terms};

use crate::shared::einsum_axes::{LabelledAxis, offsets};
use crate::shared::matrix_product::{Product, multiply};

/// A matrix whose elements are at sums of two offsets.
struct Spread<'a, E> {
    elements: &'a [E],
    terms: &'a [usize],
    columns: &'a [usize],
    /// The distance of neighbouring columns, if it is the same for all.
    step: Option<usize>,
}

impl<'a, E> Spread<'a, E> {
    fn new(elements: &'a [E], terms: &'a [usize], columns: &'a [usize]) -> Self {
        let steps = || columns.windows(2).map(|pair| pair[1].wrapping_sub(pair[0]));
        let step = steps()
            .next()
            .filter(|&first| first > 0 && steps().all(|step| step == first));
        Spread {
            elements,
            terms,
            columns,
            step,
        }
    }
}

impl<E: Cell> Terms<E::Factor> for Spread<'_, E> {
    fn fill(&self, term: usize, columns: Range<usize>, into: &mut [E::Factor]) {
        let columns = &self.columns[columns];
        let elements = &self.elements[self.terms[term]..];
        match (self.step, columns.first()) {
            (Some(step), Some(&first)) => E::every(&elements[first..], step, into),
            _ => {
                let pairs = into.iter_mut().zip(columns);
                pairs.for_each(|(into, &column)| *into = elements[column].factor());
            }
        }
    }
}

/// The axes of a product.
pub struct Axes<'a> {
    stack: Vec<&'a LabelledAxis>,
    rows: Vec<&'a LabelledAxis>,
    columns: Vec<&'a LabelledAxis>,
    terms: Vec<&'a LabelledAxis>,
    /// The distance in the result of neighbours on each axis of the stack, the rows and the columns.
    places: [Vec<usize>; 3],
}

impl<'a> Axes<'a> {
    /// The axes of the result and those that are summed over, of two operands.
    pub fn new(outer: &'a [LabelledAxis], inner: &'a [LabelledAxis]) -> Axes<'a> {
        let mut axes = Axes {
            stack: Vec::new(),
            rows: Vec::new(),
            columns: Vec::new(),
            terms: inner.iter().collect(),
            places: [Vec::new(), Vec::new(), Vec::new()],
        };
        let mut below = outer.iter().map(|axis| axis.extent).product::<usize>();
        for axis in outer {
            below /= axis.extent.max(1);
            let (group, places) = match axis.strides.as_slice() {
                [_, 0] => (&mut axes.rows, &mut axes.places[1]),
                [0, _] => (&mut axes.columns, &mut axes.places[2]),
                _ => (&mut axes.stack, &mut axes.places[0]),
            };
            group.push(axis);
            places.push(below);
        }
        axes
    }

    /// The places in the result of every position of a group.
    fn places(&self, group: usize) -> Vec<usize> {
        let axes = [&self.stack, &self.rows, &self.columns][group];
        let pairs = axes.iter().zip(&self.places[group]);
        pairs.fold(vec![0], |places, (axis, step)| {
            let along = |place: usize| (0..axis.extent).map(move |at| place + at * step);
            places.into_iter().flat_map(along).collect()
        })
    }

    /// The sums, each rounded once, in the order of the result. No axis of the result is empty.
    pub fn multiply<T: Product>(&self, [a, b]: [&[T]; 2]) -> Vec<T> {
        let [stack, rows, columns] = [0, 1, 2].map(|group| self.places(group));
        let (a_terms, b_terms) = (offsets(&self.terms, 0), offsets(&self.terms, 1));
        let (a_rows, b_columns) = (offsets(&self.rows, 0), offsets(&self.columns, 1));
        let (a_stack, b_stack) = (offsets(&self.stack, 0), offsets(&self.stack, 1));
        let blocks = Blocks::ending([a_terms.len()]);
        let mut sums = vec![T::Sum::default(); rows.len() * columns.len()];
        let mut result = vec![T::ZERO; stack.len() * sums.len()];
        for ((place, a_start), b_start) in stack.iter().zip(a_stack).zip(b_stack) {
            let left = Spread::new(T::cells(&a[a_start..]), &a_terms, &a_rows);
            let right = Spread::new(T::cells(&b[b_start..]), &b_terms, &b_columns);
            let operands = Operands {
                a: &left,
                b: &right,
                blocks: &blocks,
            };
            multiply(operands, |_| T::Sum::default(), &mut sums, columns.len());
            for (row, sums) in rows.iter().zip(sums.chunks(columns.len())) {
                for (column, &sum) in columns.iter().zip(sums) {
                    result[place + row + column] = T::finish(sum);
                }
            }
        }
        result
    }
}
