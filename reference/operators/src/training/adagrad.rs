//! Adagrad — one step of gradient descent with a rate per element that decreases with its accumulated
//! squared gradient.
//!
//! Precision and interpretation: see `optimizer.rs`.

use super::optimizer::{Progress, update};
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, op_in, v};

pub const OP: OpDef = op_in("ai.onnx.preview.training", "Adagrad", &[v(1, First, adagrad)]);

fn adagrad(call: &Call<'_>) -> Result<Outputs, OpError> {
    let progress = Progress::read(call)?;
    let attribute = |name| call.float(name).map(f64::from);
    let (decay, epsilon, norm) = (
        attribute("decay_factor")?,
        attribute("epsilon")?,
        attribute("norm_coefficient")?,
    );
    let rate = progress.rate / (1.0 + progress.count as f64 * decay);
    update(call, |[x, gradient, squares]| {
        let gradient = norm * x + gradient;
        let squares = squares + gradient * gradient;
        [x - rate * gradient / (squares.sqrt() + epsilon), squares]
    })
}
