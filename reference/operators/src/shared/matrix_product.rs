//! Matrix products, in the precision of the reference.
//!
//! Precision ([`Product`]): f16, bf16 and f32 are multiplied and summed in f64, where each product is
//! exact; f64 is summed in double-double; integers wrap in their own type. The error of a sum of k products
//! of f32 is at most k·2⁻⁵³ of the sum of their magnitudes before it is rounded to f32; that of f64 is
//! about k²·2⁻¹⁰⁶.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis};
use onnx_tensor::element::CompensatedSum;
use onnx_tensor::{Accumulator, DType, Real, bf16, f16};

use crate::frame::OpError;

/// An element type whose products are summed in a wider type.
pub trait Product: Real {
    /// The type of a factor.
    type Factor: Copy + Default;
    /// The type of a sum of products before it is rounded.
    type Sum: Copy + Default;

    /// The element as a factor. Exact.
    fn factor(self) -> Self::Factor;
    /// A sum that holds only this element.
    fn start(self) -> Self::Sum;
    /// The product of two factors, in their own precision.
    fn multiply(a: Self::Factor, b: Self::Factor) -> Self::Factor;
    /// Adds the product of two factors to a sum.
    fn add_product(sum: &mut Self::Sum, a: Self::Factor, b: Self::Factor);
    /// The sum of the products of factors and elements.
    fn dot(factors: &[Self::Factor], elements: &[Self]) -> Self::Sum {
        let mut sum = Self::Sum::default();
        let pairs = factors.iter().zip(elements);
        pairs.for_each(|(&x, y)| Self::add_product(&mut sum, x, y.factor()));
        sum
    }
    /// Adds the product of `a` and `b` to `sums`. The shape of `sums` is (rows of `a`, columns of `b`).
    fn accumulate(
        a: &ArrayView2<'_, Self::Factor>,
        b: &ArrayView2<'_, Self::Factor>,
        sums: &mut ArrayViewMut2<'_, Self::Sum>,
    );
    /// The sum, rounded once (integers: the sum itself).
    fn finish(sum: Self::Sum) -> Self;
    /// The sum as f64, for callers that scale it before it is rounded.
    fn sum_to_f64(sum: Self::Sum) -> f64;
}

macro_rules! through_f64 {
    ($($ty:ty),*) => {$(
        impl Product for $ty {
            type Factor = f64;
            type Sum = f64;
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
            fn dot(factors: &[f64], elements: &[$ty]) -> f64 {
                let ((factors, last_factors), (elements, last_elements)) =
                    (factors.as_chunks::<4>(), elements.as_chunks::<4>());
                // Four independent sums: each addition to a single sum would wait for the one before it.
                let mut sums = [0.0; 4];
                for (&[a, b, c, d], &[p, q, r, s]) in factors.iter().zip(elements) {
                    sums[0] += a * p.to_f64();
                    sums[1] += b * q.to_f64();
                    sums[2] += c * r.to_f64();
                    sums[3] += d * s.to_f64();
                }
                let last = last_factors.iter().zip(last_elements);
                last.fold(sums.iter().sum(), |sum, (&x, y)| sum + x * y.to_f64())
            }
            fn accumulate(
                a: &ArrayView2<'_, f64>,
                b: &ArrayView2<'_, f64>,
                sums: &mut ArrayViewMut2<'_, f64>,
            ) {
                general_mat_mul(1.0, a, b, 1.0, sums);
            }
            fn finish(sum: f64) -> Self {
                <$ty>::from_f64(sum)
            }
            fn sum_to_f64(sum: f64) -> f64 {
                sum
            }
        }
    )*};
}
through_f64!(f16, bf16, f32);

impl Product for f64 {
    type Factor = f64;
    type Sum = CompensatedSum;
    fn factor(self) -> f64 {
        self
    }
    fn start(self) -> CompensatedSum {
        let mut sum = CompensatedSum::default();
        sum.add(self);
        sum
    }
    fn multiply(a: f64, b: f64) -> f64 {
        a * b
    }
    fn add_product(sum: &mut CompensatedSum, a: f64, b: f64) {
        sum.add_product(a, b);
    }
    fn accumulate(
        a: &ArrayView2<'_, f64>,
        b: &ArrayView2<'_, f64>,
        sums: &mut ArrayViewMut2<'_, CompensatedSum>,
    ) {
        by_rows::<f64>(a, b, sums);
    }
    fn finish(sum: CompensatedSum) -> f64 {
        sum.to_f64()
    }
    fn sum_to_f64(sum: CompensatedSum) -> f64 {
        sum.to_f64()
    }
}

