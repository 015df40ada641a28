//! GRU — the gated recurrent layer with update gate `z`, reset gate `r` and hidden gate `h`, in this order
//! in the weights:
//! - `zt = f(Xt·Wzᵀ + Ht-1·Rzᵀ + Wbz + Rbz)`, `rt` likewise;
//! - `ht = g(Xt·Whᵀ + (rt ⊙ Ht-1)·Rhᵀ + Rbh + Wbh)`, or with `linear_before_reset`
//!   `ht = g(Xt·Whᵀ + rt ⊙ (Ht-1·Rhᵀ + Rbh) + Wbh)`;
//! - `Ht = (1 − zt) ⊙ ht + zt ⊙ Ht-1`.
//!
//! Precision and interpretation: see `layer.rs`, which RNN, GRU and LSTM share. Version 3 adds
//! `linear_before_reset` (version 1 has only the first form), 14 adds `layout`.

use ndarray::ArrayView1;
use onnx_tensor::Accumulator;

use super::layer::{self, Cell, Gates, State};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "GRU",
    &[
        v(1, First, |call| gru(call, false)),
        v(3, Semantics, gru_3),
        v(7, Semantics, gru_3),
        v(14, Semantics, gru_3),
        v(22, TypesOnly, gru_3),
    ],
);

fn gru_3(call: &Call<'_>) -> Result<Outputs, OpError> {
    // The text says "when linear_before_reset != 0", so any other value enables it.
    gru(call, call.int("linear_before_reset")? != 0)
}

fn gru(call: &Call<'_>, linear_before_reset: bool) -> Result<Outputs, OpError> {
    layer::run(call, &Gru { linear_before_reset })
}

struct Gru {
    linear_before_reset: bool,
}

const UPDATE: usize = 0;
const RESET: usize = 1;
const HIDDEN: usize = 2;

impl Cell for Gru {
    const GATES: usize = 3;
    const FUNCTIONS: &'static [&'static str] = &["Sigmoid", "Tanh"];
    const HAS_CELL_STATE: bool = false;

    fn step(&self, gates: &Gates, x: ArrayView1<'_, f64>, state: &mut State) {
        let gate = |gate: usize, unit: usize| {
            let mut sum = gates.input(gate, unit, &x);
            gates.add_recurrent(&mut sum, gate, unit, &state.h);
            gates.activate(0, sum.finish())
        };
        let reset: Vec<f64> = (0..gates.hidden).map(|unit| gate(RESET, unit)).collect();
        let kept: Vec<f64> = reset.iter().zip(&state.h).map(|(r, h)| r * h).collect();
        let next = |(unit, (&old, &reset)): (usize, (&f64, &f64))| {
            let mut sum = gates.input(HIDDEN, unit, &x);
            if self.linear_before_reset {
                let mut recurrent = Default::default();
                gates.add_recurrent(&mut recurrent, HIDDEN, unit, &state.h);
                sum.add_product(reset, recurrent.finish());
            } else {
                gates.add_recurrent(&mut sum, HIDDEN, unit, &kept);
            }
            let new = gates.activate(1, sum.finish());
            let update = gate(UPDATE, unit);
            (1.0 - update) * new + update * old
        };
        state.h = state.h.iter().zip(&reset).enumerate().map(next).collect();
    }
}
