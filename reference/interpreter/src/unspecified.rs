//! Results that the specification does not determine: random draws, and conversions that it leaves undefined.
//!
//! A run returns the reference's choice for them. To find which elements of an output depend on such a
//! choice, a run may choose others at random, or refuse the first node that needs one.

use onnx_operators::frame::{OpError, Outputs, Unspecified};
use onnx_schema::OperatorSchema;
use onnx_tensor::{DType, Int, Real, Tensor, TensorError, Value, dispatch};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

/// A conversion whose result the specification leaves undefined for some elements, and the sentence.
fn conversion(schema: &OperatorSchema) -> Option<&'static str> {
    match (schema.domain, schema.name) {
        ("", "Cast" | "CastLike") => Some(
            "a float outside of the range of an integer type (Cast-13, floating point to fixed point: \"undefined if OOR\")",
        ),
        ("" | onnx_schema::CONTRIB_DOMAIN, "QuantizeLinear") => Some(
            "NaN, also as the quotient of two infinities or zeros, has no quantized value: no sentence of QuantizeLinear defines it",
        ),
        _ => None,
    }
}

/// Why a quantized operator with an infinite scale has no result.
const DEGENERATE: &str = "a scale is infinite: the products and quotients of quantized values are NaN, and no sentence defines their quantized value";

/// Whether a scale of an operator over quantized values is infinite or NaN, as a calibration over infinities
/// gives it.
fn has_degenerate_scale(schema: &OperatorSchema, inputs: &[Option<Value>]) -> bool {
    let is_scale = |index: usize| {
        let formal = schema.input(index);
        formal.is_some_and(|formal| formal.name.to_lowercase().contains("scale"))
    };
    let is_infinite = |value: &Option<Value>| match value.as_ref().and_then(Value::as_tensor) {
        Some(Tensor::Float(scales)) => scales.iter().any(|scale| !scale.is_finite()),
        _ => false,
    };
    let mut numbered = inputs.iter().enumerate();
    schema.name.starts_with('Q') && numbered.any(|(index, value)| is_scale(index) && is_infinite(value))
}

/// Applies `mode` to the outputs of a node. `seed` is drawn for the node.
pub(crate) fn apply(
    mode: Unspecified,
    schema: &OperatorSchema,
    inputs: &[Option<Value>],
    outputs: Outputs,
    seed: impl FnOnce() -> u64,
) -> Result<Outputs, OpError> {
    if mode == Unspecified::Chosen {
        return Ok(outputs);
    }
    let is_degenerate = has_degenerate_scale(schema, inputs);
    let Some(reason) = conversion(schema).or(is_degenerate.then_some(DEGENERATE)) else {
        return Ok(outputs);
    };
    let (Some(Some(Value::Tensor(x))), Some(Some(Value::Tensor(y)))) = (inputs.first(), outputs.first())
    else {
        return Ok(outputs);
    };
    let quotient = quotient(schema, x, inputs.get(1));
    let is_quantized = schema.name == "QuantizeLinear";
    let places = match undefined(quotient.as_ref().unwrap_or(x), y, is_quantized) {
        Some(places) => places,
        None if is_degenerate && !is_quantized => (0..y.len()).collect(),
        None => return Ok(outputs),
    };
    if mode == Unspecified::Refused {
        return Err(OpError::undefined(format!(
            "{} of {} elements are not specified: {reason}",
            places.len(),
            y.len()
        )));
    }
    let mut generator = ChaCha8Rng::seed_from_u64(seed());
    let drawn: Result<Tensor, OpError> = dispatch!(int, y.dtype(), T => {
        let mut elements = y.to_vec::<T>()?;
        for &place in &places {
            elements[place] = <T as Int>::wrap_i128(i128::from(generator.random::<i64>()));
        }
        Ok(Tensor::new(y.shape(), elements)?)
    });
    Ok(match drawn {
        Ok(drawn) => vec![Some(drawn.into())],
        // Types of 4 and 2 bits have no draw: their results stay the reference's choice.
        Err(_) => outputs,
    })
}

