//! The recurrent layer that RNN, GRU and LSTM share: directions, layout, sequence lengths, states, outputs.
//! A [`Cell`] computes each step.
//!
//! Precision: inputs are widened to f64, every sum of products uses double-double, states stay in f64
//! between steps, and only outputs are rounded, once. The error of one step of f64 is therefore a few ULP
//! of f64 in the arguments of the gates, amplified from step to step by the recurrence itself.
//!
//! Interpretation: steps after the end of a shorter sequence (`sequence_lens`) are 0 in `Y`, and `Y_h` and
//! `Y_c` are the states at the end of each sequence (the initial states for a length of 0); the reverse
//! direction starts at the last step of each sequence. `output_sequence` of versions 1 and 3 only says that
//! `Y` may be omitted, which a node shows by not naming it. Below version 7 the text writes `Ht-1*R` where
//! it later writes `Ht-1*(R^T)`; shapes and implementations of that time agree with the later text, which
//! applies to all versions here. `clip` bounds the argument of every activation function, including that of
//! `h` in LSTM; states are not clipped.

use ndarray::{ArrayD, ArrayView1, ArrayView2, Axis, Ix1, Ix2, Ix3, IxDyn, s};
use onnx_arithmetic::product::Panels;
use onnx_arithmetic::product::compensated::Sum;
use onnx_tensor::DType;

use super::activation;
use super::gates::Gates;
use crate::frame::{Call, OpError, Outputs};
use crate::shared::reals;

/// The parts that differ between the three operators.
pub(super) trait Cell {
    /// The number of blocks of rows of `W` and `R`.
    const GATES: usize;
    /// The default activation functions of one direction.
    const FUNCTIONS: &'static [&'static str];
    /// Whether there is a cell state as well as the hidden state, at input 6 and output 2, and peepholes at
    /// input 7.
    const HAS_CELL_STATE: bool;

    /// Replaces `state` by the state after an input, of which `input` are the sums `W·x + Wb` of all rows.
    fn step(&self, gates: &Gates, input: &[Sum], state: &mut State);
}

/// The hidden state `h` and the cell state `c` (empty if there is none) of one sequence.
pub(super) struct State {
    pub(super) h: Vec<f64>,
    pub(super) c: Vec<f64>,
}

/// Extents of a layer.
struct Extents {
    steps: usize,
    batch: usize,
    input: usize,
    hidden: usize,
    directions: usize,
}

/// Whether the batch axis or the step axis comes first.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    StepsFirst,
    BatchFirst,
}

/// Runs the layer.
pub(super) fn run<C: Cell>(call: &Call<'_>, cell: &C) -> Result<Outputs, OpError> {
    let layout = match call.optional_int("layout")? {
        None | Some(0) => Layout::StepsFirst,
        Some(1) => Layout::BatchFirst,
        Some(other) => {
            return Err(OpError::invalid(format!("`layout` is {other}, expected 0 or 1")));
        }
    };
    let (reverse_first, directions) = direction(call)?;
    let mut x = reals::widen(call.tensor(0)?)?;
    if layout == Layout::BatchFirst && x.ndim() == 3 {
        x.swap_axes(0, 1);
    }
    let extents = extents(call, x.shape(), directions)?;
    let x = shaped::<Ix3>(x, &[extents.steps, extents.batch, extents.input], "X")?;
    let shape = [extents.steps, directions, extents.batch, extents.hidden];
    call.reserve(&shape, DType::Double)?;
    // In each step, every row of W is multiplied by the input and every row of R by the state.
    let factors = extents.input.saturating_add(extents.hidden);
    call.work(&[
        extents.steps,
        directions,
        extents.batch,
        extents.hidden,
        C::GATES,
        factors,
    ])?;
    let gates = gates::<C>(call, &extents)?;
    let lengths = lengths(call, (extents.steps, extents.batch))?;
    let h = initial(call, 5, layout, &extents)?;
    let c = if C::HAS_CELL_STATE {
        initial(call, 6, layout, &extents)?
    } else {
        ArrayD::zeros(IxDyn(&[directions, extents.batch, 0]))
    };
    let mut results = [ArrayD::zeros(IxDyn(&shape)), h, c];
    for (d, gates) in gates.iter().enumerate() {
        for (b, &length) in lengths.iter().enumerate() {
            let sequence = x.slice(s![..length, b, ..]);
            run_sequence(
                cell,
                gates,
                sequence,
                (d, b),
                reverse_first || d == 1,
                &mut results,
            );
        }
    }
    outputs::<C>(call, layout, results)
}

