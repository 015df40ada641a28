//! Matrix products, in the precision of the reference.
//!
//! Precision ([`Product`]): f16, bf16 and f32 are multiplied and summed in f64, where each product is
//! exact; f64 is summed in double-double; integers wrap in their own type. The error of a sum of k products
//! of f32 is at most k·2⁻⁵³ of the sum of their magnitudes before it is rounded to f32; that of f64 is
//! about k²·2⁻¹⁰⁶.
//!
//! The order of a sum is that of `onnx_arithmetic::product` with the blocks of [`blocks`], and one block for
//! at most [`FEW_ROWS`] rows, or that of `onnx_arithmetic::product::dots` if the columns follow in memory.

use std::borrow::Cow;

use ndarray::{Array2, ArrayD, ArrayView2};
use onnx_arithmetic::product::{
    Blocks, Buffers, Compensated, Factor, Matrix, Operands, compensated, dots, tiles,
};
use onnx_arithmetic::{Element as Cell, element, threads};
use onnx_tensor::{DType, Real, Tensor, bf16, f16};

use crate::frame::OpError;

/// An element type whose products are summed in a wider type.
pub trait Product: Real {
    /// The type of a factor.
    type Factor: Copy + Default;
    /// The type of a sum of products before it is rounded.
    type Sum: Copy + Default + Send + Sync + 'static;
    /// The element in a product of matrices.
    type Cell: Cell<Factor = Self::Kernel>;
    /// A factor in a product of matrices.
    type Kernel: Factor<Sum = Self::Sum> + Cell<Factor = Self::Kernel>;
    /// Whether a product of matrices adds in the order of `dots` where columns follow in memory.
    const IN_F64: bool = false;

    /// The element as a factor. Exact.
    fn factor(self) -> Self::Factor;
    /// A sum that holds only this element.
    fn start(self) -> Self::Sum;
    /// The product of two factors, in their own precision.
    fn multiply(a: Self::Factor, b: Self::Factor) -> Self::Factor;
    /// Adds the product of two factors to a sum.
    fn add_product(sum: &mut Self::Sum, a: Self::Factor, b: Self::Factor);
    /// The elements as those of a product of matrices.
    fn cells(elements: &[Self]) -> &[Self::Cell];
    /// Factors as those of a product of matrices.
    fn kernel(factors: &[Self::Factor]) -> &[Self::Kernel];
    /// The sum, rounded once (integers: the sum itself).
    fn finish(sum: Self::Sum) -> Self;
    /// The sums, each rounded once. Both slices have the same length.
    fn finish_all(sums: &[Self::Sum], into: &mut [Self]) {
        into.iter_mut()
            .zip(sums)
            .for_each(|(into, &sum)| *into = Self::finish(sum));
    }
    /// The sum as f64, for callers that scale it before it is rounded.
    fn sum_to_f64(sum: Self::Sum) -> f64;
    /// The products of rows and columns that follow in memory, if [`Product::IN_F64`].
    fn dots(_rows: &ArrayView2<'_, Self>, _b: &Matrix<'_, Self::Cell>, _sums: &mut [Self::Sum]) {}
}

macro_rules! through_f64 {
    ($($ty:ty, $finish_all:expr;)*) => {$(
        impl Product for $ty {
            type Factor = f64;
            type Sum = f64;
            type Cell = $ty;
            type Kernel = f64;
            const IN_F64: bool = true;
            fn factor(self) -> f64 {
                self.to_f64()
            }
            fn start(self) -> f64 {
                self.to_f64()
            }
            fn multiply(a: f64, b: f64) -> f64 {
                a * b
            }
            fn add_product(sum: &mut f64, a: f64, b: f64) {
                *sum += a * b;
            }
            fn cells(elements: &[$ty]) -> &[$ty] {
                elements
            }
            fn kernel(factors: &[f64]) -> &[f64] {
                factors
            }
            fn finish(sum: f64) -> Self {
                // The method of `half` rounds twice.
                <$ty as Real>::from_f64(sum)
            }
            fn finish_all(sums: &[f64], into: &mut [$ty]) {
                $finish_all(sums, into);
            }
            fn sum_to_f64(sum: f64) -> f64 {
                sum
            }
            fn dots(rows: &ArrayView2<'_, $ty>, b: &Matrix<'_, $ty>, sums: &mut [f64]) {
                let rows: Vec<Vec<f64>> = rows.outer_iter().map(|row| row.mapv(Real::to_f64).to_vec()).collect();
                dots(&rows, b, sums);
            }
        }
    )*};
}
through_f64! {
    f16, round_all;
    bf16, round_all;
    f32, element::round_f32;
}

fn round_all<T: Real>(sums: &[f64], into: &mut [T]) {
    into.iter_mut()
        .zip(sums)
        .for_each(|(into, &sum)| *into = T::from_f64(sum));
}

