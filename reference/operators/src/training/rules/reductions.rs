//! Sums, norms and extremes over axes; the softmax family; Max and Min of several operands.

use super::super::function::Function;
use super::super::subgraph::Operand;
use super::super::tape::{Tape, Var};
use super::{Site, functions};
use crate::frame::OpError;
use crate::shared::{axes, broadcast};

pub(super) fn apply(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Option<Vec<Operand>>, OpError> {
    let result = match site.name() {
        "LogSoftmax" => by_axis(tape, site, log_softmax)?,
        "Softmax" => by_axis(tape, site, |tape, x, axes| {
            let logarithm = log_softmax(tape, x, axes)?;
            Ok(tape.apply(Function::Exp, logarithm))
        })?,
        "Max" => among(tape, site, |a, b| a > b)?,
        "Min" => among(tape, site, |a, b| a < b)?,
        name => match reduction(name) {
            Some(reduction) => reduce(tape, site, reduction)?,
            None => return Ok(None),
        },
    };
    site.one(result)
}

type Reduction = fn(&mut Tape<'_>, Var, &[usize]) -> Result<Var, OpError>;

fn reduction(name: &str) -> Option<Reduction> {
    Some(match name {
        "ReduceL1" => |tape, x, axes| {
            let absolute = functions::absolute(tape, x);
            tape.sum(absolute, axes)
        },
        "ReduceL2" => norm,
        "ReduceLogSum" => |tape, x, axes| {
            let sum = tape.sum(x, axes)?;
            Ok(tape.apply(Function::Log, sum))
        },
        "ReduceLogSumExp" => log_sum_exp,
        "ReduceMax" => |tape, x, axes| extreme(tape, x, axes, |a, b| a > b),
        "ReduceMean" => mean,
        "ReduceMin" => |tape, x, axes| extreme(tape, x, axes, |a, b| a < b),
        "ReduceSum" => |tape, x, axes| tape.sum(x, axes),
        "ReduceSumSquare" => |tape, x, axes| {
            let square = tape.mul(x, x);
            tape.sum(square, axes)
        },
        _ => return None,
    })
}

/// The mean over axes, which remain with extent 1, as in all functions below.
pub(super) fn mean(tape: &mut Tape<'_>, x: Var, axes: &[usize]) -> Result<Var, OpError> {
    let count: usize = axes.iter().map(|&axis| tape.shape(x)[axis]).product();
    let sum = tape.sum(x, axes)?;
    Ok(tape.scale(sum, 1.0 / count as f64))
}

/// The square root of the sum of squares.
pub(super) fn norm(tape: &mut Tape<'_>, x: Var, axes: &[usize]) -> Result<Var, OpError> {
    let square = tape.mul(x, x);
    let sum = tape.sum(square, axes)?;
    Ok(tape.apply(Function::Sqrt, sum))
}

/// The first element that precedes all others in the order `before`.
pub(super) fn extreme(
    tape: &mut Tape<'_>,
    x: Var,
    axes: &[usize],
    before: fn(f64, f64) -> bool,
) -> Result<Var, OpError> {
    let (shape, map) = tape.groups(x, axes)?;
    let mut best: Vec<Option<usize>> = vec![None; shape.iter().product()];
    let values = tape.values(x);
    for (place, &group) in map.iter().enumerate() {
        if best[group].is_none_or(|best| before(values[place], values[best])) {
            best[group] = Some(place);
        }
    }
    let places: Option<Vec<usize>> = best.into_iter().collect();
    let places =
        places.ok_or_else(|| OpError::undefined("the derivative of the extremum of an empty set"))?;
    Ok(tape.pick(x, &shape, places.into()))
}

/// ln Σ eˣ, shifted by the greatest element to avoid overflow.
fn log_sum_exp(tape: &mut Tape<'_>, x: Var, axes: &[usize]) -> Result<Var, OpError> {
    let greatest = extreme(tape, x, axes, |a, b| a > b)?;
    let shift = tape.detached(greatest);
    let shape = tape.shape(x).to_vec();
    let wide = tape.broadcast(shift, &shape)?;
    let shifted = tape.sub(x, wide);
    let power = tape.apply(Function::Exp, shifted);
    let sum = tape.sum(power, axes)?;
    let logarithm = tape.apply(Function::Log, sum);
    Ok(tape.add(logarithm, shift))
}

/// x − ln Σ eˣ.
pub(super) fn log_softmax(tape: &mut Tape<'_>, x: Var, axes: &[usize]) -> Result<Var, OpError> {
    let normaliser = log_sum_exp(tape, x, axes)?;
    let shape = tape.shape(x).to_vec();
    let wide = tape.broadcast(normaliser, &shape)?;
    Ok(tape.sub(x, wide))
}

/// Softmax and LogSoftmax: below version 13 over the axis and all axes after it.
fn by_axis(tape: &mut Tape<'_>, site: &Site<'_>, rule: Reduction) -> Result<Var, OpError> {
    let x = site.var(tape, 0)?;
    let rank = tape.shape(x).len();
    let axis = axes::axis(site.call.int("axis")?, rank)?;
    let end = if site.since() < 13 { rank } else { axis + 1 };
    rule(tape, x, &(axis..end).collect::<Vec<_>>())
}

fn reduce(tape: &mut Tape<'_>, site: &Site<'_>, reduction: Reduction) -> Result<Var, OpError> {
    let x = site.var(tape, 0)?;
    let call = site.call;
    let given = match call.optional_integers(1)? {
        Some(axes) => axes,
        None => call.optional_ints("axes")?.unwrap_or_default(),
    };
    let rank = tape.shape(x).len();
    let axes = match given.is_empty() {
        true if call.optional_int("noop_with_empty_axes")?.unwrap_or(0) != 0 => {
            // Versions differ in whether the functions around the sum still apply.
            return match site.name() {
                "ReduceSum" | "ReduceMean" | "ReduceMax" | "ReduceMin" => Ok(x),
                _ => Err(site.unknown()),
            };
        }
        true => (0..rank).collect(),
        false => axes::axes(&given, rank)?,
    };
    let result = reduction(tape, x, &axes)?;
    if call.flag("keepdims")? {
        return Ok(result);
    }
    let kept = |(axis, &extent): (usize, &usize)| (!axes.contains(&axis)).then_some(extent);
    let shape: Vec<usize> = tape.shape(result).iter().enumerate().filter_map(kept).collect();
    Ok(tape.reshape(result, &shape))
}

/// For each element, the first operand that precedes the others in the order `before`.
fn among(tape: &mut Tape<'_>, site: &Site<'_>, before: fn(f64, f64) -> bool) -> Result<Var, OpError> {
    let vars = (0..site.operands.len())
        .map(|index| site.var(tape, index))
        .collect::<Result<Vec<_>, _>>()?;
    let shapes: Vec<&[usize]> = vars.iter().map(|&var| tape.shape(var)).collect();
    let shape = broadcast::shape(&shapes)?;
    let mut stacked = Vec::with_capacity(vars.len());
    for var in vars {
        stacked.push(tape.broadcast(var, &shape)?);
    }
    let all = tape.joined(&stacked);
    let each: Vec<usize> = [&[stacked.len()], &shape[..]].concat();
    let all = tape.pick(all, &each, (1..=each.iter().product()).collect());
    let chosen = extreme(tape, all, &[0], before)?;
    Ok(tape.reshape(chosen, &shape))
}
