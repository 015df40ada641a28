//! The operators that ONNX Runtime adds to ONNX.
//!
//! An operator without a rule has no bound. The attention operators, the mixtures of experts and the
//! normalisations of groups have none yet.

use ndarray::{ArrayD, Zip};
use onnx_model::{Attribute, AttributeValue};
use onnx_operators::frame::OpError;
use onnx_operators::mat_mul_n_bits_weights;
use onnx_tensor::Array;

use super::{Entry, activation, exact, linear, normalization, pointwise, quantized, rotary};
use crate::precision::{Growth, gamma, growth, several, ulp};
use crate::query::reals;
use crate::{Query, Radius};

const fn contrib(name: &'static str, rule: super::Rule) -> Entry {
    Entry {
        domain: onnx_schema::CONTRIB_DOMAIN,
        name,
        rule,
    }
}

pub(super) const RULES: &[Entry] = &[
    contrib("ExpandDims", exact::moves),
    contrib("GatherND", exact::moves),
    contrib("Pad", exact::moves),
    contrib("Trilu", exact::moves),
    contrib("BifurcationDetector", exact::decides),
    contrib("MatMulInteger16", exact::decides),
    contrib("NGramRepeatBlock", exact::decides),
    contrib("NhwcMaxPool", exact::decides),
    contrib("Unique", exact::decides),
    contrib("Gelu", activation::gelu),
    contrib("QuickGelu", activation::swish),
    contrib("BiasGelu", biased_gelu),
    contrib("FastGelu", biased_gelu),
    contrib("BiasAdd", |query| linear::sum_of_products(query, 2)),
    contrib("FusedMatMul", fused_mat_mul),
    contrib("TransposeMatMul", fused_mat_mul),
    contrib("FusedGemm", |query| {
        let terms = inner(query)?.saturating_add(3);
        activated(query, terms)
    }),
    contrib("FusedConv", |query| {
        let taps: usize = query.call.tensor(1)?.shape().iter().skip(1).product();
        activated(query, taps.saturating_add(2))
    }),
    contrib("MatMulNBits", mat_mul_n_bits),
    contrib("MatMulIntegerToFloat", |query| scaled_sums(query, 6)),
    contrib("DequantizeLinear", quantized::dequantized),
    contrib("QuantizeLinear", quantized::quantized),
    contrib("GatherBlockQuantized", |query| pointwise::within_ulps(query, 2.0)),
    contrib("RotaryEmbedding", |query| rotary::rotary(query, 3)),
    contrib("SkipLayerNormalization", |query| {
        normalization::skip(query, 4, Some(3))
    }),
    contrib("SkipSimplifiedLayerNormalization", |query| {
        normalization::skip(query, 3, None)
    }),
    Entry {
        domain: "",
        name: "SimplifiedLayerNormalization",
        rule: normalization::root_mean_square,
    },
    // The scales of the operands move the terms of a sum apart; the products and quotients of scales are
    // within six roundings.
    contrib("QLinearAdd", |query| {
        quantized::near_ties(query, &[1, 4, 6], 6.0, 0)
    }),
    contrib("QLinearMul", |query| quantized::near_ties(query, &[6], 8.0, 0)),
    contrib("QLinearSigmoid", |query| {
        quantized::near_ties(query, &[1, 3], 16.0, 0)
    }),
    contrib("QLinearLeakyRelu", |query| {
        quantized::near_ties(query, &[3], 8.0, 0)
    }),
    contrib("QLinearConcat", |query| quantized::near_ties(query, &[0], 6.0, 0)),
    contrib("QLinearWhere", |query| quantized::near_ties(query, &[7], 6.0, 0)),
    contrib("QLinearSoftmax", |query| {
        quantized::near_ties(query, &[1, 3], 32.0, 0)
    }),
    contrib("QLinearConv", |query| quantized::near_ties(query, &[6], 10.0, 0)),
    // A mean of bytes in float has an error for each of its terms.
    contrib("QLinearAveragePool", |query| {
        quantized::near_ties(query, &[3], 32.0, 0)
    }),
    contrib("QLinearGlobalAveragePool", |query| {
        let plane: usize = query.call.tensor(0)?.shape().iter().skip(2).product();
        quantized::near_ties(query, &[3], plane as f64 + 8.0, 0)
    }),
    contrib("QLinearReduceMean", |query| {
        let terms = query.call.tensor(0)?.len() as f64;
        quantized::near_ties(query, &[3], terms + 8.0, 0)
    }),
    contrib("QGemm", |query| match query.call.optional(7) {
        Some(_) => quantized::near_ties(query, &[7], 12.0, 0),
        None => pointwise::within_ulps(query, 6.0),
    }),
];

