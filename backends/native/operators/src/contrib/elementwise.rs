//! Functions of each element, with a bias along the last axis.

use onnx_model::AttributeValue::{Float, Int, String};
use onnx_tensor::DType;

use super::{Row, contrib};
use crate::compose::{Composed, Composition, Id};
use crate::error::{invalid, unsupported};

pub const ROWS: &[Row] = &[
    contrib("BiasAdd", |c| {
        let (x, skip) = (c.input_wide(0)?, c.input_wide(2)?);
        let sum = biased(c, x, Some(1))?;
        let sum = c.add(sum, skip)?;
        narrowed(c, sum)
    }),
    contrib("BiasGelu", |c| {
        let x = c.input_wide(0)?;
        let sum = biased(c, x, Some(1))?;
        let y = c.apply("Gelu", &[sum], &[])?;
        narrowed(c, y)
    }),
    contrib("BiasSplitGelu", |c| {
        let x = c.input_wide(0)?;
        let sum = biased(c, x, Some(1))?;
        let (left, right) = halves(c, sum)?;
        let right = c.apply("Gelu", &[right], &[])?;
        let y = c.mul(left, right)?;
        narrowed(c, y)
    }),
    contrib("CDist", distances),
    contrib("FastGelu", |c| {
        let x = c.input_wide(0)?;
        let bias = c.find(1).map(|_| 1);
        let sum = biased(c, x, bias)?;
        let y = c.apply("Gelu", &[sum], &[("approximate", String(b"tanh".to_vec()))])?;
        narrowed(c, y)
    }),
    contrib("Gelu", |c| {
        let x = c.input_wide(0)?;
        let y = c.apply("Gelu", &[x], &[])?;
        narrowed(c, y)
    }),
    contrib("QuickGelu", |c| {
        let x = c.input_wide(0)?;
        let alpha = c.attributes().float("alpha")?;
        let y = c.apply("Swish", &[x], &[("alpha", Float(alpha))])?;
        narrowed(c, y)
    }),
    contrib("SwiGLU", gated),
];

/// States the first output in the type of the first input.
pub fn narrowed(c: &mut Composition<'_>, result: Id) -> Composed {
    let dtype = c.dtype(c.input(0)?)?;
    c.give_as(0, result, dtype)
}

/// Adds the bias at an input to each row.
pub fn biased(c: &mut Composition<'_>, x: Id, bias: Option<usize>) -> Composed<Id> {
    let Some(position) = bias else {
        return Ok(x);
    };
    let bias = c.input_wide(position)?;
    c.along_last(x, bias, "bias")?;
    c.add(x, bias)
}

/// Returns the halves of each row.
fn halves(c: &mut Composition<'_>, x: Id) -> Composed<(Id, Id)> {
    let shape = c.shape(x)?;
    match shape.last() {
        Some(width) if width % 2 == 0 => {
            let parts = c.split(x, shape.len() - 1, &[width / 2; 2])?;
            Ok((parts[0], parts[1]))
        }
        _ => Ok(invalid(format!("rows of shape {shape:?} have no halves"))?),
    }
}

/// SwiGLU: `g · sigmoid(alpha · g) · (l + beta)`, where g and l are limited.
fn gated(c: &mut Composition<'_>) -> Composed {
    let x = c.input_wide(0)?;
    let (mut gate, mut linear) = match c.find_wide(1)? {
        Some(up) => (x, up),
        None => halves(c, x)?,
    };
    if let (Ok(one), Ok(other)) = (c.shape(gate), c.shape(linear))
        && one != other
    {
        return Ok(invalid(format!(
            "`gate` of shape {one:?} and `up` of shape {other:?}"
        ))?);
    }
    let attributes = c.attributes();
    let (limit, beta) = (attributes.float("limit")?, attributes.float("activation_beta")?);
    let dtype = c.dtype(gate)?;
    if limit > 0.0 {
        let least = c.scalar(dtype, -f64::from(limit))?;
        let greatest = c.scalar(dtype, f64::from(limit))?;
        gate = c.apply("Min", &[gate, greatest], &[])?;
        linear = c.apply("Clip", &[linear, least, greatest], &[])?;
    }
    let alpha = attributes.float("activation_alpha")?;
    let mut active = c.apply("Swish", &[gate], &[("alpha", Float(alpha))])?;
    if attributes.flag("round_activation")? {
        let own = c.dtype(c.input(0)?)?;
        let rounded = c.cast(active, own)?;
        active = c.wide(rounded)?;
    }
    if beta != 0.0 {
        let beta = c.scalar(dtype, f64::from(beta))?;
        linear = c.add(linear, beta)?;
    }
    let y = c.mul(active, linear)?;
    narrowed(c, y)
}

/// CDist: the differences of all pairs of rows, squared and added.
fn distances(c: &mut Composition<'_>) -> Composed {
    let (a, b) = (c.input(0)?, c.input(1)?);
    if c.rank(a)? != 2 || c.rank(b)? != 2 {
        return Ok(invalid("both inputs must have rank 2")?);
    }
    let root = match c.attributes().text("metric")? {
        "sqeuclidean" => false,
        "euclidean" => true,
        other => return Ok(unsupported(format!("`metric` is `{other}`"))?),
    };
    let (a, b) = (c.unsqueeze(a, &[1])?, c.unsqueeze(b, &[0])?);
    let apart = c.sub(a, b)?;
    let squares = c.mul(apart, apart)?;
    let axes = c.vector([2]);
    let mut y = c.apply("ReduceSum", &[squares, axes], &[("keepdims", Int(0))])?;
    if root {
        y = c.apply("Sqrt", &[y], &[])?;
    }
    let dtype: DType = c.dtype(a)?;
    c.give_as(0, y, dtype)
}
