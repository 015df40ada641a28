//! Recurrent networks: RNN, GRU and LSTM.
//!
//! The products of the inputs and their weights do not depend on the state, so those of many steps are one
//! matrix product. The state of a step is then multiplied by its weights, and its sums become the next state
//! in passes over short rows that stay in the L1 cache. Threads take directions and sequences; if there are
//! too few of them, the columns of each product. An LSTM may have weights in bytes ([`Direction::of_bytes`]).

mod gates;
mod sequences;
mod unit;
mod weights;

pub use sequences::{Results, Sequences, recurrent};
pub use weights::{ByteParameters, Direction, Parameters, ScaledBytes};

use crate::epilogue::Activation;

/// The equations of a step. `a` stands for the sums of input, state and biases of a gate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell {
    /// `h' = activation(a)`.
    Rnn { activation: Activation },
    /// Gates in the order update `z`, reset `r`, candidate: `h' = (1 - z)·candidate + z·h`.
    Gru {
        /// The activation of update and reset.
        gate: Activation,
        /// The activation of the candidate.
        candidate: Activation,
        /// Whether reset multiplies the product of state and weights; otherwise it multiplies the state.
        reset_after: bool,
    },
    /// Gates in the order input `i`, output `o`, forget `f`, candidate: `c' = f·c + i·candidate`,
    /// `h' = o·result(c')`.
    Lstm {
        /// The activation of input, output and forget.
        gate: Activation,
        /// The activation of the candidate.
        candidate: Activation,
        /// The activation of the cell.
        result: Activation,
        /// Whether `f = 1 - i`.
        coupled: bool,
    },
}

impl Cell {
    /// The number of gates, including the candidate.
    pub fn gates(self) -> usize {
        match self {
            Self::Rnn { .. } => 1,
            Self::Gru { .. } => 3,
            Self::Lstm { .. } => 4,
        }
    }
}