/// Gelu of X + B: the sum has the error u·(|x| + |b|), which a slope below 1.13 converts; the rest as Gelu.
fn biased_gelu(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let (Some(x), Some(error)) = (query.input(0), query.error(0)) else {
        return exact::decides(query);
    };
    let mut most = x.mapv(f64::abs);
    let mut off = error.into_owned();
    if let (Some(bias), Some(error)) = (query.input(1), query.error(1)) {
        most += &bias.mapv(f64::abs);
        off += &error;
    }
    let missing = || OpError::invalid("the output is not a float tensor");
    let output = query.output(0).ok_or_else(missing)?;
    let (unit, dtype) = (query.unit(0), output.dtype());
    let y = reals(output).ok_or_else(missing)?;
    let radius = Zip::from(&most)
        .and(&off)
        .and(&y)
        .map_collect(|most, off, y| 22.0 * unit * most + 1.13 * off + 4.0 * ulp(dtype, y.abs()));
    Ok(vec![Radius::within(radius, "derived from its parts")])
}

/// The number of terms of an element of A' · B'.
fn inner(query: &Query<'_>) -> Result<usize, OpError> {
    let shape = query.call.tensor(0)?.shape();
    let set = |name: &str| {
        let declared = query.call.schema().attribute(name).is_some();
        Ok::<_, OpError>(declared && query.call.optional_int(name)?.unwrap_or(0) != 0)
    };
    let extent = match (set("transA")?, set("transBatchA")?) {
        (false, _) => shape.last(),
        (true, true) => shape.first(),
        (true, false) => shape.iter().rev().nth(1).or(shape.last()),
    };
    Ok(extent.copied().unwrap_or(1))
}

/// The attributes for an evaluation on magnitudes: scales without a sign, and no activation.
fn of_magnitudes(query: &Query<'_>) -> Vec<Attribute> {
    let kept = query
        .call
        .given_attributes()
        .iter()
        .filter(|attribute| attribute.name != "activation");
    let magnitude = |attribute: &Attribute| match (attribute.name.as_str(), &attribute.value) {
        ("alpha" | "beta", AttributeValue::Float(scale)) => Attribute {
            name: attribute.name.clone(),
            value: AttributeValue::Float(scale.abs()),
        },
        _ => attribute.clone(),
    };
    kept.map(magnitude).collect()
}

fn fused_mat_mul(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    let terms = inner(query)?.saturating_add(1);
    linear::sum_of_under(query, &of_magnitudes(query), terms, &[0, 1])
}

