//! The core of the Reduce operators: selects the axes and reduces each set of elements.
//!
//! - Axes come from an attribute or, since 13 (ReduceSum) and 18 (the others), from an input. Without axes
//!   all are reduced, or none with `noop_with_empty_axes`, which still applies the rest of a composite,
//!   such as the square root.
//! - Negative axes count from the back in every version: the text states their range since 11 and is silent
//!   before.
//! - The value of an empty set is the one that versions 1, 13 and later state; 11 and 12 are silent, and
//!   the reference uses the same value.
//! - Sums use f64 (double-double for double) and are rounded once, together with the operations after them;
//!   integers wrap.

use onnx_arithmetic::sums::Term;
use onnx_tensor::{DType, Element, Real, Tensor};

use crate::frame::{Call, OpError, Outputs, one};
use crate::shared::{axes, layout};

/// The source of the axes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axes {
    /// The attribute `axes`.
    Attribute,
    /// Input 1.
    Input,
}

/// Replaces each set of elements of input 0 that differ only in the reduced axes by `f` of the set.
pub fn reduce<T: Element, U: Element>(
    call: &Call<'_>,
    source: Axes,
    f: impl Fn(&[T]) -> Result<U, OpError>,
) -> Result<Outputs, OpError> {
    let Sets { shape, elements } = sets::<T>(call, source)?;
    call.reserve(&shape, U::DTYPE)?;
    let count: usize = shape.iter().product();
    // If an empty tensor has no outputs, no set is read; the product of its extents might overflow.
    let size = elements.len().checked_div(count).unwrap_or(0);
    let mut results = Vec::with_capacity(count);
    for set in 0..count {
        results.push(f(&elements[set * size..(set + 1) * size])?);
    }
    one(Tensor::new(&shape, results)?)
}

/// As [`reduce`] of f32, where `of_set` is the rounded `finish` of the sum of the terms and their number.
pub fn reduce_floats(
    call: &Call<'_>,
    source: Axes,
    term: Term,
    of_set: impl Fn(&[f32]) -> Result<f32, OpError>,
    finish: impl Fn(f64, usize) -> f64,
) -> Result<Outputs, OpError> {
    let x = call.array::<f32>(0)?;
    let reduced = reduced_axes(call, source, x.ndim())?;
    let follow = reduced.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    let (Some(&first), Some(&last), true, Some(elements)) = (
        reduced.first(),
        reduced.last(),
        follow && !x.is_empty(),
        x.as_slice(),
    ) else {
        return reduce(call, source, of_set);
    };
    let count: usize = x.shape()[first..=last].iter().product();
    let inner: usize = x.shape()[last + 1..].iter().product();
    let shape = result_shape(call, x.shape(), &reduced)?;
    call.reserve(&shape, DType::Float)?;
    let mut results = Vec::with_capacity(elements.len() / count);
    if inner == 1 {
        for set in elements.chunks_exact(count) {
            results.push(of_set(set)?);
        }
        return one(Tensor::new(&shape, results)?);
    }
    let mut sums = vec![0.0; inner];
    for block in elements.chunks_exact(count * inner) {
        sums.fill(0.0);
        block.chunks_exact(inner).for_each(|row| term.add(row, &mut sums));
        results.extend(sums.iter().map(|&sum| finish(sum, count) as f32));
    }
    one(Tensor::new(&shape, results)?)
}

/// The elements of input 0, set after set, and the shape of the result.
struct Sets<T> {
    shape: Vec<usize>,
    elements: Vec<T>,
}

/// The part of [`reduce`] that does not depend on its function.
fn sets<T: Element>(call: &Call<'_>, source: Axes) -> Result<Sets<T>, OpError> {
    let data = call.tensor(0)?;
    let reduced = reduced_axes(call, source, data.rank())?;
    let kept: Vec<usize> = (0..data.rank()).filter(|axis| !reduced.contains(axis)).collect();
    let shape = result_shape(call, data.shape(), &reduced)?;
    let order: Vec<usize> = kept.iter().chain(&reduced).copied().collect();
    let elements = layout::permute(data, &order)?.to_vec()?;
    Ok(Sets { shape, elements })
}

/// The shape of the result, in which a reduced axis has one element or is left out.
fn result_shape(call: &Call<'_>, shape: &[usize], reduced: &[usize]) -> Result<Vec<usize>, OpError> {
    let keep = call.flag("keepdims")?;
    let extent = |(axis, &extent)| {
        if reduced.contains(&axis) {
            keep.then_some(1)
        } else {
            Some(extent)
        }
    };
    Ok(shape.iter().enumerate().filter_map(extent).collect())
}

