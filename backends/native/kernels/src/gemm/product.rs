//! The product of two matrices: checks its arguments and packs a plain right side.

use ::half::{bf16, f16};

use super::Matrix;
use super::job::{Job, Weights};
use super::pack::{PackedB, pack_b, packed_len};
use super::quantized::PackedQuantized;
use super::vector::Vector;
use super::weight::Weight;
use crate::epilogue::{Bias, Epilogue, Residual};
use crate::error::{Result, ensure, need, product};
use crate::memory::Shared;
use crate::{Pool, scratch};

/// The right-hand side of a product.
#[derive(Clone, Copy, Debug)]
pub enum Rhs<'a> {
    /// Packed weights.
    Packed(&'a PackedB),
    /// Packed weights that are quantized.
    Quantized(&'a PackedQuantized),
    /// A plain matrix. It is packed into working memory first, except for a single row on the left side: then
    /// it is read in place, if its rows or its columns are contiguous.
    Matrix(Matrix<'a>),
    /// A plain matrix of halves for a single row on the left side; its rows or its columns are contiguous.
    F16(Matrix<'a, f16>),
    /// The same with halves of another type.
    Bf16(Matrix<'a, bf16>),
}

impl Rhs<'_> {
    fn k(&self) -> usize {
        match self {
            Self::Packed(b) => b.k,
            Self::Quantized(b) => b.k,
            Self::Matrix(b) => b.rows,
            Self::F16(b) => b.rows,
            Self::Bf16(b) => b.rows,
        }
    }

    fn n(&self) -> usize {
        match self {
            Self::Packed(b) => b.n,
            Self::Quantized(b) => b.n,
            Self::Matrix(b) => b.columns,
            Self::F16(b) => b.columns,
            Self::Bf16(b) => b.columns,
        }
    }
}

/// Computes `c = activation(a · b + bias + residual)`; `c` is a dense row-major matrix (`m × n`).
///
/// No sum depends on the number of threads. Every sum runs over the common dimension in ascending order,
/// except for a single row times a [`Rhs::Matrix`] with contiguous columns, which is summed by lanes.
pub fn gemm(pool: &Pool, a: Matrix, b: Rhs, epilogue: &Epilogue, c: &mut [f32]) -> Result<()> {
    let (m, k, n) = (a.rows, a.columns, b.n());
    ensure(k == b.k(), "gemm", || format!("{m} × {k} times {} × {n}", b.k()))?;
    let len = product("gemm", &[m, n])?;
    need("gemm: result", len, c.len())?;
    check_epilogue(epilogue, m, n, len)?;
    if len == 0 {
        return Ok(());
    }
    match b {
        Rhs::Packed(b) => {
            Job {
                isa: b.isa,
                a,
                b: Weights::Floats(&b.data),
                n,
                epilogue,
                c: Shared::new(c),
                first: 0,
            }
            .run(pool);
        }
        Rhs::Quantized(b) => {
            Job {
                isa: b.isa,
                a,
                b: Weights::Quantized(b),
                n,
                epilogue,
                c: Shared::new(c),
                first: 0,
            }
            .run(pool);
        }
        Rhs::F16(b) => row(pool, a, b, epilogue, c)?,
        Rhs::Bf16(b) => row(pool, a, b, epilogue, c)?,
        Rhs::Matrix(b) => {
            if let Some(vector) = Vector::fit(a, b, epilogue, Shared::new(c), 0) {
                vector.run(pool);
                return Ok(());
            }
            scratch::with(packed_len(pool.isa(), k, n)?, |packed| {
                pack_b(pool, b, packed);
                Job {
                    isa: pool.isa(),
                    a,
                    b: Weights::Floats(packed),
                    n,
                    epilogue,
                    c: Shared::new(c),
                    first: 0,
                }
                .run(pool);
            });
        }
    }
    Ok(())
}

/// Multiplies a single row by a plain matrix, without packing it.
fn row<T: Weight>(pool: &Pool, a: Matrix, b: Matrix<T>, epilogue: &Epilogue, c: &mut [f32]) -> Result<()> {
    let vector = Vector::fit(a, b, epilogue, Shared::new(c), 0);
    ensure(vector.is_some(), "gemm", || {
        "a matrix of halves is read only by a row, along its rows or columns".to_owned()
    })?;
    vector.into_iter().for_each(|vector| vector.run(pool));
    Ok(())
}

pub(super) fn check_epilogue(epilogue: &Epilogue, m: usize, n: usize, len: usize) -> Result<()> {
    match epilogue.bias {
        Bias::None => {}
        Bias::Column(bias) => need("gemm: bias of columns", n, bias.len())?,
        Bias::Row(bias) => need("gemm: bias of rows", m, bias.len())?,
    }
    match epilogue.residual {
        Residual::Add(residual) => need("gemm: residual", len, residual.len()),
        Residual::None | Residual::Output => Ok(()),
    }
}
