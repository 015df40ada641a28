//! Products of matrices: transposed, activated, of quantized operands.

use super::super::elementwise::same;
use super::super::matrices::{Along, gemm, product, scales};
use super::super::recurrent::recurrent;
use super::super::windows::positive;
use super::super::{Row, row};
use super::{single, vector};
use crate::call::{Call, one};
use crate::extent::Expr;
use crate::fact::{Fact, Shape};
use crate::finding::{Outcome, Stop, conflict, known};

pub(super) const ROWS: &[Row] = &[
    row("CDist", 1, |call| {
        let ([rows, width], [others, also]) = (call.ranked::<2>(0)?, call.ranked::<2>(1)?);
        call.equal(&width, &also, "elements of a row of A and of B,")?;
        one(vec![rows, others])
    }),
    row("DynamicQuantizeMatMul", 1, |call| {
        scales(call, &[2, 3], 1, Along::Columns)?;
        integers(call, (0, 1), 4)
    }),
    row("DynamicQuantizeLSTM", 1, |call| {
        let outputs = recurrent(call, 4, true)?;
        if let Some([directions, _, columns]) = known(call.ranked::<3>(2))? {
            for at in [8, 9, 10, 11] {
                let expected = [directions.clone(), columns.clone()];
                let found = known(call.at_least_rank(at, 1))?.unwrap_or_default();
                if found.len() > 2 {
                    return call.wrong_rank(at, found.len(), "1 or 2");
                }
                let count = found.len();
                call.same_shape(
                    &found,
                    &expected[..count],
                    "extents of a scale or zero point and of R,",
                )?;
            }
        }
        Ok(outputs)
    }),
    row("FusedGemm", 1, |call| gemm(call, 1, 2)),
    row("FusedMatMul", 1, stacks),
    row("FusedMatMulActivation", 1, stacks),
    row("GemmFastGelu", 1, |call| integers(call, (0, 1), 2)),
    row("GemmFloat8", 1, |call| gemm(call, 1, 2)),
    row("MatMulBnb4", 1, |call| match call.int("transB") {
        Some(1) => columns(call, "N"),
        _ => Err(Stop::Unknown),
    }),
    row("MatMulFpQ4", 1, |call| {
        let a = call.at_least_rank(0, 1)?;
        let b = call.list(2)?;
        one(product(call, &a, &b)?)
    }),
    row("MatMulInteger16", 1, |call| integers(call, (0, 1), usize::MAX)),
    row("MatMulIntegerToFloat", 1, |call| {
        single(call, &[2, 4])?;
        scales(call, &[3, 5], 1, Along::Columns)?;
        integers(call, (0, 1), 6)
    }),
    row("MatMulNBits", 1, n_bits),
    row("MatMulNBitsMlp", 1, |call| projections(call, &["N"])),
    row("MatMulNBitsQkv", 1, |call| {
        projections(call, &["Nq", "Nkv", "Nkv"])
    }),
    row("MatMulNBitsQLoRA", 1, |call| columns(call, "N")),
    row("MatMulPacked", 1, |call| columns(call, "N")),
    row("MoE", 1, |call| {
        let x = experts(call, [(2, 3), (4, 5), (6, 7)])?;
        for at in [2, 6] {
            if let Some([.., width]) = known(call.ranked::<3>(at))? {
                call.equal(
                    &width,
                    &x[x.len() - 1],
                    "columns of the weights and width of a token,",
                )?;
            }
        }
        one(x)
    }),
    row("MoEPacked", 1, same),
    row("QGemm", 1, |call| {
        single(call, &[1, 2, 7, 8])?;
        gemm(call, 3, 6)
    }),
    row("QMoE", 1, |call| {
        let x = experts(call, [(2, 4), (5, 7), (8, 10)])?;
        for (weights, scales) in [(2, 3), (5, 6), (8, 9)] {
            if let (Some([count, rows, _]), Some(scales)) = (
                known(call.ranked::<3>(weights))?,
                known(call.at_least_rank(scales, 2))?,
            ) {
                call.same_shape(
                    &scales[..2],
                    &[count, rows],
                    "extents of the scales and of the weights,",
                )?;
            }
        }
        one(x)
    }),
    row("QOrderedMatMul", 1, |call| integers(call, (0, 2), usize::MAX)),
    row("SparseToDenseMatMul", 1, stacks),
    row("TransposeMatMul", 1, stacks),
];

/// Stacks of matrices, each transposed on request: first the batch behind the rows, then rows and columns.
fn stacks(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let mut stack = |at: usize, batch: &str, matrix: &str| -> Outcome<Shape> {
        let mut shape = call.at_least_rank(at, 1)?;
        let rank = shape.len();
        if rank >= 2 {
            if call.flag(batch) {
                shape[..rank - 1].rotate_left(1);
            }
            if call.flag(matrix) {
                shape.swap(rank - 2, rank - 1);
            }
        }
        Ok(shape)
    };
    let (a, b) = (
        stack(0, "transBatchA", "transA")?,
        stack(1, "transBatchB", "transB")?,
    );
    one(product(call, &a, &b)?)
}

