//! GRU — the gated recurrent layer with update gate `z`, reset gate `r` and hidden gate `h`, in this order
//! in the weights:
//! - `zt = f(Xt·Wzᵀ + Ht-1·Rzᵀ + Wbz + Rbz)`, `rt` likewise;
//! - `ht = g(Xt·Whᵀ + (rt ⊙ Ht-1)·Rhᵀ + Rbh + Wbh)`, or with `linear_before_reset`
//!   `ht = g(Xt·Whᵀ + rt ⊙ (Ht-1·Rhᵀ + Rbh) + Wbh)`;
//! - `Ht = (1 − zt) ⊙ ht + zt ⊙ Ht-1`.
//!
//! Precision and interpretation: see `layer.rs`, which RNN, GRU and LSTM share. Version 3 adds
//! `linear_before_reset` (version 1 has only the first form), 14 adds `layout`.

use onnx_arithmetic::product::compensated::Sum;

use super::gates::{Gates, add_product, value};
use super::layer::{self, Cell, State};
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

    fn step(&self, gates: &Gates, input: &[Sum], state: &mut State) {
        let gate = |gate: usize| -> Vec<f64> {
            let mut sums = gates.of_gate(gate, input);
            gates.add_recurrent(&mut sums, gate, &state.h);
            sums.into_iter()
                .map(|sum| gates.activate(0, value(sum)))
                .collect()
        };
        let (reset, update) = (gate(RESET), gate(UPDATE));
        let mut sums = gates.of_gate(HIDDEN, input);
        if self.linear_before_reset {
            let mut recurrent = vec![Sum::default(); gates.hidden];
            gates.add_recurrent(&mut recurrent, HIDDEN, &state.h);
            for ((sum, recurrent), &reset) in sums.iter_mut().zip(recurrent).zip(&reset) {
                add_product(sum, reset, value(recurrent));
            }
        } else {
            let kept: Vec<f64> = reset.iter().zip(&state.h).map(|(r, h)| r * h).collect();
            gates.add_recurrent(&mut sums, HIDDEN, &kept);
        }
        for ((h, sum), update) in state.h.iter_mut().zip(sums).zip(update) {
            let new = gates.activate(1, value(sum));
            *h = (1.0 - update) * new + update * *h;
        }
    }
}
