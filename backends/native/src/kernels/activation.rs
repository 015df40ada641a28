//! Kernels for functions of one value.

use native_kernels::elementwise::{Unary, unary};
use native_kernels::{Activation, Pool};

use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::Operator;
use crate::ops::fast::Fast;

/// Returns an operator as an activation that kernels can apply in their epilogues. This includes a Clip with
/// attributes as bounds; for other Clips see [`clip_bounds`].
pub fn activation_of(operator: &Operator) -> Option<Activation> {
    match operator.row.fast {
        Some(Fast::Activation(activation)) => activation(&operator.attributes).ok(),
        _ => None,
    }
}

/// Returns a Clip with constant inputs as bounds.
fn clip_bounds(used: &Use) -> Option<Activation> {
    // A bound that is NaN has no effect, as in the general code.
    let bound = |position: usize, default: f32| {
        if used.has(position) {
            used.floats(position)?
                .first()
                .copied()
                .filter(|bound| !bound.is_nan())
        } else {
            Some(default)
        }
    };
    Some(Activation::Clip {
        low: bound(1, f32::MIN)?,
        high: bound(2, f32::MAX)?,
    })
}

/// Lowers a Clip with constant bounds.
pub fn clip(used: &Use, device: &Device) -> Attempt {
    match clip_bounds(used) {
        Some(bounds) => lower(used, device, Unary::Activation(bounds)),
        None => Ok(None),
    }
}

/// Lowers a function of one value.
pub fn lower(used: &Use, device: &Device, function: Unary) -> Attempt {
    let Some(operand) = used.float(0) else {
        return Ok(None);
    };
    if used.outputs.len() != 1 || operand.shape != used.outputs[0] || operand.layout != used.layout {
        return Ok(None);
    }
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        Ok(unary(&device.pool, function, inputs[0], outputs[0])?)
    })
}

/// Computes `y = activation(x)` on one thread.
pub fn apply(activation: Activation, x: &[f32], y: &mut [f32]) -> Result<(), Problem> {
    Ok(unary(&Pool::new(1), Unary::Activation(activation), x, y)?)
}