/// `x` divided by the one scale of QuantizeLinear: an infinity by an infinity, and zero by zero, is NaN.
/// `None` for other operators, and for several scales.
fn quotient(schema: &OperatorSchema, x: &Tensor, scale: Option<&Option<Value>>) -> Option<Tensor> {
    let scale = scale?.as_ref()?.as_tensor()?;
    let of = |tensor: &Tensor| -> Result<Vec<f64>, TensorError> {
        dispatch!(float, tensor.dtype(), T => {
            Ok(tensor.array::<T>()?.iter().map(|value| value.to_f64()).collect())
        })
    };
    let scales = of(scale)
        .ok()
        .filter(|scales| schema.name == "QuantizeLinear" && scales.len() == 1)?;
    let degenerate = scales
        .first()
        .filter(|scale| **scale == 0.0 || scale.is_infinite())?;
    let quotients = of(x).ok()?.iter().map(|value| value / degenerate).collect();
    Tensor::new::<f64>(x.shape(), quotients).ok()
}

/// The positions of floats of `x` whose conversion to the integers of `y` is undefined; `None` if there are
/// none.
fn undefined(x: &Tensor, y: &Tensor, only_nan: bool) -> Option<Vec<usize>> {
    let [least, most] = range(y.dtype())?;
    let outside = |value: f64| {
        if only_nan {
            value.is_nan()
        } else {
            !(least..=most).contains(&value.trunc())
        }
    };
    let found = |values: &mut dyn Iterator<Item = f64>| -> Vec<usize> {
        let numbered = values.enumerate().filter(|(_, value)| outside(*value));
        numbered.map(|(place, _)| place).collect()
    };
    let places = || -> Result<Vec<usize>, TensorError> {
        dispatch!(float, x.dtype(), T => Ok(found(&mut x.array::<T>()?.iter().map(|value| value.to_f64()))))
    };
    places().ok().filter(|places| !places.is_empty())
}

/// The ends of an integer type in f64, rounded into the range.
fn range(dtype: DType) -> Option<[f64; 2]> {
    let ends: Result<[f64; 2], OpError> = dispatch!(int, dtype, T => {
        let most = <T as Real>::GREATEST.to_f64();
        // 2^63 and 2^64 are rounded up from the greatest number.
        let most = if T::BITS == 64 { most.next_down() } else { most };
        Ok([<T as Real>::LEAST.to_f64(), most])
    });
    ends.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quotient_of_infinities_is_not_quantized() {
        let schema = onnx_schema::lookup("", "QuantizeLinear", 13).expect("a schema");
        let x = Tensor::vector(vec![f32::NEG_INFINITY, 0.0, 1.0]);
        let check = |scale: f32, nan: &[usize]| {
            let scale = Some(Tensor::scalar(scale).into());
            let quotient = quotient(schema, &x, Some(&scale));
            let found = quotient.and_then(|x| undefined(&x, &Tensor::vector(vec![0_i8; 3]), true));
            assert_eq!(found.unwrap_or_default(), nan);
        };
        check(f32::INFINITY, &[0]);
        check(0.0, &[1]);
        check(0.5, &[]);
    }

    #[test]
    fn operators_with_an_infinite_scale_have_no_result() {
        let check = |name: &str, scale: f32, expected: bool| {
            let schema = onnx_schema::lookup("", name, 21).expect("a schema");
            let bytes = Some(Tensor::vector(vec![1_i8]).into());
            let scale = Some(Tensor::scalar(scale).into());
            assert_eq!(has_degenerate_scale(schema, &[bytes, scale]), expected, "{name}");
        };
        check("QLinearConv", f32::INFINITY, true);
        check("QLinearConv", 0.5, false);
        check("DequantizeLinear", f32::INFINITY, false);
    }

    #[test]
    fn undefined_conversions() {
        let x = Tensor::vector(vec![
            1.5_f32,
            127.9,
            128.0,
            -128.9,
            -129.0,
            f32::NAN,
            f32::INFINITY,
        ]);
        let y = Tensor::vector(vec![0_i8; 7]);
        assert_eq!(undefined(&x, &y, false), Some(vec![2, 4, 5, 6]));
        assert_eq!(undefined(&x, &y, true), Some(vec![5]));
        let y = Tensor::vector(vec![0_u64; 7]);
        assert_eq!(undefined(&x, &y, false), Some(vec![3, 4, 5, 6]));
        assert_eq!(
            undefined(
                &Tensor::vector(vec![0.0_f32]),
                &Tensor::vector(vec![1_i64]),
                false
            ),
            None
        );
    }
}