fn reduced_axes(call: &Call<'_>, source: Axes, rank: usize) -> Result<Vec<usize>, OpError> {
    let (listed, none_is_noop) = match source {
        Axes::Attribute => (call.optional_ints("axes")?, false),
        Axes::Input => (call.optional_integers(1)?, call.flag("noop_with_empty_axes")?),
    };
    match listed.filter(|listed| !listed.is_empty()) {
        Some(listed) => axes::axes(&listed, rank),
        None if none_is_noop => Ok(Vec::new()),
        None => Ok((0..rank).collect()),
    }
}

/// Accumulates `step` over the elements of `set`.
pub fn accumulate<T: Real>(set: &[T], step: impl Fn(&mut T::Acc, T)) -> T::Acc {
    let mut sum = T::Acc::default();
    set.iter().for_each(|&x| step(&mut sum, x));
    sum
}

#[cfg(test)]
mod tests {
    use onnx_tensor::Tensor;

    use crate::frame::testing::{attribute, exact, refused, values};

    /// Each operator over {3, 4}, by hand; integers truncate.
    #[test]
    fn integers_of_versions_that_allow_them() {
        let cases = [
            ("ReduceL1", 7),
            ("ReduceL2", 5),
            ("ReduceSumSquare", 25),
            ("ReduceMean", 3),
            ("ReduceProd", 12),
            ("ReduceLogSum", 1),
            ("ReduceLogSumExp", 4),
        ];
        for (operator, expected) in cases {
            exact(
                ("", operator, 1),
                &[Tensor::vector(vec![3, 4])],
                &[],
                &[Tensor::vector(vec![expected])],
            );
        }
    }

    #[test]
    fn empty_sets() {
        let empty = || Tensor::new::<f32>(&[2, 0], Vec::new()).unwrap();
        let rows = [attribute("axes", [-1]), attribute("keepdims", 0)];
        let cases = [
            ("ReduceSum", 0.0),
            ("ReduceProd", 1.0),
            ("ReduceMax", f32::NEG_INFINITY),
            ("ReduceMin", f32::INFINITY),
            ("ReduceL2", 0.0),
            ("ReduceLogSumExp", f32::NEG_INFINITY),
        ];
        for (operator, expected) in cases {
            exact(
                ("", operator, 11),
                &[empty()],
                &rows,
                &[Tensor::vector(vec![expected; 2])],
            );
        }
        refused(
            ("", "ReduceMean", 13),
            &values(&[empty()]),
            &rows,
            "the mean of an empty set",
        );
        let integers = Tensor::new::<i32>(&[0], Vec::new()).unwrap();
        refused(
            ("", "ReduceLogSum", 13),
            &values(&[integers]),
            &[],
            "the logarithm of 0 as int32",
        );
    }

    #[test]
    fn noop_still_applies_the_rest_of_a_composite() {
        let noop = [attribute("noop_with_empty_axes", 1)];
        let x = || Tensor::vector(vec![-2.0_f32, 3.0]);
        exact(
            ("", "ReduceSumSquare", 18),
            &[x()],
            &noop,
            &[Tensor::vector(vec![4.0_f32, 9.0])],
        );
        exact(
            ("", "ReduceL1", 18),
            &[x()],
            &noop,
            &[Tensor::vector(vec![2.0_f32, 3.0])],
        );
        exact(
            ("", "ReduceMax", 20),
            &[x()],
            &[],
            &[Tensor::vector(vec![3.0_f32])],
        );
    }

    #[test]
    fn squares_and_products_beyond_the_range() {
        let scale = 2.0_f64.powi(700);
        let x = || Tensor::vector(vec![3.0 * scale, 4.0 * scale, 0.0]);
        exact(
            ("", "ReduceL2", 18),
            &[x()],
            &[],
            &[Tensor::vector(vec![5.0 * scale])],
        );
        exact(("", "ReduceProd", 18), &[x()], &[], &[Tensor::vector(vec![0.0])]);
        exact(
            ("", "ReduceMean", 18),
            &[Tensor::vector(vec![i64::MAX, i64::MAX])],
            &[],
            &[Tensor::vector(vec![i64::MAX])],
        );
    }
}
