//! Where a correct implementation's outputs can lie: the reference's result, and how far rounding can lead from it.

use std::collections::BTreeMap;

use onnx_tensor::{Array, Tensor};

/// How far from the reference's result each element of one output may lie if nothing but rounding, in any order of
/// operations, separates the two.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// The reference's result, in the output's type.
    pub center: Tensor,
    /// For each element the largest |observed − center|, absolute; infinite where no bound is known. Integers, booleans and
    /// strings have 0; a quantized integer has 1 where the value before rounding may lie on the other side of a tie.
    pub radius: Array<f64>,
    /// The error model, for people: `gamma_n, n = 576`.
    pub model: String,
}

/// The envelopes of a data set's outputs; an output without one has no known bound.
#[derive(Clone, Debug, Default)]
pub struct Envelopes(BTreeMap<String, Envelope>);

impl Envelopes {
    /// No bound is known of any output.
    pub const NONE: &'static Envelopes = &Envelopes(BTreeMap::new());

    /// Notes the envelope of the tensor that the comparison calls `name`: the graph's output `y`, the element `y[2]` of a
    /// sequence, the entry `y["key"]` of a map, the parts `y.indices` and `y.values` of a sparse tensor.
    pub fn insert(&mut self, name: impl Into<String>, envelope: Envelope) {
        self.0.insert(name.into(), envelope);
    }

    /// The envelope of the tensor called `name`. One whose center or radius is not of the type and shape of `expected` bounds
    /// something else, and is none.
    pub fn of(&self, name: &str, expected: &Tensor) -> Option<&Envelope> {
        let fits = |envelope: &&Envelope| {
            envelope.center.dtype() == expected.dtype()
                && envelope.center.shape() == expected.shape()
                && envelope.radius.shape() == expected.shape()
        };
        self.0.get(name).filter(fits)
    }
}
