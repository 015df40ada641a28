//! Copies of arrays whose elements lie in memory in another order.

use std::borrow::Cow;

use super::Array;

/// The axes of an array, from the outermost: how many positions each has, and how far apart they are.
type Axes = Vec<(usize, isize)>;

/// Rows and columns that are copied together, so that each line of the cache is read once.
const TILE: usize = 16;

/// The elements in row-major order, copied only if they are stored in another one.
pub fn row_major<T: Clone>(array: &Array<T>) -> Cow<'_, [T]> {
    match array.as_slice() {
        Some(elements) => Cow::Borrowed(elements),
        None => Cow::Owned(copy(array)),
    }
}

fn copy<T: Clone>(array: &Array<T>) -> Vec<T> {
    let Some(elements) = array.as_slice_memory_order() else {
        return array.iter().cloned().collect();
    };
    if elements.is_empty() || array.strides().iter().any(|&stride| stride < 0) {
        return array.iter().cloned().collect();
    }
    let axes = joined(array);
    let Some((&(count, step), outer)) = axes.split_last() else {
        return elements.to_vec();
    };
    let mut result = Vec::with_capacity(array.len());
    if step == 1 {
        each_start(outer, |start| {
            result.extend_from_slice(&elements[start..start + count])
        });
        return result;
    }
    let step = step.unsigned_abs();
    match outer.split_last() {
        // Columns of a matrix whose rows lie in memory.
        Some((&(rows, 1), outer)) => {
            let first = &elements[0];
            each_start(outer, |start| {
                let at = result.len();
                result.resize(at + rows * count, first.clone());
                let source = &elements[start..];
                tiles(source, step, (rows, count), &mut result[at..]);
            });
        }
        _ => each_start(outer, |start| {
            let row = elements[start..].iter().step_by(step).take(count);
            result.extend(row.cloned());
        }),
    }
    result
}

/// Writes the transposed matrix, whose rows are `step` apart in `source`.
fn tiles<T: Clone>(source: &[T], step: usize, (rows, count): (usize, usize), into: &mut [T]) {
    for above in (0..rows).step_by(TILE) {
        for left in (0..count).step_by(TILE) {
            for row in above..rows.min(above + TILE) {
                for column in left..count.min(left + TILE) {
                    into[row * count + column] = source[row + column * step].clone();
                }
            }
        }
    }
}

/// The axes of which no two neighbours are one axis in memory, without those of one position.
fn joined<T>(array: &Array<T>) -> Axes {
    let mut axes: Axes = Vec::new();
    for (&extent, &stride) in array.shape().iter().zip(array.strides()) {
        match axes.last_mut() {
            _ if extent == 1 => {}
            Some((count, step)) if *step == stride * extent as isize => {
                (*count, *step) = (*count * extent, stride)
            }
            _ => axes.push((extent, stride)),
        }
    }
    axes
}

/// Calls `f` with the place of the first element of each row, row after row.
fn each_start(outer: &[(usize, isize)], mut f: impl FnMut(usize)) {
    let mut position = vec![0; outer.len()];
    let mut start = 0_usize;
    loop {
        f(start);
        let mut axis = outer.len();
        loop {
            let Some(next) = axis.checked_sub(1) else { return };
            let (count, stride) = (outer[next].0, outer[next].1.unsigned_abs());
            axis = next;
            position[axis] += 1;
            start += stride;
            if position[axis] < count {
                break;
            }
            start -= count * stride;
            position[axis] = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array as Owned, IxDyn};

    use super::*;

    #[test]
    fn permuted_arrays_are_copied_in_their_order() {
        for shape in [&[3, 4, 5][..], &[40, 1, 33], &[2, 3, 4, 5, 6], &[1, 1], &[7]] {
            let plain = Owned::from_iter(0..shape.iter().product::<usize>());
            let plain = plain.into_shape_with_order(IxDyn(shape)).expect("the shape fits");
            let rank = shape.len();
            for turn in 0..rank {
                for swap in 0..rank {
                    let mut order: Vec<usize> = (0..rank).map(|axis| (axis + turn) % rank).collect();
                    order.swap(0, swap);
                    let array = plain.clone().permuted_axes(IxDyn(&order)).into_shared();
                    let expected: Vec<usize> = array.iter().copied().collect();
                    assert_eq!(copy(&array), expected, "{shape:?} {order:?}");
                }
            }
        }
    }
}
