//! LSTM — the long short-term memory layer with input gate `i`, output gate `o`, forget gate `f` and cell
//! gate `c`, in this order in the weights, and peepholes `P` for `i`, `o`, `f`:
//! - `it = f(Xt·Wiᵀ + Ht-1·Riᵀ + Pi ⊙ Ct-1 + Wbi + Rbi)`, `ft` likewise, `ct = g(Xt·Wcᵀ + Ht-1·Rcᵀ + Wbc +
//!   Rbc)`;
//! - `Ct = ft ⊙ Ct-1 + it ⊙ ct`, `ot = f(Xt·Woᵀ + Ht-1·Roᵀ + Po ⊙ Ct + Wbo + Rbo)`, `Ht = ot ⊙ h(Ct)`.
//!
//! Precision and interpretation: see `layer.rs`, which RNN, GRU and LSTM share. Version 14 adds `layout`.
//! Interpretation: the text only says that `input_forget` couples the two gates; `ft = 1 − it`, as in the
//! literature.

use onnx_arithmetic::product::compensated::Sum;

use super::gates::{Gates, value};
use super::layer::{self, Cell, State};
use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};

pub const OP: OpDef = op(
    "LSTM",
    &[
        v(1, First, lstm),
        v(7, Semantics, lstm),
        v(14, Semantics, lstm),
        v(22, TypesOnly, lstm),
    ],
);

fn lstm(call: &Call<'_>) -> Result<Outputs, OpError> {
    let coupled = call.flag("input_forget")?;
    layer::run(call, &Lstm { coupled })
}

struct Lstm {
    coupled: bool,
}

const INPUT: usize = 0;
const OUTPUT: usize = 1;
const FORGET: usize = 2;
const CELL: usize = 3;

impl Cell for Lstm {
    const GATES: usize = 4;
    const FUNCTIONS: &'static [&'static str] = &["Sigmoid", "Tanh", "Tanh"];
    const HAS_CELL_STATE: bool = true;

    fn step(&self, gates: &Gates, input: &[Sum], state: &mut State) {
        let sums = [INPUT, OUTPUT, FORGET, CELL].map(|gate| {
            let mut sums = gates.of_gate(gate, input);
            gates.add_recurrent(&mut sums, gate, &state.h);
            sums
        });
        let mut next = Vec::with_capacity(gates.hidden);
        for (unit, cell) in state.c.iter_mut().enumerate() {
            let gate = |gate: usize, cell: f64| {
                let mut sum = sums[gate][unit];
                gates.add_peephole(&mut sum, gate, unit, cell);
                gates.activate(0, value(sum))
            };
            let input = gate(INPUT, *cell);
            let forget = if self.coupled {
                1.0 - input
            } else {
                gate(FORGET, *cell)
            };
            *cell = forget * *cell + input * gates.activate(1, value(sums[CELL][unit]));
            next.push(gate(OUTPUT, *cell) * gates.activate(2, *cell));
        }
        state.h = next;
    }
}