/// The product of two inputs. A bias belongs to the columns; it may have axes of extent 1 before them.
fn integers(call: &mut Call<'_, '_>, (left, right): (usize, usize), bias: usize) -> Outcome<Vec<Fact>> {
    let (a, b) = (call.at_least_rank(left, 1)?, call.at_least_rank(right, 1)?);
    let shape = product(call, &a, &b)?;
    if let (Some(bias), Some(columns)) = (known(call.at_least_rank(bias, 1))?, shape.last()) {
        call.equal(
            &bias[bias.len() - 1],
            columns,
            "elements of the bias and columns,",
        )?;
        for extent in &bias[..bias.len() - 1] {
            call.equal(
                extent,
                &1.into(),
                "an extent of the bias before the columns and 1,",
            )?;
        }
    }
    one(shape)
}

/// The extents of A with this many columns in place of `K`.
fn with_columns(call: &mut Call<'_, '_>, name: &str) -> Outcome<Shape> {
    let mut a = call.at_least_rank(0, 1)?;
    let (inner, count): (Expr, Expr) = (positive(call, "K")?.into(), positive(call, name)?.into());
    if let Some(width) = a.pop() {
        call.equal(&width, &inner, "columns of A and `K`,")?;
    }
    a.push(count);
    Ok(a)
}

fn columns(call: &mut Call<'_, '_>, name: &str) -> Outcome<Vec<Fact>> {
    one(with_columns(call, name)?)
}

/// Several products of one A; the last output is the sum that is normalised before them.
fn projections(call: &mut Call<'_, '_>, names: &[&str]) -> Outcome<Vec<Fact>> {
    let mut outputs = Vec::with_capacity(names.len() + 1);
    for name in names {
        outputs.push(Fact::of(with_columns(call, name)?));
    }
    outputs.push(Fact::of(call.shape(0)?));
    Ok(outputs)
}

/// Weights of N rows in blocks of K, each packed; scales and zero points belong to the blocks.
fn n_bits(call: &mut Call<'_, '_>) -> Outcome<Vec<Fact>> {
    let shape = with_columns(call, "N")?;
    let (rows, inner) = (positive(call, "N")?, positive(call, "K")?);
    let (bits, block) = (positive(call, "bits")?, positive(call, "block_size")?);
    let blocks = inner / block + i64::from(inner % block != 0);
    let packed = rows.checked_mul(blocks).zip(block.checked_mul(bits));
    if let Some((blocks_of_all, bits_of_block)) = packed
        && call.int("weight_prepacked").unwrap_or(0) == 0
    {
        // Without elements, the projection is omitted.
        if let Some(found) = count(call, 1)?.filter(|&found| found != 0)
            && blocks_of_all.checked_mul(bits_of_block / 8) != Some(found)
        {
            return conflict(format!(
                "`B` has {found} bytes, expected {rows} × {blocks} × {}",
                bits_of_block / 8
            ));
        }
        if let Some(found) = count(call, 2)?.filter(|&found| found != 0 && found != blocks_of_all) {
            return conflict(format!(
                "`scales` has {found} elements, expected {rows} × {blocks}"
            ));
        }
    }
    vector(call, 5, &rows.into(), "elements of the bias and columns,")?;
    one(shape)
}

/// The number of elements of an input, if it is known.
fn count(call: &mut Call<'_, '_>, at: usize) -> Outcome<Option<i64>> {
    let Some(shape) = known(call.shape(at))? else {
        return Ok(None);
    };
    Ok(call.product(&shape).constant())
}

/// A row of the router for each token, and matrices of every expert.
fn experts(call: &mut Call<'_, '_>, projections: [(usize, usize); 3]) -> Outcome<Shape> {
    let x = call.at_least_rank(0, 2)?;
    if let Some([rows, experts]) = known(call.ranked::<2>(1))? {
        let tokens = call.product(&x[..x.len() - 1]);
        call.equal(&rows, &tokens, "rows of `router_probs` and tokens,")?;
        if let Some(chosen) = call.int("k") {
            call.at_least(&experts, &chosen.into(), "the number of experts")?;
        }
        for (weights, bias) in projections {
            let Some([count, rows, _]) = known(call.ranked::<3>(weights))? else {
                continue;
            };
            call.equal(&count, &experts, "experts with weights and of the router,")?;
            if let Some(bias) = known(call.ranked::<2>(bias))? {
                call.same_shape(&bias, &[count, rows], "extents of the biases and of the weights,")?;
            }
        }
        if let Some([_, rows, _]) = known(call.ranked::<3>(projections[1].0))? {
            call.equal(
                &rows,
                &x[x.len() - 1],
                "rows of the second weights and width of a token,",
            )?;
        }
    }
    Ok(x)
}