macro_rules! wrapping {
    ($($ty:ty),*) => {$(
        impl Product for $ty {
            type Factor = $ty;
            type Sum = $ty;
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
            fn accumulate(
                a: &ArrayView2<'_, $ty>,
                b: &ArrayView2<'_, $ty>,
                sums: &mut ArrayViewMut2<'_, $ty>,
            ) {
                by_rows::<$ty>(a, b, sums);
            }
            fn finish(sum: $ty) -> $ty {
                sum
            }
            fn sum_to_f64(sum: $ty) -> f64 {
                sum.to_f64()
            }
        }
    )*};
}
wrapping!(u8, i8, u16, i16, u32, i32, u64, i64);

/// Iterates over rows of `b`, so that the innermost loop reads consecutive memory.
fn by_rows<T: Product>(
    a: &ArrayView2<'_, T::Factor>,
    b: &ArrayView2<'_, T::Factor>,
    sums: &mut ArrayViewMut2<'_, T::Sum>,
) {
    for (mut sums, a) in sums.outer_iter_mut().zip(a.outer_iter()) {
        for (&x, b) in a.iter().zip(b.outer_iter()) {
            sums.iter_mut()
                .zip(b.iter())
                .for_each(|(sum, &y)| T::add_product(sum, x, y));
        }
    }
}

/// The number of factors of `b` in one block. The widened copy of a large matrix is never whole in memory.
const BLOCK: usize = 1 << 21;

/// The product of an (m, k) and a (k, n) matrix. Error if the inner extents differ.
pub fn product<T: Product>(a: &ArrayView2<'_, T>, b: &ArrayView2<'_, T>) -> Result<Array2<T::Sum>, OpError> {
    let mut sums = Array2::default(shape(a, b)?);
    if a.nrows() <= FEW_ROWS {
        few_rows(a, b, &mut sums);
        return Ok(sums);
    }
    // Blocks follow the memory order of `b`: whole rows of a row-major matrix, whole columns of a
    // column-major one.
    let by_columns = b.t().is_standard_layout() && !b.is_standard_layout();
    if by_columns {
        let a = a.mapv(T::factor);
        let width = (BLOCK / b.nrows().max(1)).max(1);
        let blocks = b.axis_chunks_iter(Axis(1), width);
        for (mut sums, b) in sums.axis_chunks_iter_mut(Axis(1), width).zip(blocks) {
            T::accumulate(&a.view(), &b.mapv(T::factor).view(), &mut sums);
        }
    } else {
        let height = (BLOCK / b.ncols().max(1)).max(1);
        let blocks = b.axis_chunks_iter(Axis(0), height);
        for (a, b) in a.axis_chunks_iter(Axis(1), height).zip(blocks) {
            let (a, b) = (a.mapv(T::factor), b.mapv(T::factor));
            T::accumulate(&a.view(), &b.view(), &mut sums.view_mut());
        }
    }
    Ok(sums)
}

/// Up to this number of rows of `a`, `b` is read in place: to widen and pack it would cost more than the
/// product.
const FEW_ROWS: usize = 4;

/// Adds the product of a matrix with few rows to `sums`, in the memory order of `b`.
fn few_rows<T: Product>(a: &ArrayView2<'_, T>, b: &ArrayView2<'_, T>, sums: &mut Array2<T::Sum>) {
    let rows: Vec<Vec<T::Factor>> = a
        .rows()
        .into_iter()
        .map(|row| row.mapv(T::factor).to_vec())
        .collect();
    let columns: Option<Vec<&[T]>> = b.columns().into_iter().map(|column| column.to_slice()).collect();
    if let Some(columns) = columns {
        for (column, mut sums) in columns.into_iter().zip(sums.columns_mut()) {
            for (sum, row) in sums.iter_mut().zip(&rows) {
                *sum = T::dot(row, column);
            }
        }
        return;
    }
    for (index, b) in b.rows().into_iter().enumerate() {
        for (row, mut sums) in rows.iter().zip(sums.rows_mut()) {
            let pairs = sums.iter_mut().zip(&b);
            pairs.for_each(|(sum, y)| T::add_product(sum, row[index], y.factor()));
        }
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
        _ => shape(a, b).map(|_| a.dot(b)),
    }
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
