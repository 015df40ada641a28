//! One step of RNN, GRU and LSTM.

use super::super::fast::{Fast, Gates};
use super::super::{Call, Outcome, Row, row};
use super::activation::activations;
use super::layers::{State, Weights, product, run};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::Each;

pub const ROWS: &[Row] = &[
    row("RNN", 7, Each(|known| known.recurrent()), rnn).fast(Fast::Recurrent(Gates::One)),
    row("GRU", 7, Each(|known| known.recurrent()), gru).fast(Fast::Recurrent(Gates::Three)),
    row("LSTM", 7, Each(|known| known.recurrent()), lstm).fast(Fast::Recurrent(Gates::Four)),
];

fn directions(call: &Call) -> Result<usize, Problem> {
    Ok(if call.attributes.text("direction")? == "bidirectional" {
        2
    } else {
        1
    })
}

/// Returns a function that clips the inputs of activations to the limit; without a limit it changes nothing.
fn clip(call: &Call) -> Result<impl Fn(f64) -> f64, Problem> {
    let limit = call.attributes.find_float("clip")?.unwrap_or(f32::INFINITY);
    if limit.is_nan() || limit < 0.0 {
        return invalid(format!("clip is {limit}, expected a non-negative number"));
    }
    let limit = f64::from(limit);
    Ok(move |x: f64| x.clamp(-limit, limit))
}

/// Returns the sums of input and recurrence with their biases, for each gate and unit.
fn sums(weights: &Weights, x: &[f64], hidden: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let add = |sums: Vec<f64>, bias: &[f64]| sums.iter().zip(bias).map(|(sum, bias)| sum + bias).collect();
    let input = if x.is_empty() {
        vec![0.0; weights.input_bias.len()]
    } else {
        product(weights.w, x)
    };
    (
        add(input, weights.input_bias),
        add(product(weights.r, hidden), weights.state_bias),
    )
}

fn rnn(call: &Call) -> Outcome {
    let functions = activations(call.attributes, directions(call)?, Gates::One.defaults())?;
    let clip = clip(call)?;
    run(call, 1, false, &|direction, weights, x, state| {
        let (input, recurrent) = sums(weights, x, &state.hidden);
        let unit = |(a, b): (&f64, &f64)| functions[direction].apply(clip(a + b));
        State {
            hidden: input.iter().zip(&recurrent).map(unit).collect(),
            cell: Vec::from(&state.cell[..]),
        }
    })
}

/// The gates are in the order update, reset, hidden.
fn gru(call: &Call) -> Outcome {
    let functions = activations(call.attributes, directions(call)?, Gates::Three.defaults())?;
    let clip = clip(call)?;
    let reset_after = call.attributes.flag("linear_before_reset")?;
    run(call, 3, false, &|direction, weights, x, state| {
        let (f, g) = (&functions[direction * 2], &functions[direction * 2 + 1]);
        let n = state.hidden.len();
        let (input, recurrent) = sums(weights, x, &state.hidden);
        let gate = |which: usize, unit: usize| {
            let at = which * n + unit;
            f.apply(clip(input[at] + recurrent[at]))
        };
        let candidate: Vec<f64> = if reset_after {
            (0..n)
                .map(|unit| gate(1, unit) * recurrent[2 * n + unit])
                .collect()
        } else {
            let kept: Vec<f64> = (0..n).map(|unit| gate(1, unit) * state.hidden[unit]).collect();
            let sums = product(&weights.r[2 * n * n..], &kept);
            (0..n)
                .map(|unit| sums[unit] + weights.state_bias[2 * n + unit])
                .collect()
        };
        let unit = |unit: usize| {
            let update = gate(0, unit);
            (1.0 - update) * g.apply(clip(input[2 * n + unit] + candidate[unit]))
                + update * state.hidden[unit]
        };
        State {
            hidden: (0..n).map(unit).collect(),
            cell: Vec::from(&state.cell[..]),
        }
    })
}

/// The gates are in the order input, output, forget, cell; the peepholes in the order input, output, forget.
fn lstm(call: &Call) -> Outcome {
    let functions = activations(call.attributes, directions(call)?, Gates::Four.defaults())?;
    let clip = clip(call)?;
    let coupled = call.attributes.flag("input_forget")?;
    run(call, 4, true, &|direction, weights, x, state| {
        let [f, g, h] = [0, 1, 2].map(|which| &functions[direction * 3 + which]);
        let n = state.hidden.len();
        let (input, recurrent) = sums(weights, x, &state.hidden);
        let sum = |which: usize, unit: usize| input[which * n + unit] + recurrent[which * n + unit];
        let peep = |which: usize, unit: usize, cell: f64| weights.peepholes[which * n + unit] * cell;
        let mut after = state.clone();
        for unit in 0..n {
            let before = state.cell[unit];
            let enter = f.apply(clip(sum(0, unit) + peep(0, unit, before)));
            let forget = if coupled {
                1.0 - enter
            } else {
                f.apply(clip(sum(2, unit) + peep(2, unit, before)))
            };
            let cell = forget * before + enter * g.apply(clip(sum(3, unit)));
            let leave = f.apply(clip(sum(1, unit) + peep(1, unit, cell)));
            after.cell[unit] = cell;
            after.hidden[unit] = leave * h.apply(clip(cell));
        }
        after
    })
}
