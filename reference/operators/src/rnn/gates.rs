//! The sums of products of the gates of a recurrent layer, in double-double.
//!
//! A sum starts at the bias of the input; then come the products of the input, the bias of the state, the
//! products of the state, and that of the peephole.

use ndarray::{Array1, Array2};
use onnx_arithmetic::product::compensated::Sum;
use onnx_arithmetic::product::{Blocks, Matrix, Operands, Panels};

use super::activation::Activation;
use crate::shared::matrix_product::{Product, multiply};

/// Adds the product of two numbers to a sum.
pub(super) fn add_product(sum: &mut Sum, a: f64, b: f64) {
    <f64 as Product>::add_product(sum, a, b);
}

/// The value of a sum.
pub(super) fn value(sum: Sum) -> f64 {
    f64::finish(sum)
}

/// Weights, biases and functions of one direction.
pub(super) struct Gates {
    /// The hidden size.
    pub(super) hidden: usize,
    /// The number of blocks of rows.
    pub(super) gates: usize,
    /// The weights of the input.
    pub(super) w: Array2<f64>,
    /// The rows of each gate.
    pub(super) r: Vec<Panels>,
    /// `[Wb, Rb]`, each with a value for each row of `W`.
    pub(super) bias: Array1<f64>,
    /// The peephole weights of each gate; `None` if the gates have no such term.
    pub(super) peepholes: Option<Array1<f64>>,
    /// The activation functions.
    pub(super) functions: Vec<Activation>,
    /// The bound of their arguments.
    pub(super) clip: f64,
}

impl Gates {
    /// The sums of gate `gate` among those of all rows.
    pub(super) fn of_gate(&self, gate: usize, sums: &[Sum]) -> Vec<Sum> {
        sums[gate * self.hidden..(gate + 1) * self.hidden].to_vec()
    }

    /// Adds `R·h + Rb` for gate `gate` to its sums.
    pub(super) fn add_recurrent(&self, sums: &mut [Sum], gate: usize, h: &[f64]) {
        let first = (self.gates + gate) * self.hidden;
        for (sum, &bias) in sums
            .iter_mut()
            .zip(&self.bias.as_slice().unwrap_or_default()[first..])
        {
            add_product(sum, bias, 1.0);
        }
        if let Some(r) = self.r.get(gate) {
            r.add(h, sums);
        }
    }

    /// `W·x + Wb` of the inputs in `rows`, row after row of W.
    pub(super) fn inputs(&self, rows: &[f64], count: usize) -> Vec<Sum> {
        let (height, width) = self.w.dim();
        let mut sums = vec![Sum::default(); height * count];
        let a = self
            .w
            .as_slice()
            .and_then(|w| Matrix::by_rows(f64::cells(w), height, width));
        let b = Matrix::by_rows(f64::cells(rows), count, width);
        if let (Some(a), Some(b)) = (a.map(Matrix::transposed), b.map(Matrix::transposed)) {
            let operands = Operands {
                a: &a,
                b: &b,
                blocks: &Blocks::of(width),
            };
            multiply(operands, |row| self.bias[row].start(), &mut sums, count);
        }
        sums
    }

    /// Adds the product of a peephole weight and the cell state.
    pub(super) fn add_peephole(&self, sum: &mut Sum, gate: usize, unit: usize, cell: f64) {
        if let Some(weights) = &self.peepholes {
            add_product(sum, weights[gate * self.hidden + unit], cell);
        }
    }

    /// Function `which` of this direction at the clipped `x`.
    pub(super) fn activate(&self, which: usize, x: f64) -> f64 {
        self.functions[which].apply(x.clamp(-self.clip, self.clip))
    }
}
