//! Assembles a tensor from runs of elements of others, for all operators that only move data.

use std::iter::repeat_n;

use ndarray::IxDyn;
use onnx_tensor::{Element, Tensor, TensorError, dispatch};

use super::call::count;
use super::numbers::slice;
use super::walk::Walk;
use crate::error::{Problem, invalid};
use crate::size::has_room_for_text;

/// Consecutive elements of one source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The number of the source.
    pub source: usize,
    /// The first element.
    pub start: usize,
    /// The number of elements.
    pub length: usize,
}

/// Makes a tensor of `shape` whose elements in row-major order are those of the runs.
///
/// # Errors
/// If the sources differ in type, a run is outside of its source, or the runs do not fill the shape.
pub fn assemble(
    sources: &[&Tensor],
    shape: &[usize],
    runs: impl Iterator<Item = Run>,
) -> Result<Tensor, Problem> {
    let Some(first) = sources.first() else {
        return invalid("expected at least one source of elements");
    };
    let length = count(shape)?;
    if length == 0 {
        return dispatch!(all, first.dtype(), T => Ok(Tensor::new::<T>(shape, Vec::new())?));
    }
    // The runs are collected, so that the loop is not compiled for each pair of iterator and element type.
    let runs: Vec<Run> = runs.collect();
    check_text(sources, &runs)?;
    dispatch!(all, first.dtype(), T => copy_runs::<T>(sources, shape, length, &runs))
}

/// Checks the number of bytes that the runs copy from strings. Runs outside of a source are refused later.
fn check_text(sources: &[&Tensor], runs: &[Run]) -> Result<(), Problem> {
    if !matches!(sources, [Tensor::String(_), ..]) {
        return Ok(());
    }
    let texts = sources.iter().map(|source| slice::<String>(source));
    let texts = texts.collect::<Result<Vec<_>, _>>()?;
    let copied = |run: &Run| {
        let source = texts.get(run.source)?;
        let taken = source.get(run.start..run.start.checked_add(run.length)?)?;
        Some(taken.iter().map(String::len).sum::<usize>())
    };
    has_room_for_text(runs.iter().filter_map(copied).fold(0, usize::saturating_add))
}

fn copy_runs<T: Element>(
    sources: &[&Tensor],
    shape: &[usize],
    length: usize,
    runs: &[Run],
) -> Result<Tensor, Problem> {
    let sources = sources
        .iter()
        .map(|source| slice::<T>(source))
        .collect::<Result<Vec<_>, _>>()?;
    let mut elements: Vec<T> = Vec::with_capacity(length);
    for run in runs {
        let end = run.start.checked_add(run.length);
        let taken = sources
            .get(run.source)
            .zip(end)
            .and_then(|(source, end)| source.get(run.start..end));
        match taken {
            Some([only]) => elements.push(only.clone()),
            Some(taken) => elements.extend_from_slice(taken),
            None => return invalid("an index is outside of the tensor"),
        }
    }
    Ok(Tensor::new(shape, elements)?)
}

/// Makes a tensor of `shape` with the elements of `source` at these positions.
pub fn take(source: &Tensor, shape: &[usize], positions: &[usize]) -> Result<Tensor, Problem> {
    if let Tensor::String(_) = source {
        let runs = positions.iter().map(|&start| Run {
            source: 0,
            start,
            length: 1,
        });
        return assemble(&[source], shape, runs);
    }
    let length = count(shape)?;
    dispatch!(fixed, source.dtype(), T => {
        let elements = slice::<T>(source)?;
        let mut taken: Vec<T> = Vec::with_capacity(length);
        taken.extend(positions.iter().map_while(|&at| elements.get(at)).copied());
        complete(shape, length, taken)
    })
}

