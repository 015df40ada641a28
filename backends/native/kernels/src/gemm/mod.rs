//! Products of f32 matrices: micro-kernel, packed operands, fused epilogue.
//!
//! [`tile`] is the micro-kernel, which convolutions share, and [`finish`] its end. [`pack`] brings operands
//! into its order. [`job`] divides a product into tiles that fit into the caches and among threads, and
//! [`prefetch`] fetches the weights of later tiles. A skinny product (few rows; one row: GEMV) with packed
//! weights is in [`skinny`], that of a row and a plain matrix in [`vector`]. [`quantized`] has weights of
//! four or eight bits.

mod batch;
pub(crate) mod finish;
pub(crate) mod job;
pub(crate) mod pack;
pub(crate) mod prefetch;
mod product;
mod quantized;
mod skinny;
pub(crate) mod tile;
pub(crate) mod vector;
mod weight;

pub use batch::gemm_batch;
pub use pack::PackedB;
pub use product::{Rhs, gemm};
pub use quantized::{CodeBits, PackedQuantized, Quantized};

use crate::error::{Result, need, product};

/// A view of a matrix in a slice, with any strides: element `(i, j)` is
/// `data[i·row_stride + j·column_stride]`.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a, T = f32> {
    pub(crate) data: &'a [T],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) row_stride: usize,
    pub(crate) column_stride: usize,
}

impl<'a, T: Copy> Matrix<'a, T> {
    /// Makes a dense row-major matrix.
    pub fn new(data: &'a [T], rows: usize, columns: usize) -> Result<Self> {
        Self::with_strides(data, rows, columns, columns, 1)
    }

    /// Makes a matrix with any strides; fails if the last element is outside of the slice.
    pub fn with_strides(
        data: &'a [T],
        rows: usize,
        columns: usize,
        row_stride: usize,
        column_stride: usize,
    ) -> Result<Self> {
        if rows > 0 && columns > 0 {
            let down = product("matrix", &[rows - 1, row_stride])?;
            let right = product("matrix", &[columns - 1, column_stride])?;
            let needed = down.checked_add(right).and_then(|last| last.checked_add(1));
            need(
                "matrix",
                needed.ok_or(crate::KernelError::Overflow("matrix"))?,
                data.len(),
            )?;
        }
        Ok(Self {
            data,
            rows,
            columns,
            row_stride,
            column_stride,
        })
    }

    /// Returns the matrix with rows and columns exchanged.
    pub fn transposed(self) -> Self {
        Self {
            data: self.data,
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
        }
    }

    /// Returns the element in row `i` and column `j`.
    ///
    /// # Panics
    /// If it does not exist.
    pub fn get(&self, i: usize, j: usize) -> T {
        assert!(i < self.rows && j < self.columns, "no element ({i}, {j})");
        self.data[i * self.row_stride + j * self.column_stride]
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }
}
