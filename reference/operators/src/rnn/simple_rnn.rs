//! RNN — the simple recurrent layer: `Ht = f(Xt·Wiᵀ + Ht-1·Riᵀ + Wbi + Rbi)`.
//!
//! Precision, versions and interpretation: see `layer.rs`, which RNN, GRU and LSTM share. Version 14 adds
//! `layout`.

use onnx_arithmetic::product::compensated::Sum;

use super::gates::{Gates, value};
use super::layer::{self, Cell, State};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "RNN",
    &[
        v(1, First, rnn),
        v(7, Semantics, rnn),
        v(14, Semantics, rnn),
        v(22, TypesOnly, rnn),
    ],
);

fn rnn(call: &Call<'_>) -> Result<Outputs, OpError> {
    layer::run(call, &Simple)
}

struct Simple;

impl Cell for Simple {
    const GATES: usize = 1;
    const FUNCTIONS: &'static [&'static str] = &["Tanh"];
    const HAS_CELL_STATE: bool = false;

    fn step(&self, gates: &Gates, input: &[Sum], state: &mut State) {
        let mut sums = input.to_vec();
        gates.add_recurrent(&mut sums, 0, &state.h);
        state.h = sums
            .into_iter()
            .map(|sum| gates.activate(0, value(sum)))
            .collect();
    }
}
