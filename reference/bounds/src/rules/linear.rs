//! Sums of products: γₙ·Σ|a·b|, with the n of the operator.
//!
//! Σ|a·b| is the operator applied to the magnitudes of its operands. n counts the terms of one element, and
//! one for each further rounding (a bias, a scale). Any order of summation, with or without FMA, is within
//! this bound (Higham §3.1 and §4.2).

use ndarray::{ArrayD, Zip};
use onnx_arithmetic::errors;
use onnx_model::{Attribute, AttributeValue};
use onnx_operators::frame::OpError;
use onnx_operators::shared::broadcast;
use onnx_operators::shared::einsum_axes;
use onnx_operators::shared::einsum_equation::Equation;
use onnx_operators::shared::pairs::ByRows;
use onnx_tensor::Tensor;

use super::{Entry, entry};
use crate::precision::{Growth, gamma, growth, ordinary_sum, ulp};
use crate::query::is_float;
use crate::{Query, Radius, rough};

pub(super) const RULES: &[Entry] = &[
    entry("AveragePool", average_pool),
    entry("Col2Im", |query| {
        let blocks = query.call.integers(2)?;
        let block = blocks
            .iter()
            .fold(1_i64, |product, &extent| product.saturating_mul(extent));
        sum_of_products(query, usize::try_from(block).unwrap_or(1).max(1))
    }),
    entry("CumSum", |query| {
        let longest = query.call.tensor(0)?.shape().iter().copied().max().unwrap_or(1);
        sum_of_products(query, longest)
    }),
    entry("Einsum", einsum),
    entry("Gemm", gemm),
    entry("GlobalAveragePool", reduction),
    entry("MatMul", mat_mul),
    // The sum, and the division.
    entry("Mean", |query| {
        sum_of_products(query, query.call.input_count() + 1)
    }),
    entry("ReduceL1", reduction),
    entry("ReduceMean", reduction),
    entry("ReduceSum", reduction),
    entry("Sum", |query| sum_of_products(query, query.call.input_count())),
];

/// MatMul: n is the inner extent.
fn mat_mul(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let terms = query.call.tensor(0)?.shape().last().copied().unwrap_or(1);
    sum_of(query, terms, &[0, 1])
}

/// Gemm: the inner extent, alpha, beta and C.
fn gemm(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let a = query.call.tensor(0)?.shape();
    let transposed = query.call.optional_int("transA")?.unwrap_or(0) != 0;
    let inner = if transposed { a.first() } else { a.last() };
    // With magnitudes, a negative scale would subtract one part from the other.
    let magnitude = |attribute: &Attribute| Attribute {
        name: attribute.name.clone(),
        value: match attribute.value {
            AttributeValue::Float(scale) => AttributeValue::Float(scale.abs()),
            ref other => other.clone(),
        },
    };
    let attributes: Vec<Attribute> = query.call.given_attributes().iter().map(magnitude).collect();
    let terms = inner.copied().unwrap_or(1).saturating_add(3);
    sum_of_under(query, &attributes, terms, &[0, 1])
}

/// AveragePool: the taps of the kernel, and the division.
fn average_pool(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let kernel = query.call.ints("kernel_shape")?;
    let taps = kernel
        .iter()
        .fold(1_i64, |product, &extent| product.saturating_mul(extent));
    sum_of_products(query, usize::try_from(taps).unwrap_or(1).saturating_add(1))
}

/// Einsum: the extents of the labels that are not in the result, including those of an ellipsis, and one
/// more product for each further operand.
fn einsum(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let call = query.call;
    let tensors = call.tensors_from(0)?;
    let shapes: Vec<&[usize]> = tensors.iter().map(|tensor| tensor.shape()).collect();
    let ranks: Vec<usize> = shapes.iter().map(|shape| shape.len()).collect();
    let equation = Equation::parse(call.string("equation")?, &ranks)?;
    let axes = einsum_axes::axes(call, &equation, &shapes)?;
    let summed = axes.iter().skip(equation.result.len());
    let count = summed.fold(1_usize, |count, axis| count.saturating_mul(axis.extent));
    let factors: Vec<usize> = (0..call.input_count()).collect();
    sum_of(query, count.saturating_add(factors.len()), &factors)
}

