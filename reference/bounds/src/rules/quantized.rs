//! Quantized results: one step of error, only if the value before rounding is within its own rounding error
//! of a tie.
//!
//! The value before rounding is a real number v in steps. A backend computes it with a relative error of a
//! few u, so it may round to the other side of a tie that is closer than that. The rule runs the operator
//! with its scale a little smaller and a little larger; where the result changes, an error of one step is
//! allowed. A quotient by a power of two is exact, so that its tie is decided by the operator.

use ndarray::ArrayD;
use onnx_operators::frame::OpError;
use onnx_tensor::{Array, DType, Tensor, Value};

use super::integer_products::{Product, requantized};
use super::{Entry, entry, pointwise};
use crate::precision;
use crate::query::reals;
use crate::{Query, Radius, Sets, Span};

pub(super) const RULES: &[Entry] = &[
    // (x − zero point) · scale: one product of exact factors.
    entry("DequantizeLinear", dequantized),
    // x / scale, or x · (1 / scale): 2.5 ULP and 1 (*OpenCL C*, §7.4).
    entry("QuantizeLinear", quantized),
    // Sums of integers are exact; the three scales are multiplied and divided, and the product is rounded.
    entry("QLinearConv", |query| product(query, Product::Convolution)),
    entry("QLinearMatMul", |query| product(query, Product::Matrices)),
];

/// A product of quantized operands.
fn product(query: &Query<'_>, product: Product) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() {
        near_ties(query, &[6], 10.0, 0)
    } else {
        requantized(query, product)
    }
}

/// The index of the scale of QuantizeLinear.
const SCALE: usize = 1;

/// x · scale for each whole number that x may be; without sets of x, the error of x in steps.
pub(super) fn dequantized(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    // An int32 beyond 2²⁴ is rounded before the product.
    let ulps = match query.call.dtype(0)? {
        DType::Int32 => 2.0,
        _ => 1.0,
    };
    let radii = pointwise::within_ulps_and(query, ulps, |query, _| steps(query))?;
    let given = query.errors.first().map_or(const { &Sets::NONE }, Radius::sets);
    let (Some(x), Some(dtype), false) = (
        query.call.optional_tensor(0)?,
        query.output_dtype(0),
        given.is_empty(),
    ) else {
        return Ok(radii);
    };
    let Some(Radius::Within { radius, .. }) = radii.first() else {
        return Ok(radii);
    };
    let missing = || OpError::invalid("the output is not a numeric tensor");
    let center = query.output(0).and_then(reals).ok_or_else(missing)?.into_owned();
    let exact = reals(x).ok_or_else(missing)?;
    let scales = unit_steps(query).ok_or_else(missing)?;
    let mut sets = Sets::default();
    for (place, ((x, center), scale)) in exact.iter().zip(&center).zip(&scales).enumerate() {
        let Some(spans) = given.get(place) else { continue };
        let value = |x_other: f64| center + (x_other - x) * scale;
        let answers = spans.iter().map(|span| {
            let (low, high) = (
                value(span.low).min(value(span.high)),
                value(span.low).max(value(span.high)),
            );
            let off = 2.0 * precision::ulp(dtype, low.abs().max(high.abs()).max(center.abs()));
            Span {
                low: low - off,
                high: high + off,
            }
        });
        sets.insert(place, answers.collect());
    }
    let radius = radius.to_owned().into_owned();
    Ok(vec![Radius::among(
        &center,
        &radius,
        sets,
        "the steps that x may be",
    )])
}

/// The propagated error of x: its radius times the scale. The scales are the result of the operator for ones
/// without a zero point.
fn steps(query: &Query<'_>) -> Option<ArrayD<f64>> {
    Some(query.error(0)?.into_owned() * unit_steps(query)?.mapv(f64::abs))
}

/// The scale of each element; `None` if a scale or a zero point has an error.
fn unit_steps(query: &Query<'_>) -> Option<ArrayD<f64>> {
    query.errors.iter().skip(1).all(Radius::is_exact).then_some(())?;
    let ones = |index: usize, tensor: &Tensor| match index {
        0 => filled(tensor, 1),
        SCALE => None,
        _ => filled(tensor, 0),
    };
    let scales = query.evaluate_with(query.call.given_attributes(), ones).ok()?;
    Some(reals(scales.into_iter().next().flatten().as_ref()?)?.into_owned())
}