/// Makes a tensor of `shape` with the elements of `source`, read along these strides from `offset` on. A
/// negative stride is a wrapping one.
pub fn view(source: &Tensor, shape: &[usize], strides: &[usize], offset: usize) -> Result<Tensor, Problem> {
    let length = count(shape)?;
    if let Tensor::String(_) = source {
        return take(source, shape, &positions(shape, strides, offset));
    }
    let walk = Walk::new(shape, [strides]);
    dispatch!(fixed, source.dtype(), T => {
        complete(shape, length, read_rows(slice::<T>(source)?, &walk, offset, length))
    })
}

/// Returns the elements of all rows; fewer if a row is outside of the source.
fn read_rows<T: Clone>(source: &[T], walk: &Walk<1>, offset: usize, length: usize) -> Vec<T> {
    let mut elements = Vec::with_capacity(length);
    let [step] = walk.steps;
    walk.rows(|[start]| {
        let start = start.wrapping_add(offset);
        let row = source.get(start..).unwrap_or_default();
        match step {
            // Short rows, such as those of DepthToSpace, have no time for an iterator each.
            step if walk.length <= 4 => {
                for at in 0..walk.length {
                    let element = source.get(start.wrapping_add(at.wrapping_mul(step)));
                    element.into_iter().for_each(|one| elements.push(one.clone()));
                }
            }
            0 => row
                .iter()
                .take(1)
                .for_each(|one| elements.extend(repeat_n(one.clone(), walk.length))),
            1 => elements.extend_from_slice(row.get(..walk.length).unwrap_or_default()),
            step if step < source.len() => {
                elements.extend(row.iter().step_by(step).take(walk.length).cloned());
            }
            step => {
                let places = (0..walk.length).map(|at| start.wrapping_add(at.wrapping_mul(step)));
                elements.extend(places.map_while(|at| source.get(at)).cloned());
            }
        }
    });
    elements
}

/// Makes a tensor of elements that were found one by one.
fn complete<T: Element>(shape: &[usize], length: usize, elements: Vec<T>) -> Result<Tensor, Problem> {
    if elements.len() == length {
        Ok(Tensor::new(shape, elements)?)
    } else {
        invalid("an index is outside of the tensor")
    }
}

/// Makes a tensor of `shape` with the elements of `source` at the given positions, and the first of `fill`
/// for `None`.
pub fn take_or(
    source: &Tensor,
    fill: &Tensor,
    shape: &[usize],
    positions: &[Option<usize>],
) -> Result<Tensor, Problem> {
    let runs = positions.iter().map(|position| Run {
        source: usize::from(position.is_none()),
        start: position.unwrap_or(0),
        length: 1,
    });
    assemble(&[source, fill], shape, runs)
}

/// Returns the elements with another shape, shared.
pub fn reshape(tensor: &Tensor, shape: &[usize]) -> Result<Tensor, Problem> {
    let expected = count(shape)?;
    let found = tensor.len();
    let wrong = || TensorError::Count {
        shape: shape.to_vec(),
        expected,
        found,
    };
    dispatch!(all, tensor.dtype(), T => {
        let array = tensor.array::<T>()?.clone();
        let array = array.into_shape_with_order(IxDyn(shape)).map_err(|_| wrong())?;
        Ok(Tensor::from(array))
    })
}

/// Returns the distance of adjacent elements along each axis in row-major order.
pub fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1_usize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(shape[axis]);
    }
    strides
}

/// Returns the positions of all elements of `shape`, in row-major order, in a tensor with these strides, of
/// which negative ones wrap.
pub fn positions(shape: &[usize], strides: &[usize], offset: usize) -> Vec<usize> {
    let walk = Walk::new(shape, [strides]);
    let mut all = Vec::with_capacity(shape.iter().product());
    let [step] = walk.steps;
    walk.rows(|[start]| {
        let start = start.wrapping_add(offset);
        all.extend((0..walk.length).map(|at| start.wrapping_add(at.wrapping_mul(step))));
    });
    all
}

/// Returns the number of elements before an axis, along it, and after it.
pub fn split_at(shape: &[usize], axis: usize) -> (usize, usize, usize) {
    let outer = shape[..axis].iter().product();
    let inner = shape[axis + 1..].iter().product();
    (outer, shape[axis], inner)
}
