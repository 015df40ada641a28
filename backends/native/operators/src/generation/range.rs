//! Range.

use onnx_tensor::Dim;

use super::super::call::{count, one};
use super::super::numbers::{floats, from_floats, from_ints, ints};
use super::super::{Call, Outcome, Row, row};
use crate::error::{Problem, invalid};
use crate::shapes::Shapes::Open;

pub const ROWS: &[Row] = &[row(
    "Range",
    11,
    Open(
        "the number of elements depends on values; constants are folded",
        |_| Some(vec![Some(vec![Dim::Unknown])]),
    ),
    range,
)];

fn range(call: &Call) -> Outcome {
    let dtype = call.tensor(0)?.dtype();
    let tensors = call.tensors(0)?;
    if tensors.iter().any(|tensor| tensor.len() != 1) {
        return invalid("start, limit and delta must be one number each");
    }
    let length = |length: f64| -> Result<usize, Problem> {
        let length = if length.is_finite() {
            length.max(0.0) as usize
        } else {
            usize::MAX
        };
        count(&[length])
    };
    if dtype.is_integer() {
        let of = |at: usize| Ok::<i128, Problem>(ints(tensors[at])?[0]);
        let (start, limit, delta) = (of(0)?, of(1)?, of(2)?);
        if delta == 0 {
            return invalid("delta is 0");
        }
        let steps = (limit - start).div_euclid(delta) + i128::from((limit - start).rem_euclid(delta) != 0);
        let signed = if delta > 0 {
            steps
        } else {
            (start - limit + (-delta) - 1).div_euclid(-delta)
        };
        let total = length(signed as f64)?;
        return one(from_ints(
            dtype,
            &[total],
            (0..total).map(|at| start + at as i128 * delta).collect(),
        )?);
    }
    let of = |at: usize| Ok::<f64, Problem>(floats(tensors[at])?[0]);
    let (start, limit, delta) = (of(0)?, of(1)?, of(2)?);
    let total = length(((limit - start) / delta).ceil())?;
    one(from_floats(
        dtype,
        &[total],
        (0..total).map(|at| start + at as f64 * delta).collect(),
    )?)
}
