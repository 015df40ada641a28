//! Operators that preprocess features.

use onnx_operators::frame::OpError;

use crate::number::{self, Number};
use crate::rules::exact;
use crate::{Query, Radius};

/// (x − offset)·scale: a difference and a product.
pub(super) fn scaled(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (offset, scale) = (query.call.floats("offset")?, query.call.floats("scale")?);
    let Some(x) = number::elements(query, 0) else {
        return exact::decides(query);
    };
    let real = |value: f32| Number::exact(f64::from(value));
    let factors = offset.iter().zip(&scale).cycle();
    let y = x
        .iter()
        .zip(factors)
        .map(|(&x, (&offset, &scale))| (x - real(offset)) * real(scale));
    Ok(vec![number::radius(
        query,
        0,
        y.collect(),
        "a difference and a product",
    )])
}

/// x divided by the norm of its row: γ of a positive sum, a square root of 3 ULP, a quotient.
pub(super) fn normalized(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let Some(x) = number::elements(query, 0) else {
        return exact::decides(query);
    };
    let width = query.call.tensor(0)?.shape().last().copied().unwrap_or(1).max(1);
    let norm = query.call.string("norm")?;
    let mut y = Vec::with_capacity(x.len());
    for row in x.chunks(width) {
        let by = match norm {
            "MAX" => row
                .iter()
                .copied()
                .reduce(|a, b| if b.value > a.value { b } else { a }),
            "L1" => Some(row.iter().map(|x| x.map(0.0, f64::abs)).sum()),
            _ => Some(Number::dot(row.iter().map(|&x| (x, x))).sqrt()),
        };
        // A row whose norm is 0 is unchanged.
        let by = by.filter(|by| by.value != 0.0 || by.error > 0.0);
        y.extend(row.iter().map(|&x| by.map_or(x, |by| x / by)));
    }
    Ok(vec![number::radius(query, 0, y, "division by a norm")])
}