/// The steps whose inputs are multiplied at a time.
const STEPS: usize = 64;

/// Runs sequence `b` in direction `d` from the states in `results`, and stores outputs and final states
/// there.
fn run_sequence<C: Cell>(
    cell: &C,
    gates: &Gates,
    sequence: ArrayView2<'_, f64>,
    (d, b): (usize, usize),
    reverse: bool,
    [y, last_h, last_c]: &mut [ArrayD<f64>; 3],
) {
    let mut state = State {
        h: last_h.slice(s![d, b, ..]).to_vec(),
        c: last_c.slice(s![d, b, ..]).to_vec(),
    };
    let length = sequence.nrows();
    let time = |step| if reverse { length - 1 - step } else { step };
    for first in (0..length).step_by(STEPS) {
        let steps = first..length.min(first + STEPS);
        let rows: Vec<f64> = steps
            .clone()
            .flat_map(|step| sequence.row(time(step)).to_vec())
            .collect();
        let inputs = gates.inputs(&rows, steps.len());
        for (index, step) in steps.clone().enumerate() {
            let input: Vec<Sum> = inputs.iter().skip(index).step_by(steps.len()).copied().collect();
            cell.step(gates, &input, &mut state);
            y.slice_mut(s![time(step), d, b, ..])
                .assign(&ArrayView1::from(&state.h));
        }
    }
    last_h.slice_mut(s![d, b, ..]).assign(&ArrayView1::from(&state.h));
    last_c.slice_mut(s![d, b, ..]).assign(&ArrayView1::from(&state.c));
}

/// Whether the first direction is reversed, and the number of directions.
fn direction(call: &Call<'_>) -> Result<(bool, usize), OpError> {
    // The schema of GRU 1 misspells its default ("foward"); all versions mean the same.
    if !call.has_attribute("direction") {
        return Ok((false, 1));
    }
    match call.string("direction")? {
        "forward" => Ok((false, 1)),
        "reverse" => Ok((true, 1)),
        "bidirectional" => Ok((false, 2)),
        other => Err(OpError::invalid(format!(
            "`direction` is `{other}`, expected forward, reverse or bidirectional"
        ))),
    }
}

fn extents(call: &Call<'_>, x: &[usize], directions: usize) -> Result<Extents, OpError> {
    let (&[steps, batch, input], Some(&hidden)) = (x, call.tensor(2)?.shape().last()) else {
        return Err(OpError::invalid(format!("X must have rank 3, got {}", x.len())));
    };
    if let Some(given) = call.optional_int("hidden_size")?
        && usize::try_from(given) != Ok(hidden)
    {
        return Err(OpError::invalid(format!(
            "`hidden_size` is {given}, but R has rows of {hidden}"
        )));
    }
    Ok(Extents {
        steps,
        batch,
        input,
        hidden,
        directions,
    })
}

/// `array` with a static rank, if it has this shape.
fn shaped<D: ndarray::Dimension>(
    array: ArrayD<f64>,
    shape: &[usize],
    name: &str,
) -> Result<ndarray::Array<f64, D>, OpError> {
    if array.shape() != shape {
        let found = array.shape();
        return Err(OpError::invalid(format!(
            "{name} has shape {found:?}, expected {shape:?}"
        )));
    }
    Ok(array.into_dimensionality::<D>()?)
}

