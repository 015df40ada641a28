//! Common parts of the recurrent operators: directions, sequences, initial states, layouts.

use onnx_tensor::{Tensor, Value};

use super::super::call::{count, extent, extents, int64s};
use super::super::numbers::{floats, from_floats, sum};
use super::super::shaping::transpose;
use super::super::{Call, Outcome};
use crate::error::{Problem, invalid};

/// The weights of one direction.
pub struct Weights<'a> {
    /// `[gates x hidden, input]`.
    pub w: &'a [f64],
    /// `[gates x hidden, hidden]`.
    pub r: &'a [f64],
    /// The bias of the input, `[gates x hidden]`.
    pub input_bias: &'a [f64],
    /// The bias of the recurrence, `[gates x hidden]`.
    pub state_bias: &'a [f64],
    /// The peepholes of an LSTM, `[3 x hidden]`.
    pub peepholes: &'a [f64],
}

/// The states of one sequence.
#[derive(Clone)]
pub struct State {
    pub hidden: Vec<f64>,
    pub cell: Vec<f64>,
}

/// Multiplies a matrix by a vector.
pub fn product(matrix: &[f64], vector: &[f64]) -> Vec<f64> {
    if vector.is_empty() {
        return Vec::new();
    }
    let dot = |row: &[f64]| sum(row.iter().zip(vector).map(|(a, b)| a * b));
    matrix.chunks_exact(vector.len()).map(dot).collect()
}

/// One step: direction, weights, input of the step and previous state to the next state.
pub type Step<'a> = dyn Fn(usize, &Weights, &[f64], &State) -> State + 'a;

/// Runs a recurrent operator with this number of gates. The outputs are Y, Y_h and, with `with_cell`, Y_c.
pub fn run(call: &Call, gates: usize, with_cell: bool, step: &Step) -> Outcome {
    let batch_first = call.attributes.flag("layout")?;
    let x = call.tensor(0)?;
    let oriented = |tensor: &Tensor| {
        if batch_first {
            transpose(tensor, &[1, 0, 2])
        } else {
            Ok(tensor.clone())
        }
    };
    let sequence = oriented(x)?;
    let (w, r) = (call.tensor(1)?, call.tensor(2)?);
    let (&[steps, batch, input], &[directions, rows, _], &[_, _, hidden]) =
        (sequence.shape(), w.shape(), r.shape())
    else {
        return invalid("X, W and R must have rank 3");
    };
    let declared = call
        .attributes
        .find_int("hidden_size")?
        .map(extent)
        .transpose()?
        .unwrap_or(hidden);
    let fits = w.shape()[2] == input
        && Some(rows) == gates.checked_mul(hidden)
        && r.shape()[..2] == [directions, rows];
    if !fits || declared != hidden || hidden == 0 {
        return invalid("X, W, R and hidden_size are incompatible");
    }
    count(&[steps, directions, batch, gates, hidden])?;
    let reverse = match (call.attributes.text("direction")?, directions) {
        ("forward", 1) => [false, false],
        ("reverse", 1) => [true, true],
        ("bidirectional", 2) => [false, true],
        (other, count) => {
            return invalid(format!(
                "direction `{other}` does not match {count} sets of weights"
            ));
        }
    };
    let optional = |position: usize, length: usize| -> Result<Vec<f64>, Problem> {
        match call.find_tensor(position)? {
            None => Ok(vec![0.0; directions * length]),
            Some(tensor) if tensor.shape() == [directions, length] => floats(tensor),
            Some(tensor) => invalid(format!(
                "input {position} has the shape {:?}, expected {:?}",
                tensor.shape(),
                [directions, length]
            )),
        }
    };
    let state = |position: usize| -> Result<Vec<f64>, Problem> {
        let expected = if batch_first {
            [batch, directions, hidden]
        } else {
            [directions, batch, hidden]
        };
        match call.find_tensor(position)? {
            Some(tensor) if tensor.shape() == expected => floats(&oriented(tensor)?),
            Some(tensor) => invalid(format!(
                "input {position} has the shape {:?}, expected {expected:?}",
                tensor.shape()
            )),
            None => Ok(vec![0.0; directions * batch * hidden]),
        }
    };
    let bias = optional(3, 2 * rows)?;
    let peepholes = if with_cell {
        optional(7, 3 * hidden)?
    } else {
        vec![0.0; directions * 3 * hidden]
    };
    let first_hidden = state(5)?;
    let first_cell = if with_cell {
        state(6)?
    } else {
        vec![0.0; directions * batch * hidden]
    };
    let lengths = match call.find_tensor(4)? {
        None => vec![steps; batch],
        Some(given) => {
            let lengths = extents(&int64s(given)?)?;
            if given.shape() != [batch] || lengths.iter().any(|&length| length > steps) {
                return invalid(format!(
                    "expected a length of at most {steps} for each of {batch} sequences, got {lengths:?}"
                ));
            }
            lengths
        }
    };
    let (x_values, w_values, r_values) = (floats(&sequence)?, floats(w)?, floats(r)?);
    let mut all = vec![0.0; steps * directions * batch * hidden];
    let (mut last_hidden, mut last_cell) = (first_hidden.clone(), first_cell.clone());
    for direction in 0..directions {
        let weights = Weights {
            w: &w_values[direction * rows * input..][..rows * input],
            r: &r_values[direction * rows * hidden..][..rows * hidden],
            input_bias: &bias[direction * 2 * rows..][..rows],
            state_bias: &bias[(direction * 2 + 1) * rows..][..rows],
            peepholes: &peepholes[direction * 3 * hidden..][..3 * hidden],
        };
        for which in 0..batch {
            let at = (direction * batch + which) * hidden;
            let mut state = State {
                hidden: first_hidden[at..at + hidden].to_vec(),
                cell: first_cell[at..at + hidden].to_vec(),
            };
            for number in 0..lengths[which] {
                let time = if reverse[direction] {
                    lengths[which] - 1 - number
                } else {
                    number
                };
                let x = &x_values[(time * batch + which) * input..][..input];
                state = step(direction, &weights, x, &state);
                let to = ((time * directions + direction) * batch + which) * hidden;
                all[to..to + hidden].copy_from_slice(&state.hidden);
            }
            last_hidden[at..at + hidden].copy_from_slice(&state.hidden);
            last_cell[at..at + hidden].copy_from_slice(&state.cell);
        }
    }
    let y = from_floats(x.dtype(), &[steps, directions, batch, hidden], all)?;
    let y = if batch_first {
        transpose(&y, &[2, 0, 1, 3])?
    } else {
        y
    };
    let mut outputs = vec![Value::Tensor(y)];
    for last in [last_hidden, last_cell]
        .into_iter()
        .take(1 + usize::from(with_cell))
    {
        let last = from_floats(x.dtype(), &[directions, batch, hidden], last)?;
        outputs.push(Value::Tensor(oriented(&last)?));
    }
    Ok(outputs)
}
