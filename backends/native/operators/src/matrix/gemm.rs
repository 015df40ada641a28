//! Gemm.

use onnx_tensor::{DType, Tensor};

use super::super::broadcast::{broadcast_shape, zip_with};
use super::super::call::one;
use super::super::fast::{Fast, Product};
use super::super::numbers::{floats, from_floats, from_ints, ints};
use super::super::rules::Arguments;
use super::super::shaping::transpose;
use super::super::{Call, Outcome, Row, row};
use super::matmul::{MatMulShape, float_product, int_product};
use crate::error::{Problem, invalid, unsupported};
use crate::shapes::Shapes::First;

pub const ROWS: &[Row] = &[row("Gemm", 1, First(|known| known.gemm()), gemm)
    .fast(Fast::Product(Product::General))
    .requires(legacy_summand)];

/// Before since 7, C broadcasts only if `broadcast` is set.
fn legacy_summand(node: &Arguments) -> Result<(), Problem> {
    if node.since >= 7 || node.attributes.flag("broadcast")? {
        return Ok(());
    }
    let side = |position: usize, flag: &str, which: usize| {
        let turned = node.attributes.flag(flag).ok()?;
        node.shape(position)?
            .get(if turned { 1 - which } else { which })
            .copied()
    };
    let result = side(0, "transA", 0).zip(side(1, "transB", 1));
    match (result, node.shape(2)) {
        (Some((rows, columns)), Some(c)) if c[..] != [rows, columns] => invalid(format!(
            "C has the shape {c:?}, the product [{rows}, {columns}], and `broadcast` is not set"
        )),
        _ => Ok(()),
    }
}

fn gemm(call: &Call) -> Outcome {
    let oriented = |position: usize, name: &str| -> Result<Tensor, Problem> {
        let tensor = call.tensor(position)?;
        if tensor.rank() != 2 {
            return invalid(format!("expected a matrix, got shape {:?}", tensor.shape()));
        }
        if call.attributes.flag(name)? {
            transpose(tensor, &[1, 0])
        } else {
            Ok(tensor.clone())
        }
    };
    let (a, b) = (oriented(0, "transA")?, oriented(1, "transB")?);
    let shape = MatMulShape::new(a.shape(), b.shape())?;
    let (alpha, beta) = (
        f64::from(call.attributes.float("alpha")?),
        f64::from(call.attributes.float("beta")?),
    );
    let c = call.find_tensor(2)?;
    if let Some(c) = c
        && broadcast_shape([c.shape(), &shape.result])? != shape.result
    {
        return invalid(format!(
            "C of shape {:?} does not broadcast to {:?}",
            c.shape(),
            shape.result
        ));
    }
    if a.dtype().is_integer() {
        let product = int_product(&shape, &ints(&a)?, &ints(&b)?);
        return of_ints(a.dtype(), &shape, product, c, [alpha, beta]);
    }
    let product = float_product(&shape, &floats(&a)?, &floats(&b)?);
    let result = match c {
        Some(c) => {
            let c_values = floats(c)?;
            let add = |p: f64, c: f64| alpha * p + beta * c;
            zip_with(
                (&product, &shape.result),
                (&c_values, c.shape()),
                &shape.result,
                add,
            )
        }
        None => product.into_iter().map(|p| alpha * p).collect(),
    };
    one(from_floats(a.dtype(), &shape.result, result)?)
}

/// Integers wrap. Integer factors are exact; ONNX defines no rounding for others.
fn of_ints(
    dtype: DType,
    shape: &MatMulShape,
    product: Vec<i128>,
    c: Option<&Tensor>,
    factors: [f64; 2],
) -> Outcome {
    if let Some(factor) = factors
        .iter()
        .find(|factor| factor.fract() != 0.0 || factor.abs() >= 1e18)
    {
        return unsupported(format!("a factor of {factor} over integers is not implemented"));
    }
    let [alpha, beta] = factors.map(|factor| factor as i128);
    let scaled: Vec<i128> = product.into_iter().map(|p| alpha.wrapping_mul(p)).collect();
    let sums = match c {
        Some(c) => zip_with(
            (&scaled, &shape.result),
            (&ints(c)?, c.shape()),
            &shape.result,
            |p, c| p.wrapping_add(beta.wrapping_mul(c)),
        ),
        None => scaled,
    };
    one(from_ints(dtype, &shape.result, sums)?)
}
