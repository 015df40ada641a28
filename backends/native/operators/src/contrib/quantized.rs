//! Operators on tensors of 8 bits: operators of ONNX between DequantizeLinear and QuantizeLinear.

use onnx_model::AttributeValue::{Float, Int};
use onnx_tensor::DType;

use super::convolution::{first, last, shared, window};
use super::{Row, contrib};
use crate::call::{axes, axis};
use crate::compose::{Composed, Composition, Id};
use crate::error::{invalid, unsupported};

pub const ROWS: &[Row] = &[
    contrib("DequantizeLinear", |c| by_standard(c, "DequantizeLinear")),
    contrib("QLinearAdd", |c| binary(c, "Add")),
    contrib("QLinearAveragePool", |c| {
        let mut given = window(c);
        given.extend(shared(c, &["ceil_mode", "count_include_pad"]));
        given.retain(|(name, _)| !["dilations", "group"].contains(name));
        pooled(c, |c, x| c.apply("AveragePool", &[x], &given))
    }),
    contrib("QLinearConcat", concat),
    contrib("QLinearConv", convolution),
    contrib("QLinearGlobalAveragePool", |c| {
        pooled(c, |c, x| {
            if c.shape(x)?.iter().skip(2).any(|&extent| extent == 0) {
                return Ok(unsupported("the mean of no elements, quantized")?);
            }
            c.apply("GlobalAveragePool", &[x], &[])
        })
    }),
    contrib("QLinearLeakyRelu", |c| {
        let alpha = Float(c.attributes().float("alpha")?);
        unary(c, |c, x| c.apply("LeakyRelu", &[x], &[("alpha", alpha)]))
    }),
    contrib("QLinearMul", |c| binary(c, "Mul")),
    contrib("QLinearReduceMean", mean),
    contrib("QLinearSigmoid", |c| {
        unary(c, |c, x| c.apply("Sigmoid", &[x], &[]))
    }),
    contrib("QLinearSoftmax", |c| {
        let attributes = c.attributes();
        let since = if attributes.int("opset")? < 13 { 11 } else { 13 };
        let at = Int(attributes.int("axis")?);
        unary(c, |c, x| c.apply_of(("Softmax", since), &[x], &[("axis", at)]))
    }),
    contrib("QLinearWhere", |c| {
        let (condition, x, y) = (c.input(0)?, real(c, 1)?, real(c, 4)?);
        let z = c.apply("Where", &[condition, x, y], &[])?;
        let to = c.dtype(c.input(1)?)?;
        quantized(c, z, 7, to)
    }),
    contrib("QuantizeLinear", |c| by_standard(c, "QuantizeLinear")),
];

/// Reads the tensor at a position as real numbers; its scale and its zero point follow it.
pub fn real(c: &mut Composition<'_>, position: usize) -> Composed<Id> {
    let x = c.input(position)?;
    let scale = c.input(position + 1)?;
    let scale = c.only(scale, "scale")?;
    let zero = c.find(position + 2);
    let zero = zero.map(|zero| c.only(zero, "zero point")).transpose()?;
    c.apply_some("DequantizeLinear", &[Some(x), Some(scale), zero], &[])
}

/// States real numbers as the first output, of a type, by the scale at a position and the zero point that
/// follows it.
pub fn quantized(c: &mut Composition<'_>, y: Id, position: usize, to: DType) -> Composed {
    let scale = c.input(position)?;
    let scale = c.only(scale, "scale")?;
    let zero = match c.find(position + 1) {
        Some(zero) => c.only(zero, "zero point")?,
        None => c.scalar(to, 0.0)?,
    };
    let y = c.apply("QuantizeLinear", &[y, scale, zero], &[])?;
    c.give(0, y);
    Ok(())
}

