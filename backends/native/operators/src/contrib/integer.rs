//! Products of matrices of 8 and 16 bits.

use onnx_tensor::DType;

use super::elementwise::narrowed;
use super::quantized::quantized;
use super::{Row, contrib};
use crate::compose::{Composed, Composition, Id};
use crate::error::invalid;

pub const ROWS: &[Row] = &[
    contrib("DynamicQuantizeMatMul", |c| {
        let (x, b_scale) = (c.input_wide(0)?, c.input_wide(2)?);
        let found = c.apply_many("DynamicQuantizeLinear", &[Some(x)], &[], 3)?;
        let a = Quantized {
            elements: found[0],
            scale: found[1],
            zero: Some(found[2]),
        };
        let b = Quantized {
            elements: c.input(1)?,
            scale: b_scale,
            zero: c.find(3),
        };
        let y = product(c, a, b)?;
        let y = biased(c, y, 4)?;
        narrowed(c, y)
    }),
    contrib("MatMulInteger16", |c| {
        let (a, b) = (c.input(0)?, c.input(1)?);
        let (a, b) = (c.cast(a, DType::Int32)?, c.cast(b, DType::Int32)?);
        let y = c.apply("MatMul", &[a, b], &[])?;
        c.give(0, y);
        Ok(())
    }),
    contrib("MatMulIntegerToFloat", |c| {
        let a = Quantized::read(c, [0, 2, 4])?;
        let b = Quantized::read(c, [1, 3, 5])?;
        let y = product(c, a, b)?;
        let y = biased(c, y, 6)?;
        let own = c.dtype(c.input(3)?)?;
        c.give_as(0, y, own)
    }),
    contrib("QGemm", gemm),
];

/// A stack of matrices with its scale and zero point.
#[derive(Clone, Copy)]
pub struct Quantized {
    pub elements: Id,
    pub scale: Id,
    pub zero: Option<Id>,
}

impl Quantized {
    /// Reads the elements, the scale and the zero point at these positions.
    pub fn read(c: &mut Composition<'_>, [elements, scale, zero]: [usize; 3]) -> Composed<Quantized> {
        Ok(Quantized {
            elements: c.input(elements)?,
            scale: c.input_wide(scale)?,
            zero: c.find(zero),
        })
    }
}

/// Returns a vector of one element as a scalar: one for all columns.
fn of_columns(c: &mut Composition<'_>, x: Id) -> Composed<Id> {
    match &c.shape(x)?[..] {
        [1] => c.reshape(x, &[]),
        _ => Ok(x),
    }
}

/// Returns the sums of products of `a` and `b`, without their zero points, in int32.
fn sums(c: &mut Composition<'_>, a: Quantized, b: Quantized) -> Composed<Id> {
    let of_a = a.zero.map(|zero| c.only(zero, "zero point of A")).transpose()?;
    let of_b = b.zero.map(|zero| of_columns(c, zero)).transpose()?;
    c.apply_some(
        "MatMulInteger",
        &[Some(a.elements), Some(b.elements), of_a, of_b],
        &[],
    )
}

/// Returns the product of the scales.
fn scales(c: &mut Composition<'_>, a: Quantized, b: Quantized) -> Composed<Id> {
    let of_a = c.only(a.scale, "scale of A")?;
    let of_b = of_columns(c, b.scale)?;
    c.mul(of_a, of_b)
}

/// Returns the product of two matrices as real numbers.
pub fn product(c: &mut Composition<'_>, a: Quantized, b: Quantized) -> Composed<Id> {
    let sums = sums(c, a, b)?;
    let real = c.cast(sums, DType::Float)?;
    let scales = scales(c, a, b)?;
    c.mul(real, scales)
}

/// Adds the bias at an input to the columns; axes of extent 1 before its last one have no effect.
fn biased(c: &mut Composition<'_>, y: Id, position: usize) -> Composed<Id> {
    let Some(mut bias) = c.find_wide(position)? else {
        return Ok(y);
    };
    let shape = c.shape(bias)?;
    if shape.len() > 1 && shape.iter().rev().skip(1).all(|&extent| extent == 1) {
        bias = c.reshape(bias, &shape[shape.len() - 1..])?;
    }
    c.along_last(y, bias, "bias")?;
    c.add(y, bias)
}

/// `alpha · (A · B + C)` in steps of int32, scaled, as float or quantized.
fn gemm(c: &mut Composition<'_>) -> Composed {
    let attributes = c.attributes();
    let (mut a, mut b) = (Quantized::read(c, [0, 1, 2])?, Quantized::read(c, [3, 4, 5])?);
    for (operand, flag) in [(&mut a, "transA"), (&mut b, "transB")] {
        let shape = c.shape(operand.elements)?;
        if shape.len() != 2 {
            return Ok(invalid(format!("an operand of shape {shape:?} is not a matrix"))?);
        }
        if attributes.flag(flag)? {
            operand.elements = c.turned(operand.elements)?;
        }
    }
    let mut steps = sums(c, a, b)?;
    if let Some(addend) = c.find(6) {
        let shape = c.shape(steps)?;
        steps = c.add(steps, addend)?;
        if c.shape(steps)? != shape {
            return Ok(invalid(format!("C does not broadcast to {shape:?}"))?);
        }
    }
    let real = c.cast(steps, DType::Float)?;
    let scales = scales(c, a, b)?;
    let scales = c.scaled(scales, attributes.float("alpha")?)?;
    let y = c.mul(real, scales)?;
    if c.find(7).is_none() {
        c.give(0, y);
        return Ok(());
    }
    let to = c.find(8).map_or(c.dtype(a.elements), |zero| c.dtype(zero))?;
    quantized(c, y, 7, to)
}
