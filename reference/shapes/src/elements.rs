//! What the elements of an operand are, where not every value of its type will do: axes, counts, shapes,
//! parts, scales.

use std::rc::Rc;

use crate::extent::Expr;

/// What the elements of an input are.
#[derive(Clone, PartialEq, Debug)]
pub enum Elements<E = i64> {
    /// Whole numbers from the first on, below the second.
    Whole(E, E),
    /// The same, and none occurs twice along this axis, or at all if there is no such axis.
    Distinct(usize, E, E),
    /// Tuples along the last axis, each a place in a tensor of these extents; none occurs twice.
    Places(Vec<E>),
    /// Lengths of sequences: at least 1, at most this one, which is the length of one of them.
    Lengths(E),
    /// Integers that are not 0.
    NonZero,
    /// Integers that ascend from 0 to this one.
    Ascending(E),
    /// Integers of at least 0 that add up to this one.
    Parts(E),
    /// Integers of at least 1 with this product.
    Factors(E),
    /// The last of these.
    Last(Vec<E>),
    /// Real numbers in a range.
    Reals(f64, f64),
    /// Words or numbers of a list.
    Words(Vec<String>),
}

/// What an operator says of the elements of an input of the main graph.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Use {
    /// The input.
    pub source: Rc<str>,
    pub elements: Elements<Expr>,
}

impl<E> Elements<E> {
    /// The same with other numbers; `None` if one of them is not known.
    pub(crate) fn map<F>(&self, mut number: impl FnMut(&E) -> Option<F>) -> Option<Elements<F>> {
        Some(match self {
            Elements::Whole(least, end) => Elements::Whole(number(least)?, number(end)?),
            Elements::Distinct(axis, least, end) => Elements::Distinct(*axis, number(least)?, number(end)?),
            Elements::Places(extents) => Elements::Places(extents.iter().map(number).collect::<Option<_>>()?),
            Elements::Lengths(most) => Elements::Lengths(number(most)?),
            Elements::NonZero => Elements::NonZero,
            Elements::Ascending(last) => Elements::Ascending(number(last)?),
            Elements::Parts(sum) => Elements::Parts(number(sum)?),
            Elements::Factors(product) => Elements::Factors(number(product)?),
            Elements::Last(numbers) => Elements::Last(numbers.iter().map(number).collect::<Option<_>>()?),
            Elements::Reals(least, most) => Elements::Reals(*least, *most),
            Elements::Words(words) => Elements::Words(words.clone()),
        })
    }
}
