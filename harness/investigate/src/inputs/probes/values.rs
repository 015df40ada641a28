//! Values for some elements of an input.

use std::collections::{BTreeMap, BTreeSet};

use rand::RngExt;

use super::super::reach::Line;
use super::super::texts::Texts;
use super::trees::Trees;

/// Values for some elements of an input.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Probes {
    /// Numbers for any element.
    pub numbers: Vec<f64>,
    /// Numbers next to a tie of a rounding, about which honest runs may differ: everything behind is then
    /// uncertain.
    pub near_ties: Vec<f64>,
    /// The trees that read the rows of a table.
    pub trees: Trees,
    /// Numbers for the elements of a column, the place in the last axis.
    pub columns: BTreeMap<usize, Vec<f64>>,
    /// The axes along which it matters that elements are equal; from the end if negative.
    pub equal: BTreeSet<i64>,
    /// The range of all elements, where others have no result.
    pub range: Option<(f64, f64)>,
    /// Whether few elements have such numbers.
    pub rare: bool,
    /// Whether words that no attribute lists are drawn as well.
    pub others: bool,
    /// Whether indices may count from the end.
    pub negative: bool,
    /// Indices that are out of the range, which the node defines.
    pub outside: Vec<f64>,
    /// The form of boxes, if every row is one.
    pub boxes: Option<Boxes>,
    /// The words of the model, for an input of texts.
    pub texts: Texts,
    /// Whether part of the last samples has large numbers: a clamp or an overflow shows there.
    pub large: bool,
    /// Whether a row of the last samples has small numbers: an epsilon shows there.
    pub small: bool,
}

/// Rows that are boxes, many of which overlap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Boxes {
    /// The extent of the picture in which they are.
    pub extent: f64,
    /// Whether a row is a center and a size, not two corners.
    pub is_centered: bool,
}

impl Boxes {
    /// Writes a box into the last four elements of a row; what is before it, the number of an image, is 0.
    pub fn fill(self, row: &mut [f64], rng: &mut impl RngExt) {
        let Some(before) = row.len().checked_sub(4) else {
            return;
        };
        row[..before].fill(0.0);
        // Few places and sizes, so that boxes overlap.
        let mut axis = || {
            let low = self.extent * f64::from(rng.random_range(0..=4)) / 8.0;
            (low, self.extent * rng.random_range(0.2..0.5))
        };
        let (y, x) = (axis(), axis());
        row[before..].copy_from_slice(&if self.is_centered {
            [y.0 + y.1 / 2.0, x.0 + x.1 / 2.0, y.1, x.1]
        } else {
            [y.0, x.0, y.0 + y.1, x.0 + x.1]
        });
    }
}

impl Probes {
    /// Whether there is nothing to draw.
    pub fn is_empty(&self) -> bool {
        *self == Probes::default()
    }

    /// The numbers for an element in this column.
    pub fn of_column(&self, column: usize) -> impl Iterator<Item = f64> {
        let own = self.columns.get(&column).into_iter().flatten();
        self.numbers.iter().chain(own).copied()
    }

    /// Adds what matters behind factors and terms that are constants. A tie is one only where these are
    /// exact.
    pub fn add_behind(&mut self, behind: Probes, line: Line) {
        let Probes {
            numbers,
            near_ties,
            equal,
            ..
        } = behind;
        self.equal.extend(equal);
        let before = |numbers: Vec<f64>| numbers.into_iter().map(|number| line.of(number));
        if line.is_exact() {
            self.numbers.extend(before(numbers));
        } else {
            self.near_ties.extend(before(numbers));
        }
        self.near_ties.extend(before(near_ties));
    }

    /// A threshold, and numbers on both sides.
    pub fn threshold(&mut self, value: f64) {
        self.numbers.extend(beside(value));
    }
}

/// The number itself, one below, and two above.
pub fn beside(value: f64) -> [f64; 4] {
    let step = (value.abs() / 8.0).max(0.25);
    [value, value - step, value + step, value + 2.0 * step]
}
