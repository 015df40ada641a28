//! Products of quantized operands with errors: ConvInteger, MatMulInteger, QLinearConv, QLinearMatMul.
//!
//! Each operand is known up to whole steps. A sum Σ aᵢ·bᵢ of operands minus their zero points is then off by
//! at most Σ |aᵢ|·δbᵢ + δaᵢ·(|bᵢ| + δbᵢ); both sums are evaluated by MatMul or Conv in double. The results of
//! ConvInteger and MatMulInteger are the whole numbers within that distance. QLinearConv and QLinearMatMul
//! scale both ends, each with a relative error of 10u for the product and the quotient of three scales, and
//! round them: their results are the whole numbers between. A sum that may leave int32 wraps, and has no
//! bound; neither has a result with a scale, a bias or an output zero point that has an error.

use ndarray::{ArrayD, Zip};
use onnx_operators::frame::{self, OpError};
use onnx_operators::shared::quantized::{Along, along, requantize, scalar};
use onnx_tensor::{Array, Tensor, Value};

use super::exact::decides;
use super::{Entry, entry};
use crate::query::reals;
use crate::{Query, Radius, Sets, precision};

pub(super) const RULES: &[Entry] = &[
    entry("ConvInteger", |query| summed(query, Product::Convolution)),
    entry("MatMulInteger", |query| summed(query, Product::Matrices)),
];

/// The error model of all rules here.
const MODEL: &str = "steps that the quantized operands may be";

/// What is multiplied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Product {
    /// Matrices, by MatMul.
    Matrices,
    /// An image and filters, by Conv.
    Convolution,
}

/// An operand minus its zero point: for each element the middle of the values that it may have, and half of
/// their range.
struct Operand {
    value: ArrayD<f64>,
    error: ArrayD<f64>,
}

/// Sums with the greatest error of each.
type Sums = (ArrayD<f64>, ArrayD<f64>);

fn missing() -> OpError {
    OpError::invalid("the operands are not numeric tensors")
}

/// ConvInteger and MatMulInteger.
fn summed(query: &Query<'_>, product: Product) -> Result<Vec<Radius>, OpError> {
    if query.inputs_exact() || query.unknown_input().is_some() {
        return decides(query);
    }
    let (sums, off) = sums(query, product, [(0, 2), (1, 3)], None)?;
    let center = query.output(0).and_then(reals).ok_or_else(missing)?.into_owned();
    let mut sets = Sets::default();
    let mut radius = ArrayD::zeros(sums.raw_dim());
    for (place, ((sum, off), radius)) in sums.iter().zip(&off).zip(&mut radius).enumerate() {
        if wraps(*sum, *off) {
            *radius = f64::INFINITY
        } else if *off > 0.0 {
            sets.insert_whole(place, sum - off, sum + off)
        }
    }
    Ok(vec![Radius::among(&center, &radius, sets, MODEL)])
}

/// QLinearConv and QLinearMatMul with operands that have errors.
pub(super) fn requantized(query: &Query<'_>, product: Product) -> Result<Vec<Radius>, OpError> {
    const OPERANDS: [usize; 4] = [0, 2, 3, 5];
    let others = (0..query.errors.len()).filter(|index| !OPERANDS.contains(index));
    let whole = query.output_dtype(0).and_then(precision::unit).is_none();
    if query.unknown_input().is_some() || !whole || others.into_iter().any(|at| !query.errors[at].is_exact())
    {
        return decides(query);
    }
    let bias = query.input(8).filter(|_| product == Product::Convolution);
    let (sums, off) = sums(query, product, [(0, 2), (3, 5)], bias)?;
    let scales = scales(query, product, sums.shape())?;
    let share = 10.0 * precision::unit(query.call.dtype(6)?).unwrap_or(0.0);
    let zero_point = scalar(&query.input(7).ok_or_else(missing)?.into_owned(), "y_zero_point")?;
    let dtype = query.output_dtype(0).ok_or_else(missing)?;
    let end = |side: f64| {
        let scaled = Zip::from(&sums)
            .and(&off)
            .and(&scales)
            .map_collect(|sum, off, scale| {
                let value = (sum + side * off) * scale;
                value + side * share * value.abs()
            });
        let rounded = requantize(scaled, zero_point, dtype)?;
        reals(&rounded).map(Array::into_owned).ok_or_else(missing)
    };
    let (low, high) = (end(-1.0)?, end(1.0)?);
    let center = query.output(0).and_then(reals).ok_or_else(missing)?.into_owned();
    let mut sets = Sets::default();
    let mut radius = ArrayD::zeros(center.raw_dim());
    let elements = sums.iter().zip(&off).zip(&mut radius);
    for (place, (((sum, off), radius), (low, high))) in elements.zip(low.iter().zip(&high)).enumerate() {
        if wraps(*sum, *off) {
            *radius = f64::INFINITY;
        } else if low != high {
            sets.insert_whole(place, low.min(*high), low.max(*high));
        }
    }
    Ok(vec![Radius::among(&center, &radius, sets, MODEL)])
}

/// Whether a sum may leave int32.
fn wraps(sum: f64, off: f64) -> bool {
    sum.abs() + off > f64::from(i32::MAX)
}

