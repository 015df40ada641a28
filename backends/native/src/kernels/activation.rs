//! Functions of one value.

use native_kernels::Activation;

use super::{Attempt, Device, Lowered, Use};
use crate::ir::Operator;

/// Elements below which work is not divided.
pub const GRAIN: usize = 16 * 1024;

/// The activation that an operator is, if kernels have it in their epilogues. Clip is one where its bounds are attributes; see
/// [`clip_bounds`].
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

/// The bounds of a Clip whose bounds are constant inputs.
pub fn clip_bounds(used: &Use, operator: &Operator) -> Option<Activation> {
    if operator.schema.name != "Clip" || operator.schema.since < 11 {
        return None;
    }
    let bound = |position: usize, default: f32| match used.has(position) {
        true => used.floats(position)?.first().copied(),
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
    if let Some(activation) = activation_of(operator).or_else(|| clip_bounds(used, operator)) {
        return Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
            apply(device, activation, inputs[0], outputs[0]);
            Ok(())
        });
    }
    let function: fn(f32) -> f32 = match operator.schema.name {
        "Abs" => f32::abs,
        "Neg" => |x| -x,
        "Sqrt" => f32::sqrt,
        "Exp" => f32::exp,
        "Log" => f32::ln,
        "Erf" => |x| libm::erff(x),
        "Reciprocal" => |x| 1.0 / x,
        "Floor" => f32::floor,
        "Ceil" => f32::ceil,
        "Sin" => f32::sin,
        "Cos" => f32::cos,
        _ => return Ok(None),
    };
    Lowered::new(used, device, vec![0], move |device, inputs, outputs| {
        map(device, inputs[0], outputs[0], |x, y| {
            x.iter().zip(y).for_each(|(&x, y)| *y = function(x));
        });
        Ok(())
    })
}

/// Calls `body` with parts of a source and of the result that belong together, on all threads.
pub fn map(device: &Device, x: &[f32], y: &mut [f32], body: impl Fn(&[f32], &mut [f32]) + Sync) {
    let length = x.len().min(y.len());
    super::rows::each_part(device, &mut y[..length], GRAIN, |start, part| {
        body(&x[start..start + part.len()], part);
    });
}

/// `y = activation(x)`.
pub fn apply(device: &Device, activation: Activation, x: &[f32], y: &mut [f32]) {
    map(device, x, y, |x, y| each(activation, x, y));
}

/// `y = activation(x)` on this thread.
pub fn each(activation: Activation, x: &[f32], y: &mut [f32]) {
    let all =
        |y: &mut [f32], function: &dyn Fn(f32) -> f32| x.iter().zip(y).for_each(|(&x, y)| *y = function(x));
    match activation {
        Activation::Identity => y.copy_from_slice(x),
        Activation::Relu => x
            .iter()
            .zip(y)
            .for_each(|(&x, y)| *y = if x < 0.0 { 0.0 } else { x }),
        Activation::Clip { low, high } => x.iter().zip(y).for_each(|(&x, y)| {
            let x = if x < low { low } else { x };
            *y = if x > high { high } else { x };
        }),
        Activation::LeakyRelu { slope } => {
            x.iter()
                .zip(y)
                .for_each(|(&x, y)| *y = if x < 0.0 { slope * x } else { x });
        }
        Activation::Sigmoid => all(y, &sigmoid),
        Activation::Tanh => all(y, &f32::tanh),
        Activation::Gelu => all(y, &|x| {
            0.5 * x * (1.0 + libm::erff(x * std::f32::consts::FRAC_1_SQRT_2))
        }),
        Activation::GeluTanh => all(y, &|x| {
            let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
            0.5 * x * (1.0 + inner.tanh())
        }),
        Activation::HardSwish { alpha, beta } => all(y, &|x| x * (alpha * x + beta).clamp(0.0, 1.0)),
        Activation::HardSigmoid { alpha, beta } => all(y, &|x| (alpha * x + beta).clamp(0.0, 1.0)),
        Activation::Swish { alpha } => all(y, &|x| x * sigmoid(alpha * x)),
        Activation::Elu { alpha } => all(y, &|x| if x < 0.0 { alpha * x.exp_m1() } else { x }),
        Activation::Softplus => all(y, &|x| x.max(0.0) + (-x.abs()).exp().ln_1p()),
    }
}

fn sigmoid(x: f32) -> f32 {
    1.0 / (1.0 + (-x).exp())
}