/// A tensor of the same shape and integer type, filled with one number.
fn filled(like: &Tensor, number: u8) -> Option<Tensor> {
    let shape = like.shape();
    Some(match like.dtype() {
        DType::Uint8 => ArrayD::from_elem(shape, number).into(),
        DType::Int8 => ArrayD::from_elem(shape, i8::try_from(number).ok()?).into(),
        DType::Uint16 => ArrayD::from_elem(shape, u16::from(number)).into(),
        DType::Int16 => ArrayD::from_elem(shape, i16::from(number)).into(),
        DType::Int32 => ArrayD::from_elem(shape, i32::from(number)).into(),
        _ => return None,
    })
}

/// If x has an error, its ends are combined with those of the scale: v is monotone in both. An error of the
/// zero point shifts all values, and the radius is unknown.
pub(super) fn quantized(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let others_exact = query.errors.iter().skip(2).all(Radius::is_exact);
    if !others_exact || query.unknown_input().is_some() {
        return super::exact::decides(query);
    }
    let exact = query.inputs_exact();
    if let Some(radii) = exact.then(|| of_few(query)).flatten() {
        return radii;
    }
    near_ties(query, &[SCALE], QUOTIENT, if exact { 0 } else { 2 })
}

/// The relative error of a quotient in units of roundoff, with that of the scale.
const QUOTIENT: f64 = 7.0;

/// The radii of floats that are quantized with one scale to integers: only those close to a tie are quantized
/// again. `None` for other quantizations.
fn of_few(query: &Query<'_>) -> Option<Result<Vec<Radius>, OpError>> {
    let operand = |index: usize| query.call.optional(index).and_then(Value::as_tensor);
    let (x, scale) = match (operand(0)?, operand(SCALE)?) {
        (Tensor::Float(x), Tensor::Float(scale)) if scale.len() == 1 => (x, *scale.first()?),
        _ => return None,
    };
    let zero_point = operand(2);
    let is_blocked = query
        .call
        .given_attributes()
        .iter()
        .any(|given| given.name == "block_size");
    let is_integer = query.output_dtype(0).is_some_and(DType::is_integer);
    if is_blocked || !is_integer || zero_point.is_some_and(|zero| zero.len() != 1) {
        return None;
    }
    let unit = precision::unit(DType::Float).unwrap_or(0.0);
    // Twice the error: the quotient here has one of its own.
    let is_close = |x: &f32| {
        let steps = f64::from(*x) / f64::from(scale);
        0.5 - (steps - steps.round_ties_even()).abs() <= 2.0 * QUOTIENT * unit * steps.abs()
    };
    let close: Vec<(usize, f32)> = x
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, x)| is_close(x))
        .collect();
    if close.is_empty() || is_power_of_two(scale.into()) {
        return Some(Ok(vec![Radius::Exact; query.outputs.len()]));
    }
    let few = Tensor::vector(close.iter().map(|(_, x)| *x).collect());
    let inputs = [
        Some(Value::Tensor(few)),
        Some(Value::Tensor(Tensor::scalar(scale))),
        zero_point.and_then(|zero| Some(Value::Tensor(zero.reshape(&[]).ok()?))),
    ];
    if zero_point.is_some() != inputs[2].is_some() {
        return None;
    }
    Some(again(query, &inputs[..query.call.input_count()]).map(|radius| {
        let mut sets = Sets::default();
        for (place, spans) in radius.sets().iter() {
            sets.insert(close[place].0, spans.to_vec());
        }
        let mut radii = vec![Radius::Exact; query.outputs.len()];
        if let Radius::Within { radius, model, .. } = radius {
            let mut all = ArrayD::zeros(x.raw_dim());
            let places = all.as_slice_mut().unwrap_or_default();
            for ((place, _), radius) in close.iter().zip(&radius) {
                places[*place] = *radius;
            }
            radii[0] = Radius::Within {
                radius: all.into_shared(),
                model,
                sets,
            };
        }
        radii
    }))
}

