//! Choosing between values: Where, Clip, Identity, Dropout.

use onnx_tensor::{DType, Tensor, Value};

use super::super::broadcast::{broadcast_positions, broadcast_shape, expand};
use super::super::call::one;
use super::super::movement::{Run, assemble};
use super::super::numbers::{bools, floats, from_floats, from_ints, ints, is_int};
use super::super::{Call, Outcome, Row, row};
use crate::error::unsupported;

pub const ROWS: &[Row] = &[
    row("Where", 9, select),
    row("Clip", 6, |call| {
        let bound =
            |name| Ok::<_, crate::error::Problem>(call.attributes.find_float(name)?.map(Tensor::scalar));
        clip(call.tensor(0)?, bound("min")?.as_ref(), bound("max")?.as_ref())
    }),
    row("Clip", 11, |call| {
        clip(call.tensor(0)?, call.find_tensor(1)?, call.find_tensor(2)?)
    }),
    row("Identity", 1, |call| Ok(vec![call.value(0)?.clone()])),
    row("Dropout", 1, |call| match call.attributes.flag("is_test")? {
        true => dropout(call),
        false => unsupported("there is no code for a dropout that draws random numbers (is_test is not set)"),
    }),
    row("Dropout", 7, dropout),
    row("Dropout", 12, |call| {
        let training = match call.find_tensor(2)? {
            Some(flag) => bools(flag)?.contains(&true),
            None => false,
        };
        let ratio = call.find_tensor(1)?.map(floats).transpose()?;
        let keeps_all = ratio.is_some_and(|ratio| ratio == [0.0]);
        match training && !keeps_all {
            true => unsupported("there is no code for a dropout that draws random numbers (training_mode)"),
            false => dropout(call),
        }
    }),
];

fn select(call: &Call) -> Outcome {
    let (condition, a, b) = (call.tensor(0)?, call.tensor(1)?, call.tensor(2)?);
    let shape = broadcast_shape([condition.shape(), a.shape(), b.shape()])?;
    let condition = bools(&expand(condition, &shape)?)?;
    let sources = [a, b].map(|tensor| broadcast_positions(tensor.shape(), &shape));
    let runs = condition.into_iter().enumerate().map(|(position, first)| {
        let source = usize::from(!first);
        let start = sources[source]
            .as_ref()
            .map_or(position, |positions| positions[position]);
        Run {
            source,
            start,
            length: 1,
        }
    });
    one(assemble(&[a, b], &shape, runs)?)
}

/// The upper bound wins where the bounds cross.
fn clip(tensor: &Tensor, least: Option<&Tensor>, most: Option<&Tensor>) -> Outcome {
    if is_int(tensor.dtype()) {
        let bound = |tensor: Option<&Tensor>| {
            Ok::<_, crate::error::Problem>(match tensor {
                Some(tensor) => ints(tensor)?.first().copied(),
                None => None,
            })
        };
        let (least, most) = (bound(least)?, bound(most)?);
        let limit = |x: i128| x.max(least.unwrap_or(i128::MIN)).min(most.unwrap_or(i128::MAX));
        let values = ints(tensor)?.into_iter().map(limit).collect();
        return one(from_ints(tensor.dtype(), tensor.shape(), values)?);
    }
    let bound = |tensor: Option<&Tensor>| {
        Ok::<_, crate::error::Problem>(match tensor {
            Some(tensor) => floats(tensor)?.first().copied(),
            None => None,
        })
    };
    let (least, most) = (bound(least)?, bound(most)?);
    let limit = |x: f64| {
        let x = if least.is_some_and(|least| x < least) {
            least.unwrap_or(x)
        } else {
            x
        };
        if most.is_some_and(|most| x > most) {
            most.unwrap_or(x)
        } else {
            x
        }
    };
    let values = floats(tensor)?.into_iter().map(limit).collect();
    one(from_floats(tensor.dtype(), tensor.shape(), values)?)
}

/// At inference: the input, and a mask that keeps all (booleans from since 10 on, before it the input's type).
fn dropout(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    let mut outputs = vec![Value::Tensor(tensor.clone())];
    if call.outputs > 1 {
        let ones = vec![1; tensor.len()];
        let dtype = if call.since >= 10 {
            DType::Bool
        } else {
            tensor.dtype()
        };
        outputs.push(Value::Tensor(from_ints(dtype, tensor.shape(), ones)?));
    }
    Ok(outputs)
}
