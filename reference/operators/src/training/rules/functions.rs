//! Functions of one variable, activations and Clip.

use super::super::function::Function;
use super::super::subgraph::Operand;
use super::super::tape::{Tape, Var};
use super::Site;
use crate::frame::OpError;

pub(super) fn apply(tape: &mut Tape<'_>, site: &Site<'_>) -> Result<Option<Vec<Operand>>, OpError> {
    if let Some(function) = primitive(site.name()) {
        let x = site.var(tape, 0)?;
        let result = tape.apply(function, x);
        return site.one(result);
    }
    let Some(composed) = composed(site.name()) else {
        return Ok(None);
    };
    let x = site.var(tape, 0)?;
    let result = composed(tape, site, x)?;
    site.one(result)
}

/// The operators that are a [`Function`].
fn primitive(name: &str) -> Option<Function> {
    Some(match name {
        "Acos" => Function::Acos,
        "Acosh" => Function::Acosh,
        "Asin" => Function::Asin,
        "Asinh" => Function::Asinh,
        "Atan" => Function::Atan,
        "Atanh" => Function::Atanh,
        "Cos" => Function::Cos,
        "Cosh" => Function::Cosh,
        "Erf" => Function::Erf,
        "Exp" => Function::Exp,
        "Log" => Function::Log,
        "Reciprocal" => Function::Reciprocal,
        "Sigmoid" => Function::Sigmoid,
        "Sin" => Function::Sin,
        "Sinh" => Function::Sinh,
        "Softplus" => Function::Softplus,
        "Sqrt" => Function::Sqrt,
        "Tan" => Function::Tan,
        "Tanh" => Function::Tanh,
        _ => return None,
    })
}

type Composed = fn(&mut Tape<'_>, &Site<'_>, Var) -> Result<Var, OpError>;

/// The operators that are composed of several functions.
fn composed(name: &str) -> Option<Composed> {
    Some(match name {
        "Abs" => |tape, _, x| Ok(absolute(tape, x)),
        "Celu" => |tape, site, x| {
            let alpha = site.float("alpha")?;
            Ok(elu(tape, x, alpha, 1.0 / alpha))
        },
        "Clip" => clip,
        "Elu" => |tape, site, x| Ok(elu(tape, x, site.float("alpha")?, 1.0)),
        "Gelu" => gelu,
        "HardSigmoid" => |tape, site, x| Ok(hard_sigmoid(tape, x, site.float("alpha")?, site.float("beta")?)),
        "HardSwish" => |tape, _, x| {
            let gate = hard_sigmoid(tape, x, 1.0 / 6.0, 0.5);
            Ok(tape.mul(x, gate))
        },
        "LeakyRelu" => |tape, site, x| {
            let alpha = site.float("alpha")?;
            Ok(tape.masked(x, |x| if x > 0.0 { 1.0 } else { alpha }))
        },
        "Mish" => |tape, _, x| {
            let softplus = tape.apply(Function::Softplus, x);
            let gate = tape.apply(Function::Tanh, softplus);
            Ok(tape.mul(x, gate))
        },
        "Neg" => |tape, _, x| Ok(tape.scale(x, -1.0)),
        "PRelu" => prelu,
        "Relu" => |tape, _, x| Ok(tape.masked(x, |x| above(x, 0.0))),
        "Selu" => |tape, site, x| {
            let elu = elu(tape, x, site.float("alpha")?, 1.0);
            Ok(tape.scale(elu, site.float("gamma")?))
        },
        "Shrink" => shrink,
        "Softsign" => |tape, _, x| {
            let absolute = absolute(tape, x);
            let divisor = tape.plus(absolute, 1.0);
            let reciprocal = tape.apply(Function::Reciprocal, divisor);
            Ok(tape.mul(x, reciprocal))
        },
        "Swish" => |tape, site, x| {
            let scaled = tape.scale(x, site.float("alpha")?);
            let gate = tape.apply(Function::Sigmoid, scaled);
            Ok(tape.mul(x, gate))
        },
        "ThresholdedRelu" => |tape, site, x| {
            let alpha = site.float("alpha")?;
            Ok(tape.masked(x, |x| above(x, alpha)))
        },
        _ => return None,
    })
}

/// 1 above the threshold, otherwise 0.
fn above(x: f64, threshold: f64) -> f64 {
    if x > threshold { 1.0 } else { 0.0 }
}

/// |x|.
pub(super) fn absolute(tape: &mut Tape<'_>, x: Var) -> Var {
    tape.masked(x, |x| if x == 0.0 { 0.0 } else { x.signum() })
}

