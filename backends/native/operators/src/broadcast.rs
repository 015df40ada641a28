//! Multidirectional broadcasting (Broadcasting.md).

use onnx_tensor::{DType, Tensor};

use super::call::count;
use super::movement::{strides, view};
use super::numbers::{from_ints, ints, slice};
use super::walk::Walk;
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

/// Broadcasts a tensor to a shape.
pub fn expand(tensor: &Tensor, target: &[usize]) -> Result<Tensor, Problem> {
    let shape = broadcast_shape([tensor.shape(), target])?;
    if shape != target {
        return invalid(format!(
            "shape {:?} does not broadcast to {target:?}",
            tensor.shape()
        ));
    }
    if tensor.shape() == target {
        Ok(tensor.clone())
    } else {
        view(tensor, target, &broadcast_strides(tensor.shape(), target), 0)
    }
}

/// Applies a function to two lists of elements that broadcast to `target`.
pub fn zip_with<A: Copy, B: Copy, R>(
    a: (&[A], &[usize]),
    b: (&[B], &[usize]),
    target: &[usize],
    apply: impl Fn(A, B) -> R,
) -> Vec<R> {
    zip_each(a, b, target, |&x, &y| apply(x, y))
}

/// Applies a function to references to two lists of elements that broadcast to `target`.
pub fn zip_each<A, B, R>(
    (a, a_shape): (&[A], &[usize]),
    (b, b_shape): (&[B], &[usize]),
    target: &[usize],
    apply: impl Fn(&A, &B) -> R,
) -> Vec<R> {
    let strides = [a_shape, b_shape].map(|shape| broadcast_strides(shape, target));
    let walk = Walk::new(target, [&strides[0], &strides[1]]);
    let mut results = Vec::with_capacity(target.iter().product());
    let length = walk.length;
    walk.rows(|[p, q]| match walk.steps {
        [1, 1] => {
            let pairs = a[p..][..length].iter().zip(&b[q..][..length]);
            results.extend(pairs.map(|(x, y)| apply(x, y)));
        }
        [1, 0] => results.extend(a[p..][..length].iter().map(|x| apply(x, &b[q]))),
        [0, 1] => results.extend(b[q..][..length].iter().map(|y| apply(&a[p], y))),
        [i, j] => results.extend((0..length).map(|at| apply(&a[p + at * i], &b[q + at * j]))),
    });
    results
}

/// Applies an operation to the elements of two tensors of one integer type that broadcast to `target`. The
/// results keep the low bits.
///
/// Each type has its own loop, in which the compiler narrows the arithmetic of 128 bits.
pub fn zip_ints(
    a: &Tensor,
    b: &Tensor,
    target: &[usize],
    apply: impl Fn(i128, i128) -> i128,
) -> Result<Tensor, Problem> {
    let shapes = (a.shape(), b.shape());
    macro_rules! each {
        ($T:ty) => {{
            let (x, y) = (slice::<$T>(a)?, slice::<$T>(b)?);
            let narrow = |x: $T, y: $T| apply(i128::from(x), i128::from(y)) as $T;
            Ok(Tensor::new(
                target,
                zip_with((x, shapes.0), (y, shapes.1), target, narrow),
            )?)
        }};
    }
    match a.dtype() {
        DType::Uint8 => each!(u8),
        DType::Int8 => each!(i8),
        DType::Uint16 => each!(u16),
        DType::Int16 => each!(i16),
        DType::Uint32 => each!(u32),
        DType::Int32 => each!(i32),
        DType::Uint64 => each!(u64),
        DType::Int64 => each!(i64),
        dtype => {
            let (x, y) = (ints(a)?, ints(b)?);
            from_ints(
                dtype,
                target,
                zip_with((&x, shapes.0), (&y, shapes.1), target, apply),
            )
        }
    }
}

/// Returns the strides with which a tensor of `shape` is read as one of `target`, to which it broadcasts.
pub fn broadcast_strides(shape: &[usize], target: &[usize]) -> Vec<usize> {
    let own = strides(shape);
    let offset = target.len().saturating_sub(shape.len());
    let read = |axis: usize| match axis.checked_sub(offset) {
        Some(axis) if shape[axis] != 1 => own[axis],
        _ => 0,
    };
    (0..target.len()).map(read).collect()
}
