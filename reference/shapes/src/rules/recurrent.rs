//! RNN, GRU and LSTM.

use onnx_model::AttributeValue;

use super::{Row, row};
use crate::call::Call;
use crate::extent::Expr;
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, Stop, parameter};

pub(super) const ROWS: &[Row] = &[
    row("RNN", 1, |call| recurrent(call, 1, false)),
    row("GRU", 1, |call| recurrent(call, 3, false)),
    row("LSTM", 1, |call| recurrent(call, 4, false)),
];

/// From how many steps on a mistake in the recurrence shows.
const STEPS: i64 = 4;

/// The functions of gates and cells.
const ACTIVATIONS: [&str; 11] = [
    "Affine",
    "Elu",
    "HardSigmoid",
    "LeakyRelu",
    "Relu",
    "ScaledTanh",
    "Sigmoid",
    "Softplus",
    "Softsign",
    "Tanh",
    "ThresholdedRelu",
];

/// Each direction has a function for each kind of gate: 1, 2 or 3.
fn activations(call: &Call<'_, '_>, gates: i64, directions: i64) -> Outcome<()> {
    let Some(AttributeValue::Strings(names)) = call.attribute("activations") else {
        return Ok(());
    };
    for name in names.iter().map(|name| String::from_utf8_lossy(name)) {
        if !ACTIVATIONS.iter().any(|known| known.eq_ignore_ascii_case(&name)) {
            return parameter(format!("`activations` has {name:?}, which is no function"));
        }
    }
    let expected = directions * if gates == 1 { 1 } else { gates - 1 };
    match names.len() {
        0 => Ok(()),
        count if i64::try_from(count) == Ok(expected) => Ok(()),
        count => parameter(format!(
            "`activations` has {count} functions, expected {expected}"
        )),
    }
}

/// The states of all steps, the last hidden states and the last cells. W and R have a row for each unit of a
/// gate, or, turned, a column.
pub(super) fn recurrent(call: &mut Call<'_, '_>, gates: i64, turned: bool) -> Outcome<Vec<Fact>> {
    let [first, second, width] = call.ranked::<3>(0)?;
    let directions: Expr = match call
        .attribute("direction")
        .and_then(|_| call.text("direction"))
        .as_deref()
    {
        Some("bidirectional") => 2.into(),
        None | Some("forward" | "reverse") => 1.into(),
        Some(other) => return parameter(format!("`direction` is `{other}`")),
    };
    activations(call, gates, directions.constant().unwrap_or(1))?;
    let by_batch = call.flag("layout");
    let (steps, batch) = if by_batch {
        (second, first)
    } else {
        (first, second)
    };
    let hidden = match call.ranked::<3>(2) {
        Ok([_, hidden, _]) if turned => hidden,
        Ok([_, _, hidden]) => hidden,
        Err(stop @ Stop::Broken(..)) => return Err(stop),
        Err(Stop::Unknown) => match call.int("hidden_size") {
            Some(hidden) => hidden.into(),
            None => call.unknown(),
        },
    };
    if let Some(stated) = call
        .attribute("hidden_size")
        .and_then(|_| call.int("hidden_size"))
    {
        call.equal(&hidden, &stated.into(), "units of R and `hidden_size`,")?;
    }
    let rows = call.mul(&hidden, &gates.into());
    let twice = call.mul(&rows, &2.into());
    let state = if by_batch {
        vec![batch.clone(), directions.clone(), hidden.clone()]
    } else {
        vec![directions.clone(), batch.clone(), hidden.clone()]
    };
    let matrix = |inputs: Expr| {
        if turned {
            vec![directions.clone(), inputs, rows.clone()]
        } else {
            vec![directions.clone(), rows.clone(), inputs]
        }
    };
    let expected: [(usize, Shape); 7] = [
        (1, matrix(width)),
        (2, matrix(hidden.clone())),
        (3, vec![directions.clone(), twice]),
        (4, vec![batch.clone()]),
        (5, state.clone()),
        (6, state.clone()),
        (7, vec![directions.clone(), call.mul(&hidden, &3.into())]),
    ];
    for (at, expected) in expected {
        if call.inputs.len() > at
            && let Ok(found) = call.shape(at)
        {
            if found.len() != expected.len() {
                return call.wrong_rank(at, found.len(), &expected.len().to_string());
            }
            let what = [
                "",
                "extents of W",
                "extents of R",
                "extents of B",
                "number of lengths and batch",
                "extents of the initial state",
                "extents of the initial cells",
                "extents of P",
            ][at];
            call.same_shape(&found, &expected, what)?;
        }
    }
    let end = call.add(&steps, &1.into());
    call.drawn_within(4, &1.into(), &end);
    call.prefer("steps in which a state changes", steps.clone(), STEPS.into());
    let all = if by_batch {
        vec![batch, steps, directions, hidden]
    } else {
        vec![steps, directions, batch, hidden]
    };
    Ok(vec![Fact::of(all), Fact::of(state.clone()), Fact::of(state)])
}