/// A reduction: n is the number of inputs per output, plus one rounding for a division.
fn reduction(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let inputs = query.call.tensor(0)?.len();
    let outputs = query.output(0).map_or(1, |output| output.len()).max(1);
    sum_of_products(query, (inputs / outputs).saturating_add(1))
}

/// γₙ of the sum of magnitudes, plus the propagated errors of the terms.
pub fn sum_of_products(query: &Query<'_>, terms: usize) -> Result<Vec<Radius>, OpError> {
    sum_of(query, terms, &[])
}

/// The radius of a sum of products of `factors` (indices of inputs); every other input is added. Without
/// factors, all inputs are added.
///
/// With γ the radius is γ·Σ|a·b| + (1 + γ)·(propagated errors), and both terms are linear in the first
/// factor: if no other factor has an error, one evaluation computes both. An underflow has an absolute
/// error: half the smallest number for each product (Higham, §2.1 (2.8)).
pub fn sum_of(query: &Query<'_>, terms: usize, factors: &[usize]) -> Result<Vec<Radius>, OpError> {
    sum_of_under(query, query.call.given_attributes(), terms, factors)
}

/// Like [`sum_of`], with the attributes for the evaluation on magnitudes.
pub(super) fn sum_of_under(
    query: &Query<'_>,
    attributes: &[Attribute],
    terms: usize,
    factors: &[usize],
) -> Result<Vec<Radius>, OpError> {
    let evaluate = |replace: &dyn Fn(usize, &Tensor) -> Option<Tensor>| {
        query.evaluate_with(attributes, |index, tensor| {
            is_float(tensor.dtype()).then(|| replace(index, tensor)).flatten()
        })
    };
    let unit = query.unit(0);
    if unit == 0.0 {
        // Integers wrap: every order has the same result.
        return super::exact::decides(query);
    }
    if let Some(unknown) = query.unknown_input() {
        return Ok(vec![unknown.clone(); query.outputs.len()]);
    }
    if growth() != Growth::Worst {
        return independent(query, attributes, terms);
    }
    let growth = gamma(terms as f64 + 1.0, unit);
    let first_factor = factors.first().copied();
    let weighted = |index: usize, tensor: &Tensor| {
        if factors.contains(&index) && Some(index) != first_factor {
            rough::magnitudes(tensor)
        } else {
            rough::weighted(tensor, query.errors.get(index)?, growth, 1.0 + growth)
        }
    };
    let lost = query.output_dtype(0).map_or(0.0, |dtype| ulp(dtype, 0.0)) * terms as f64 / 2.0;
    let mut radius = rough::first(evaluate(&weighted)?, |radius| radius + lost)?;
    for &turn in factors.iter().skip(1) {
        if query.errors.get(turn).is_none_or(Radius::is_exact) {
            continue;
        }
        let turned = evaluate(&|index, tensor: &Tensor| {
            let error = query.errors.get(index)?;
            if index == turn {
                rough::weighted(tensor, error, 0.0, 1.0 + growth)
            } else if factors.contains(&index) {
                rough::weighted(tensor, error, 1.0, 1.0)
            } else {
                rough::weighted(tensor, &Radius::Exact, 0.0, 0.0)
            }
        })?;
        radius += &rough::first(turned, |radius| radius)?;
    }
    let model = format!(
        "gamma_n of the sum of magnitudes, n = {}",
        terms.saturating_add(1)
    );
    let mut radii = vec![Radius::within(radius, model)];
    radii.resize(
        query.outputs.len(),
        Radius::unknown("only the first output is a sum of products"),
    );
    Ok(radii)
}

