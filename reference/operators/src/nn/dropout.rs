//! Dropout — in training, each element is dropped with probability `ratio` and the others are scaled by 1 /
//! (1 − ratio); otherwise a copy.
//!
//! The product is computed in f64 and rounded once (float8: saturating). The dropped elements are random
//! (`shared/random.rs`), so only the statistics of training are comparable between implementations.
//!
//! Versions: 1 and 6 train unless `is_test` is set; 7 and 10 are inference only, with a mask of ones, of
//! the type of the data in 7, bool in 10; since 12 `ratio` and `training_mode` are inputs; 13 and 22 add
//! types.
//!
//! Interpretation: up to 7 the mask has the type of the data, 1 for each kept element; in inference it is
//! all ones (question `dropout-mask`). In versions 1 and 6 the mask is not filled if `is_test` is set, so a
//! node that names it is an error.

use ndarray::{ArrayD, IxDyn};
use onnx_tensor::{DType, Tensor, Value};
use rand_distr::{Bernoulli, Distribution};

use crate::frame::Change::{First, Semantics, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, Reading, op, v};
use crate::shared::quantized::{reals, requantize, scalar};
use crate::shared::random::generator;
use crate::shared::reals::narrow;

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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MaskType {
    OfData,
    Bool,
}

fn by_is_test(call: &Call<'_>) -> Result<Outputs, OpError> {
    match call.int("is_test")? {
        0 => drop_elements(call, f64::from(call.float("ratio")?), MaskType::OfData),
        _ if call.wants(1) => Err(OpError::undefined("the mask of Dropout if `is_test` is set")),
        _ => Ok(vec![Some(call.tensor(0)?.clone().into())]),
    }
}

fn by_training_mode(call: &Call<'_>) -> Result<Outputs, OpError> {
    let training = call.optional(2).is_some() && call.scalar::<bool>(2)?;
    let ratio = match call.optional_tensor(1)? {
        None => 0.5,
        Some(ratio) => scalar(&reals(ratio)?, "ratio")?,
    };
    if training {
        drop_elements(call, ratio, MaskType::Bool)
    } else {
        copy(call, MaskType::Bool)
    }
}

fn copy(call: &Call<'_>, mask_type: MaskType) -> Result<Outputs, OpError> {
    let data: &Tensor = call.tensor(0)?;
    let kept = !call.takes(Reading::DropoutMaskZeros);
    let mask = mask(&vec![kept; data.len()], data, mask_type)?;
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
    let stays = Bernoulli::new(call.chance(1.0 - ratio))
        .map_err(|_| OpError::invalid(format!("`ratio` is {ratio}, which is not a probability")))?;
    let kept: Vec<bool> = stays.sample_iter(generator(call)?).take(data.len()).collect();
    let mut values = reals(data)?;
    for (value, &kept) in values.iter_mut().zip(&kept) {
        *value = if kept {
            *value / (1.0 - ratio)
        } else {
            *value * 0.0
        };
    }
    Ok(vec![
        Some(write(values, data.dtype())?.into()),
        Some(mask(&kept, data, mask_type)?),
    ])
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

fn write(values: ArrayD<f64>, dtype: DType) -> Result<Tensor, OpError> {
    match dtype {
        DType::Float16 | DType::Bfloat16 | DType::Float | DType::Double => narrow(values, dtype),
        _ => requantize(values, 0.0, dtype),
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_abs_diff_eq;

    use onnx_tensor::{Tensor, Value};

    use crate::frame::testing::{attribute, evaluate, exact, refused, values};

    /// The outputs of versions 7 and 10: a copy, and a mask of ones of the version's type.
    #[test]
    fn inference_by_version() {
        let x = Tensor::vector(vec![1.5_f32, -2.0]);
        let given = std::slice::from_ref(&x);
        exact(
            ("", "Dropout", 7),
            given,
            &[],
            &[x.clone(), Tensor::vector(vec![1.0_f32, 1.0])],
        );
        exact(
            ("", "Dropout", 10),
            given,
            &[],
            &[x.clone(), Tensor::vector(vec![true, true])],
        );
        refused(
            ("", "Dropout", 6),
            &values(given),
            &[attribute("is_test", 1)],
            "mask",
        );
    }

    /// The contract of training: a kept element is scaled by 1 / (1 − ratio), a dropped one is zero, the
    /// mask tells which. About `ratio` of 10,000 elements are dropped (five standard deviations are 0.022),
    /// and equal seeds have equal results.
    #[test]
    fn training() {
        let x = Tensor::vector(vec![3.0_f32; 10_000]);
        let inputs = values(&[x.clone(), Tensor::scalar(0.25_f32), Tensor::scalar(true)]);
        let run = |seed: i64| {
            evaluate(("", "Dropout", 13), &inputs, &[attribute("seed", seed)]).expect("the inputs are valid")
        };
        let outputs = run(7);
        let [Value::Tensor(y), Value::Tensor(mask)] = outputs.as_slice() else {
            panic!("{outputs:?}");
        };
        let (y, mask) = (
            y.to_vec::<f32>().expect("floats"),
            mask.to_vec::<bool>().expect("truth values"),
        );
        assert!(
            y.iter()
                .zip(&mask)
                .all(|(&y, &kept)| y == if kept { 4.0 } else { 0.0 })
        );
        let dropped = mask.iter().filter(|&&kept| !kept).count() as f64 / 10_000.0;
        assert_abs_diff_eq!(dropped, 0.25, epsilon = 0.022);
        assert!(
            matches!(run(7).as_slice(), [_, Value::Tensor(again)] if again.to_vec::<bool>() == Ok(mask.clone()))
        );
        assert!(
            matches!(run(8).as_slice(), [_, Value::Tensor(other)] if other.to_vec::<bool>() != Ok(mask.clone()))
        );
        let old = evaluate(("", "Dropout", 1), &values(&[x]), &[]).expect("the input is valid");
        let [Value::Tensor(y), Value::Tensor(mask)] = old.as_slice() else {
            panic!("{old:?}");
        };
        let (y, mask) = (
            y.to_vec::<f32>().expect("floats"),
            mask.to_vec::<f32>().expect("floats"),
        );
        assert!(y.iter().zip(&mask).all(|(&y, &kept)| y == 6.0 * kept));
        assert!(mask.contains(&0.0) && mask.contains(&1.0));
    }
}
