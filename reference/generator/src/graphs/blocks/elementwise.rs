//! Activations, as operators and decomposed by exporters, and arithmetic with broadcasting.

use std::f64::consts::{FRAC_2_PI, SQRT_2};

use onnx_model::AttributeValue::{Float, Int};
use onnx_tensor::{DType, Tensor};

use super::super::draft::{GraphDraft, Wire, broadcast, filled};
use super::super::range::Range;

/// An activation of one value, which is kept.
pub fn activation(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 8], |_| true)?;
    let y = activated(g, &x)?;
    g.keep(y);
    Some(())
}

/// Any activation.
pub fn activated(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let most = x.range.most;
    Some(match g.draws.below(22) {
        0..=2 => {
            let range = x.range;
            g.emit("Relu", &[x], &[], x.shape.clone(), range)
        }
        3 => {
            let range = Range {
                step: x.range.step / 8.0,
                ..x.range
            };
            g.emit(
                "LeakyRelu",
                &[x],
                &[("alpha", Float(0.125))],
                x.shape.clone(),
                range,
            )
        }
        4 => g.map("Sigmoid", x, &[], 1.0),
        5 => g.map("Tanh", x, &[], 1.0),
        6 => clip(g, x, 0.0, 6.0)?,
        7 if g.opset >= 14 => g.map("HardSwish", x, &[], most),
        8 => hard_swish(g, x)?,
        9 => {
            let gate = g.map("Sigmoid", x, &[], 1.0);
            product(g, x, &gate)?
        }
        10 | 11 => gelu(g, x)?,
        12 => gelu_tanh(g, x)?,
        13 if g.opset >= 20 => {
            let kind = g.text(&["none", "tanh"]);
            g.map("Gelu", x, &[("approximate", super::text(kind))], most)
        }
        14 => g.map("Elu", x, &[("alpha", Float(0.5))], most),
        15 => g.map("Softplus", x, &[], most + 1.0),
        16 if g.opset >= 18 => g.map("Mish", x, &[], most),
        17 => g.map(
            "HardSigmoid",
            x,
            &[("alpha", Float(0.25)), ("beta", Float(0.5))],
            1.0,
        ),
        18 => prelu(g, x)?,
        19 => {
            let factor = g.number(1.702)?;
            let scaled = product(g, x, &factor)?;
            let gate = g.map("Sigmoid", &scaled, &[], 1.0);
            product(g, x, &gate)?
        }
        20 => {
            let range = x.range;
            let operator = g.text(&["Abs", "Neg"]);
            g.emit(operator, &[x], &[], x.shape.clone(), range)
        }
        _ => g.map("Erf", x, &[], 1.0),
    })
}

/// The product, its operands in either order.
fn product(g: &mut GraphDraft, a: &Wire, b: &Wire) -> Option<Wire> {
    if g.draws.one_in(2) {
        g.combine("Mul", a, b)
    } else {
        g.combine("Mul", b, a)
    }
}

fn sum(g: &mut GraphDraft, a: &Wire, b: &Wire) -> Option<Wire> {
    if g.draws.one_in(2) {
        g.combine("Add", a, b)
    } else {
        g.combine("Add", b, a)
    }
}

fn clip(g: &mut GraphDraft, x: &Wire, low: f64, high: f64) -> Option<Wire> {
    let low_bound = g.floats(&[], vec![low])?;
    let high_bound = g.floats(&[], vec![high])?;
    let exact = |number: f64| Range::multiples(number, 1.0);
    let (low, high) = (
        g.constant(low_bound, exact(low)),
        g.constant(high_bound, exact(high)),
    );
    let range = Range {
        most: x.range.most.min(high.range.most),
        ..x.range
    };
    let shape = x.shape.clone();
    Some(match g.draws.below(4) {
        0 => {
            // Without the lower bound.
            let name = g.node("Clip", &[&x.name, "", &high.name], &[], 1).pop()?;
            Wire {
                name,
                shape,
                range: Range::rounded(x.range.most).held_by(x.dtype),
                dtype: x.dtype,
            }
        }
        _ => g.emit("Clip", &[x, &low, &high], &[], shape, range),
    })
}

