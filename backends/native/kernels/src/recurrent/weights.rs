//! The packed weights of one direction.

use super::Cell;
use crate::Pool;
use crate::error::{Result, ensure, need, product};
use crate::gemm::{Matrix, PackedB};
use crate::int8::{Bytes, Int8Weights, ScaledWeights};

/// The parameters of one direction as ONNX stores them; `gates` counts the gates of the cell.
#[derive(Clone, Copy, Debug)]
pub struct Parameters<'a> {
    /// The weights of the input, `[gates · hidden][input]`.
    pub w: &'a [f32],
    /// The weights of the state, `[gates · hidden][hidden]`.
    pub r: &'a [f32],
    /// The biases of input and state, `[2][gates · hidden]`; zeros if not given.
    pub bias: Option<&'a [f32]>,
    /// The weights of the cell for the gates of an LSTM: input, output, forget, `[3][hidden]`.
    pub peepholes: Option<&'a [f32]>,
}

/// A matrix of bytes with scales and zero points, one for all columns or one for each.
#[derive(Clone, Copy, Debug)]
pub struct ScaledBytes<'a> {
    pub bytes: Bytes<'a>,
    pub scales: &'a [f32],
    pub zeros: &'a [i32],
}

/// The parameters of one direction of an LSTM whose inputs and states are quantized as they come.
#[derive(Clone, Copy, Debug)]
pub struct ByteParameters<'a> {
    /// The weights of the input, `[input][4 · hidden]`.
    pub w: ScaledBytes<'a>,
    /// The weights of the state, `[hidden][4 · hidden]`.
    pub r: ScaledBytes<'a>,
    /// As [`Parameters::bias`].
    pub bias: Option<&'a [f32]>,
    /// As [`Parameters::peepholes`].
    pub peepholes: Option<&'a [f32]>,
}

/// The number of elements of working memory that more than one row may take.
const ROOM: usize = 1 << 22;

/// Packed weights.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Floats(PackedB),
    Bytes(ScaledWeights),
}

impl Operand {
    /// The number of columns.
    pub fn n(&self) -> usize {
        match self {
            Self::Floats(weights) => weights.n,
            Self::Bytes(weights) => weights.n(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Floats(weights) => weights.bytes(),
            Self::Bytes(weights) => weights.bytes(),
        }
    }
}

/// Gates whose sums are computed together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The weights of the input.
    pub w: Operand,
    /// The weights of the state.
    pub r: Operand,
    /// The bias of the product with the input.
    pub bias: Vec<f32>,
}

/// One direction of a recurrent network with packed weights.
#[derive(Clone, Debug)]
pub struct Direction {
    pub(super) cell: Cell,
    /// The limit of the arguments of activations.
    pub(super) clip: Option<f32>,
    /// Whether the last step is the first to be computed.
    pub(super) reverse: bool,
    pub(super) input: usize,
    pub(super) hidden: usize,
    /// One group; in a GRU, the candidate is a second one.
    pub(super) groups: Vec<Group>,
    /// The bias of the product with the state of a GRU that resets after it.
    pub(super) late_bias: Vec<f32>,
    /// The peepholes of an LSTM; empty if there are none.
    pub(super) peepholes: Vec<f32>,
}

