//! RMSNormalization — the elements from `axis` on divided by their root mean square, scaled.
//!
//! The sum of squares in double-double, the rest in f64; the first stage ends in the cast of `stash_type` ([`Stage`]), the
//! second is rounded once, to the type of the scale.

use ndarray::ArrayD;
use onnx_tensor::Tensor;

use super::moments::{Stage, mean_square};
use super::trailing::Trailing;
use crate::frame::Change::First;
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op("RMSNormalization", &[v(23, First, rms_normalization)]);

fn rms_normalization(call: &Call<'_>) -> Result<Outputs, OpError> {
    let x: &Tensor = call.tensor(0)?;
    let stage = Stage::new(call.int("stash_type")?, x.dtype())?;
    let trailing = Trailing::new(call.int("axis")?, x.shape())?;
    let epsilon = f64::from(call.float("epsilon")?);
    let elements = widen(x)?
        .into_iter()
        .map(|x| stage.enter(x))
        .collect::<Result<Vec<f64>, _>>()?;
    let mut normalised = Vec::with_capacity(elements.len());
    for row in trailing.rows(&elements) {
        let rms = (mean_square(row.iter().copied()) + epsilon).sqrt();
        for x in row {
            normalised.push(stage.leave(x / rms)?);
        }
    }
    let scale = call.tensor(1)?;
    let y = ArrayD::from_shape_vec(x.shape(), normalised)? * trailing.parameter(scale, x.shape())?;
    one(narrow(y, scale.dtype())?)
}
