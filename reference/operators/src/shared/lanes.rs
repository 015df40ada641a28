//! Operators that work on the lanes of a tensor along one axis, each by itself.

use ndarray::ArrayD;
use onnx_tensor::{Array, Element};

use crate::frame::{Call, OpError};

/// Applies `f` to each lane of `x` along `axis` (below the rank). `f` writes a lane of `extent` elements, which takes the
/// place of the old one; what it writes must depend on its input alone.
pub fn along<T: Clone, U: Clone + Default>(
    x: &Array<T>,
    axis: usize,
    extent: usize,
    f: impl Fn(&[T], &mut [U]),
) -> ArrayD<U> {
    along_by(x, axis, extent, &f)
}

/// One copy for each pair of types, however many operators call it.
fn along_by<T: Clone, U: Clone + Default>(
    x: &Array<T>,
    axis: usize,
    extent: usize,
    f: &dyn Fn(&[T], &mut [U]),
) -> ArrayD<U> {
    let mut shape = x.raw_dim();
    shape[axis] = extent;
    let mut result = ArrayD::from_elem(shape, U::default());
    if result.is_empty() {
        return result;
    }
    let (outer, length) = (x.shape()[..axis].iter().product(), x.shape()[axis]);
    let inner: usize = x.shape()[axis + 1..].iter().product();
    let written = result.as_slice_mut().unwrap_or_default();
    let dense = x.as_standard_layout();
    let elements = dense.as_slice().unwrap_or_default();
    let mut source = Vec::with_capacity(length);
    let mut target = vec![U::default(); extent];
    for row in 0..outer {
        for column in 0..inner {
            source.clear();
            source.extend((0..length).map(|at| elements[(row * length + at) * inner + column].clone()));
            f(&source, &mut target);
            for (at, value) in target.iter().enumerate() {
                written[(row * extent + at) * inner + column] = value.clone();
            }
        }
    }
    result
}

/// What the attribute `axis` of Softmax, LogSoftmax and Hardmax selects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The axis and all behind it: the tensor is seen as a matrix, each row a lane (versions below 13).
    Flattened,
    /// The axis alone.
    Axis,
}

/// Applies `f` to each lane of input 0 that `axis` selects; the result has its shape.
pub fn by_axis<T: Element, U: Element>(
    call: &Call<'_>,
    extent: Extent,
    f: impl Fn(&[T], &mut [U]),
) -> Result<ArrayD<U>, OpError> {
    let x = call.array::<T>(0)?;
    let axis = crate::shared::axes::axis(call.int("axis")?, x.ndim())?;
    call.reserve(x.shape(), U::DTYPE)?;
    if extent == Extent::Axis || x.is_empty() {
        return Ok(along(x, axis, x.shape()[axis], f));
    }
    let (rows, columns) = x.shape().split_at(axis);
    let (rows, columns) = (rows.iter().product(), columns.iter().product());
    let matrix = x.to_shape((rows, columns))?.into_owned().into_dyn().into_shared();
    Ok(along(&matrix, 1, columns, f).into_shape_with_order(x.raw_dim())?)
}
