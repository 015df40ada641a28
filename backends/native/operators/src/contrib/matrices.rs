//! Products of matrices with what is fused into them.

use onnx_model::AttributeValue::{Float, Int};

use super::activation::activated;
use super::elementwise::narrowed;
use super::{Row, contrib};
use crate::compose::{Composed, Composition, Id};
use crate::error::invalid;

pub const ROWS: &[Row] = &[
    contrib("FusedGemm", fused_gemm),
    contrib("FusedMatMul", fused_mat_mul),
    contrib("TransposeMatMul", fused_mat_mul),
];

/// Reads a stack of matrices: with `batch` its first axis becomes that of the rows, then with `transposed`
/// its last two axes are swapped. A vector stays as it is.
fn operand(c: &mut Composition<'_>, position: usize, transposed: bool, batch: bool) -> Composed<Id> {
    let x = c.input_wide(position)?;
    if !transposed && !batch {
        return Ok(x);
    }
    let rank = c.rank(x)?;
    if rank < 2 {
        return Ok(x);
    }
    let mut order: Vec<usize> = (0..rank).collect();
    if batch {
        order[..rank - 1].rotate_left(1);
    }
    if transposed {
        order.swap(rank - 2, rank - 1);
    }
    c.transpose(x, &order)
}

/// TransposeMatMul has no attributes for batches.
fn fused_mat_mul(c: &mut Composition<'_>) -> Composed {
    let attributes = c.attributes();
    let flag = |name: &str| attributes.flag(name);
    let a = operand(c, 0, flag("transA")?, flag("transBatchA")?)?;
    let b = operand(c, 1, flag("transB")?, flag("transBatchB")?)?;
    let y = c.apply("MatMul", &[a, b], &[])?;
    let y = c.scaled(y, attributes.float("alpha")?)?;
    narrowed(c, y)
}

fn fused_gemm(c: &mut Composition<'_>) -> Composed {
    let attributes = c.attributes();
    let given = [
        ("alpha", Float(attributes.float("alpha")?)),
        ("beta", Float(attributes.float("beta")?)),
        ("transA", Int(attributes.int("transA")?)),
        ("transB", Int(attributes.int("transB")?)),
    ];
    let (a, b, addend) = (c.input_wide(0)?, c.input_wide(1)?, c.find_wide(2)?);
    if c.rank(a)? != 2 || c.rank(b)? != 2 {
        return Ok(invalid("A and B must be matrices")?);
    }
    let y = c.apply_some("Gemm", &[Some(a), Some(b), addend], &given)?;
    let coefficients = [
        attributes.find_float("activation_alpha")?,
        attributes.find_float("activation_beta")?,
        attributes.find_float("activation_gamma")?,
    ];
    let y = activated(c, y, attributes.text("activation")?, &coefficients)?;
    narrowed(c, y)
}
