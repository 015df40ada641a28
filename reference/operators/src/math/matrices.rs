//! Products of stacks of matrices, with the rules of numpy.matmul.
//!
//! An operand of rank 1 is a row (first operand) or a column (second operand); the added axis is removed
//! from the result. The axes before the last two are broadcast.

use ndarray::{ArrayD, ArrayView2, ArrayViewD, Axis, Dimension, Ix2, IxDyn};
use onnx_tensor::{Array, DType};

use crate::frame::{Call, OpError};
use crate::shared::broadcast;
use crate::shared::matrix_product::{Product, product_into};

/// The unrounded sums of products. `result` is the type to which the caller rounds them, for the budget.
pub fn multiply<T: Product>(
    call: &Call<'_>,
    a: &Array<T>,
    b: &Array<T>,
    result: DType,
) -> Result<ArrayD<T::Sum>, OpError> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return Err(OpError::invalid(
            "an operand of a matrix product must not be a scalar",
        ));
    }
    let (row, column) = (a.ndim() == 1, b.ndim() == 1);
    let a = if row {
        a.view().insert_axis(Axis(0))
    } else {
        a.view()
    };
    let b = if column {
        b.view().insert_axis(Axis(1))
    } else {
        b.view()
    };
    let (batch_a, [m, k]) = split(a.shape())?;
    let (batch_b, [inner, n]) = split(b.shape())?;
    let batch = broadcast::shape(&[batch_a, batch_b])?;
    let shape = |rows, columns| [&batch[..], &[rows, columns]].concat();
    call.reserve(&shape(m, n), result)?;
    if !shape(m, n).contains(&0) {
        call.products(result, &shape(m, n).into_iter().chain([k]).collect::<Vec<_>>())?;
    }
    let misfit = || {
        OpError::invalid(format!(
            "shapes {:?} and {:?} cannot be multiplied",
            a.shape(),
            b.shape()
        ))
    };
    let wide_a = a.broadcast(IxDyn(&shape(m, k))).ok_or_else(misfit)?;
    let wide_b = b.broadcast(IxDyn(&shape(inner, n))).ok_or_else(misfit)?;
    let mut sums = vec![T::Sum::default(); shape(m, n).iter().product()];
    let mut results = sums.chunks_mut((m * n).max(1));
    for index in ndarray::indices(IxDyn(&batch)) {
        let (left, right) = (matrix(&wide_a, &index)?, matrix(&wide_b, &index)?);
        let sums = results.next().unwrap_or_default();
        product_into::<T>(&left, &right, T::Sum::default(), sums)?;
    }
    let rows = (!row).then_some(m);
    let columns = (!column).then_some(n);
    let shape: Vec<usize> = batch.iter().copied().chain(rows).chain(columns).collect();
    Ok(ArrayD::from_shape_vec(IxDyn(&shape), sums)?)
}

/// The axes before the last two, and the last two.
fn split(shape: &[usize]) -> Result<(&[usize], [usize; 2]), OpError> {
    shape
        .split_last_chunk::<2>()
        .map(|(batch, &matrix)| (batch, matrix))
        .ok_or_else(|| OpError::invalid(format!("shape {shape:?} is not a stack of matrices")))
}

/// One matrix of a stack.
fn matrix<'a, T>(stack: &ArrayViewD<'a, T>, index: &IxDyn) -> Result<ArrayView2<'a, T>, OpError> {
    let mut view = stack.clone();
    for &position in index.as_array_view() {
        view.index_axis_inplace(Axis(0), position);
    }
    Ok(view.into_dimensionality::<Ix2>()?)
}