/// max(0, x) + alpha · (e^(rate · min(0, x)) − 1).
fn elu(tape: &mut Tape<'_>, x: Var, alpha: f64, rate: f64) -> Var {
    let low = tape.masked(x, |x| if x < 0.0 { rate } else { 0.0 });
    let power = tape.apply(Function::Exp, low);
    let power = tape.plus(power, -1.0);
    let power = tape.scale(power, alpha);
    let high = tape.masked(x, |x| if x < 0.0 { 0.0 } else { 1.0 });
    tape.add(high, power)
}

/// max(0, min(1, alpha · x + beta)).
fn hard_sigmoid(tape: &mut Tape<'_>, x: Var, alpha: f64, beta: f64) -> Var {
    let line = tape.scale(x, alpha);
    let line = tape.plus(line, beta);
    let full: Vec<f64> = tape.values(line).iter().map(|&y| above(y, 1.0)).collect();
    let shape = tape.shape(x).to_vec();
    let full = tape.leaf(&shape, full, false);
    let inside = tape.masked(line, |y| if (0.0..=1.0).contains(&y) { 1.0 } else { 0.0 });
    tape.add(inside, full)
}

/// x/2 · (1 + erf(x / √2)), or its approximation by tanh.
fn gelu(tape: &mut Tape<'_>, site: &Site<'_>, x: Var) -> Result<Var, OpError> {
    let gate = match site.call.string("approximate")? {
        "none" => {
            let scaled = tape.scale(x, std::f64::consts::FRAC_1_SQRT_2);
            tape.apply(Function::Erf, scaled)
        }
        "tanh" => {
            let square = tape.mul(x, x);
            let cube = tape.mul(square, x);
            let cube = tape.scale(cube, 0.044715);
            let inner = tape.add(x, cube);
            let inner = tape.scale(inner, std::f64::consts::FRAC_2_PI.sqrt());
            tape.apply(Function::Tanh, inner)
        }
        other => return Err(OpError::invalid(format!("`approximate` is {other:?}"))),
    };
    let gate = tape.plus(gate, 1.0);
    let product = tape.mul(x, gate);
    Ok(tape.scale(product, 0.5))
}

fn prelu(tape: &mut Tape<'_>, site: &Site<'_>, x: Var) -> Result<Var, OpError> {
    // Below version 7 the slope applies to channels.
    if site.since() < 7 {
        return Err(site.unknown());
    }
    let slope = site.var(tape, 1)?;
    let shape = tape.shape(x).to_vec();
    let slope = tape.broadcast(slope, &shape)?;
    let low = tape.masked(x, |x| if x < 0.0 { 1.0 } else { 0.0 });
    let high = tape.masked(x, |x| if x < 0.0 { 0.0 } else { 1.0 });
    let low = tape.mul(low, slope);
    Ok(tape.add(high, low))
}

/// x + bias below −lambd, x − bias above lambd, otherwise 0.
fn shrink(tape: &mut Tape<'_>, site: &Site<'_>, x: Var) -> Result<Var, OpError> {
    let (threshold, bias) = (site.float("lambd")?, site.float("bias")?);
    let side = move |x: f64| above(x, threshold) - above(-x, threshold);
    let shift = tape.values(x).iter().map(|&x| -bias * side(x)).collect();
    let shape = tape.shape(x).to_vec();
    let shift = tape.leaf(&shape, shift, false);
    let kept = tape.masked(x, |x| side(x).abs());
    Ok(tape.add(kept, shift))
}

/// Clamps each element; the bounds may vary as well.
fn clip(tape: &mut Tape<'_>, site: &Site<'_>, x: Var) -> Result<Var, OpError> {
    let mut bound = |index: usize, attribute: &str| {
        if site.since() >= 11 {
            return site.optional(tape, index);
        }
        let given = site.call.optional_float(attribute)?;
        Ok(given.map(|value| tape.leaf(&[], vec![f64::from(value)], false)))
    };
    let (low, high) = (bound(1, "min")?, bound(2, "max")?);
    let infinite = |tape: &mut Tape<'_>, value| tape.leaf(&[], vec![value], false);
    let low = low.unwrap_or_else(|| infinite(tape, f64::NEG_INFINITY));
    let high = high.unwrap_or_else(|| infinite(tape, f64::INFINITY));
    let (&[least], &[greatest]) = (tape.values(low), tape.values(high)) else {
        return Err(OpError::invalid("a bound must have one element"));
    };
    let count = tape.values(x).len();
    let place = |(index, &x): (usize, &f64)| match x {
        x if x > greatest || (x < least && least > greatest) => count + 2,
        x if x < least => count + 1,
        _ => index + 1,
    };
    let map = tape.values(x).iter().enumerate().map(place).collect();
    let shape = tape.shape(x).to_vec();
    let all = tape.joined(&[x, low, high]);
    Ok(tape.pick(all, &shape, map))
}