/// The sums of products of two operands, each with the index of its zero point.
fn sums(
    query: &Query<'_>,
    product: Product,
    [a, b]: [(usize, usize); 2],
    bias: Option<Array<f64>>,
) -> Result<Sums, OpError> {
    let (a, b) = (
        operand(query, product, a, Along::Rows)?,
        operand(query, product, b, Along::Columns)?,
    );
    let magnitude = |operand: &Operand| operand.value.mapv(f64::abs);
    let mut sums = evaluate(query, product, a.value.clone(), b.value.clone())?;
    let mut off = evaluate(query, product, magnitude(&a), b.error.clone())?;
    off += &evaluate(query, product, a.error.clone(), magnitude(&b) + &b.error)?;
    if let Some(bias) = bias {
        sums += &of_maps(bias.into_owned(), sums.ndim(), 1)?;
    }
    Ok((sums, off))
}

/// Input `index` minus its zero point.
fn operand(
    query: &Query<'_>,
    product: Product,
    (index, zero_point): (usize, usize),
    axis: Along,
) -> Result<Operand, OpError> {
    let mut operand = range(query, index).ok_or_else(missing)?;
    if let Some(Operand {
        value: zero,
        error: off,
    }) = range(query, zero_point)
    {
        let shape = operand.value.shape().to_vec();
        let spread = |array: ArrayD<f64>| match product {
            Product::Matrices => along(array, &shape, axis),
            Product::Convolution => Ok(of_maps(array, shape.len(), 0)?.into_shared()),
        };
        let (zero, off) = (spread(zero)?, spread(off)?);
        let view = |array: &Array<f64>| array.broadcast(shape.clone()).map(|view| view.to_owned());
        operand.value -= &view(&zero).ok_or_else(missing)?;
        operand.error += &view(&off).ok_or_else(missing)?;
    }
    Ok(operand)
}

/// Input `index` with the range of each element: that of its right answers, if they are listed.
fn range(query: &Query<'_>, index: usize) -> Option<Operand> {
    let (value, error) = query.input(index).zip(query.error(index))?;
    let (mut value, mut error) = (value.into_owned(), error.into_owned());
    for (place, (value, error)) in value.iter_mut().zip(&mut error).enumerate() {
        let Some(spans) = query.errors.get(index)?.sets().get(place) else {
            continue;
        };
        let low = spans.iter().map(|span| span.low).fold(f64::INFINITY, f64::min);
        let high = spans
            .iter()
            .map(|span| span.high)
            .fold(f64::NEG_INFINITY, f64::max);
        (*value, *error) = ((low + high) / 2.0, (high - low) / 2.0);
    }
    Some(Operand { value, error })
}

/// One number for each output channel, or one for all, in a shape that broadcasts along `axis`: the first of
/// filters, the second of images.
fn of_maps(values: ArrayD<f64>, rank: usize, axis: usize) -> Result<ArrayD<f64>, OpError> {
    let mut shape = vec![1; rank];
    if let Some(extent) = shape.get_mut(axis) {
        *extent = values.len();
    }
    values.into_shape_with_order(shape).map_err(|_| missing())
}

/// a_scale · b_scale / y_scale for each element of the result.
fn scales(query: &Query<'_>, product: Product, shape: &[usize]) -> Result<ArrayD<f64>, OpError> {
    let real = |index: usize| query.input(index).map(Array::into_owned).ok_or_else(missing);
    let shape_of = |index: usize| Ok::<_, OpError>(query.call.tensor(index)?.shape().to_vec());
    let y_scale = scalar(&real(6)?, "y_scale")?;
    let (a, b) = match product {
        Product::Matrices => (
            along(real(1)?, &shape_of(0)?, Along::Rows)?,
            along(real(4)?, &shape_of(3)?, Along::Columns)?,
        ),
        Product::Convolution => (
            of_maps(real(1)?, shape.len(), 1)?.into_shared(),
            of_maps(real(4)?, shape.len(), 1)?.into_shared(),
        ),
    };
    let view = |array: &Array<f64>| array.broadcast(shape).map(|view| view.to_owned());
    let (a, b) = (view(&a).ok_or_else(missing)?, view(&b).ok_or_else(missing)?);
    Ok(Zip::from(&a).and(&b).map_collect(|a, b| a * b / y_scale))
}

/// MatMul or Conv of two operands in double, with the attributes of the node.
fn evaluate(
    query: &Query<'_>,
    product: Product,
    a: ArrayD<f64>,
    b: ArrayD<f64>,
) -> Result<ArrayD<f64>, OpError> {
    let (name, opset) = match product {
        Product::Matrices => ("MatMul", 13),
        Product::Convolution => ("Conv", 11),
    };
    let schema = onnx_schema::lookup("", name, opset).ok_or_else(missing)?;
    let eval = frame::version("", name, schema.since).ok_or_else(missing)?.eval;
    let inputs = [a, b].map(|array| Some(Value::Tensor(Tensor::from(array.into_shared()))));
    let attributes = query.call.given_attributes();
    let call = query.call.with_node(schema, &inputs, attributes, &[true]);
    let outputs = eval(&call)?;
    let first = outputs
        .first()
        .and_then(Option::as_ref)
        .and_then(Value::as_tensor);
    first.and_then(reals).map(Array::into_owned).ok_or_else(missing)
}
