//! Products and other operators of matrices.

use super::arithmetic::is_float;
use super::{Declaration, of};
use crate::families::{matmul_shapes, suffix_of};
use crate::values::Beyond;
use crate::{Domain, Draft, Made, Reject};
use onnx_tensor::{DType, F8E8M0, Tensor};

/// Sums of products of these do not overflow, also in 32-bit integers.
const FACTOR: Domain = Domain::from(-3.0, 3.0).with(Beyond::NotFinite);

pub(super) const OPERATORS: &[Declaration] = &[
    of("Det", determinant),
    of("Einsum", einsum),
    of("Gemm", gemm),
    of("MatMul", |d| {
        let (a, b) = matmul_shapes(d);
        d.input(&a, FACTOR)?;
        d.input(&b, FACTOR)?;
        Ok(())
    }),
    of("MatMulInteger", matmul_integer),
    of("QLinearMatMul", q_linear_matmul),
    of("Trilu", trilu),
];

/// Batches of square matrices.
fn determinant(d: &mut Draft) -> Made {
    let extent = [1, 2, 3, 5][d.draws.below(4)];
    let batch: Vec<usize> = match d.pick("batch", &["none", "one axis", "two axes", "empty"]) {
        "one axis" => vec![3],
        "two axes" => vec![2, 2],
        "empty" => vec![0],
        _ => Vec::new(),
    };
    d.input(&[batch, vec![extent, extent]].concat(), Domain::MODERATE)?;
    Ok(())
}

/// An equation with the letters of each input; every letter has one extent.
fn einsum(d: &mut Draft) -> Made {
    const EQUATIONS: [&str; 16] = [
        "ij->ji",
        "ij->i",
        "ij->",
        "ii->i",
        "ii->",
        "ij,jk->ik",
        "ij,jk",
        "bij,bjk->bik",
        "i,j->ij",
        "i,i->",
        "ij,ij->ij",
        "...ij,...jk->...ik",
        "...i->...",
        "ij,jk,kl->il",
        "bhid,bhjd->bhij",
        " i j , j k -> i k ",
    ];
    let equation = d.pick("equation", &EQUATIONS);
    let extents: Vec<usize> = (0..26).map(|_| 1 + d.draws.below(4)).collect();
    let batch: Vec<usize> = vec![2, 1 + d.draws.below(3)];
    d.text("equation", equation);
    let operands = equation.split("->").next().unwrap_or_default();
    for operand in operands.split(',') {
        let mut shape = Vec::new();
        for letter in operand.chars().filter(char::is_ascii_alphabetic) {
            shape.push(extents[usize::from(letter as u8 - b'a') % 26]);
        }
        if operand.contains("...") {
            shape.splice(0..0, batch.clone());
        }
        d.input(&shape, Domain::from(-3.0, 3.0))?;
    }
    Ok(())
}

/// A of M × K, B of K × N, either transposed; C is broadcast to M × N, before version 7 only with
/// `broadcast`.
fn gemm(d: &mut Draft) -> Made {
    let extent = |d: &mut Draft, point: &str| match d.pick(point, &["few", "one", "square", "many", "none"]) {
        "one" => 1,
        "square" => 3,
        "many" => [8, 16, 17, 33][d.draws.below(4)],
        "none" => 0,
        _ => 2 + d.draws.below(4),
    };
    let (m, k, n) = (extent(d, "rows"), extent(d, "inner"), extent(d, "columns"));
    let (a, b) = (d.flag("transA", false), d.flag("transB", false));
    // The effect of a fraction, or of a negative number, on integers is undefined.
    let factors: &[f32] = if is_float(d.input_dtype(0)?) {
        &[0.5, -2.0, 0.0]
    } else {
        &[2.0, 3.0]
    };
    d.scalar("alpha", factors);
    d.scalar("beta", factors);
    let whole = d.has("broadcast") && !d.flag("broadcast", false);
    d.input(&if a { [k, m] } else { [m, k] }, Domain::from(-3.0, 3.0))?;
    d.input(&if b { [n, k] } else { [k, n] }, Domain::from(-3.0, 3.0))?;
    if d.since() >= 11 && !d.whether("C") {
        return Ok(());
    }
    let shape = if whole {
        vec![m, n]
    } else {
        suffix_of(d, "C form", m, n)
    };
    d.input(&shape, Domain::from(-3.0, 3.0))?;
    Ok(())
}

