//! RNN, GRU and LSTM: the recurrence, with numbers that have error bounds.
//!
//! The argument of a gate is one sum of products (γ of the inputs, the hidden size and the biases, in any
//! order); its function adds the ULP of [`function`]; states carry their errors from step to step, like in
//! a backend. Errors are propagated through a function by its values at both ends of the interval, so that
//! a saturated function reduces them.

mod cell;
mod function;

use onnx_operators::frame::OpError;

use self::cell::{Cell, State};
use self::function::Function;
use super::{Entry, entry};
use crate::number::{self, Number};
use crate::{Query, Radius};

pub(super) const RULES: &[Entry] = &[
    entry("GRU", |query| {
        let linear = query.call.optional_int("linear_before_reset").ok().flatten();
        let linear_before_reset = linear.is_some_and(|linear| linear != 0);
        recurrent(query, Cell::Gru { linear_before_reset })
    }),
    entry("LSTM", |query| {
        let coupled = query.call.flag("input_forget")?;
        recurrent(query, Cell::Lstm { coupled })
    }),
    entry("RNN", |query| recurrent(query, Cell::Simple)),
];

/// The extents of a layer.
#[derive(Clone, Copy)]
struct Extents {
    steps: usize,
    batch: usize,
    input: usize,
    hidden: usize,
    directions: usize,
    /// Whether the batch axis is before steps and directions.
    batch_first: bool,
}

impl Extents {
    fn read(query: &Query<'_>) -> Result<Extents, OpError> {
        let batch_first = query.call.optional_int("layout")?.unwrap_or(0) == 1;
        let (&[first, second, input], &[directions, _, hidden]) =
            (query.call.tensor(0)?.shape(), query.call.tensor(2)?.shape())
        else {
            return Err(OpError::invalid("X and R must have rank 3"));
        };
        let (steps, batch) = if batch_first {
            (second, first)
        } else {
            (first, second)
        };
        Ok(Extents {
            steps,
            batch,
            input,
            hidden,
            directions,
            batch_first,
        })
    }

    /// The start of the input of a step in X.
    fn of_input(&self, step: usize, image: usize) -> usize {
        let place = if self.batch_first {
            image * self.steps + step
        } else {
            step * self.batch + image
        };
        place * self.input
    }

    /// The start of the state of a step in Y.
    fn of_output(&self, step: usize, direction: usize, image: usize) -> usize {
        let place = if self.batch_first {
            (image * self.steps + step) * self.directions + direction
        } else {
            (step * self.directions + direction) * self.batch + image
        };
        place * self.hidden
    }

    /// The start of a state in the initial and the final states.
    fn of_state(&self, direction: usize, image: usize) -> usize {
        let place = if self.batch_first {
            image * self.directions + direction
        } else {
            direction * self.batch + image
        };
        place * self.hidden
    }
}

/// The parameters of one direction.
struct Gates<'a> {
    hidden: usize,
    /// Rows of input weights, recurrent weights, and both biases (empty without biases).
    w: &'a [Number],
    r: &'a [Number],
    bias: &'a [Number],
    peepholes: &'a [Number],
    functions: &'a [Function],
    clip: f64,
}

fn recurrent(query: &Query<'_>, cell: Cell) -> Result<Vec<Radius>, OpError> {
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    let extents = Extents::read(query)?;
    let layer = Layer::read(query, cell, extents)?;
    let states = extents.directions * extents.batch * extents.hidden;
    let initial = |index: usize| {
        let given = number::elements(query, index).filter(|given| given.len() == states);
        given.unwrap_or_else(|| vec![Number::exact(0.0); states])
    };
    let mut results = Results {
        y: vec![Number::exact(0.0); extents.steps * states],
        h: initial(5),
        c: match cell {
            Cell::Lstm { .. } => initial(6),
            _ => vec![Number::exact(0.0); states],
        },
    };
    for direction in 0..extents.directions {
        let gates = layer.gates(direction)?;
        for image in 0..extents.batch {
            let length = length(query, image)?.unwrap_or(extents.steps).min(extents.steps);
            layer.run_sequence(&gates, (direction, image), length, &mut results)?;
        }
    }
    let radius = |(index, numbers): (usize, Vec<Number>)| match query.output(index) {
        Some(_) => number::radius(query, index, numbers, "recurrence"),
        None => Radius::Exact,
    };
    let all = [results.y, results.h, results.c].into_iter().enumerate();
    Ok(all.take(query.outputs.len()).map(radius).collect())
}

/// Y and the states: the initial states before a sequence runs and the final ones after.
struct Results {
    y: Vec<Number>,
    h: Vec<Number>,
    c: Vec<Number>,
}

/// The inputs of a node.
struct Layer {
    cell: Cell,
    extents: Extents,
    x: Vec<Number>,
    w: Vec<Number>,
    r: Vec<Number>,
    /// Empty without biases.
    bias: Vec<Number>,
    peepholes: Vec<Number>,
    functions: Vec<Vec<Function>>,
    clip: f64,
    /// Whether the first direction starts at the last step.
    backwards: bool,
}

