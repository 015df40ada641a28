//! From the sums of a step to the next state, for one sequence.

use super::{Cell, Direction};
use crate::Isa;
use crate::elementwise::activate;
use crate::epilogue::Activation;
use crate::math::{sigmoid, sigmoid_parts, tanh_parts};
use crate::simd::{Kernel, Simd};

impl Direction {
    /// Applies clip and an activation to sums.
    fn apply(&self, isa: Isa, activation: Activation, sums: &mut [f32]) {
        if let Some(limit) = self.clip {
            let (low, high) = (-limit, limit);
            activate(isa, Activation::Clip { low, high }, sums);
        }
        if activation != Activation::Identity {
            activate(isa, activation, sums);
        }
    }

    /// Computes the next state of an RNN from its sums.
    pub(super) fn rnn(&self, isa: Isa, activation: Activation, sums: &mut [f32], hidden: &mut [f32]) {
        self.apply(isa, activation, sums);
        hidden.copy_from_slice(sums);
    }

    /// Computes the next cell and state of an LSTM from its sums.
    pub(super) fn lstm(&self, isa: Isa, sums: &mut [f32], hidden: &mut [f32], cell: &mut [f32]) {
        let Cell::Lstm {
            gate,
            candidate,
            result,
            coupled,
        } = self.cell
        else {
            unreachable!("the cell is an LSTM");
        };
        let units = self.hidden;
        let usual = [gate, candidate, result] == [Activation::Sigmoid, Activation::Tanh, Activation::Tanh];
        if usual && !coupled && self.clip.is_none() && self.peepholes.is_empty() {
            return isa.run(Usual {
                sums: &sums[..4 * units],
                hidden: &mut hidden[..units],
                cell: &mut cell[..units],
            });
        }
        let (gates, fresh) = sums.split_at_mut(3 * units);
        if self.peepholes.is_empty() {
            self.apply(isa, gate, gates);
        } else {
            for which in [0, 2] {
                let own = which * units..(which + 1) * units;
                let (sums, peepholes) = (&mut gates[own.clone()], &self.peepholes[own]);
                Combine::AddProduct.run(isa, sums, [peepholes, cell, peepholes]);
                self.apply(isa, gate, sums);
            }
        }
        self.apply(isa, candidate, fresh);
        let (enter, others) = gates.split_at_mut(units);
        let (leave, forget) = others.split_at_mut(units);
        let kind = if coupled {
            Combine::CoupledCell
        } else {
            Combine::Cell
        };
        kind.run(isa, cell, [forget, enter, fresh]);
        if !self.peepholes.is_empty() {
            let peepholes = &self.peepholes[units..2 * units];
            Combine::AddProduct.run(isa, leave, [peepholes, cell, peepholes]);
            self.apply(isa, gate, leave);
        }
        hidden.copy_from_slice(cell);
        self.apply(isa, result, hidden);
        Combine::Multiply.run(isa, hidden, [leave, leave, leave]);
    }

    /// Activates the update and reset gates of a GRU. With `kept`, stores the state times reset there.
    pub(super) fn gru_gates(
        &self,
        isa: Isa,
        gate: Activation,
        sums: &mut [f32],
        hidden: &[f32],
        kept: Option<&mut [f32]>,
    ) {
        self.apply(isa, gate, sums);
        if let Some(kept) = kept {
            kept.copy_from_slice(hidden);
            let reset = &sums[self.hidden..];
            Combine::Multiply.run(isa, kept, [reset, reset, reset]);
        }
    }

    /// Computes the next state of a GRU from its gates and the sums of its candidate. `after` is the product
    /// of state and weights of a GRU that resets after it.
    pub(super) fn gru(
        &self,
        isa: Isa,
        candidate: Activation,
        gates: &[f32],
        fresh: &mut [f32],
        hidden: &mut [f32],
        after: Option<&[f32]>,
    ) {
        let (update, reset) = gates.split_at(self.hidden);
        if let Some(after) = after {
            Combine::AddProduct.run(isa, fresh, [reset, after, reset]);
        }
        self.apply(isa, candidate, fresh);
        Combine::Mix.run(isa, hidden, [update, fresh, update]);
    }
}

