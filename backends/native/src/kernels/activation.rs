//! Kernels for functions of one value.

use native_kernels::elementwise::{Unary, unary};
use native_kernels::{Activation, Pool};

use super::{Attempt, Device, Lowered, Use};
use crate::error::Problem;
use crate::ir::Operator;

/// Returns an operator as an activation that kernels can apply in their epilogues. This includes a Clip with
/// attributes as bounds; for other Clips see [`clip_bounds`].
pub fn activation_of(operator: &Operator) -> Option<Activation> {
    if !operator.schema.domain.is_empty() {
        return None;
    }
    let attribute = |name: &str| operator.attributes.float(name).ok();
    Some(match operator.schema.name {
        "Relu" => Activation::Relu,
        "Sigmoid" => Activation::Sigmoid,
        "Tanh" => Activation::Tanh,
        "Softplus" => Activation::Softplus,
        "Mish" => Activation::Mish,
        "Selu" => Activation::Selu {
            alpha: attribute("alpha")?,
            gamma: attribute("gamma")?,
        },
        "LeakyRelu" => Activation::LeakyRelu {
            slope: attribute("alpha")?,
        },
        "Elu" => Activation::Elu {
            alpha: attribute("alpha")?,
        },
        "HardSigmoid" => Activation::HardSigmoid {
            alpha: attribute("alpha")?,
            beta: attribute("beta")?,
        },
        "HardSwish" => Activation::HardSwish {
            alpha: 1.0 / 6.0,
            beta: 0.5,
        },
        "Swish" => Activation::Swish {
            alpha: attribute("alpha")?,
        },
        "Gelu" => match operator.attributes.text("approximate").ok()? {
            "none" => Activation::Gelu,
            _ => Activation::GeluTanh,
        },
        "Clip" if operator.schema.since < 11 => Activation::Clip {
            low: operator.attributes.find_float("min").ok()?.unwrap_or(f32::MIN),
            high: operator.attributes.find_float("max").ok()?.unwrap_or(f32::MAX),
        },
        _ => return None,
    })
}

/// Returns a Clip with constant inputs as bounds.
pub fn clip_bounds(used: &Use, operator: &Operator) -> Option<Activation> {
    if operator.schema.name != "Clip" || operator.schema.since < 11 {
        return None;
    }
    // A bound that is NaN has no effect, as in the general code.
    let bound = |position: usize, default: f32| match used.has(position) {
        true => used
            .floats(position)?
            .first()
            .copied()
            .filter(|bound| !bound.is_nan()),
        false => Some(default),
    };
    Some(Activation::Clip {
        low: bound(1, f32::MIN)?,
        high: bound(2, f32::MAX)?,
    })
}

pub fn lower(used: &Use, device: &Device, operator: &Operator) -> Attempt {
    let Some(operand) = used.float(0) else {
        return Ok(None);
    };
    if used.outputs.len() != 1 || operand.shape != used.outputs[0] || operand.layout != used.layout {
        return Ok(None);
    }
    let activation = activation_of(operator).or_else(|| clip_bounds(used, operator));
    let function = match (activation, operator.schema.name) {
        (Some(activation), _) => Unary::Activation(activation),
        (_, "Abs") => Unary::Abs,
        (_, "Neg") => Unary::Neg,
        (_, "Sqrt") => Unary::Sqrt,
        (_, "Exp") => Unary::Exp,
        (_, "Log") => Unary::Log,
        (_, "Erf") => Unary::Erf,
        (_, "Reciprocal") => Unary::Reciprocal,
        (_, "Floor") => Unary::Floor,
        (_, "Ceil") => Unary::Ceil,
        (_, "Round") => Unary::Round,
        _ => return Ok(None),
    };
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        Ok(unary(&device.pool, function, inputs[0], outputs[0])?)
    })
}

/// Computes `y = activation(x)` on one thread.
pub fn apply(activation: Activation, x: &[f32], y: &mut [f32]) -> Result<(), Problem> {
    Ok(unary(&Pool::new(1), Unary::Activation(activation), x, y)?)
}
