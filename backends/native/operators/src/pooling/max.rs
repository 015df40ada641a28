//! MaxPool with positions.

use onnx_tensor::{Tensor, Value};

use super::super::fast::{Fast, Pooled};
use super::super::movement::take;
use super::super::numbers::floats;
use super::super::{Call, Outcome, Row, row};
use super::average::Pool;
use crate::error::invalid;
use crate::shapes::Shapes::Each;

pub const ROWS: &[Row] = &[row(
    "MaxPool",
    1,
    Each(|known| Some(vec![known.pool(); known.outputs])),
    max_pool,
)
.fast(Fast::Pool(Pooled {
    mean: false,
    global: false,
}))];

/// The second output holds positions in the whole input; with `storage_order` 1 they count in column-major
/// order.
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
            // The first NaN is the maximum.
            let better = slot.is_none_or(|old| {
                let (new, old) = (values[candidate], values[old]);
                new > old || (new.is_nan() && !old.is_nan())
            });
            if better {
                *slot = Some(candidate);
            }
        }
    });
    let Some(best) = best.into_iter().collect::<Option<Vec<usize>>>() else {
        return invalid("a window is outside of the input");
    };
    let mut outputs = vec![Value::Tensor(take(pool.tensor, &pool.shape, &best)?)];
    if call.outputs > 1 {
        let columns_first = call.attributes.flag("storage_order")?;
        let number = |position: usize| {
            if columns_first {
                transposed(position, &pool.input) as i64
            } else {
                position as i64
            }
        };
        let indices = best.into_iter().map(number).collect::<Vec<i64>>();
        outputs.push(Value::Tensor(Tensor::new(&pool.shape, indices)?));
    }
    Ok(outputs)
}

/// Returns the position in an order where the first spatial axis varies fastest.
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