/// The slice of input `index` for direction `d`, of this shape; zeros if the input is omitted.
fn of_direction<D: ndarray::Dimension>(
    call: &Call<'_>,
    index: usize,
    (d, directions): (usize, usize),
    shape: &[usize],
) -> Result<ndarray::Array<f64, D>, OpError> {
    let name = call.schema().input(index).map_or("", |formal| formal.name);
    let Some(tensor) = call.optional_tensor(index)? else {
        return shaped(ArrayD::zeros(IxDyn(shape)), shape, name);
    };
    let all = reals::widen(tensor)?;
    let mut whole = vec![directions];
    whole.extend_from_slice(shape);
    let all: ArrayD<f64> = shaped(all, &whole, name)?;
    let one = all.index_axis(Axis(0), d).as_standard_layout().into_owned();
    shaped(one, shape, name)
}

fn gates<C: Cell>(call: &Call<'_>, extents: &Extents) -> Result<Vec<Gates>, OpError> {
    let clip = call.optional_float("clip")?.map_or(f64::INFINITY, f64::from);
    // A bound that is negative or NaN leaves no interval.
    if clip.is_nan() || clip < 0.0 {
        return Err(OpError::invalid(format!("`clip` is {clip}, must be at least 0")));
    }
    let functions = activation::functions(call, C::FUNCTIONS, extents.directions)?;
    let hidden = extents.hidden;
    let rows = hidden
        .checked_mul(2 * C::GATES)
        .ok_or_else(|| OpError::invalid("the hidden size overflows"))?
        / 2;
    let peepholes = if C::HAS_CELL_STATE { 3 * hidden } else { 0 };
    let has_peepholes = has_peepholes(call);
    let one = |(d, functions)| {
        let place = (d, extents.directions);
        let r = of_direction::<Ix2>(call, 2, place, &[rows, hidden])?;
        let r = r.as_slice().unwrap_or_default().chunks((hidden * hidden).max(1));
        Ok(Gates {
            hidden,
            gates: C::GATES,
            w: of_direction::<Ix2>(call, 1, place, &[rows, extents.input])?,
            r: r.filter_map(|r| Panels::new(r, hidden, hidden)).collect(),
            bias: of_direction::<Ix1>(call, 3, place, &[2 * rows])?,
            peepholes: has_peepholes
                .then(|| of_direction::<Ix1>(call, 7, place, &[peepholes]))
                .transpose()?,
            functions,
            clip,
        })
    };
    functions.into_iter().enumerate().map(one).collect()
}

/// Whether gates have a term with the cell state. Without P they have none: the text assumes weights of 0,
/// whose product with an infinite cell is NaN, which some runs with random rounding have.
pub(crate) fn has_peepholes(call: &Call<'_>) -> bool {
    call.optional(7).is_some() || call.rounding_seed().is_some_and(|seed| seed % 4 == 0)
}

/// The number of steps of each sequence of the batch, by input 4.
///
/// # Errors
/// The input is no list with a length of at most `steps` for each sequence.
pub(crate) fn lengths(call: &Call<'_>, (steps, batch): (usize, usize)) -> Result<Vec<usize>, OpError> {
    let Some(given) = call.optional_integers(4)? else {
        return Ok(vec![steps; batch]);
    };
    let length = |&length: &i64| usize::try_from(length).ok().filter(|&length| length <= steps);
    given
        .iter()
        .map(length)
        .collect::<Option<Vec<_>>>()
        .filter(|lengths| lengths.len() == batch)
        .ok_or_else(|| {
            OpError::invalid(format!(
                "`sequence_lens` is {given:?} for a batch of {batch} with {steps} steps"
            ))
        })
}

