//! Unique — the distinct elements, or the distinct slices along `axis`, with the first position of each,
//! the index of every input among them, and the count of each; sorted, or in the order of first occurrence.
//!
//! Interpretation: slices are compared element by element in row-major order; strings by code point;
//! complex numbers by real part, then imaginary part; false before true; −0 equals 0; all NaNs are equal
//! and come last (as in NumPy for flat input, to which the text refers). The output has the first of equal
//! elements.

use std::cmp::Ordering;

use onnx_tensor::{Array, DType, Element, Tensor, dispatch};

use crate::frame::Change::{First, TypesOnly};
use crate::frame::{Call, OpDef, OpError, Outputs, op, v};
use crate::shared::{axes, layout};

pub const OP: OpDef = op("Unique", &[v(11, First, unique), v(28, TypesOnly, unique)]);

fn unique(call: &Call<'_>) -> Result<Outputs, OpError> {
    let (input, sorted) = (call.tensor(0)?, call.flag("sorted")?);
    let (x, axis) = match call.optional_int("axis")? {
        Some(axis) => (input.clone(), axes::axis(axis, input.rank())?),
        None => (input.reshape(&[input.len()])?, 0),
    };
    // Ranks, positions and counts require two words for each element, a slice three.
    call.reserve(x.shape(), DType::Complex128)?;
    call.reserve(&[3, x.shape()[axis]], DType::Int64)?;
    call.work(&[x.len(), sorting(x.len())])?;
    let slices = slices(&x, axis)?;
    let mut order: Vec<usize> = (0..slices.len()).collect();
    order.sort_by(|&a, &b| slices[a].cmp(&slices[b]));
    // The sort is stable: the first of each group is its first occurrence.
    let mut groups: Vec<&[usize]> = order.chunk_by(|&a, &b| slices[a] == slices[b]).collect();
    if !sorted {
        groups.sort_by_key(|group| group[0]);
    }
    let firsts: Vec<usize> = groups.iter().map(|group| group[0]).collect();
    let mut inverse = vec![0_i64; slices.len()];
    for (number, group) in groups.iter().enumerate() {
        group.iter().for_each(|&at| inverse[at] = number as i64);
    }
    let values = layout::pick(&x, axis, firsts.iter().copied())?;
    let firsts = Tensor::vector(firsts.iter().map(|&at| at as i64).collect());
    let counts = Tensor::vector(groups.iter().map(|group| group.len() as i64).collect());
    let outputs = [values, firsts, Tensor::vector(inverse), counts];
    Ok(outputs.into_iter().map(|output| Some(output.into())).collect())
}

/// The number of comparisons of each element when sorting `count` elements.
fn sorting(count: usize) -> usize {
    count.checked_ilog2().map_or(1, |steps| steps as usize + 1)
}

/// For each position along `axis`, the ranks of its elements in row-major order.
fn slices(x: &Tensor, axis: usize) -> Result<Vec<Vec<usize>>, OpError> {
    let ranks = ranks(x)?;
    let extent = layout::extent(x, axis)?;
    let inner = layout::count(&x.shape()[axis + 1..]);
    let mut slices = vec![Vec::new(); extent];
    for (number, run) in ranks.chunks(inner.max(1)).enumerate() {
        slices[number % extent].extend_from_slice(run);
    }
    Ok(slices)
}

/// For each element in row-major order, its index among the sorted distinct elements.
fn ranks(x: &Tensor) -> Result<Vec<usize>, OpError> {
    match x {
        Tensor::Bool(array) => Ok(ranks_by(array, Ord::cmp)),
        Tensor::String(array) => Ok(ranks_by(array, Ord::cmp)),
        Tensor::Complex64(array) => Ok(ranks_by(array, |a, b| {
            nan_last(&a.re, &b.re).then(nan_last(&a.im, &b.im))
        })),
        Tensor::Complex128(array) => Ok(ranks_by(array, |a, b| {
            nan_last(&a.re, &b.re).then(nan_last(&a.im, &b.im))
        })),
        _ => dispatch!(real, x.dtype(), T => Ok(ranks_by(x.array::<T>()?, nan_last))),
    }
}

fn ranks_by<T: Element>(array: &Array<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<usize> {
    let mut sorted: Vec<(usize, &T)> = array.iter().enumerate().collect();
    sorted.sort_by(|(_, a), (_, b)| compare(a, b));
    let mut ranks = vec![0; sorted.len()];
    for (rank, group) in sorted
        .chunk_by(|(_, a), (_, b)| compare(a, b).is_eq())
        .enumerate()
    {
        group.iter().for_each(|&(at, _)| ranks[at] = rank);
    }
    ranks
}

/// The numeric order, with NaN last.
fn nan_last<T: PartialOrd>(a: &T, b: &T) -> Ordering {
    // A value that is not equal to itself is NaN.
    let nan = |x: &T| x.partial_cmp(x).is_none();
    a.partial_cmp(b).unwrap_or_else(|| nan(a).cmp(&nan(b)))
}

#[cfg(test)]
mod tests {
    use onnx_tensor::{Complex32, Element, Tensor};

    use crate::frame::testing::{attribute, exact, strings};

    fn integers(elements: &[i64]) -> Tensor {
        Tensor::vector(elements.to_vec())
    }

    /// By hand, in the order that the module documents.
    #[test]
    fn order_of_types() {
        fn check<T: Element>(x: &[T], distinct: &[T], firsts: &[i64], inverse: &[i64], counts: &[i64]) {
            let [x, distinct] = [x, distinct].map(|elements| Tensor::vector(elements.to_vec()));
            let expected = [distinct, integers(firsts), integers(inverse), integers(counts)];
            exact(("", "Unique", 11), &[x], &[], &expected);
        }
        let nan = f32::NAN;
        check(
            &[nan, -0.0, 0.0, nan, -1.0],
            &[-1.0, -0.0, nan],
            &[4, 1, 0],
            &[2, 1, 1, 2, 0],
            &[1, 2, 2],
        );
        check(&[true, false, true], &[false, true], &[1, 0], &[1, 0, 1], &[1, 2]);
        let [a, b, c] = [(1.0, 2.0), (1.0, -2.0), (0.0, 9.0)].map(|(re, im)| Complex32::new(re, im));
        check(&[a, b, c], &[c, b, a], &[2, 1, 0], &[2, 1, 0], &[1, 1, 1]);
    }

    #[test]
    fn first_occurrence_of_slices() {
        let x = Tensor::new(
            &[2, 3],
            ["b", "a", "b", "x", "y", "x"].map(str::to_owned).to_vec(),
        )
        .unwrap();
        let distinct = strings(&["b", "a", "x", "y"]).reshape(&[2, 2]).unwrap();
        let expected = [
            distinct,
            integers(&[0, 1]),
            integers(&[0, 1, 0]),
            integers(&[2, 1]),
        ];
        exact(
            ("", "Unique", 11),
            &[x],
            &[attribute("axis", -1), attribute("sorted", 0)],
            &expected,
        );
    }
}
