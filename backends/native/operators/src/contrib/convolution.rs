//! Convolutions with what is fused into them, and images with channels last.

use onnx_model::AttributeValue;
use onnx_tensor::Tensor;

use super::activation::activated;
use super::elementwise::narrowed;
use super::{Row, contrib};
use crate::call::int64s;
use crate::compose::{Composed, Composition, Id};
use crate::error::invalid;

pub const ROWS: &[Row] = &[
    contrib("ConvTransposeWithDynamicPads", |c| {
        let mut given = window(c);
        given.extend(shared(c, &["output_padding", "output_shape"]));
        if let Some(pads) = c.find(2) {
            let pads: Tensor = c.elements(pads)?;
            given.push(("pads", AttributeValue::Ints(int64s(&pads)?)));
        }
        let (x, w, bias) = (c.input(0)?, c.input(1)?, c.find(3));
        let y = c.apply_some("ConvTranspose", &[Some(x), Some(w), bias], &given)?;
        narrowed(c, y)
    }),
    contrib("FusedConv", |c| fused(c, false)),
    contrib("NhwcConv", |c| fused(c, true)),
    contrib("NhwcFusedConv", |c| fused(c, true)),
    contrib("NhwcMaxPool", |c| {
        let mut given = window(c);
        given.extend(shared(c, &["ceil_mode"]));
        let x = c.input(0)?;
        let x = first(c, x, true)?;
        let y = c.apply_of(("MaxPool", 12), &[x], &given)?;
        let y = last(c, y, true)?;
        narrowed(c, y)
    }),
];

/// Returns attributes of the node that the operator of ONNX has too.
pub fn shared<'a>(c: &Composition<'_>, names: &[&'a str]) -> Vec<(&'a str, AttributeValue)> {
    let given = |&name: &&'a str| Some((name, c.attributes().get(name)?.clone()));
    names.iter().filter_map(given).collect()
}

/// Returns the attributes of a window.
pub fn window(c: &Composition<'_>) -> Vec<(&'static str, AttributeValue)> {
    shared(
        c,
        &[
            "auto_pad",
            "dilations",
            "group",
            "kernel_shape",
            "pads",
            "strides",
        ],
    )
}

/// Returns an image with its last axis as the second, if `is_last`.
pub fn first(c: &mut Composition<'_>, x: Id, is_last: bool) -> Composed<Id> {
    permuted(c, x, is_last, |order| order.rotate_right(1))
}

/// Returns an image with its second axis as the last, if `is_last`.
pub fn last(c: &mut Composition<'_>, x: Id, is_last: bool) -> Composed<Id> {
    permuted(c, x, is_last, |order| order.rotate_left(1))
}

fn permuted(c: &mut Composition<'_>, x: Id, is_last: bool, change: fn(&mut [usize])) -> Composed<Id> {
    if !is_last {
        return Ok(x);
    }
    let mut order: Vec<usize> = (0..c.rank(x)?).collect();
    match order.get_mut(1..) {
        Some(inner) if !inner.is_empty() => change(inner),
        _ => return Ok(invalid("an image must have a batch and a channel axis")?),
    }
    c.transpose(x, &order)
}

/// A convolution, plus an optional addend, activated.
fn fused(c: &mut Composition<'_>, is_last: bool) -> Composed {
    let given = window(c);
    let attributes = c.attributes();
    let (x, w, bias) = (c.input_wide(0)?, c.input_wide(1)?, c.find_wide(2)?);
    let x = first(c, x, is_last)?;
    let mut y = c.apply_some("Conv", &[Some(x), Some(w), bias], &given)?;
    if let Some(addend) = c.find_wide(3)? {
        let addend = first(c, addend, is_last)?;
        let (own, result) = (c.shape(addend)?, c.shape(y)?);
        if own != result {
            return Ok(invalid(format!(
                "Z of shape {own:?} must have the shape {result:?}"
            ))?);
        }
        y = c.add(y, addend)?;
    }
    let coefficients = attributes.floats("activation_params")?.unwrap_or_default();
    let coefficients: Vec<Option<f32>> = coefficients.iter().copied().map(Some).collect();
    y = activated(c, y, attributes.text("activation")?, &coefficients)?;
    y = last(c, y, is_last)?;
    narrowed(c, y)
}
