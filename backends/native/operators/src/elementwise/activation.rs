//! Activations, including those with attributes.

use native_kernels::Activation;
use native_kernels::elementwise::Binary;
use onnx_tensor::Tensor;

use super::super::broadcast::{broadcast_shape, zip_with};
use super::super::call::one;
use super::super::fast::Fast;
use super::super::numbers::{floats, from_floats, from_ints, ints};
use super::super::{Call, Outcome, Row, function, row};
use super::unary::map_floats;
use crate::attributes::Attributes;
use crate::error::{Problem, invalid};
use crate::shapes::SAME;

pub const ROWS: &[Row] = &[
    row("Relu", 1, SAME, relu)
        .pointwise()
        .fast(Fast::Activation(|_| Ok(Activation::Relu))),
    function("Sigmoid", 1, |_| Ok(Box::new(sigmoid))).fast(Fast::Activation(|_| Ok(Activation::Sigmoid))),
    function("Softplus", 1, |_| Ok(Box::new(softplus))).fast(Fast::Activation(|_| Ok(Activation::Softplus))),
    function("Softsign", 1, |_| Ok(Box::new(|x: f64| x / (1.0 + x.abs())))),
    function("Mish", 18, |_| Ok(Box::new(mish))).fast(Fast::Activation(|_| Ok(Activation::Mish))),
    function("HardSwish", 14, |_| {
        Ok(Box::new(|x: f64| x * (x / 6.0 + 0.5).clamp(0.0, 1.0)))
    })
    .fast(Fast::Activation(|_| {
        Ok(Activation::HardSwish {
            alpha: 1.0 / 6.0,
            beta: 0.5,
        })
    })),
    function("Elu", 1, |attributes| {
        let alpha = parameter(attributes, "alpha")?;
        Ok(Box::new(move |x| elu(x, alpha)))
    })
    .fast(Fast::Activation(|attributes| {
        Ok(Activation::Elu {
            alpha: attributes.float("alpha")?,
        })
    })),
    function("Celu", 12, |attributes| {
        let alpha = parameter(attributes, "alpha")?;
        Ok(Box::new(move |x| celu(x, alpha)))
    })
    .fast(Fast::Activation(|attributes| {
        Ok(Activation::Celu {
            alpha: attributes.float("alpha")?,
        })
    })),
    function("Selu", 1, |attributes| {
        let (alpha, gamma) = (parameter(attributes, "alpha")?, parameter(attributes, "gamma")?);
        Ok(Box::new(move |x| selu(x, alpha, gamma)))
    })
    .fast(Fast::Activation(|attributes| {
        Ok(Activation::Selu {
            alpha: attributes.float("alpha")?,
            gamma: attributes.float("gamma")?,
        })
    })),
    function("LeakyRelu", 1, |attributes| {
        let alpha = parameter(attributes, "alpha")?;
        Ok(Box::new(move |x| if x < 0.0 { alpha * x } else { x }))
    })
    .fast(Fast::Activation(|attributes| {
        Ok(Activation::LeakyRelu {
            slope: attributes.float("alpha")?,
        })
    })),
    function("ThresholdedRelu", 10, |attributes| {
        let alpha = parameter(attributes, "alpha")?;
        Ok(Box::new(move |x| if x > alpha { x } else { 0.0 }))
    }),
    function("HardSigmoid", 1, |attributes| {
        let (alpha, beta) = (parameter(attributes, "alpha")?, parameter(attributes, "beta")?);
        Ok(Box::new(move |x| (alpha * x + beta).clamp(0.0, 1.0)))
    })
    .fast(Fast::Activation(|attributes| {
        Ok(Activation::HardSigmoid {
            alpha: attributes.float("alpha")?,
            beta: attributes.float("beta")?,
        })
    })),
    row("Shrink", 9, SAME, shrink).pointwise(),
    function("Swish", 24, |attributes| {
        let alpha = parameter(attributes, "alpha")?;
        Ok(Box::new(move |x| swish(x, alpha)))
    })
    .fast(Fast::Activation(|attributes| {
        Ok(Activation::Swish {
            alpha: attributes.float("alpha")?,
        })
    })),
    function("Gelu", 20, |attributes| match attributes.text("approximate")? {
        "none" => Ok(Box::new(gelu)),
        "tanh" => Ok(Box::new(gelu_tanh)),
        other => invalid(format!("unknown approximate `{other}`, expected none or tanh")),
    })
    .fast(Fast::Activation(|attributes| {
        match attributes.text("approximate")? {
            "none" => Ok(Activation::Gelu),
            "tanh" => Ok(Activation::GeluTanh),
            other => invalid(format!("unknown approximate `{other}`, expected none or tanh")),
        }
    })),
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
    row("PRelu", 7, SAME, |call| prelu(call.tensor(0)?, call.tensor(1)?))
        .fast(Fast::Binary(Binary::PRelu))
        .requires(|node| match node.shape(0).zip(node.shape(1)) {
            Some((x, slope)) => check_slope(&x, &slope),
            None => Ok(()),
        }),
];

fn parameter(attributes: &Attributes, name: &str) -> Result<f64, Problem> {
    Ok(f64::from(attributes.float(name)?))
}

fn celu(x: f64, alpha: f64) -> f64 {
    let (upper, lower) = (x, alpha * (x / alpha).exp_m1());
    // In this form NaN is preserved.
    (if upper < 0.0 { 0.0 } else { upper }) + if lower > 0.0 { 0.0 } else { lower }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn mish(x: f64) -> f64 {
    x * softplus(x).tanh()
}

fn selu(x: f64, alpha: f64, gamma: f64) -> f64 {
    gamma * if x > 0.0 { x } else { alpha * x.exp_m1() }
}

/// x · (1 + erf(x / √2)) / 2, without cancellation. Near 0 the exact value lies above x / 2.
fn gelu(x: f64) -> f64 {
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
fn elu(x: f64, alpha: f64) -> f64 {
    if x < 0.0 {
        let below = x.exp_m1();
        beside(alpha * below, below == x && alpha > 0.0)
    } else {
        x
    }
}

/// x · sigmoid(alpha · x). Near 0 the exact value lies above x / 2.
fn swish(x: f64, alpha: f64) -> f64 {
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
    if tensor.dtype().is_integer() {
        let values = ints(tensor)?.into_iter().map(|x| x.max(0)).collect();
        return one(from_ints(tensor.dtype(), tensor.shape(), values)?);
    }
    one(map_floats(tensor, |x| if x < 0.0 { 0.0 } else { x })?)
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
fn check_slope(x: &[usize], slope: &[usize]) -> Result<(), Problem> {
    if broadcast_shape([x, slope])? == x {
        Ok(())
    } else {
        invalid(format!(
            "the slope of shape {slope:?} does not broadcast to the input of shape {x:?}"
        ))
    }
}

fn prelu(x: &Tensor, slope: &Tensor) -> Outcome {
    check_slope(x.shape(), slope.shape())?;
    if x.dtype().is_integer() {
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