/// Zero points are scalars, or one for each row of A or column of B.
fn matmul_integer(d: &mut Draft) -> Made {
    let (a, b) = matmul_shapes(d);
    d.input(&a, Domain::ANY)?;
    d.input(&b, Domain::ANY)?;
    match d.pick("a zero point", &["absent", "scalar", "rows"]) {
        "scalar" => {
            d.input(&[], Domain::ANY)?;
        }
        "rows" if a.len() == 2 => {
            d.input(&[a[0]], Domain::ANY)?;
        }
        _ => d.skip(),
    }
    match d.pick("b zero point", &["absent", "scalar", "columns"]) {
        "scalar" => {
            d.input(&[], Domain::ANY)?;
        }
        "columns" if b.len() == 2 => {
            d.input(&[b[1]], Domain::ANY)?;
        }
        _ => d.skip(),
    }
    Ok(())
}

/// Scales and zero points per tensor, per row of A, or per column of B.
fn q_linear_matmul(d: &mut Draft) -> Made {
    let (a, b) = matmul_shapes(d);
    let operand = |d: &mut Draft, shape: &[usize], of: &[usize]| -> Result<(), Reject> {
        d.input(shape, Domain::ANY)?;
        scale(d, of)?;
        d.input(of, zero_point(d)?)?;
        Ok(())
    };
    let plain = a.len() == 2 && b.len() == 2;
    let rows = plain && d.pick("a scale", &["tensor", "rows"]) == "rows";
    let columns = plain && d.pick("b scale", &["tensor", "columns"]) == "columns";
    operand(d, &a, &if rows { vec![a[0]] } else { Vec::new() })?;
    operand(d, &b, &if columns { vec![b[1]] } else { Vec::new() })?;
    scale(d, &[])?;
    d.input(&[], zero_point(d)?)?;
    Ok(())
}

/// The next input: scales that are powers of two, so that values between two integers are ties in every
/// arithmetic.
pub(super) fn scale(d: &mut Draft, shape: &[usize]) -> Made {
    let dtype = d.input_dtype(d.inputs.len())?;
    let exponents: Vec<u8> = (0..shape.iter().product())
        .map(|_| d.draws.below(4) as u8)
        .collect();
    let tensor = if dtype == DType::Float8E8M0 {
        Tensor::new(
            shape,
            exponents
                .into_iter()
                .map(|exponent| F8E8M0(127 + exponent))
                .collect::<Vec<_>>(),
        )?
    } else {
        let numbers: Vec<i64> = exponents.into_iter().map(|exponent| 1 << exponent).collect();
        crate::whole(dtype, shape, &numbers)?
    };
    d.give(tensor);
    Ok(())
}

/// The zero point of a float is 0.
pub(super) fn zero_point(d: &Draft) -> Result<Domain, Reject> {
    use onnx_tensor::DType as D;
    let dtype = d.input_dtype(d.inputs.len())?;
    Ok(match dtype {
        D::Float8E4M3Fn
        | D::Float8E4M3Fnuz
        | D::Float8E5M2
        | D::Float8E5M2Fnuz
        | D::Float4E2M1
        | D::Float6E2M3
        | D::Float6E3M2 => Domain::from(0.0, 0.0),
        D::Int32 => Domain::whole(0.0, 0.0),
        _ => Domain::from(-8.0, 8.0),
    })
}

fn trilu(d: &mut Draft) -> Made {
    let shape = crate::families::shape(d, 2, 4);
    d.flag("upper", true);
    d.input(&shape, Domain::ANY)?;
    match d.pick("k", &["absent", "zero", "small", "far above", "far below"]) {
        "absent" => Ok(()),
        "zero" => d.number(0),
        "far above" => d.number(40),
        "far below" => d.number(-40),
        _ => {
            let k = d.draws.between(-2, 2);
            d.number(k)
        }
    }
}
