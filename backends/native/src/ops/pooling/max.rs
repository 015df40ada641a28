//! MaxPool with positions, and MaxUnpool.

use onnx_tensor::{Tensor, Value};

use super::super::call::{count, extents, one};
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
    pool.window.each(|place, at| {
        pool.window.inside(&pool.input, at, |_, position| {
            for plane in 0..pool.planes {
                let candidate = plane * area + position;
                let slot = &mut best[plane * places + place];
                let better =
                    slot.is_none_or(|old| values[candidate] > values[old] || values[candidate].is_nan());
                if better {
                    *slot = Some(candidate);
                }
            }
        });
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
    let strides = match call.attributes.ints("strides")? {
        Some(strides) => extents(strides)?,
        None => vec![1; rank],
    };
    let pads = call
        .attributes
        .ints("pads")?
        .map_or_else(|| Ok(vec![0; 2 * rank]), extents)?;
    if kernel.len() != rank
        || strides.len() != rank
        || pads.len() != 2 * rank
        || indices.len() != tensor.len()
    {
        return invalid("window, pads or indices do not fit the input");
    }
    let mut inferred = vec![images, channels];
    for axis in 0..rank {
        let full = input[axis].saturating_sub(1) * strides[axis] + kernel[axis];
        inferred.push(full.saturating_sub(pads[axis] + pads[axis + rank]));
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