/// A function of one tensor: inputs 0 to 2, and those of the result from 3 on.
fn unary(c: &mut Composition<'_>, apply: impl FnOnce(&mut Composition<'_>, Id) -> Composed<Id>) -> Composed {
    let to = c.dtype(c.input(0)?)?;
    let x = real(c, 0)?;
    let y = apply(c, x)?;
    quantized(c, y, 3, to)
}

fn pooled(c: &mut Composition<'_>, pool: impl FnOnce(&mut Composition<'_>, Id) -> Composed<Id>) -> Composed {
    let is_last = c.attributes().flag("channels_last")?;
    unary(c, |c, x| {
        let x = first(c, x, is_last)?;
        let y = pool(c, x)?;
        last(c, y, is_last)
    })
}

fn binary(c: &mut Composition<'_>, operator: &str) -> Composed {
    let to = c.dtype(c.input(0)?)?;
    let (a, b) = (real(c, 0)?, real(c, 3)?);
    let y = c.apply(operator, &[a, b], &[])?;
    quantized(c, y, 6, to)
}

/// Parts with their scales and zero points; a part of floats is quantized as it is.
fn concat(c: &mut Composition<'_>) -> Composed {
    let count = c.inputs();
    if count < 5 || count % 3 != 2 {
        return Ok(invalid(format!(
            "expected a tensor, a scale and a zero point for each part, got {count} inputs"
        ))?);
    }
    let mut parts = Vec::new();
    for position in (2..count).step_by(3) {
        let x = c.input(position)?;
        parts.push(match c.dtype(x)? {
            DType::Float => x,
            _ => real(c, position)?,
        });
    }
    let at = axis(c.attributes().int("axis")?, c.rank(parts[0])?)?;
    let joined = c.concat(&parts, at)?;
    let to = c.dtype(c.input(1)?)?;
    quantized(c, joined, 0, to)
}

fn mean(c: &mut Composition<'_>) -> Composed {
    let attributes = c.attributes();
    let rank = c.rank(c.input(0)?)?;
    let along = match attributes.ints("axes")? {
        Some(list) => axes(list, rank)?,
        None => (0..rank).collect(),
    };
    let kept = Int(i64::from(attributes.flag("keepdims")?));
    unary(c, |c, x| {
        let shape = c.shape(x)?;
        if along.iter().any(|&at| shape[at] == 0) {
            return Ok(unsupported("the mean of no elements, quantized")?);
        }
        let along = c.vector(along);
        let none = Int(1);
        c.apply(
            "ReduceMean",
            &[x, along],
            &[("keepdims", kept), ("noop_with_empty_axes", none)],
        )
    })
}

/// QLinearConv, also of an image with channels last; the layout of the kernels is that of ONNX.
fn convolution(c: &mut Composition<'_>) -> Composed {
    let is_last = c.attributes().flag("channels_last")?;
    let given = window(c);
    let x = c.input(0)?;
    let mut inputs = vec![Some(first(c, x, is_last)?)];
    inputs.extend((1..9).map(|position| c.find(position)));
    for (position, name) in [
        (1, "x_scale"),
        (2, "x_zero_point"),
        (6, "y_scale"),
        (7, "y_zero_point"),
    ] {
        inputs[position] = inputs[position].map(|id| c.only(id, name)).transpose()?;
    }
    let y = c.apply_some("QLinearConv", &inputs, &given)?;
    let y = last(c, y, is_last)?;
    c.give(0, y);
    Ok(())
}

/// The operator of ONNX of the same name; without `axis` there is one scale.
fn by_standard(c: &mut Composition<'_>, operator: &str) -> Composed {
    let (x, mut scale, mut zero) = (c.input(0)?, c.input(1)?, c.find(2));
    let given = shared(c, &["axis"]);
    if given.is_empty() {
        scale = c.only(scale, "a scale without the attribute `axis`")?;
        zero = zero.map(|zero| c.only(zero, "zero point")).transpose()?;
    }
    let y = c.apply_some(operator, &[Some(x), Some(scale), zero], &given)?;
    c.give(0, y);
    Ok(())
}
