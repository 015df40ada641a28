//! Products of matrices.

use std::collections::BTreeMap;

use super::quantization::single;
use super::{Row, row};
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, Stop, conflict, known, parameter};

pub(super) const ROWS: &[Row] = &[
    row("MatMul", 1, |call| matmul(call, 1)),
    row("MatMulInteger", 10, |call| {
        scales(call, &[2], 0, Along::Rows)?;
        scales(call, &[3], 1, Along::Columns)?;
        matmul(call, 1)
    }),
    row("QLinearMatMul", 10, |call| {
        scales(call, &[1, 2], 0, Along::Rows)?;
        scales(call, &[4, 5], 3, Along::Columns)?;
        matmul(call, 3)
    }),
    row("Gemm", 1, |call| gemm(call, 1, 2)),
    row("Det", 11, det),
    row("Einsum", 12, einsum),
];

/// The axis of a matrix whose indices have scales and zero points of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Along {
    Rows,
    Columns,
}

/// Scales and zero points of a stack of matrices: one for all, a vector along an axis, or a stack with an
/// extent of 1 on the other axis.
pub(super) fn scales(call: &mut Call<'_, '_>, inputs: &[usize], of: usize, along: Along) -> Outcome<()> {
    let Some(stack) = known(call.at_least_rank(of, 1))? else {
        return Ok(());
    };
    for &at in inputs {
        let Some(shape) = known(call.shape(at))? else {
            continue;
        };
        if call.product(&shape).constant().is_none_or(|count| count == 1) {
            continue;
        }
        let Some((batch, [rows, columns])) = stack.split_last_chunk::<2>() else {
            single(call, &[at])?;
            continue;
        };
        let (extent, last) = match along {
            Along::Rows => (rows, [rows.clone(), 1.into()]),
            Along::Columns => (columns, [1.into(), columns.clone()]),
        };
        let what = "elements of a scale or zero point and rows or columns,";
        match shape.as_slice() {
            [count] => drop(call.equal(count, extent, what)?),
            _ => drop(call.same_shape(&shape, &[batch, &last].concat(), what)?),
        }
    }
    Ok(())
}

/// A vector on the left is a row, on the right a column; the added axis is not in the result.
fn matmul(call: &mut Call<'_, '_>, right: usize) -> Outcome<Vec<Fact>> {
    let (a, b) = (call.at_least_rank(0, 1)?, call.at_least_rank(right, 1)?);
    one(product(call, &a, &b)?)
}

/// The extents of a product of stacks of matrices, of which none is a scalar.
pub(super) fn product(call: &mut Call<'_, '_>, a: &Shape, b: &Shape) -> Outcome<Shape> {
    let (rows, columns) = (
        a.len().checked_sub(2).map(|at| a[at].clone()),
        (b.len() > 1).then(|| b[b.len() - 1].clone()),
    );
    let inner = (&a[a.len() - 1], &b[b.len().saturating_sub(2)]);
    call.equal(inner.0, inner.1, "inner extents")?;
    let stack = |shape: &Shape| shape[..shape.len().saturating_sub(2)].to_vec();
    let mut shape = call.broadcast(&[stack(a), stack(b)])?;
    shape.extend(rows);
    shape.extend(columns);
    Ok(shape)
}

/// The second matrix and the bias are at these inputs.
pub(super) fn gemm(call: &mut Call<'_, '_>, right: usize, bias: usize) -> Outcome<Vec<Fact>> {
    let (a, b) = (call.ranked::<2>(0)?, call.ranked::<2>(right)?);
    let turned =
        |[rows, columns]: [Expr; 2], turned: bool| if turned { [columns, rows] } else { [rows, columns] };
    let ([rows, inner], [also, columns]) = (turned(a, call.flag("transA")), turned(b, call.flag("transB")));
    call.equal(&inner, &also, "inner extents")?;
    let shape = vec![rows, columns];
    if let Ok(bias) = call.shape(bias) {
        if call.schema.attribute("broadcast").is_some() && !call.flag("broadcast") {
            drop(call.same_shape(&shape, &bias, "extents of product and bias")?)
        } else {
            call.broadcast_to(&shape, &bias)?
        }
    }
    one(shape)
}

fn det(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut shape = call.at_least_rank(0, 2)?;
    let columns = shape.pop().unwrap_or_default();
    let rows = shape.pop().unwrap_or_default();
    call.equal(&rows, &columns, "rows and columns")?;
    one(shape)
}

/// An index of an equation: a letter, or a position before the end of an ellipsis.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Index {
    Dots(usize),
    Letter(char),
}

/// The extents of the indices of the result.
fn einsum(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let equation = call.text("equation").ok_or(Stop::Unknown)?;
    let equation: String = equation
        .chars()
        .filter(|letter| !letter.is_whitespace())
        .collect();
    let (left, right) = match equation.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (equation.as_str(), None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != call.inputs.len() {
        let count = terms.len();
        return parameter(format!(
            "`equation` has {count} terms for {} inputs",
            call.inputs.len()
        ));
    }
    let mut extents: BTreeMap<Index, Expr> = BTreeMap::new();
    let (mut times, mut dots) = (BTreeMap::new(), 0);
    for (at, term) in terms.iter().enumerate() {
        if let Some(letter) = term
            .chars()
            .find(|letter| *letter != '.' && !letter.is_alphabetic())
        {
            return parameter(format!("`equation` has {letter:?}, expected letters"));
        }
        let shape = call.shape(at)?;
        let letters = term.replace("...", "").chars().count();
        let hidden = if term.contains("...") {
            shape.len().checked_sub(letters)
        } else {
            (shape.len() == letters).then_some(0)
        };
        let Some(hidden) = hidden else {
            return call.wrong_rank(at, shape.len(), &format!("that of the term `{term}`"));
        };
        dots = dots.max(hidden);
        let mut before: Vec<Index> = Vec::new();
        for (index, extent) in indices(term, hidden).into_iter().zip(&shape) {
            let known = extents.get(&index).cloned().unwrap_or_else(|| extent.clone());
            // A letter that occurs twice in one term is a diagonal.
            let extent = if before.contains(&index) {
                call.equal(&known, extent, "extents of one index")?
            } else {
                call.broadcast_extent(&known, extent)?
            };
            extents.insert(index, extent);
            before.push(index);
            *times.entry(index).or_insert(0) += 1;
        }
    }
    let output = match right {
        Some(right) => indices(right, dots),
        None => {
            let hidden = (0..dots).rev().map(Index::Dots);
            let once = times
                .iter()
                .filter(|(index, count)| matches!(index, Index::Letter(_)) && **count == 1);
            hidden.chain(once.map(|(index, _)| *index)).collect()
        }
    };
    let mut shape = Vec::with_capacity(output.len());
    for index in output {
        match extents.get(&index) {
            Some(extent) => shape.push(extent.clone()),
            None => return conflict(format!("`equation` {equation:?} has an index in its result only")),
        }
    }
    one(shape)
}

/// The indices of a term, whose ellipsis stands for this many.
fn indices(term: &str, hidden: usize) -> Vec<Index> {
    let dots = || (0..hidden).rev().map(Index::Dots);
    match term.split_once("...") {
        Some((before, after)) => {
            let letters = |text: &str| text.chars().map(Index::Letter).collect::<Vec<_>>();
            letters(before)
                .into_iter()
                .chain(dots())
                .chain(letters(after))
                .collect()
        }
        None => term.chars().map(Index::Letter).collect(),
    }
}