/// The initial state at input `index`, `[directions, batch, hidden]`; zeros if the input is omitted.
fn initial(call: &Call<'_>, index: usize, layout: Layout, extents: &Extents) -> Result<ArrayD<f64>, OpError> {
    let shape = [extents.directions, extents.batch, extents.hidden];
    let Some(tensor) = call.optional_tensor(index)? else {
        return Ok(ArrayD::zeros(IxDyn(&shape)));
    };
    let mut state = reals::widen(tensor)?;
    if layout == Layout::BatchFirst && state.ndim() == 3 {
        state.swap_axes(0, 1);
    }
    shaped(
        state,
        &shape,
        call.schema().input(index).map_or("", |formal| formal.name),
    )
}

/// `Y`, `Y_h` and, if the operator has it, `Y_c`, rounded to the type of `X`.
fn outputs<C: Cell>(
    call: &Call<'_>,
    layout: Layout,
    [y, h, c]: [ArrayD<f64>; 3],
) -> Result<Outputs, OpError> {
    let (y, mut states) = match layout {
        Layout::StepsFirst => (y, vec![h, c]),
        Layout::BatchFirst => {
            let swap = |state: ArrayD<f64>| state.permuted_axes(IxDyn(&[1, 0, 2]));
            (y.permuted_axes(IxDyn(&[2, 0, 1, 3])), vec![swap(h), swap(c)])
        }
    };
    if !C::HAS_CELL_STATE {
        states.truncate(1);
    }
    let dtype = call.dtype(0)?;
    std::iter::once(y)
        .chain(states)
        .map(|array| Ok(Some(reals::narrow(array, dtype)?.into())))
        .collect()
}