/// An LSTM with its usual activations, in one pass.
struct Usual<'a> {
    /// Input, output, forget, candidate: each as many as `hidden` and `cell`.
    sums: &'a [f32],
    hidden: &'a mut [f32],
    cell: &'a mut [f32],
}

impl Kernel for Usual<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let units = self.cell.len();
        assert!(self.sums.len() == 4 * units && self.hidden.len() == units);
        let (hidden, cell) = (self.hidden.as_mut_ptr(), self.cell.as_mut_ptr());
        for at in (0..units).step_by(S::LANES) {
            let n = S::LANES.min(units - at);
            // SAFETY: the lengths were asserted above.
            unsafe {
                let gate = |which: usize| s.load_n(self.sums.as_ptr().add(which * units + at), n);
                let old = s.load_n(cell.cast_const().add(at), n);
                let new = s.fma(sigmoid(s, gate(2)), old, gated(s, gate(0), gate(3)));
                s.store_n(cell.add(at), new, n);
                s.store_n(hidden.add(at), gated(s, gate(1), new), n);
            }
        }
    }
}

/// `sigmoid(gate) · tanh(x)` with one division.
#[inline(always)]
fn gated<S: Simd>(s: S, gate: S::V, x: S::V) -> S::V {
    let ((gate, under_gate), (value, under_value)) = (sigmoid_parts(s, gate), tanh_parts(s, x));
    let size = s.div(s.mul(gate, value), s.mul(under_gate, under_value));
    s.copysign(size, x)
}

/// Operations on rows of equal length.
#[derive(Clone, Copy)]
enum Combine {
    /// `y + a·b`
    AddProduct,
    /// `y·a`
    Multiply,
    /// `a·y + b·c`: forget, enter, candidate.
    Cell,
    /// `(1 - b)·y + b·c`
    CoupledCell,
    /// `(1 - a)·b + a·y`: update, candidate.
    Mix,
}

impl Combine {
    /// Replaces `y`.
    fn run(self, isa: Isa, y: &mut [f32], [a, b, c]: [&[f32]; 3]) {
        let len = y.len();
        isa.run(Call {
            kind: self,
            y,
            a: &a[..len],
            b: &b[..len],
            c: &c[..len],
        });
    }
}

/// Rows of the length of `y`.
struct Call<'a> {
    kind: Combine,
    y: &'a mut [f32],
    a: &'a [f32],
    b: &'a [f32],
    c: &'a [f32],
}

impl Call<'_> {
    #[inline(always)]
    fn each<S: Simd>(self, s: S, f: impl Fn(S::V, S::V, S::V, S::V) -> S::V) {
        let (len, y) = (self.y.len(), self.y.as_mut_ptr());
        let (a, b, c) = (self.a.as_ptr(), self.b.as_ptr(), self.c.as_ptr());
        // SAFETY: `Combine::run` made all four slices equally long.
        unsafe {
            for at in (0..len).step_by(S::LANES) {
                let n = S::LANES.min(len - at);
                let [old, a, b, c] = [y.cast_const(), a, b, c].map(|from| s.load_n(from.add(at), n));
                s.store_n(y.add(at), f(old, a, b, c), n);
            }
        }
    }
}

impl Kernel for Call<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let one = s.splat(1.0);
        match self.kind {
            Combine::AddProduct => self.each(s, |y, a, b, _| s.fma(a, b, y)),
            Combine::Multiply => self.each(s, |y, a, _, _| s.mul(y, a)),
            Combine::Cell => self.each(s, |y, a, b, c| s.fma(a, y, s.mul(b, c))),
            Combine::CoupledCell => self.each(s, |y, _, b, c| s.fma(s.sub(one, b), y, s.mul(b, c))),
            Combine::Mix => self.each(s, |y, a, b, _| s.fma(s.sub(one, a), b, s.mul(a, y))),
        }
    }
}
