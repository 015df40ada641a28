//! Multinomial — `sample_size` draws of a class for each row of unnormalised log-probabilities
//! (`shared/random.rs`).
//!
//! The probability of a class is exp(x − max) / Σ exp(x − max) of its row, in f64; −Inf is never drawn.
//! Version 22 adds bfloat16 inputs. A row without a drawable class (all −Inf, or with NaN or +Inf) is an
//! error.

use onnx_tensor::{Int, Tensor, dispatch};
use rand::distr::weighted::WeightedIndex;
use rand_distr::Distribution;

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, one, op, v};
use crate::shared::layout;
use crate::shared::random::generator;
use crate::shared::reals::widen;

pub const OP: OpDef = op(
    "Multinomial",
    &[v(7, First, multinomial), v(22, TypesOnly, multinomial)],
);

fn multinomial(call: &Call<'_>) -> Result<Outputs, OpError> {
    let logarithms = widen(call.tensor(0)?)?;
    let logarithms = logarithms
        .view()
        .into_dimensionality::<ndarray::Ix2>()
        .map_err(|_| {
            OpError::invalid(format!(
                "shape {:?} is not [batch_size, class_size]",
                logarithms.shape()
            ))
        })?;
    let samples = layout::extents(&[call.int("sample_size")?])?[0];
    let shape = [logarithms.nrows(), samples];
    let dtype = call.output_dtype(0, call.dtype_attribute("dtype")?)?;
    call.reserve(&shape, dtype)?;
    let mut generator = generator(call)?;
    let mut drawn = Vec::new();
    for (index, row) in logarithms.rows().into_iter().enumerate() {
        let greatest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let classes = WeightedIndex::new(row.iter().map(|value| call.chance(libm::exp(value - greatest))))
            .map_err(|_| OpError::invalid(format!("row {index} has no class that can be drawn: {row}")))?;
        drawn.extend((0..samples).map(|_| classes.sample(&mut generator)));
    }
    dispatch!(int, dtype, T => {
        let classes = drawn.iter().map(|&class| <T as Int>::wrap_i128(class as i128));
        one(Tensor::new(&shape, classes.collect())?)
    })
}
