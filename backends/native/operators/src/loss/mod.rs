//! NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.

use onnx_tensor::{DType, Tensor, Value};

use super::call::Call;
use super::movement::split_at;
use super::numbers::{floats, from_floats, slice, sum};
use super::{Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::{Each, First};

pub const ROWS: &[&[Row]] = &[&[
    row(
        "NegativeLogLikelihoodLoss",
        12,
        First(|known| known.loss()),
        |call| {
            let input = call.tensor(0)?;
            Ok(vec![Value::Tensor(match input.dtype() {
                DType::Float => {
                    let logs = slice::<f32>(input)?;
                    loss(call, input, |at| f64::from(logs[at]))?
                }
                _ => {
                    let logs = floats(input)?;
                    loss(call, input, |at| logs[at])?
                }
            })])
        },
    ),
    row(
        "SoftmaxCrossEntropyLoss",
        12,
        Each(|known| Some(vec![known.loss(), known.shape_like(0)])),
        |call| {
            let scores = call.tensor(0)?;
            let logs = log_softmax(scores)?;
            let mut outputs = vec![Value::Tensor(loss(call, scores, |at| logs[at])?)];
            if call.outputs > 1 {
                outputs.push(Value::Tensor(from_floats(scores.dtype(), scores.shape(), logs)?));
            }
            Ok(outputs)
        },
    ),
]];

/// The axis of classes is the second.
fn log_softmax(scores: &Tensor) -> Result<Vec<f64>, Problem> {
    if scores.rank() < 2 {
        return invalid("expected scores [batch, classes, …]");
    }
    let (outer, classes, inner) = split_at(scores.shape(), 1);
    let mut values = floats(scores)?;
    if values.is_empty() {
        return Ok(values);
    }
    for row in 0..outer {
        for column in 0..inner {
            let at = |class: usize| (row * classes + class) * inner + column;
            let most = (0..classes)
                .map(|class| values[at(class)])
                .fold(f64::NEG_INFINITY, f64::max);
            let sum = sum((0..classes).map(|class| (values[at(class)] - most).exp()));
            let less = most + sum.ln();
            (0..classes).for_each(|class| values[at(class)] -= less);
        }
    }
    Ok(values)
}

/// The weighted negative values at the labels, where `log` gives the element at a position; the mean divides
/// by the sum of the weights.
fn loss(call: &Call, input: &Tensor, log: impl Fn(usize) -> f64) -> Result<Tensor, Problem> {
    let (labels, weights) = (call.tensor(1)?, call.find_tensor(2)?.map(floats).transpose()?);
    if input.rank() < 2 {
        return invalid("expected an input [batch, classes, …]");
    }
    let (_, classes, inner) = split_at(input.shape(), 1);
    let ignored = call.attributes.find_int("ignore_index")?;
    let shape = [&input.shape()[..1], &input.shape()[2..]].concat();
    let fits = labels.shape() == shape && weights.as_ref().is_none_or(|weights| weights.len() == classes);
    if !fits {
        return invalid("labels or weights do not match the shape of the input");
    }
    let (mut losses, mut total) = (Vec::with_capacity(labels.len()), 0.0);
    for (at, label) in call.ints(1)?.into_iter().enumerate() {
        if Some(label) == ignored {
            losses.push(0.0);
            continue;
        }
        let Some(class) = usize::try_from(label).ok().filter(|&class| class < classes) else {
            return invalid(format!("label {label} is out of range for {classes} classes"));
        };
        let weight = weights.as_ref().map_or(1.0, |weights| weights[class]);
        losses.push(-weight * log((at / inner * classes + class) * inner + at % inner));
        total += weight;
    }
    match call.attributes.text("reduction")? {
        "none" => from_floats(input.dtype(), labels.shape(), losses),
        "sum" => from_floats(input.dtype(), &[], vec![sum(losses)]),
        "mean" => from_floats(input.dtype(), &[], vec![sum(losses) / total]),
        other => invalid(format!("unknown reduction `{other}`")),
    }
}