/// x · min(max(x + 3, 0), 6) / 6.
fn hard_swish(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let (three, six) = (g.number(3.0)?, g.number(6.0)?);
    let moved = sum(g, x, &three)?;
    let gate = clip(g, &moved, 0.0, 6.0)?;
    if g.draws.one_in(2) {
        let gated = product(g, x, &gate)?;
        return g.combine("Div", &gated, &six).map(|wire| Wire {
            range: Range::rounded(x.range.most),
            ..wire
        });
    }
    let sixth = g.number(1.0 / 6.0)?;
    let share = product(g, &gate, &sixth)?;
    product(g, x, &share)
}

/// x/2 · (1 + erf(x/√2)), in the forms of the exporters.
fn gelu(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let scaled = if g.draws.one_in(2) {
        let root = g.number(SQRT_2)?;
        let scaled = g.combine("Div", x, &root)?;
        Wire {
            range: Range::rounded(x.range.most),
            ..scaled
        }
    } else {
        let root = g.number(1.0 / SQRT_2)?;
        product(g, x, &root)?
    };
    let (one, half) = (g.number(1.0)?, g.number(0.5)?);
    let erf = g.map("Erf", &scaled, &[], 1.0);
    let gate = sum(g, &erf, &one)?;
    match g.draws.below(3) {
        0 => {
            let gated = product(g, x, &gate)?;
            product(g, &gated, &half)
        }
        1 => {
            let halved = product(g, x, &half)?;
            product(g, &halved, &gate)
        }
        _ => {
            let halved = product(g, &gate, &half)?;
            product(g, x, &halved)
        }
    }
}

/// x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³))).
fn gelu_tanh(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let cube = if g.draws.one_in(2) {
        let three = g.number(3.0)?;
        let shape = broadcast(&x.shape, &three.shape)?;
        g.emit(
            "Pow",
            &[x, &three],
            &[],
            shape,
            Range::rounded(x.range.most.powi(3)),
        )
    } else {
        let square = product(g, x, x)?;
        product(g, &square, x)?
    };
    let (share, scale) = (g.number(0.044_715)?, g.number(FRAC_2_PI.sqrt())?);
    let part = product(g, &cube, &share)?;
    let inner = sum(g, x, &part)?;
    let inner = product(g, &inner, &scale)?;
    let tanh = g.map("Tanh", &inner, &[], 1.0);
    let (one, half) = (g.number(1.0)?, g.number(0.5)?);
    let gate = sum(g, &tanh, &one)?;
    let gated = product(g, x, &gate)?;
    product(g, &gated, &half)
}

/// PRelu with a slope for each channel, or one.
fn prelu(g: &mut GraphDraft, x: &Wire) -> Option<Wire> {
    let mut shape = vec![1; x.rank().saturating_sub(1)];
    if let (Some(first), Some(&channels)) = (shape.first_mut(), x.shape.get(1)) {
        *first = channels;
    }
    let slope = g.weights(&shape, 4)?;
    let range = x.range.or(x.range.dot(slope.range, 1));
    Some(g.emit("PRelu", &[x, &slope], &[], x.shape.clone(), range))
}

/// A value with a constant or another value that broadcasts to it.
pub fn arithmetic(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[1, 4, 3, 3], |_| true)?;
    let operator = g.text(&["Add", "Add", "Mul", "Mul", "Sub", "Max", "Min"]);
    let rank = x.rank();
    let channels = x.shape.get(1).copied().unwrap_or(1);
    let shape: Vec<usize> = match g.draws.below(7) {
        0 => vec![],
        1 => vec![1],
        2 => vec![x.last()],
        3 if rank >= 2 => [&[channels][..], &vec![1; rank - 2]].concat(),
        4 if rank >= 2 => [&[1, channels][..], &vec![1; rank - 2]].concat(),
        5 => x
            .shape
            .iter()
            .map(|&extent| if g.draws.one_in(2) { 1 } else { extent })
            .collect(),
        _ => x.shape.clone(),
    };
    let like = x.clone();
    let float = g.float;
    if g.draws.one_in(10) {
        // The value with itself.
        let y = g.combine(operator, &x, &x)?;
        g.keep(y);
        return Some(());
    }
    let partner = g.draws.one_in(2).then(|| {
        g.find(|wire| {
            wire.dtype == float && wire.name != like.name && broadcast(&wire.shape, &like.shape).is_some()
        })
    });
    let other = match partner.flatten() {
        Some(partner) => g.tamed(partner)?,
        None => g.weights(&shape, 1)?,
    };
    let y = if g.draws.one_in(3) {
        g.combine(operator, &other, &x)?
    } else {
        g.combine(operator, &x, &other)?
    };
    g.keep(y);
    Some(())
}