/// The radius of the same quantization of other exact inputs.
fn again(query: &Query<'_>, inputs: &[Option<Value>]) -> Result<Radius, OpError> {
    let (schema, attributes) = (query.call.schema(), query.call.given_attributes());
    let call = query.call.with_node(schema, inputs, attributes, &[true]);
    let outputs = (query.eval)(&call)?;
    let few = Query {
        call: &call,
        outputs: &outputs,
        errors: &vec![Radius::Exact; inputs.len()],
        ..*query
    };
    Ok(near_ties(&few, &[SCALE], QUOTIENT, 0)?.remove(0))
}

/// Whether a division by this number only changes the exponent.
fn is_power_of_two(number: f64) -> bool {
    const SIGNIFICAND: u64 = (1 << 52) - 1;
    number.is_normal() && number.to_bits() & SIGNIFICAND == 0
}

/// How far the result can change if the inputs `scales` change by `share` units of roundoff of their own
/// type, in any combination, and the first `off` inputs within their radii.
pub(super) fn near_ties(
    query: &Query<'_>,
    scales: &[usize],
    share: f64,
    off: usize,
) -> Result<Vec<Radius>, OpError> {
    let Some(&first_scale) = scales.first() else {
        return super::exact::decides(query);
    };
    if off == 0 && !query.inputs_exact() {
        return super::exact::decides(query);
    }
    let unit = precision::unit(query.call.dtype(first_scale)?).unwrap_or(0.0);
    // The scales of the operands of a product are rounded with it, unless they are powers of two as well.
    let is_exact = |index: usize| {
        let scales = query.input(index).filter(|_| query.is_float(index));
        scales.is_none_or(|scales| scales.iter().all(|scale| is_power_of_two(*scale)))
    };
    let divides_exactly = match query.call.schema().name {
        "QuantizeLinear" => true,
        // Whether the zero point is added before the rounding is open; an exact tie shows it.
        "QLinearAdd" | "QLinearMul" => false,
        _ => (0..query.call.input_count()).all(is_exact),
    };
    // Bit `turn` of a combination is the sign of scale `turn`; the one behind them is that of the errors.
    let sign = |combination: usize, turn: usize| {
        if combination >> turn & 1 == 0 { -1.0 } else { 1.0 }
    };
    let moved = |combination: usize| {
        let outputs = query.again(|index, value| {
            let turn = scales.iter().position(|&scale| scale == index);
            let value = match query.error(index) {
                Some(error) if index < off => {
                    let side = sign(combination, turn.unwrap_or(scales.len()));
                    value + error.mapv_into(|error| error * side)
                }
                _ => value,
            };
            match turn {
                Some(turn) => {
                    let moved = 1.0 + sign(combination, turn) * share * unit;
                    value.mapv_into(|scale| {
                        if divides_exactly && is_power_of_two(scale) {
                            scale
                        } else {
                            scale * moved
                        }
                    })
                }
                None => value,
            }
        })?;
        let first: Option<Array<f64>> = outputs.into_iter().next().flatten();
        first.ok_or_else(|| OpError::invalid("the output is not a numeric tensor".to_owned()))
    };
    let ends = 0..1_usize << (scales.len() + usize::from(off > 0));
    let mut reach: Option<(ArrayD<f64>, ArrayD<f64>)> = None;
    for combination in ends {
        let end = moved(combination)?.into_owned();
        let (low, high) = reach.get_or_insert_with(|| (end.clone(), end.clone()));
        low.zip_mut_with(&end, |low, end| *low = low.min(*end));
        high.zip_mut_with(&end, |high, end| *high = high.max(*end));
    }
    let center = query
        .output(0)
        .and_then(reals)
        .map(Array::into_owned)
        .unwrap_or_default();
    let mut sets = Sets::default();
    let (low, high) = reach.unwrap_or_default();
    for (place, (low, high)) in low
        .iter()
        .zip(&high)
        .enumerate()
        .filter(|(_, (low, high))| low != high)
    {
        // A result of at most 8 bits may be a float: then all values between the ends are right.
        match query.output_dtype(0).and_then(precision::unit) {
            None => sets.insert_whole(place, *low, *high),
            Some(_) => sets.insert(
                place,
                vec![Span {
                    low: *low,
                    high: *high,
                }],
            ),
        }
    }
    let radius = ArrayD::zeros(center.raw_dim());
    let model = "one step where the value before rounding is near a tie";
    let mut radii = vec![Radius::among(&center, &radius, sets, model)];
    radii.resize(query.outputs.len(), Radius::Exact);
    Ok(radii)
}
