//! DynamicQuantizeLSTM: an LSTM whose inputs and states are quantized as they come, step by step.

use onnx_tensor::DType;

use super::integer::{Quantized, product};
use super::{Row, contrib};
use crate::call::int64s;
use crate::compose::{Composed, Composition, Id};
use crate::error::{invalid, unsupported};
use crate::fast::{Fast, Gates};
use crate::shapes::Shapes;

pub const ROWS: &[Row] = &[Row {
    shapes: Shapes::Each(|known| known.dynamic_lstm()),
    ..contrib("DynamicQuantizeLSTM", lstm)
}
.fast(Fast::Recurrent(Gates::FourOfBytes))];

/// The gates: input, output, forget, cell.
const GATES: usize = 4;

/// The functions of the gates, of the cell input and of the cell.
const FUNCTIONS: [&str; 3] = ["Sigmoid", "Tanh", "Tanh"];

fn lstm(c: &mut Composition<'_>) -> Composed {
    let x = c.input(0)?;
    let (&[steps, batch, width], &[directions, hidden, columns]) =
        (&c.shape(x)?[..], &c.shape(c.input(2)?)?[..])
    else {
        return Ok(invalid("X and R must have rank 3")?);
    };
    let attributes = c.attributes();
    let given = attributes.find_int("hidden_size")?;
    let fits = columns == GATES * hidden && c.shape(c.input(1)?)? == [directions, width, columns];
    if !fits || given.is_some_and(|given| given != hidden as i64) {
        return Ok(invalid("X, W, R and `hidden_size` do not fit")?);
    }
    let reversed: &[bool] = match (attributes.text("direction")?, directions) {
        ("forward", 1) => &[false],
        ("reverse", 1) => &[true],
        ("bidirectional", 2) => &[false, true],
        (other, count) => {
            return Ok(invalid(format!(
                "`direction` is `{other}` with {count} sets of weights"
            ))?);
        }
    };
    check_lengths(c, steps)?;
    let functions = functions(c, directions)?;
    let (mut all, mut last) = (Vec::new(), [Vec::new(), Vec::new()]);
    for (d, &reversed) in reversed.iter().enumerate() {
        let layer = Layer {
            d,
            batch,
            hidden,
            functions: &functions[3 * d..3 * d + 3],
        };
        let (outputs, states) = layer.run(c, x, [steps, width], reversed)?;
        all.push(outputs);
        last[0].push(states[0]);
        last[1].push(states[1]);
    }
    let y = c.concat(&all, 1)?;
    c.give(0, y);
    for (position, states) in last.into_iter().enumerate() {
        let states = c.concat(&states, 0)?;
        c.give(position + 1, states);
    }
    Ok(())
}

/// Sequences have one length: those that have ended would decide the scale of the others.
fn check_lengths(c: &Composition<'_>, steps: usize) -> Composed {
    let Some(lengths) = c.find(4) else {
        return Ok(());
    };
    let lengths = int64s(&c.elements(lengths)?)?;
    if lengths.iter().all(|&length| length == steps as i64) {
        return Ok(());
    }
    Ok(unsupported("`sequence_lens` that differ from the length of X")?)
}

/// Returns the three functions of each direction.
fn functions(c: &Composition<'_>, directions: usize) -> Composed<Vec<String>> {
    let attributes = c.attributes();
    for name in ["activation_alpha", "activation_beta"] {
        if attributes.floats(name)?.is_some_and(|list| !list.is_empty()) {
            return Ok(unsupported(format!("`{name}`"))?);
        }
    }
    let Some(names) = attributes.texts("activations")?.filter(|names| !names.is_empty()) else {
        let names = FUNCTIONS.into_iter().cycle().take(3 * directions);
        return Ok(names.map(str::to_owned).collect());
    };
    let known = ["Sigmoid", "Tanh", "Relu", "Softplus", "Softsign"];
    match names.iter().find(|name| !known.contains(&name.as_str())) {
        Some(other) => Ok(unsupported(format!("`activations` with `{other}`"))?),
        None if names.len() == 3 * directions => Ok(names),
        None => Ok(invalid(format!(
            "{} `activations` for {directions} directions",
            names.len()
        ))?),
    }
}

/// One direction.
struct Layer<'f> {
    d: usize,
    batch: usize,
    hidden: usize,
    functions: &'f [String],
}