/// A sum of products, and then an activation: its slope times the error of the sum, and its own.
fn activated(query: &Query<'_>, terms: usize) -> Result<Vec<Radius>, OpError> {
    let name = query.call.optional_string("activation")?.unwrap_or_default();
    let parameters = match query.call.schema().attribute("activation_params") {
        Some(_) => query
            .call
            .optional_floats("activation_params")?
            .unwrap_or_default(),
        None => {
            let coefficient = |name| Ok::<_, OpError>(query.call.optional_float(name)?.unwrap_or(1.0));
            vec![
                coefficient("activation_alpha")?,
                coefficient("activation_beta")?,
                coefficient("activation_gamma")?,
            ]
        }
    };
    let parameter = |index: usize| parameters.get(index).map_or(1.0, |&value| f64::from(value).abs());
    let (slope, own) = match name {
        "" | "Relu" | "Clip" => (1.0, 0.0),
        "LeakyRelu" => (parameter(0).max(1.0), 1.0),
        "Tanh" | "Sigmoid" | "Softplus" | "Softsign" => (1.0, 16.0),
        "HardSwish" => (1.5, 4.0),
        "HardSigmoid" => (parameter(0), 4.0),
        "Elu" | "Celu" => (parameter(0).max(1.0), 16.0),
        "Selu" => (parameter(2) * parameter(0).max(1.0), 16.0),
        _ => return exact::decides(query),
    };
    let mut radii = linear::sum_of_under(query, &of_magnitudes(query), terms, &[0, 1])?;
    let output = query.output(0);
    if let (Some(Radius::Within { radius, .. }), Some(output)) = (radii.first_mut(), output)
        && let Some(y) = reals(output)
    {
        let dtype = output.dtype();
        radius.zip_mut_with(&y, |radius, y| {
            *radius = *radius * slope + own * ulp(dtype, y.abs().max(f64::from(u8::from(own > 1.0))));
        });
    }
    Ok(radii)
}

/// A · Wᵀ with exact weights: γ of |A| · |W|ᵀ, one rounding more for each weight, one for the bias.
fn mat_mul_n_bits(query: &Query<'_>) -> Result<Vec<Radius>, OpError> {
    if !query.errors.iter().skip(1).all(Radius::is_exact) {
        return exact::decides(query);
    }
    let (Some(a), Some(error), Some(weights)) = (
        query.input(0),
        query.error(0),
        mat_mul_n_bits_weights(query.call)?,
    ) else {
        return exact::decides(query);
    };
    let missing = || OpError::invalid("the output is not a float tensor");
    let output = query.output(0).ok_or_else(missing)?;
    let (dtype, y) = (output.dtype(), reals(output).ok_or_else(missing)?);
    let (rows, columns) = (weights.nrows(), weights.ncols());
    let weights = weights.mapv_into(f64::abs);
    let product = |a: ArrayD<f64>| -> Result<ArrayD<f64>, OpError> {
        let a = a.as_standard_layout().into_owned();
        let count = a.len() / columns.max(1);
        let product = a.into_shape_with_order((count, columns))?.dot(&weights.t());
        debug_assert_eq!(product.ncols(), rows);
        Ok(product.into_shape_with_order(y.raw_dim())?)
    };
    let magnitudes = product(a.mapv(f64::abs))?;
    let (unit, terms) = (query.unit(0), columns as f64 + 3.0);
    let share = match growth() {
        Growth::Worst => gamma(terms, unit),
        _ => unit,
    };
    let positive = match growth() {
        Growth::Worst => 0.0,
        _ => several(terms / 3.0) * unit,
    };
    let carried = product(error.into_owned())?;
    let radius = Zip::from(&magnitudes)
        .and(&carried)
        .and(&y)
        .map_collect(|most, carried, y| {
            most * share + carried * (1.0 + share) + positive * y.abs() + ulp(dtype, y.abs())
        });
    Ok(vec![Radius::within(radius, "gamma_n of the sum of magnitudes")])
}

/// Exact sums of integers times scales plus a bias: the product has three roundings, the sum one.
fn scaled_sums(query: &Query<'_>, bias: usize) -> Result<Vec<Radius>, OpError> {
    let radii = pointwise::within_ulps(query, 4.0)?;
    let (Some(bias), [Radius::Within { radius, .. }]) = (query.input(bias), &radii[..]) else {
        return Ok(radii);
    };
    let bias: Array<f64> = bias.mapv(f64::abs).into_shared();
    let radius = radius.to_owned().into_owned() + bias.mapv(|bias| 4.0 * query.unit(0) * bias);
    Ok(vec![Radius::within(radius, "scaled sums of integers")])
}
