//! Dropout — in training each element is dropped with probability `ratio`, the others grow by 1 / (1 − ratio); else a copy.
//!
//! The product is formed in f64 and rounded once (float8: saturating). Which elements fall is drawn from ChaCha8, seeded by
//! `seed` or by the interpreter: other implementations draw others, so that only the statistics of training compare.
//!
//! Versions: 1 and 6 train unless `is_test` is set; 7 and 10 are inference only, with a mask of ones, of the type of the
//! data in 7, bool in 10; from 12 on `ratio` and `training_mode` are inputs; 13 and 22 add types.
//!
//! Readings: up to 7 the mask has the type of the data, 1 for each element that stays. In versions 1 and 6 it is not filled
//! where `is_test` is set, so that a node which names it is refused.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::{DType, Tensor, Value};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::quantized::{reals, requantize, scalar};
use crate::shared::reals::{narrow, widen};

pub const OP: OpDef = op(
    "Dropout",
    &[
        v(1, First, by_is_test),
        v(6, Semantics, by_is_test),
        v(7, Semantics, |call| copy(call, MaskType::OfData)),
        v(10, Semantics, |call| copy(call, MaskType::Bool)),
        v(12, Semantics, by_training_mode),
        v(13, TypesOnly, by_training_mode),
        v(22, TypesOnly, by_training_mode),
    ],
);

/// The type of the mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MaskType {
    OfData,
    Bool,
}

fn by_is_test(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.int("is_test")? {
        0 => drop_elements(call, f64::from(call.float("ratio")?), MaskType::OfData),
        _ if call.wants(1) => Err(OpError::undefined("the mask of Dropout where `is_test` is set")),
        _ => Ok(vec![Some(call.tensor(0)?.clone().into())]),
    }
}

fn by_training_mode(call: &Call<'_>) -> Result<Outputs, OpError> {
    let training = call.optional(2).is_some() && call.scalar::<bool>(2)?;
    let ratio = match call.optional_tensor(1)? {
        None => 0.5,
        Some(ratio) => scalar(&read(ratio)?, "ratio")?,
    };
    match training {
        true => drop_elements(call, ratio, MaskType::Bool),
        false => copy(call, MaskType::Bool),
    }
}

fn copy(call: &Call<'_>, mask_type: MaskType) -> Result<Outputs, OpError> {
    let data: &Tensor = call.tensor(0)?;
    let mask = mask(&vec![true; data.len()], data, mask_type)?;
    Ok(vec![Some(data.clone().into()), Some(mask)])
}

fn drop_elements(call: &Call<'_>, ratio: f64, mask_type: MaskType) -> Result<Outputs, OpError> {
    if !(0.0..1.0).contains(&ratio) {
        return Err(OpError::invalid(format!("`ratio` is {ratio}, outside [0, 1)")));
    }
    if ratio == 0.0 {
        return copy(call, mask_type);
    }
    let data: &Tensor = call.tensor(0)?;
    let mut random = ChaCha8Rng::seed_from_u64(seed(call)?);
    // The upper 53 bits of a draw are a uniform number in [0, 1).
    let mut uniform = || (random.next_u64() >> 11) as f64 * f64::EPSILON / 2.0;
    let kept: Vec<bool> = (0..data.len()).map(|_| uniform() >= ratio).collect();
    let mut values = read(data)?;
    for (value, &kept) in values.iter_mut().zip(&kept) {
        *value = if kept { *value / (1.0 - ratio) } else { *value * 0.0 };
    }
    Ok(vec![
        Some(write(values, data.dtype())?.into()),
        Some(mask(&kept, data, mask_type)?),
    ])
}

/// The seed: the integer attribute where the version has it and the node sets it, else one that the interpreter draws.
fn seed(call: &Call<'_>) -> Result<u64, OpError> {
    match call.optional_int("seed")? {
        Some(seed) => Ok(seed.cast_unsigned()),
        None => call.seed(),
    }
}

fn mask(kept: &[bool], data: &Tensor, mask_type: MaskType) -> Result<Value, OpError> {
    let shape = IxDyn(data.shape());
    let mask = ArrayD::from_shape_vec(shape, kept.to_vec())?;
    Ok(match mask_type {
        MaskType::Bool => Tensor::from(mask),
        MaskType::OfData => narrow(mask.mapv(|kept| f64::from(u8::from(kept))), data.dtype())?,
    }
    .into())
}

fn is_wide(dtype: DType) -> bool {
    matches!(
        dtype,
        DType::Float16 | DType::Bfloat16 | DType::Float | DType::Double
    )
}

/// The elements of a tensor of floats, float8 included; exact.
fn read(tensor: &Tensor) -> Result<ArrayD<f64>, OpError> {
    if is_wide(tensor.dtype()) {
        widen(tensor)
    } else {
        reals(tensor)
    }
}

fn write(values: ArrayD<f64>, dtype: DType) -> Result<Tensor, OpError> {
    if is_wide(dtype) {
        narrow(values, dtype)
    } else {
        requantize(values, 0.0, dtype)
    }
}