impl Layer<'_> {
    /// Returns the hidden states of all steps, steps × 1 × batch × hidden, and the last hidden and cell
    /// states.
    fn run(
        &self,
        c: &mut Composition<'_>,
        x: Id,
        [steps, width]: [usize; 2],
        reversed: bool,
    ) -> Composed<(Id, [Id; 2])> {
        let (batch, columns) = (self.batch, GATES * self.hidden);
        let rows = c.reshape(x, &[steps * batch, width])?;
        let inputs = self.quantized_product(c, rows, [1, 8, 9])?;
        let inputs = match self.vector(c, 3, 2 * columns)? {
            Some(both) => {
                let parts = c.split(both, 0, &[columns; 2])?;
                let bias = c.add(parts[0], parts[1])?;
                c.add(inputs, bias)?
            }
            None => inputs,
        };
        let peepholes = match self.vector(c, 7, 3 * self.hidden)? {
            Some(all) => Some(c.split(all, 0, &[self.hidden; 3])?),
            None => None,
        };
        let (mut h, mut cell) = (self.state(c, 5)?, self.state(c, 6)?);
        let mut outputs = vec![h; steps];
        let mut at_first = c.find(5).is_none();
        for step in 0..steps {
            let at = if reversed { steps - 1 - step } else { step };
            let mut sums = c.slice(inputs, 0, at * batch, (at + 1) * batch)?;
            // The product with a state of zeros is zero.
            if !at_first {
                let products = self.quantized_product(c, h, [2, 10, 11])?;
                sums = c.add(sums, products)?;
            }
            at_first = false;
            (h, cell) = self.step(c, sums, cell, peepholes.as_deref())?;
            outputs[at] = c.reshape(h, &[1, 1, batch, self.hidden])?;
        }
        let shape = [1, batch, self.hidden];
        let last = [c.reshape(h, &shape)?, c.reshape(cell, &shape)?];
        if steps == 0 {
            return Ok(unsupported("a sequence of no steps")?);
        }
        Ok((c.concat(&outputs, 0)?, last))
    }

    /// Quantizes rows and multiplies them by the weights at an input; scale and zero point are at others.
    fn quantized_product(
        &self,
        c: &mut Composition<'_>,
        rows: Id,
        [weights, scale, zero]: [usize; 3],
    ) -> Composed<Id> {
        let found = c.apply_many("DynamicQuantizeLinear", &[Some(rows)], &[], 3)?;
        let a = Quantized {
            elements: found[0],
            scale: found[1],
            zero: Some(found[2]),
        };
        let b = Quantized {
            elements: self.part(c, weights)?,
            scale: self.part(c, scale)?,
            zero: Some(self.part(c, zero)?),
        };
        product(c, a, b)
    }

    /// Returns the part of an input that belongs to this direction.
    fn part(&self, c: &mut Composition<'_>, position: usize) -> Composed<Id> {
        let all = c.input(position)?;
        let shape = c.shape(all)?;
        let part = c.slice(all, 0, self.d, self.d + 1)?;
        c.reshape(part, &shape[1..])
    }

    /// Returns the part of an optional input of a width.
    fn vector(&self, c: &mut Composition<'_>, position: usize, width: usize) -> Composed<Option<Id>> {
        let Some(all) = c.find(position) else {
            return Ok(None);
        };
        match c.shape(all)?[..] {
            [_, found] if found == width => Ok(Some(self.part(c, position)?)),
            ref shape => Ok(invalid(format!(
                "input {position} has the shape {shape:?}, expected a width of {width}"
            ))?),
        }
    }

    /// Returns the first state at an input, batch × hidden; zeros if it is omitted.
    fn state(&self, c: &mut Composition<'_>, position: usize) -> Composed<Id> {
        if c.find(position).is_some() {
            let part = self.part(c, position)?;
            return c.reshape(part, &[self.batch, self.hidden]);
        }
        let zero = c.scalar(DType::Float, 0.0)?;
        let target = c.vector([self.batch, self.hidden]);
        c.apply("Expand", &[zero, target], &[])
    }

    /// Returns the next hidden and cell state.
    fn step(
        &self,
        c: &mut Composition<'_>,
        sums: Id,
        cell: Id,
        peepholes: Option<&[Id]>,
    ) -> Composed<(Id, Id)> {
        let [f, g, h] = self.functions else {
            return Ok(invalid("a direction has three functions")?);
        };
        let gates = c.split(sums, 1, &[self.hidden; GATES])?;
        let peeped = |c: &mut Composition<'_>, gate: Id, which: usize, cell: Id| match peepholes {
            Some(peepholes) => {
                let more = c.mul(cell, peepholes[which])?;
                c.add(gate, more)
            }
            None => Ok(gate),
        };
        let input = peeped(c, gates[0], 0, cell)?;
        let input = clipped(c, input, f)?;
        let forget = if c.attributes().flag("input_forget")? {
            let one = c.scalar(DType::Float, 1.0)?;
            c.sub(one, input)?
        } else {
            let forget = peeped(c, gates[2], 2, cell)?;
            clipped(c, forget, f)?
        };
        let new = clipped(c, gates[3], g)?;
        let (kept, added) = (c.mul(forget, cell)?, c.mul(input, new)?);
        let next = c.add(kept, added)?;
        let output = peeped(c, gates[1], 1, next)?;
        let output = clipped(c, output, f)?;
        let shown = clipped(c, next, h)?;
        Ok((c.mul(output, shown)?, next))
    }
}

/// Applies a function to numbers within the attribute `clip`.
fn clipped(c: &mut Composition<'_>, x: Id, function: &str) -> Composed<Id> {
    let Some(limit) = c.attributes().find_float("clip")? else {
        return c.apply(function, &[x], &[]);
    };
    if limit.is_nan() || limit < 0.0 {
        return Ok(invalid(format!("`clip` is {limit}"))?);
    }
    let low = c.scalar(DType::Float, -f64::from(limit))?;
    let high = c.scalar(DType::Float, f64::from(limit))?;
    let x = c.apply("Clip", &[x, low, high], &[])?;
    c.apply(function, &[x], &[])
}