fn misshapen() -> OpError {
    OpError::invalid("the shape of a weight or a state of the layer does not match its inputs")
}

impl Layer {
    fn read(query: &Query<'_>, cell: Cell, extents: Extents) -> Result<Layer, OpError> {
        let optional = |index: usize| number::elements(query, index).unwrap_or_default();
        Ok(Layer {
            cell,
            extents,
            x: optional(0),
            w: optional(1),
            r: optional(2),
            bias: optional(3),
            peepholes: optional(7),
            functions: function::functions(query, cell.functions(), extents.directions)?,
            clip: query
                .call
                .optional_float("clip")?
                .map_or(f64::INFINITY, f64::from),
            backwards: query.call.optional_string("direction").ok().flatten() == Some("reverse"),
        })
    }

    fn gates(&self, direction: usize) -> Result<Gates<'_>, OpError> {
        let Extents { input, hidden, .. } = self.extents;
        let rows = self.cell.gates() * hidden;
        let part = |size: usize| direction * size..(direction + 1) * size;
        Ok(Gates {
            hidden,
            w: self.w.get(part(rows * input)).ok_or_else(misshapen)?,
            r: self.r.get(part(rows * hidden)).ok_or_else(misshapen)?,
            bias: self.bias.get(part(2 * rows)).unwrap_or_default(),
            peepholes: self.peepholes.get(part(3 * hidden)).unwrap_or_default(),
            functions: self.functions.get(direction).ok_or_else(misshapen)?,
            clip: self.clip,
        })
    }

    /// Runs the sequence of an image in a direction.
    fn run_sequence(
        &self,
        gates: &Gates<'_>,
        (direction, image): (usize, usize),
        length: usize,
        results: &mut Results,
    ) -> Result<(), OpError> {
        let Extents { input, hidden, .. } = self.extents;
        let at = self.extents.of_state(direction, image);
        let held = |states: &[Number]| {
            states
                .get(at..at + hidden)
                .map(<[_]>::to_vec)
                .ok_or_else(misshapen)
        };
        let mut state = State {
            h: held(&results.h)?,
            c: held(&results.c)?,
        };
        for step in 0..length {
            let reversed = self.backwards || direction == 1;
            let step = if reversed { length - 1 - step } else { step };
            let from = self.extents.of_input(step, image);
            let x = self.x.get(from..from + input).ok_or_else(misshapen)?;
            self.cell.step(gates, x, &mut state);
            let to = self.extents.of_output(step, direction, image);
            let y = results.y.get_mut(to..to + hidden).ok_or_else(misshapen)?;
            y.copy_from_slice(&state.h);
        }
        results.h[at..at + hidden].copy_from_slice(&state.h);
        results.c[at..at + hidden].copy_from_slice(&state.c);
        Ok(())
    }
}

/// The number of steps of sequence `image`, if `sequence_lens` is present.
fn length(query: &Query<'_>, image: usize) -> Result<Option<usize>, OpError> {
    let lengths = query.call.optional_integers(4)?;
    Ok(lengths.and_then(|lengths| usize::try_from(*lengths.get(image)?).ok()))
}

impl Gates<'_> {
    /// The terms of W·x and of one bias, for a row.
    fn input<'a>(
        &'a self,
        gate: usize,
        unit: usize,
        x: &'a [Number],
    ) -> impl Iterator<Item = (Number, Number)> + 'a {
        let row = gate * self.hidden + unit;
        let weights = self.w.get(row * x.len()..(row + 1) * x.len()).unwrap_or_default();
        let bias = self.bias.get(row).map(|&bias| (bias, Number::exact(1.0)));
        weights.iter().copied().zip(x.iter().copied()).chain(bias)
    }

    /// The terms of R·h and of the other bias.
    fn recurrent<'a>(
        &'a self,
        gate: usize,
        unit: usize,
        h: &'a [Number],
    ) -> impl Iterator<Item = (Number, Number)> + 'a {
        let row = gate * self.hidden + unit;
        let weights = self.r.get(row * h.len()..(row + 1) * h.len()).unwrap_or_default();
        let bias = self
            .bias
            .get(self.bias.len() / 2 + row)
            .filter(|_| !self.bias.is_empty());
        weights
            .iter()
            .copied()
            .zip(h.iter().copied())
            .chain(bias.map(|&bias| (bias, Number::exact(1.0))))
    }

    /// The peephole term of a gate.
    fn peephole(&self, gate: usize, unit: usize, cell: Number) -> Option<(Number, Number)> {
        let weight = self.peepholes.get(gate * self.hidden + unit)?;
        Some((*weight, cell))
    }

    /// Function `which` at the clipped `x`.
    fn activate(&self, which: usize, x: Number) -> Number {
        let clip = self.clip.max(0.0);
        let clipped = x.map(0.0, |x| x.clamp(-clip, clip));
        self.functions
            .get(which)
            .map_or(clipped, |function| function.apply(clipped))
    }
}
