//! Operators that process each lane of a tensor along one axis independently.

use ndarray::ArrayD;
use onnx_tensor::{Array, Element};

use crate::frame::{Call, OpError};

/// Applies `f` to each lane of `x` along `axis` (below the rank). `f` writes a lane of `extent` elements,
/// which replaces the input lane. The output of `f` must depend on its input only.
pub fn along<T: Clone, U: Clone + Default>(
    x: &Array<T>,
    axis: usize,
    extent: usize,
    f: impl Fn(&[T], &mut [U]),
) -> ArrayD<U> {
    along_by(x, axis, extent, &f)
}

/// Lanes that are copied at a time.
const TOGETHER: usize = 32;

/// One copy for each pair of types, for all operators that call it.
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
    if inner == 1 && length > 0 {
        let lanes = elements
            .chunks(length.max(1))
            .zip(written.chunks_mut(extent.max(1)));
        lanes.for_each(|(source, target)| f(source, target));
        return result;
    }
    // Lanes that are next to each other are copied together.
    let (mut sources, mut targets) = (Vec::new(), vec![U::default(); extent * TOGETHER]);
    for row in 0..outer {
        for first in (0..inner).step_by(TOGETHER) {
            let columns = first..inner.min(first + TOGETHER);
            sources.clear();
            for column in columns.clone() {
                sources.extend((0..length).map(|at| elements[(row * length + at) * inner + column].clone()));
            }
            for (index, target) in targets.chunks_mut(extent).take(columns.len()).enumerate() {
                f(&sources[index * length..(index + 1) * length], target);
            }
            for at in 0..extent {
                let target = &mut written[(row * extent + at) * inner..][columns.clone()];
                let lanes = target.iter_mut().enumerate();
                lanes.for_each(|(index, value)| *value = targets[index * extent + at].clone());
            }
        }
    }
    result
}

/// The elements that the attribute `axis` of Softmax, LogSoftmax and Hardmax selects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The axis and all axes after it: the tensor is a matrix, and each row is a lane (versions below 13).
    Flattened,
    /// Only the axis.
    Axis,
}

/// Applies `f` to each lane of input 0 that `axis` selects. The result has the shape of input 0.
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