impl Product for f64 {
    type Factor = f64;
    type Sum = compensated::Sum;
    type Cell = Compensated;
    type Kernel = Compensated;
    fn factor(self) -> f64 {
        self
    }
    fn start(self) -> compensated::Sum {
        // A sum starts at +0.
        [0.0 + self, 0.0]
    }
    fn multiply(a: f64, b: f64) -> f64 {
        a * b
    }
    fn add_product([high, low]: &mut compensated::Sum, a: f64, b: f64) {
        compensated::push(a, b, high, low);
    }
    fn cells(elements: &[f64]) -> &[Compensated] {
        Compensated::slice(elements)
    }
    fn kernel(factors: &[f64]) -> &[Compensated] {
        Compensated::slice(factors)
    }
    fn finish(sum: compensated::Sum) -> f64 {
        Self::sum_to_f64(sum)
    }
    fn sum_to_f64(sum: compensated::Sum) -> f64 {
        compensated::value(sum)
    }
}

macro_rules! wrapping {
    ($($ty:ty),*) => {$(
        impl Product for $ty {
            type Factor = $ty;
            type Sum = $ty;
            type Cell = $ty;
            type Kernel = $ty;
            fn factor(self) -> $ty {
                self
            }
            fn start(self) -> $ty {
                self
            }
            fn multiply(a: $ty, b: $ty) -> $ty {
                a.wrapping_mul(b)
            }
            fn add_product(sum: &mut $ty, a: $ty, b: $ty) {
                *sum = sum.wrapping_add(a.wrapping_mul(b));
            }
            fn cells(elements: &[$ty]) -> &[$ty] {
                elements
            }
            fn kernel(factors: &[$ty]) -> &[$ty] {
                factors
            }
            fn finish(sum: $ty) -> $ty {
                sum
            }
            fn finish_all(sums: &[$ty], into: &mut [$ty]) {
                into.copy_from_slice(sums);
            }
            fn sum_to_f64(sum: $ty) -> f64 {
                sum.to_f64()
            }
        }
    )*};
}
wrapping!(u8, i8, u16, i16, u32, i32, u64, i64);

/// Factors of `b` between two starts of a block of terms, if the rows of `b` follow in memory.
const BLOCK: usize = 1 << 21;

/// Up to this number of rows of `a` a sum has one block.
const FEW_ROWS: usize = 4;

/// The product of an (m, k) and a (k, n) matrix. Error if the inner extents differ.
pub fn product<T: Product>(a: &ArrayView2<'_, T>, b: &ArrayView2<'_, T>) -> Result<Array2<T::Sum>, OpError> {
    let mut sums = vec![T::Sum::default(); shape(a, b)?.0 * b.ncols()];
    product_into(a, b, T::Sum::default(), &mut sums)?;
    Ok(Array2::from_shape_vec((a.nrows(), b.ncols()), sums)?)
}

/// Writes the product of an (m, k) and a (k, n) matrix, row by row; its sums start at `start`. Error if the
/// inner extents differ.
pub fn product_into<T: Product>(
    a: &ArrayView2<'_, T>,
    b: &ArrayView2<'_, T>,
    start: T::Sum,
    sums: &mut [T::Sum],
) -> Result<(), OpError> {
    let (rows, columns) = shape(a, b)?;
    let terms = b.nrows();
    let few = rows <= FEW_ROWS && T::IN_F64;
    let columns_follow =
        few && terms > 1 && b.strides()[0] == 1 || b.t().is_standard_layout() && !b.is_standard_layout();
    let (left, right) = (elements(a, false), elements(b, columns_follow));
    let misfit = || OpError::invalid("a matrix has another number of elements than its shape");
    let left = Matrix::by_rows(T::cells(&left), rows, terms).ok_or_else(misfit)?;
    let right = if columns_follow {
        Matrix::by_rows(T::cells(&right), columns, terms).map(Matrix::transposed)
    } else {
        Matrix::by_rows(T::cells(&right), terms, columns)
    };
    let right = right.ok_or_else(misfit)?;
    if few && columns_follow {
        T::dots(a, &right, sums);
        return Ok(());
    }
    let blocks = match (few, columns_follow) {
        (true, _) => Blocks::ending([terms]),
        (false, true) => Blocks::of(terms),
        (false, false) => Blocks::within(terms, BLOCK / columns.max(1)),
    };
    let left = left.transposed();
    let operands = Operands {
        a: &left,
        b: &right,
        blocks: &blocks,
    };
    multiply(operands, |_| start, sums, columns);
    Ok(())
}

/// A tensor of sums, each rounded once.
pub fn rounded<T: Product>(sums: &ArrayD<T::Sum>) -> Result<Tensor, OpError> {
    let mut result = vec![T::ZERO; sums.len()];
    match sums.as_slice() {
        Some(sums) => T::finish_all(sums, &mut result),
        None => T::finish_all(&sums.iter().copied().collect::<Vec<_>>(), &mut result),
    }
    Ok(Tensor::new(sums.shape(), result)?)
}

