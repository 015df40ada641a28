//! RNN — the simple recurrent layer: `Ht = f(Xt·Wiᵀ + Ht-1·Riᵀ + Wbi + Rbi)`.
//!
//! Precision, versions and interpretation: see `layer.rs`, which RNN, GRU and LSTM share. Version 14 adds
//! `layout`.

use ndarray::ArrayView1;
use onnx_tensor::Accumulator;

use super::layer::{self, Cell, Gates, State};
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

    fn step(&self, gates: &Gates, x: ArrayView1<'_, f64>, state: &mut State) {
        let unit = |unit| {
            let mut sum = gates.input(0, unit, &x);
            gates.add_recurrent(&mut sum, 0, unit, &state.h);
            gates.activate(0, sum.finish())
        };
        state.h = (0..gates.hidden).map(unit).collect();
    }
}
