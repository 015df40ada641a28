//! Sets of right answers: the values that a discontinuous function may give where the error of its
//! argument crosses a jump.

use std::collections::BTreeMap;

use ndarray::ArrayD;

/// A closed interval of values.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Span {
    /// The least value.
    pub low: f64,
    /// The greatest value.
    pub high: f64,
}

impl Span {
    /// Whether both ends are finite.
    pub fn is_finite(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// One value.
    pub const fn only(value: f64) -> Span {
        Span {
            low: value,
            high: value,
        }
    }
}

/// The elements of a value whose right answers are not one interval around the exact result: for
/// each, by its row-major position, the intervals of right answers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Sets(BTreeMap<usize, Vec<Span>>);

/// The greatest number of answers that are listed for an element; more become one interval.
const MOST: f64 = 64.0;

impl Sets {
    /// No element has a set.
    pub const NONE: Sets = Sets(BTreeMap::new());

    /// Whether no element has a set.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets the answers of an element.
    pub fn insert(&mut self, place: usize, spans: Vec<Span>) {
        self.0.insert(place, spans);
    }

    /// The answers of an element; `None` if they are one interval around the exact result.
    pub fn get(&self, place: usize) -> Option<&[Span]> {
        self.0.get(&place).map(Vec::as_slice)
    }

    /// All elements with sets, in order.
    pub fn iter(&self) -> impl Iterator<Item = (usize, &[Span])> {
        self.0.iter().map(|(place, spans)| (*place, spans.as_slice()))
    }

    /// Without the elements of which an answer is not finite.
    pub fn finite(mut self) -> Sets {
        self.0.retain(|_, spans| spans.iter().all(Span::is_finite));
        self
    }

    /// Adds the whole numbers from `low` to `high`.
    pub fn insert_whole(&mut self, place: usize, low: f64, high: f64) {
        let spans = if (0.0..=MOST).contains(&(high - low)) {
            (0..=(high - low) as u32)
                .map(|step| Span::only(low + f64::from(step)))
                .collect()
        } else {
            vec![Span { low, high }]
        };
        self.insert(place, spans);
    }

    /// The radii that include all sets: `radius` where an element has none. An answer that is not
    /// finite has no bound.
    pub fn hull(&self, center: &ArrayD<f64>, radius: &ArrayD<f64>) -> ArrayD<f64> {
        let mut hull: Vec<f64> = radius.iter().copied().collect();
        let mut center = center.iter();
        let mut next = 0;
        for (place, spans) in self.iter() {
            let exact = center.nth(place - next);
            next = place + 1;
            let (Some(hull), Some(exact)) = (hull.get_mut(place), exact) else {
                break;
            };
            let reach = |span: &Span| (span.low - exact).abs().max((span.high - exact).abs());
            *hull = if spans.iter().all(Span::is_finite) {
                spans.iter().map(reach).fold(0.0, f64::max)
            } else {
                f64::INFINITY
            };
        }
        // As many as the array has: the shape fits.
        ArrayD::from_shape_vec(radius.raw_dim(), hull).unwrap_or_else(|_| radius.clone())
    }
}