/// What is added to the sums of products, in a shape that broadcasts to the output: it may cancel them, so
/// that the result is less than the partial sums.
fn bias(query: &Query<'_>) -> Result<Option<ArrayD<f64>>, OpError> {
    let Some(bias) = query.input(2) else {
        return Ok(None);
    };
    let scaled = |scale: f32| Some(bias.mapv(|bias| bias * f64::from(scale)));
    Ok(match query.call.schema().name {
        "Gemm" => scaled(query.call.float("beta")?),
        "Conv" | "ConvTranspose" => {
            let spatial = query
                .output(0)
                .map_or(0, |output| output.shape().len().saturating_sub(2));
            let shape = [vec![bias.len()], vec![1; spatial]].concat();
            bias.into_owned().into_shape_with_order(shape).ok()
        }
        _ => None,
    })
}

/// The size of the error of a sum of exact products with independent rounding errors ([`ordinary_sum`]).
fn independent(query: &Query<'_>, attributes: &[Attribute], terms: usize) -> Result<Vec<Radius>, OpError> {
    let magnitudes = query.evaluate_with(attributes, |_, tensor| {
        is_float(tensor.dtype())
            .then(|| rough::magnitudes(tensor))
            .flatten()
    })?;
    let bias = bias(query)?.unwrap_or_else(|| ArrayD::zeros(vec![]));
    let radius = match of_floats(query, &magnitudes, &bias, terms) {
        Some(radius) => radius,
        None => of_doubles(query, magnitudes, &bias, terms)?,
    };
    let mut radii = vec![Radius::within(
        radius,
        "independent roundings of a sum of products",
    )];
    radii.resize(
        query.outputs.len(),
        Radius::unknown("only the first output is a sum of products"),
    );
    Ok(radii)
}

/// As [`ordinary_sum`], for sums of any type.
fn of_doubles(
    query: &Query<'_>,
    magnitudes: Vec<Option<Tensor>>,
    bias: &ArrayD<f64>,
    terms: usize,
) -> Result<ArrayD<f64>, OpError> {
    let mut radius = rough::first(magnitudes, |sum| sum)?;
    let output = query.output(0).and_then(crate::query::reals);
    let output = output.unwrap_or_else(|| ArrayD::zeros(radius.raw_dim()).into_shared());
    let bias = bias.broadcast(radius.raw_dim()).ok_or_else(|| {
        OpError::invalid(format!(
            "a bias of shape {:?} does not fit the output",
            bias.shape()
        ))
    })?;
    Zip::from(&mut radius)
        .and(&output)
        .and(&bias)
        .for_each(|sum, y, bias| {
            let greatest = y.abs().max((y - bias).abs());
            *sum = ordinary_sum(*sum, greatest, terms as f64, query.unit(0));
        });
    Ok(radius)
}

/// As [`ordinary_sum`], for dense sums of float.
fn of_floats(
    query: &Query<'_>,
    magnitudes: &[Option<Tensor>],
    bias: &ArrayD<f64>,
    terms: usize,
) -> Option<ArrayD<f64>> {
    let (Some(Some(Tensor::Float(of))), Some(Tensor::Float(y))) = (magnitudes.first(), query.output(0))
    else {
        return None;
    };
    let (bias, unit) = (bias.mapv(|bias| bias as f32).into_shared(), query.unit(0));
    let fits = broadcast::shape(&[bias.shape(), y.shape()]).is_ok_and(|shape| shape == y.shape());
    let (sums, results) = (of.as_slice()?, y.as_slice()?);
    if !fits || of.shape() != y.shape() {
        return None;
    }
    let rows = ByRows::new([y, &bias], y.shape())?;
    let factors = [unit, (terms as f64 / 3.0).sqrt() * unit];
    let mut errors = vec![0.0; y.len()];
    rows.part(0, &mut errors, |at, [_, bias], errors| {
        let part = at..at + errors.len();
        errors::sums(&sums[part.clone()], &results[part], bias, factors, errors);
    });
    ArrayD::from_shape_vec(y.raw_dim(), errors).ok()
}
