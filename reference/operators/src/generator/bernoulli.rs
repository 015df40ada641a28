//! Bernoulli — for each element, 1 with the probability given by the input, otherwise 0
//! (`shared/random.rs`).
//!
//! Version 22 adds bfloat16 inputs. A probability outside [0, 1] is an error.

use onnx_tensor::Tensor;
use rand_distr::{Bernoulli, Distribution};

use super::draws::like_input;
use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::convert::{self, Rules};
use crate::shared::random::generator;
use crate::shared::reals::widen;

pub const OP: OpDef = op(
    "Bernoulli",
    &[v(15, First, bernoulli), v(22, TypesOnly, bernoulli)],
);

fn bernoulli(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (shape, dtype) = like_input(call)?;
    let dtype = call.output_dtype(0, dtype)?;
    call.reserve(&shape, dtype)?;
    let mut generator = generator(call)?;
    let mut draw = |&p: &f64| match Bernoulli::new(call.chance(p)) {
        Ok(distribution) => Ok(distribution.sample(&mut generator)),
        Err(_) => Err(OpError::invalid(format!("{p} is not a probability"))),
    };
    let probabilities = widen(call.tensor(0)?)?;
    let drawn = probabilities
        .iter()
        .map(&mut draw)
        .collect::<Result<Vec<bool>, _>>()?;
    one(convert::convert(
        &Tensor::new(&shape, drawn)?,
        dtype,
        Rules::DEFAULT,
    )?)
}