impl Direction {
    /// Packs the weights of a cell with `hidden` units over inputs of `input` values, for the kernels of this
    /// pool. With `clip`, arguments of activations are limited to `-clip ..= clip`.
    pub fn new(
        pool: &Pool,
        cell: Cell,
        clip: Option<f32>,
        reverse: bool,
        [input, hidden]: [usize; 2],
        parameters: &Parameters,
    ) -> Result<Self> {
        let what = "recurrent";
        let rows = check(cell, clip, hidden, [parameters.bias, parameters.peepholes])?;
        need(
            "recurrent: weights of the input",
            product(what, &[rows, input])?,
            parameters.w.len(),
        )?;
        need(
            "recurrent: weights of the state",
            product(what, &[rows, hidden])?,
            parameters.r.len(),
        )?;
        let reset_after = matches!(
            cell,
            Cell::Gru {
                reset_after: true,
                ..
            }
        );
        let cuts: &[usize] = match cell {
            Cell::Rnn { .. } => &[0, 1],
            Cell::Gru { .. } => &[0, 2, 3],
            Cell::Lstm { .. } => &[0, 4],
        };
        let group = |cut: &[usize]| {
            let own = cut[0] * hidden..cut[1] * hidden;
            let packed = |weights: &[f32], columns: usize| {
                let part = &weights[own.start * columns..own.end * columns];
                let turned = Matrix::new(part, own.len(), columns)?.transposed();
                PackedB::new(pool, turned).map(Operand::Floats)
            };
            let late = reset_after && cut[0] == 2;
            let bias = match parameters.bias {
                Some(bias) => own
                    .clone()
                    .map(|at| bias[at] + if late { 0.0 } else { bias[rows + at] })
                    .collect(),
                None => vec![0.0; own.len()],
            };
            Ok(Group {
                w: packed(parameters.w, input)?,
                r: packed(parameters.r, hidden)?,
                bias,
            })
        };
        Ok(Self {
            cell,
            clip,
            reverse,
            input,
            hidden,
            groups: cuts.windows(2).map(group).collect::<Result<_>>()?,
            late_bias: match parameters.bias {
                Some(bias) if reset_after => bias[rows + 2 * hidden..2 * rows].to_vec(),
                _ => vec![0.0; hidden],
            },
            peepholes: match (cell, parameters.peepholes) {
                (Cell::Lstm { .. }, Some(peepholes)) => peepholes[..3 * hidden].to_vec(),
                _ => Vec::new(),
            },
        })
    }

    /// Packs the weights of an LSTM that multiplies bytes. All inputs are quantized together, and at each
    /// step the states of all sequences, as [`crate::int8::quantize_dynamically`] does. The rest is as for
    /// [`Self::new`].
    pub fn of_bytes(
        pool: &Pool,
        cell: Cell,
        clip: Option<f32>,
        reverse: bool,
        [input, hidden]: [usize; 2],
        parameters: &ByteParameters,
    ) -> Result<Self> {
        ensure(matches!(cell, Cell::Lstm { .. }), "recurrent", || {
            "only an LSTM multiplies bytes".into()
        })?;
        let columns = check(cell, clip, hidden, [parameters.bias, parameters.peepholes])?;
        let packed = |weights: &ScaledBytes, rows: usize| {
            let packed = Int8Weights::new(pool, weights.bytes, rows, columns)?;
            ScaledWeights::new(packed, weights.scales, weights.zeros).map(Operand::Bytes)
        };
        let bias = match parameters.bias {
            Some(bias) => (0..columns).map(|at| bias[at] + bias[columns + at]).collect(),
            None => vec![0.0; columns],
        };
        let group = Group {
            w: packed(&parameters.w, input)?,
            r: packed(&parameters.r, hidden)?,
            bias,
        };
        Ok(Self {
            cell,
            clip,
            reverse,
            input,
            hidden,
            groups: vec![group],
            late_bias: Vec::new(),
            peepholes: parameters.peepholes.map_or(Vec::new(), <[f32]>::to_vec),
        })
    }

    /// Whether the states of all sequences have one scale, so that none is computed apart.
    pub(super) fn is_joint(&self) -> bool {
        matches!(
            self.groups[..],
            [Group {
                r: Operand::Bytes(_),
                ..
            }]
        )
    }

    /// Returns the number of rows, at most `most`, whose inputs, sums and states fit into working memory; at
    /// least one, which takes less memory than the weights.
    pub(super) fn rows(&self, most: usize) -> usize {
        let row = self.input + (self.cell.gates() + 3) * self.hidden;
        (ROOM / row).clamp(1, most)
    }

    /// The size in bytes.
    pub fn bytes(&self) -> usize {
        self.groups
            .iter()
            .map(|group| group.w.bytes() + group.r.bytes())
            .sum()
    }
}

/// Checks the parameters of all kinds of weights; returns the number of columns of all gates.
fn check(cell: Cell, clip: Option<f32>, hidden: usize, given: [Option<&[f32]>; 2]) -> Result<usize> {
    let what = "recurrent";
    let columns = product(what, &[cell.gates(), hidden])?;
    ensure(hidden > 0, what, || "no hidden units".into())?;
    let limit_is_sound = clip.is_none_or(|limit| limit >= 0.0);
    ensure(limit_is_sound, what, || format!("clip is {clip:?}"))?;
    let [bias, peepholes] = given;
    if let Some(bias) = bias {
        need("recurrent: bias", product(what, &[2, columns])?, bias.len())?;
    }
    if let Some(peepholes) = peepholes {
        let needed = product(what, &[3, hidden])?;
        need("recurrent: peepholes", needed, peepholes.len())?;
    }
    Ok(columns)
}