#[cfg(test)]
mod tests {
    use onnx_model::Attribute;
    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, check, evaluate, refused, values};

    /// Inputs 0 to 6 of a layer with one step, one sequence and one input of 1 whose weights are zero.
    fn inputs(gates: usize, r: &[f64], bias: &[f64], h: &[f64], length: i32) -> Vec<Value> {
        let rows = gates * h.len();
        let mut whole = bias.to_vec();
        whole.resize(2 * rows, 0.0);
        let tensor = |shape: &[usize], values: Vec<f64>| Tensor::new(shape, values).expect("shapes fit");
        values(&[
            tensor(&[1, 1, 1], vec![1.0]),
            tensor(&[1, rows, 1], vec![0.0; rows]),
            tensor(&[1, rows, h.len()], r.to_vec()),
            tensor(&[1, 2 * rows], whole),
            Tensor::vector(vec![length]),
            tensor(&[1, 1, h.len()], h.to_vec()),
            tensor(&[1, 1, h.len()], vec![2.0; h.len()]),
        ])
    }

    /// Checks `Y` (one step) and the states.
    #[track_caller]
    fn holds(
        (operator, since): (&'static str, u32),
        inputs: &[Value],
        attributes: &[Attribute],
        y: &[f64],
        states: &[&[f64]],
    ) {
        let shaped = |shape: &[usize], values: &[f64]| {
            Value::from(Tensor::new(shape, values.to_vec()).expect("shapes fit"))
        };
        let mut expected = vec![shaped(&[1, 1, 1, y.len()], y)];
        expected.extend(states.iter().map(|state| shaped(&[1, 1, state.len()], state)));
        check(("", operator, since), inputs, attributes, &expected);
    }

    /// By hand: with Affine as the function the state is R·h + b, row by row of R, also in the oldest
    /// version.
    #[test]
    fn rows_of_r_multiply_the_state() {
        let affine = [attribute("activations", ["Affine"])];
        for since in [1, 7, 14, 22] {
            let inputs = inputs(1, &[0.0, 1.0, 0.0, 0.0], &[0.25, 0.5], &[1.0, 3.0], 1);
            holds(
                ("RNN", since),
                &inputs[..6],
                &affine,
                &[3.25, 0.5],
                &[&[3.25, 0.5]],
            );
        }
    }

    #[test]
    fn a_sequence_without_steps_keeps_its_state() {
        let inputs = inputs(1, &[1.0], &[], &[3.0], 0);
        holds(("RNN", 7), &inputs[..6], &[], &[0.0], &[&[3.0]]);
    }

    /// By hand: gates of 1/2 and an update gate of 1/2, so that H = tanh(…)/2 + 1 with h = 2, R = 1 and Rb
    /// = 1 for the hidden gate.
    #[test]
    fn gru_resets_before_or_after_the_product() {
        let inputs = inputs(3, &[0.0, 0.0, 1.0], &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0], &[2.0], 1);
        let (before, after) = (1.0 + 2_f64.tanh() / 2.0, 1.0 + 1.5_f64.tanh() / 2.0);
        holds(("GRU", 1), &inputs[..6], &[], &[before], &[&[before]]);
        holds(("GRU", 3), &inputs[..6], &[], &[before], &[&[before]]);
        let linear = [attribute("linear_before_reset", 1)];
        holds(("GRU", 3), &inputs[..6], &linear, &[after], &[&[after]]);
    }

    /// By hand: an input gate of 3/4 leaves 1/4 to the coupled forget gate.
    #[test]
    fn lstm_couples_and_clips() {
        let inputs = inputs(4, &[0.0; 4], &[3_f64.ln()], &[1.0], 1);
        let coupled = || attribute("input_forget", 1);
        let h = 0.5_f64.tanh() / 2.0;
        holds(("LSTM", 1), &inputs, &[coupled()], &[h], &[&[h], &[0.5]]);
        let clip = f64::from(0.3_f32);
        let cell = 2.0 - 2.0 / (1.0 + (-clip).exp());
        let h = clip.tanh() / 2.0;
        holds(
            ("LSTM", 14),
            &inputs,
            &[coupled(), attribute("clip", 0.3_f32)],
            &[h],
            &[&[h], &[cell]],
        );
    }

    /// "Optional scaling values used by some activation functions": Tanh uses none.
    #[test]
    fn values_without_a_function_have_no_effect() {
        let inputs = inputs(1, &[1.0], &[], &[3.0], 1);
        let run = |attributes: &[Attribute]| evaluate(("", "RNN", 14), &inputs[..6], attributes);
        let with = run(&[attribute("activation_alpha", [0.5_f32, 0.5])]).expect("no function uses them");
        let without = run(&[]).expect("the default is Tanh");
        let tensors = |outputs: Vec<Value>| {
            let tensors = outputs.into_iter().filter_map(|value| value.as_tensor().cloned());
            tensors.collect::<Vec<Tensor>>()
        };
        let (with, without) = (tensors(with), tensors(without));
        assert!(!with.is_empty() && with.iter().zip(&without).all(|(a, b)| a.same_bits(b)));
    }

    #[test]
    fn errors() {
        let cases: [(&[Attribute], i32, &str); 9] = [
            (
                &[attribute("activations", ["Tanh", "Tanh"])],
                1,
                "2 functions, expected 1",
            ),
            (
                &[attribute("activations", ["tanh"])],
                1,
                "not an activation function",
            ),
            (
                &[
                    attribute("activations", ["Elu"]),
                    attribute("activation_alpha", [0.5_f32, 0.25]),
                ],
                1,
                "1 values more than functions",
            ),
            (&[attribute("activations", ["ScaledTanh"])], 1, "no default"),
            (&[attribute("layout", 2)], 1, "`layout`"),
            (&[attribute("hidden_size", 2)], 1, "`hidden_size`"),
            (&[attribute("direction", "foward")], 1, "`direction`"),
            (&[attribute("clip", -1_f32)], 1, "`clip`"),
            (&[], 2, "`sequence_lens`"),
        ];
        for (attributes, length, part) in cases {
            let inputs = inputs(1, &[1.0], &[], &[3.0], length);
            refused(("", "RNN", 14), &inputs[..6], attributes, part);
        }
    }
}
