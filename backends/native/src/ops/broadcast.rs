//! Multidirectional broadcasting (Broadcasting.md).

use onnx_tensor::Tensor;

use super::call::count;
use super::movement::{positions, strides, take};
use crate::error::{Problem, invalid};

/// Returns the shape that all of these broadcast to.
pub fn broadcast_shape<'a>(shapes: impl IntoIterator<Item = &'a [usize]>) -> Result<Vec<usize>, Problem> {
    let mut result: Vec<usize> = Vec::new();
    for shape in shapes {
        let missing = shape.len().saturating_sub(result.len());
        result.splice(0..0, std::iter::repeat_n(1, missing));
        let offset = result.len() - shape.len();
        for (ours, &theirs) in result[offset..].iter_mut().zip(shape) {
            *ours = match (*ours, theirs) {
                (1, other) | (other, 1) => other,
                (a, b) if a == b => a,
                (a, b) => return invalid(format!("extents {a} and {b} do not broadcast")),
            };
        }
    }
    count(&result)?;
    Ok(result)
}

/// Returns the strides with which a tensor of `shape` is read as one of `target`.
pub fn broadcast_strides(shape: &[usize], target: &[usize]) -> Vec<usize> {
    let own = strides(shape);
    let offset = target.len().saturating_sub(shape.len());
    let read = |axis: usize| match axis.checked_sub(offset) {
        Some(axis) if shape[axis] != 1 => own[axis],
        _ => 0,
    };
    (0..target.len()).map(read).collect()
}

/// Returns the position in `shape` for every element of `target`; `None` if the shapes are equal.
pub fn broadcast_positions(shape: &[usize], target: &[usize]) -> Option<Vec<usize>> {
    (shape != target).then(|| positions(target, &broadcast_strides(shape, target), 0))
}

/// Broadcasts a tensor to a shape.
pub fn expand(tensor: &Tensor, target: &[usize]) -> Result<Tensor, Problem> {
    match broadcast_positions(tensor.shape(), target) {
        None => Ok(tensor.clone()),
        Some(positions) => take(tensor, target, &positions),
    }
}

/// Applies a function to two lists of elements that broadcast to `target`.
pub fn zip_with<A: Copy, B: Copy, R>(
    (a, a_shape): (&[A], &[usize]),
    (b, b_shape): (&[B], &[usize]),
    target: &[usize],
    apply: impl Fn(A, B) -> R,
) -> Vec<R> {
    let total = target.iter().product::<usize>();
    if a_shape == target && b_shape == target {
        return a.iter().zip(b).map(|(&x, &y)| apply(x, y)).collect();
    }
    if let ([y], true) = (b, a.len() == total) {
        return a.iter().map(|&x| apply(x, *y)).collect();
    }
    if let ([x], true) = (a, b.len() == total) {
        return b.iter().map(|&y| apply(*x, y)).collect();
    }
    let a_at = positions(target, &broadcast_strides(a_shape, target), 0);
    let b_at = positions(target, &broadcast_strides(b_shape, target), 0);
    a_at.iter().zip(&b_at).map(|(&i, &j)| apply(a[i], b[j])).collect()
}
