//! Activations, including those with attributes.

use onnx_tensor::Tensor;

use super::super::broadcast::{broadcast_shape, zip_with};
use super::super::call::one;
use super::super::numbers::{floats, from_floats, from_ints, ints, is_int};
use super::super::{Call, Outcome, Row, row};
use super::unary::map_floats;
use crate::error::invalid;
use crate::ops::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("Relu", 1, SAME, relu),
    row("Sigmoid", 1, SAME, |call| {
        one(map_floats(call.tensor(0)?, sigmoid)?)
    }),
    row("Softplus", 1, SAME, |call| {
        one(map_floats(call.tensor(0)?, softplus)?)
    }),
    row("Softsign", 1, SAME, |call| {
        one(map_floats(call.tensor(0)?, |x| x / (1.0 + x.abs()))?)
    }),
    row("Mish", 18, SAME, |call| one(map_floats(call.tensor(0)?, mish)?)),
    row("HardSwish", 14, SAME, |call| {
        one(map_floats(call.tensor(0)?, |x| {
            x * (x / 6.0 + 0.5).clamp(0.0, 1.0)
        })?)
    }),
    row("Elu", 1, SAME, |call| {
        let alpha = alpha(call)?;
        map(call, |x| elu(x, alpha))
    }),
    row("Celu", 12, SAME, |call| {
        let alpha = alpha(call)?;
        map(call, |x| {
            let (upper, lower) = (x, alpha * (x / alpha).exp_m1());
            // In this form NaN is preserved.
            (if upper < 0.0 { 0.0 } else { upper }) + if lower > 0.0 { 0.0 } else { lower }
        })
    }),
    row("Selu", 1, SAME, |call| {
        let (alpha, gamma) = (alpha(call)?, f64::from(call.attributes.float("gamma")?));
        map(call, |x| selu(x, alpha, gamma))
    }),
    row("LeakyRelu", 1, SAME, |call| {
        let alpha = alpha(call)?;
        map(call, |x| if x < 0.0 { alpha * x } else { x })
    }),
    row("ThresholdedRelu", 10, SAME, |call| {
        let alpha = alpha(call)?;
        map(call, |x| if x > alpha { x } else { 0.0 })
    }),
    row("HardSigmoid", 1, SAME, |call| {
        let (alpha, beta) = (alpha(call)?, f64::from(call.attributes.float("beta")?));
        map(call, |x| (alpha * x + beta).clamp(0.0, 1.0))
    }),
    row("Shrink", 9, SAME, shrink),
    row("Swish", 24, SAME, |call| {
        let alpha = alpha(call)?;
        map(call, |x| swish(x, alpha))
    }),
    row("Gelu", 20, SAME, |call| {
        match call.attributes.text("approximate")? {
            "none" => map(call, gelu),
            "tanh" => map(call, gelu_tanh),
            other => invalid(format!("unknown approximate `{other}`, expected none or tanh")),
        }
    }),
    row("PRelu", 1, SAME, |call| {
        // One slope for each channel (axis 1).
        let (x, slope) = (call.tensor(0)?, call.tensor(1)?);
        let mut shape = vec![slope.len()];
        shape.resize(x.rank().saturating_sub(1).max(1), 1);
        let slope = if slope.len() == 1 {
            slope.clone()
        } else {
            super::super::movement::reshape(slope, &shape)?
        };
        prelu(x, &slope)
    }),
    row("PRelu", 7, SAME, |call| prelu(call.tensor(0)?, call.tensor(1)?)),
];

fn alpha(call: &Call) -> Result<f64, crate::error::Problem> {
    Ok(f64::from(call.attributes.float("alpha")?))
}

fn map(call: &Call, function: impl Fn(f64) -> f64) -> Outcome {
    one(map_floats(call.tensor(0)?, function)?)
}

pub fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

pub fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

pub fn mish(x: f64) -> f64 {
    x * softplus(x).tanh()
}

pub fn selu(x: f64, alpha: f64, gamma: f64) -> f64 {
    gamma * if x > 0.0 { x } else { alpha * x.exp_m1() }
}

/// x · (1 + erf(x / √2)) / 2, without cancellation. Near 0 the exact value lies above x / 2.
pub fn gelu(x: f64) -> f64 {
    let gate = libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2);
    // The half of a gate above 1 is exact, and the product with the whole gate may exceed the range; a small
    // gate may be subnormal, and only the half of the product is exact.
    let value = if gate > 1.0 {
        x * (gate * 0.5)
    } else {
        x * gate * 0.5
    };
    beside(value, gate == 1.0 && x != 0.0)
}

/// alpha · (e^x − 1) below 0. Near 0 the exact value lies above alpha · x.
pub fn elu(x: f64, alpha: f64) -> f64 {
    if x < 0.0 {
        let below = x.exp_m1();
        beside(alpha * below, below == x && alpha > 0.0)
    } else {
        x
    }
}

/// x · sigmoid(alpha · x). Near 0 the exact value lies above x / 2.
pub fn swish(x: f64, alpha: f64) -> f64 {
    let gate = sigmoid(alpha * x);
    beside(x * gate, gate == 0.5 && x != 0.0 && alpha > 0.0)
}

/// The next number above `value` if the exact value lies there, so that rounding to a narrower type takes
/// the right side of a tie.
fn beside(value: f64, above: bool) -> f64 {
    if above { value.next_up() } else { value }
}

fn gelu_tanh(x: f64) -> f64 {
    let scale = (2.0 / std::f64::consts::PI).sqrt();
    0.5 * x * (1.0 + (scale * (x + 0.044_715 * x * x * x)).tanh())
}

fn relu(call: &Call) -> Outcome {
    let tensor = call.tensor(0)?;
    if is_int(tensor.dtype()) {
        let values = ints(tensor)?.into_iter().map(|x| x.max(0)).collect();
        return one(from_ints(tensor.dtype(), tensor.shape(), values)?);
    }
    map(call, |x| if x < 0.0 { 0.0 } else { x })
}

fn shrink(call: &Call) -> Outcome {
    let bias = f64::from(call.attributes.float("bias")?);
    let lambda = f64::from(call.attributes.float("lambd")?);
    let tensor = call.tensor(0)?;
    let function = |x: f64| match x {
        x if x < -lambda => x + bias,
        x if x > lambda => x - bias,
        _ => 0.0,
    };
    let values = floats(tensor)?.into_iter().map(function).collect();
    one(from_floats(tensor.dtype(), tensor.shape(), values)?)
}

/// The slope broadcasts to the input, but not the input to the slope.
fn prelu(x: &Tensor, slope: &Tensor) -> Outcome {
    if broadcast_shape([x.shape(), slope.shape()])? != x.shape() {
        return invalid("the slope does not broadcast to the input");
    }
    if is_int(x.dtype()) {
        let scaled = zip_with(
            (&ints(x)?, x.shape()),
            (&ints(slope)?, slope.shape()),
            x.shape(),
            |x, slope| if x < 0 { x.wrapping_mul(slope) } else { x },
        );
        return one(from_ints(x.dtype(), x.shape(), scaled)?);
    }
    let scaled = zip_with(
        (&floats(x)?, x.shape()),
        (&floats(slope)?, slope.shape()),
        x.shape(),
        |x, slope| {
            if x < 0.0 { x * slope } else { x }
        },
    );
    one(from_floats(x.dtype(), x.shape(), scaled)?)
}