/// A Where over two values.
pub fn choice(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[2, 6], |_| true)?;
    let decides = g.decides(&x);
    let condition = if decides && g.draws.one_in(2) {
        let bound = g.number(0.0)?;
        let operator = g.text(&["Greater", "Less", "Equal", "GreaterOrEqual", "LessOrEqual"]);
        let shape = broadcast(&x.shape, &bound.shape)?;
        let name = g.node(operator, &[&x.name, &bound.name], &[], 1).pop()?;
        Wire {
            name,
            dtype: DType::Bool,
            shape,
            range: x.range,
        }
    } else {
        let shape: Vec<usize> = x
            .shape
            .iter()
            .map(|&extent| if g.draws.one_in(4) { 1 } else { extent })
            .collect();
        let flags = (0..shape.iter().product()).map(|_| g.draws.one_in(2)).collect();
        g.constant(Tensor::new::<bool>(&shape, flags).ok()?, x.range)
    };
    let other = g.number(-1.0)?;
    let shape = broadcast(&broadcast(&condition.shape, &x.shape)?, &other.shape)?;
    let (a, b) = if g.draws.one_in(2) {
        (&x, &other)
    } else {
        (&other, &x)
    };
    let name = g
        .node("Where", &[&condition.name, &a.name, &b.name], &[], 1)
        .pop()?;
    g.keep(Wire {
        name,
        dtype: x.dtype,
        shape,
        range: x.range.or(other.range),
    });
    Some(())
}

/// Casts to other types and back.
pub fn casts(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[3, 5], |_| true)?;
    let float = g.float;
    if g.decides(&x) && g.draws.one_in(4) {
        let operator = g.text(&["Floor", "Ceil", "Round", "Sign"]);
        let range = Range::multiples(x.range.most + 1.0, 1.0);
        let y = g.emit(operator, &[&x], &[], x.shape.clone(), range);
        g.keep(y);
        return Some(());
    }
    let to = |dtype: DType| [("to", Int(i64::from(dtype.to_onnx())))];
    let through = match g.draws.below(4) {
        0 if g.decides(&x) && x.range.most <= 1e9 => DType::Int64,
        1 if g.decides(&x) && x.range.most <= 100.0 => DType::Int8,
        2 => DType::Double,
        _ => DType::Float16,
    };
    let range = match through {
        DType::Int64 | DType::Int8 => Range::multiples(x.range.most, 1.0),
        _ => x.range.held_by(through),
    };
    let there = g.emit("Cast", &[&x], &to(through), x.shape.clone(), x.range);
    let there = Wire {
        dtype: through,
        ..there
    };
    if g.draws.one_in(4) && through == DType::Int64 {
        g.keep(Wire {
            range,
            ..there.clone()
        });
    }
    let back = g.emit("Cast", &[&there], &to(float), x.shape.clone(), range);
    g.keep(Wire {
        dtype: float,
        range: range.held_by(float),
        ..back
    });
    Some(())
}

/// A value expanded by Expand, and a node that reads it.
pub fn expansion(g: &mut GraphDraft) -> Option<()> {
    let x = g.float(&[1, 4, 1], |wire| wire.rank() >= 1 && wire.shape.contains(&1))?;
    let wanted: Vec<usize> = x
        .shape
        .iter()
        .map(|&extent| if extent == 1 { 1 + g.draws.below(3) } else { extent })
        .collect();
    let list = g.list(&wanted.iter().map(|&extent| extent as i64).collect::<Vec<_>>());
    let y = g.emit("Expand", &[&x, &list], &[], wanted, x.range);
    g.keep(y);
    Some(())
}

/// A constant tensor of the shape of a value.
pub fn fill(g: &mut GraphDraft) -> Option<()> {
    let x = g.find(|wire| wire.rank() >= 1)?;
    let shape = g.node("Shape", &[&x.name], &[], 1).pop()?;
    let float = g.float;
    let value = match float {
        DType::Float => filled(&[1], 1.5_f32)?,
        _ => return None,
    };
    let name = g
        .node(
            "ConstantOfShape",
            &[&shape],
            &[("value", onnx_model::AttributeValue::Tensor(value))],
            1,
        )
        .pop()?;
    g.keep(Wire {
        name,
        dtype: float,
        shape: x.shape,
        range: Range::multiples(1.5, 0.5),
    });
    Some(())
}
