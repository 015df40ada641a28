//! The range of outputs of a correct implementation: the reference's result and its error bound.

use std::collections::BTreeMap;

use onnx_tensor::{Array, Tensor};

/// The maximum distance of each element of one output from the reference's result, if only rounding, in any
/// order of operations, separates the two.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The reference's result, in the type of the output.
    pub center: Tensor,
    /// For each element the greatest |observed − center|, absolute; infinite without a known bound.
    /// Integers, booleans and strings have 0; a quantized integer has 1 if the value before rounding may be
    /// on the other side of a tie.
    pub radius: Array<f64>,
    /// The error model for display, such as `gamma_n, n = 576`.
    pub model: String,
    /// The elements whose right answers are other values: both sides of a jump that the error of an
    /// argument crosses.
    pub answers: AnswerSets,
}

/// The right answers of elements, by their row-major positions: intervals with their ends.
#[derive(Clone, Debug, Default)]
pub struct AnswerSets(BTreeMap<usize, Vec<(f64, f64)>>);

impl AnswerSets {
    /// Adds an interval of right answers of an element.
    pub fn insert(&mut self, place: usize, low: f64, high: f64) {
        self.0.entry(place).or_default().push((low, high));
    }

    /// Whether `value` is a right answer of an element; `None` if the element has no set.
    pub fn admit(&self, place: usize, value: f64) -> Option<bool> {
        let spans = self.0.get(&place)?;
        Some(spans.iter().any(|(low, high)| *low <= value && value <= *high))
    }

    /// The intervals of an element; none if it has no set.
    pub fn of(&self, place: usize) -> &[(f64, f64)] {
        self.0.get(&place).map_or(&[], Vec::as_slice)
    }
}

/// The envelopes of a data set's outputs. An output without one has no known bound.
#[derive(Clone, Debug, Default)]
pub struct Envelopes {
    known: BTreeMap<String, Envelope>,
    /// The reason for each output whose bound is unknown.
    unknown: BTreeMap<String, String>,
}

impl Envelopes {
    /// No output has a known bound.
    pub const NONE: &'static Envelopes = &Envelopes {
        known: BTreeMap::new(),
        unknown: BTreeMap::new(),
    };

    /// Adds the envelope of the tensor `name` as the comparison names it: the graph's output `y`, the
    /// element `y[2]` of a sequence, the entry `y["key"]` of a map, the parts `y.indices` and `y.values` of
    /// a sparse tensor.
    pub fn insert(&mut self, name: impl Into<String>, envelope: Envelope) {
        self.known.insert(name.into(), envelope);
    }

    /// Adds the reason why the bound of the tensor `name` is unknown.
    pub fn insert_unknown(&mut self, name: impl Into<String>, reason: String) {
        self.unknown.insert(name.into(), reason);
    }

    /// Whether the bound of the tensor `name` is unknown for a reason.
    pub fn is_unknown(&self, name: &str) -> bool {
        self.unknown.contains_key(name)
    }

    /// The reasons for unknown bounds, each once, in the order of the outputs' names.
    pub fn reasons(&self) -> Vec<&str> {
        let mut reasons: Vec<&str> = Vec::new();
        for reason in self.unknown.values() {
            if !reasons.contains(&reason.as_str()) {
                reasons.push(reason);
            }
        }
        reasons
    }

    /// The envelope of the tensor `name`; `None` if the type or shape of its center or radius differs from
    /// `expected`.
    pub fn of(&self, name: &str, expected: &Tensor) -> Option<&Envelope> {
        let fits = |envelope: &&Envelope| {
            envelope.center.dtype() == expected.dtype()
                && envelope.center.shape() == expected.shape()
                && envelope.radius.shape() == expected.shape()
        };
        self.known.get(name).filter(fits)
    }
}
