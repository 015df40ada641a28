//! The lines of elements that a reduction combines, if its axes are adjacent.

/// Returns the product of the extents before, of, and after the reduced axes; `None` if others lie between
/// them. Axes of extent 1 count as either.
pub fn cut(shape: &[usize], reduced: &[usize]) -> Option<[usize; 3]> {
    let mut cut = [1; 3];
    let mut part = 0;
    for (axis, &extent) in shape.iter().enumerate().filter(|(_, extent)| **extent != 1) {
        part = match (reduced.contains(&axis), part) {
            (true, 0 | 1) => 1,
            (true, _) => return None,
            (false, 0) => 0,
            (false, _) => 2,
        };
        cut[part] *= extent;
    }
    if part == 0 {
        cut.swap(0, 2);
    }
    Some(cut)
}

/// Combines the elements of each line along the middle axis, from `start` on. The result must not depend on
/// the order.
pub fn folded<T: Copy>(
    values: &[T],
    [outer, length, inner]: [usize; 3],
    start: T,
    combine: impl Fn(T, T) -> T,
) -> Vec<T> {
    let mut results = vec![start; outer * inner];
    let blocks = values.chunks_exact((length * inner).max(1));
    if inner == 1 {
        for (line, result) in blocks.zip(&mut results) {
            *result = line.iter().fold(start, |so_far, &x| combine(so_far, x));
        }
        return results;
    }
    for (block, results) in blocks.zip(results.chunks_exact_mut(inner.max(1))) {
        for line in block.chunks_exact(inner) {
            for (result, &x) in results.iter_mut().zip(line) {
                *result = combine(*result, x);
            }
        }
    }
    results
}

#[cfg(test)]
mod tests {
    use super::{cut, folded};

    #[test]
    fn axes_of_extent_one_are_reduced_or_not() {
        for (reduced, expected) in [
            (&[0, 2][..], Some([3, 4, 5])),
            (&[2], Some([3, 4, 5])),
            (&[1, 4], Some([1, 3, 20])),
            (&[1, 2, 3], Some([1, 60, 1])),
            (&[1, 2], Some([1, 12, 5])),
            (&[3], Some([12, 5, 1])),
            (&[1, 3], None),
            (&[0, 4], Some([1, 1, 60])),
        ] {
            assert_eq!(cut(&[1, 3, 4, 5, 1], reduced), expected, "axes {reduced:?}");
        }
    }

    #[test]
    fn lines_are_along_the_middle_axis() {
        let values: Vec<i32> = (0..24).collect();
        let sum = |cut| folded(&values, cut, 0, |a, b| a + b);
        assert_eq!(sum([2, 3, 4])[..5], [12, 15, 18, 21, 48]);
        assert_eq!(sum([4, 6, 1]), [15, 51, 87, 123]);
        assert_eq!(sum([1, 1, 24]), values);
        assert_eq!(folded(&[0_i32; 0], [2, 0, 3], 7, i32::max), [7; 6]);
    }
}
