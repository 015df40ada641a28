//! Numbers of a half type, stored as f32: roundings, and functions of one value that are rounded once.

use native_kernels::elementwise::{Unary, unary};
use native_kernels::{Activation, Buffer};

use super::rounded_once::{correct, exact};
use super::{Attempt, Device, Lowered, Use, activation};
use crate::ir::{Operator, Rounded};
use crate::ops::fast::Fast;

/// Whether a function of one value has a kernel here: it depends on attributes only.
pub fn is_rounded(operator: &Operator) -> bool {
    function_of(operator).is_some()
}

/// Lowers a rounding, or a function that is rounded.
pub fn lower(used: &Use, device: &Device, inner: &Rounded) -> Attempt {
    let Some(operator) = &inner.function else {
        return activation::lower(used, device, Unary::Activation(Activation::nearest(inner.to)));
    };
    let (Some(x), Some(function)) = (used.float(0), function_of(operator)) else {
        return Ok(None);
    };
    if used.outputs.len() != 1 || x.shape != used.outputs[0] || x.layout != used.layout {
        return Ok(None);
    }
    let (half, exact, nearest) = (
        inner.to,
        exact(operator),
        Unary::Activation(Activation::nearest(inner.to)),
    );
    let length = used.lengths(device).into_iter().next().unwrap_or(0);
    let mut wide: Buffer<f32> = Buffer::try_zeroed(length)?;
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        unary(&device.pool, function, inputs[0], &mut wide)?;
        if let Some(exact) = &exact {
            correct(inputs[0], &mut wide, half, exact);
        }
        Ok(unary(&device.pool, nearest, &wide, outputs[0])?)
    })
}

fn function_of(operator: &Operator) -> Option<Unary> {
    match operator.row.fast? {
        Fast::Activation(make) => {
            let activation: Activation = make(&operator.attributes).ok()?;
            Some(Unary::Activation(activation))
        }
        Fast::Unary(function) => Some(function),
        _ => None,
    }
}
