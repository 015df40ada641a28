//! One step of each kind of cell, by the formulas of the specification.

use super::Gates;
use crate::number::Number;

/// The operator.
#[derive(Clone, Copy)]
pub(super) enum Cell {
    /// RNN.
    Simple,
    Gru {
        /// Whether the reset gate is applied after the product with R.
        linear_before_reset: bool,
    },
    Lstm {
        /// Whether the forget gate is 1 − the input gate.
        coupled: bool,
    },
}

/// The states of one sequence.
pub(super) struct State {
    /// Hidden.
    pub(super) h: Vec<Number>,
    /// Of the cell.
    pub(super) c: Vec<Number>,
}

impl Cell {
    /// The number of blocks of rows of W and R.
    pub(super) fn gates(self) -> usize {
        match self {
            Cell::Simple => 1,
            Cell::Gru { .. } => 3,
            Cell::Lstm { .. } => 4,
        }
    }

    /// The default functions of a direction.
    pub(super) fn functions(self) -> &'static [&'static str] {
        match self {
            Cell::Simple => &["Tanh"],
            Cell::Gru { .. } => &["Sigmoid", "Tanh"],
            Cell::Lstm { .. } => &["Sigmoid", "Tanh", "Tanh"],
        }
    }

    pub(super) fn step(self, gates: &Gates<'_>, x: &[Number], state: &mut State) {
        match self {
            Cell::Simple => {
                let unit = |unit| {
                    let terms = gates.input(0, unit, x).chain(gates.recurrent(0, unit, &state.h));
                    gates.activate(0, Number::dot(terms))
                };
                state.h = (0..gates.hidden).map(unit).collect();
            }
            Cell::Gru { linear_before_reset } => gru(gates, x, state, linear_before_reset),
            Cell::Lstm { coupled } => lstm(gates, x, state, coupled),
        }
    }
}

/// Gates z, r, h.
fn gru(gates: &Gates<'_>, x: &[Number], state: &mut State, linear_before_reset: bool) {
    let gate = |gate: usize, unit: usize| {
        let terms = gates
            .input(gate, unit, x)
            .chain(gates.recurrent(gate, unit, &state.h));
        gates.activate(0, Number::dot(terms))
    };
    let reset: Vec<Number> = (0..gates.hidden).map(|unit| gate(1, unit)).collect();
    let kept: Vec<Number> = reset.iter().zip(&state.h).map(|(&r, &h)| r * h).collect();
    let next = |(unit, (&old, &reset)): (usize, (&Number, &Number))| {
        let argument = if linear_before_reset {
            let recurrent = Number::dot(gates.recurrent(2, unit, &state.h));
            Number::dot(gates.input(2, unit, x).chain([(reset, recurrent)]))
        } else {
            Number::dot(gates.input(2, unit, x).chain(gates.recurrent(2, unit, &kept)))
        };
        let (new, update) = (gates.activate(1, argument), gate(0, unit));
        (Number::exact(1.0) - update) * new + update * old
    };
    state.h = state.h.iter().zip(&reset).enumerate().map(next).collect();
}

/// Gates i, o, f, c.
fn lstm(gates: &Gates<'_>, x: &[Number], state: &mut State, coupled: bool) {
    let mut next = Vec::with_capacity(gates.hidden);
    for unit in 0..gates.hidden {
        let Some(&old) = state.c.get(unit) else { break };
        // Peepholes have the order of the gates: i, o, f.
        let gate = |which: usize, cell: Number| {
            let terms = gates
                .input(which, unit, x)
                .chain(gates.recurrent(which, unit, &state.h));
            gates.activate(0, Number::dot(terms.chain(gates.peephole(which, unit, cell))))
        };
        let input = gate(0, old);
        let forget = if coupled {
            Number::exact(1.0) - input
        } else {
            gate(2, old)
        };
        let proposed = Number::dot(gates.input(3, unit, x).chain(gates.recurrent(3, unit, &state.h)));
        let cell = forget * old + input * gates.activate(1, proposed);
        next.push((gate(1, cell) * gates.activate(2, cell), cell));
    }
    (state.h, state.c) = next.into_iter().unzip();
}