/// Writes the sums of `operands`, row by row, each started at the value of `start` for its row.
pub fn multiply<F: Factor>(
    operands: Operands<'_, F>,
    start: impl Fn(usize) -> F::Sum + Sync,
    sums: &mut [F::Sum],
    columns: usize,
) {
    let rows = sums.len().checked_div(columns).unwrap_or(0);
    let parts = threads::parts(sums.len().saturating_mul(operands.blocks.terms()));
    let state = || (Buffers::default(), Vec::new());
    threads::for_each(
        tiles(sums, rows, columns, parts).into_iter(),
        parts,
        state,
        |(buffers, sums): &mut (Buffers<F>, Vec<F::Sum>), tile| {
            let width = tile.columns.len();
            sums.clear();
            for row in tile.rows.clone() {
                sums.resize(sums.len() + width, start(row));
            }
            F::accumulate(operands, tile.rows, tile.columns, buffers, sums);
            for (row, sums) in tile.result.into_iter().zip(sums.chunks(width)) {
                row.copy_from_slice(sums);
            }
        },
    );
}

/// The elements row after row, or column after column if `columns` is set.
fn elements<'a, T: Copy>(matrix: &ArrayView2<'a, T>, columns: bool) -> Cow<'a, [T]> {
    let view = if columns { matrix.reversed_axes() } else { *matrix };
    match view.to_slice() {
        Some(slice) => Cow::Borrowed(slice),
        None => Cow::Owned(view.iter().copied().collect()),
    }
}

/// The product of matrices of f64 that hold values of `dtype`. If `dtype` is f64, it is summed in
/// double-double.
pub fn product_in_f64(
    a: &ArrayView2<'_, f64>,
    b: &ArrayView2<'_, f64>,
    dtype: DType,
) -> Result<Array2<f64>, OpError> {
    match dtype {
        DType::Double => Ok(product::<f64>(a, b)?.mapv(f64::finish)),
        _ => plain(a, b),
    }
}

/// The product of matrices of f64, summed in f64.
fn plain(a: &ArrayView2<'_, f64>, b: &ArrayView2<'_, f64>) -> Result<Array2<f64>, OpError> {
    let ((rows, columns), terms) = (shape(a, b)?, b.nrows());
    let mut sums = vec![0.0; rows * columns];
    let columns_follow = b.t().is_standard_layout();
    let (left, right) = (elements(a, false), elements(b, columns_follow));
    let right = if columns_follow {
        Matrix::by_rows(&right, columns, terms).map(Matrix::transposed)
    } else {
        Matrix::by_rows(&right, terms, columns)
    };
    let left = Matrix::by_rows(&left, rows, terms).map(Matrix::transposed);
    if let (Some(left), Some(right), true) = (left, right, terms > 0) {
        let operands = Operands {
            a: &left,
            b: &right,
            blocks: &Blocks::of(terms),
        };
        // The sum of −0 and a partial sum is the partial sum.
        multiply(operands, |_| -0.0, &mut sums, columns);
    }
    Ok(Array2::from_shape_vec((rows, columns), sums)?)
}

fn shape<A>(a: &ArrayView2<'_, A>, b: &ArrayView2<'_, A>) -> Result<(usize, usize), OpError> {
    if a.ncols() == b.nrows() {
        Ok((a.nrows(), b.ncols()))
    } else {
        Err(OpError::invalid(format!(
            "matrices of shapes {:?} and {:?} cannot be multiplied",
            a.shape(),
            b.shape()
        )))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::linalg::general_mat_mul;

    use super::*;

    /// Numbers of 24 bits of very different magnitudes, so that sums round, and pairs that cancel.
    fn matrix(rows: usize, columns: usize, seed: u64) -> Array2<f32> {
        let mut state = seed | 1;
        let mut last = 0.0;
        Array2::from_shape_simple_fn((rows, columns), || {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            let unit = (state >> 40) as f32 / (1_u32 << 23) as f32 - 1.0;
            last = match state >> 33 & 7 {
                0 => -last,
                1 => unit * 1e12,
                2 => unit * 1e-12,
                _ => unit,
            };
            last
        })
    }

    /// The sums of more than a few rows are those of `matrixmultiply`, bit by bit, in both memory orders.
    #[test]
    fn sums_are_those_of_ndarray() {
        for (seed, (rows, terms, columns)) in [(5, 300, 40), (8, 256, 8), (17, 700, 33), (70, 513, 300)]
            .into_iter()
            .enumerate()
        {
            let (a, b) = (
                matrix(rows, terms, seed as u64 + 3),
                matrix(terms, columns, seed as u64 + 9),
            );
            let (wide_a, wide_b) = (a.mapv(f64::from), b.mapv(f64::from));
            let mut expected = Array2::zeros((rows, columns));
            general_mat_mul(1.0, &wide_a, &wide_b, 1.0, &mut expected);
            let by_columns = b.t().as_standard_layout().into_owned().reversed_axes();
            for b in [b.view(), by_columns.view()] {
                let found = product::<f32>(&a.view(), &b).expect("the shapes fit");
                assert_eq!(found, expected, "{rows} × {terms} × {columns}");
            }
            let found = product_in_f64(&wide_a.view(), &wide_b.view(), DType::Float).expect("the shapes fit");
            assert_eq!(found, wide_a.dot(&wide_b));
        }
    }
}
