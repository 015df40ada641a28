//! Adam — one step of gradient descent with averaged gradients, scaled by averaged squared gradients.
//!
//! Precision and interpretation: see `optimizer.rs`. If `T` is 0, the rate is unchanged, as the text says.

use super::optimizer::{Progress, update};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.preview.training", "Adam", &[v(1, First, adam)]);

fn adam(call: &Call<'_>) -> Result<Outputs, OpError> {
    let Progress { rate, count } = Progress::read(call)?;
    let attribute = |name| call.float(name).map(f64::from);
    let (alpha, beta, epsilon) = (attribute("alpha")?, attribute("beta")?, attribute("epsilon")?);
    let (norm, norm_post) = (
        attribute("norm_coefficient")?,
        attribute("norm_coefficient_post")?,
    );
    let power = |base: f64| libm::pow(base, count as f64);
    let rate = match count {
        1.. => rate * (1.0 - power(beta)).sqrt() / (1.0 - power(alpha)),
        _ => rate,
    };
    update(call, |[x, gradient, average, squares]| {
        let gradient = norm * x + gradient;
        let average = alpha * average + (1.0 - alpha) * gradient;
        let squares = beta * squares + (1.0 - beta) * gradient * gradient;
        let moved = x - rate * average / (squares.sqrt() + epsilon);
        [(1.0 - norm_post) * moved, average, squares]
    })
}
