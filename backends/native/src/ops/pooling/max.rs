//! MaxPool with positions, and MaxUnpool.

use native_kernels::conv::MOST_STEP;
use onnx_tensor::{Tensor, Value};

use super::super::call::{count, extents, one};
use super::super::convolution::{pads, steps};
use super::super::movement::take;
use super::super::numbers::{floats, from_floats};
use super::super::{Call, Outcome, Row, row};
use super::average::Pool;
use crate::error::invalid;

pub const ROWS: &[Row] = &[row("MaxPool", 1, max_pool), row("MaxUnpool", 9, max_unpool)];

/// The second output are positions in the whole input; with `storage_order` 1 columns come before rows.
fn max_pool(call: &Call) -> Outcome {
    let pool = Pool::new(call)?;
    let values = floats(pool.tensor)?;
    let area: usize = pool.input.iter().product();
    let places: usize = pool.window.output.iter().product();
    let mut best: Vec<Option<usize>> = vec![None; pool.planes * places];
    pool.each(|place, position| {
        for plane in 0..pool.planes {
            let candidate = plane * area + position;
            let slot = &mut best[plane * places + place];
            let better = slot.is_none_or(|old| values[candidate] > values[old] || values[candidate].is_nan());
            if better {
                *slot = Some(candidate);
            }
        }
    });
    let Some(best) = best.into_iter().collect::<Option<Vec<usize>>>() else {
        return invalid("a window lies outside of the input");
    };
    let mut outputs = vec![Value::Tensor(take(pool.tensor, &pool.shape, &best)?)];
    if call.outputs > 1 {
        let columns_first = call.attributes.flag("storage_order")?;
        let number = |position: usize| match columns_first {
            true => transposed(position, &pool.input) as i64,
            false => position as i64,
        };
        let indices = best.into_iter().map(number).collect::<Vec<i64>>();
        outputs.push(Value::Tensor(Tensor::new(&pool.shape, indices)?));
    }
    Ok(outputs)
}

/// The position with the first spatial axis running fastest.
fn transposed(position: usize, input: &[usize]) -> usize {
    let area: usize = input.iter().product();
    let (plane, mut rest) = (position / area, position % area);
    let mut coordinates = vec![0; input.len()];
    for axis in (0..input.len()).rev() {
        coordinates[axis] = rest % input[axis];
        rest /= input[axis];
    }
    let within = coordinates
        .iter()
        .zip(input)
        .rev()
        .fold(0, |sum, (&at, &extent)| sum * extent + at);
    plane * area + within
}

/// Each element goes back to the position it was the greatest at; everything else is 0.
fn max_unpool(call: &Call) -> Outcome {
    let (tensor, indices) = (call.tensor(0)?, call.ints(1)?);
    let &[images, channels, ref input @ ..] = tensor.shape() else {
        return invalid("a tensor with channels is expected");
    };
    let rank = input.len();
    let kernel = extents(call.attributes.ints("kernel_shape")?.unwrap_or_default())?;
    let strides = steps(call.attributes, "strides", rank, 1)?;
    let (begin, end) = match call.attributes.ints("pads")? {
        Some(given) => pads(given, rank)?,
        None => (vec![0; rank], vec![0; rank]),
    };
    let bounded = |extent: &usize| (1..=MOST_STEP).contains(extent);
    if kernel.len() != rank || !kernel.iter().all(bounded) || indices.len() != tensor.len() {
        return invalid("window or indices do not fit the input");
    }
    let mut inferred = vec![images, channels];
    for axis in 0..rank {
        let full = input[axis].saturating_sub(1) * strides[axis] + kernel[axis];
        inferred.push(full.saturating_sub(begin[axis] + end[axis]));
    }
    let shape = match call.find_ints(2)? {
        Some(given) => extents(&given)?,
        None => inferred.clone(),
    };
    if shape.len() != rank + 2 {
        return invalid(format!("{shape:?} is no shape for the result"));
    }
    let mut result = vec![0.0; count(&shape)?];
    // Indices count in the shape that the window implies, also where a larger one is asked for.
    let whole = count(&inferred)?;
    for (value, &index) in floats(tensor)?.into_iter().zip(&indices) {
        let Some(mut rest) = usize::try_from(index).ok().filter(|&at| at < whole) else {
            return invalid(format!("index {index} is outside of the result"));
        };
        let (mut place, mut step) = (0, 1);
        for axis in (0..shape.len()).rev() {
            place += (rest % inferred[axis]) * step;
            rest /= inferred[axis];
            step *= shape[axis];
        }
        match result.get_mut(place) {
            Some(slot) => *slot = value,
            None => return invalid(format!("index {index} is outside of the result")),
        }
    }
    one(from_floats(tensor.dtype(), &shape, result)?)
}
