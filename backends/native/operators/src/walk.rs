//! Reads several operands along strides: broadcasting, repetition and permutation are one loop.

/// The way through the elements of a shape in row-major order, with a stride of each operand along each axis.
///
/// Axes of extent 1 are left out, and adjacent axes that every operand crosses with one stride are joined:
/// operands of equal shapes are read as one row. A negative stride is a wrapping one.
#[derive(Debug)]
pub struct Walk<const N: usize> {
    /// The extents and strides of the outer axes.
    outer: Vec<(usize, [usize; N])>,
    /// The number of elements of a row.
    pub length: usize,
    /// The stride of each operand within a row.
    pub steps: [usize; N],
}

impl<const N: usize> Walk<N> {
    /// Returns the way through `shape`; `own` has one stride for each axis and operand.
    pub fn new(shape: &[usize], own: [&[usize]; N]) -> Walk<N> {
        let mut axes: Vec<(usize, [usize; N])> = Vec::with_capacity(shape.len());
        for (axis, &extent) in shape.iter().enumerate() {
            let steps = own.map(|strides| strides[axis]);
            if extent == 1 {
                continue;
            }
            match axes.last_mut() {
                Some((before, outer)) if (0..N).all(|at| outer[at] == steps[at].wrapping_mul(extent)) => {
                    *before = before.saturating_mul(extent);
                    *outer = steps;
                }
                _ => axes.push((extent, steps)),
            }
        }
        let (length, steps) = axes.pop().unwrap_or((1, [0; N]));
        Walk {
            outer: axes,
            length,
            steps,
        }
    }

    /// Calls `row` with the position of the first element of each row in each operand.
    pub fn rows(&self, mut row: impl FnMut([usize; N])) {
        let (last, outer) = match self.outer.split_last() {
            Some((last, outer)) => (*last, outer),
            None => ((1, [0; N]), &[][..]),
        };
        let mut index = vec![0_usize; outer.len()];
        let mut places = [0_usize; N];
        for _ in 0..outer.iter().map(|(extent, _)| extent).product() {
            let mut start = places;
            for _ in 0..last.0 {
                row(start);
                advance(&mut start, last.1, 1);
            }
            for ((extent, steps), at) in outer.iter().zip(&mut index).rev() {
                *at += 1;
                if *at < *extent {
                    advance(&mut places, *steps, 1);
                    break;
                }
                advance(&mut places, *steps, (*at - 1).wrapping_neg());
                *at = 0;
            }
        }
    }
}

/// Moves each place by some steps; negative numbers wrap.
fn advance<const N: usize>(places: &mut [usize; N], steps: [usize; N], times: usize) {
    for (place, step) in places.iter_mut().zip(steps) {
        *place = place.wrapping_add(step.wrapping_mul(times));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows and their positions, against coordinates computed one by one.
    #[track_caller]
    fn check(shape: &[usize], own: [&[usize]; 2], rows: usize) {
        let walk = Walk::new(shape, own);
        let (mut found, mut seen) = (Vec::new(), 0);
        walk.rows(|[p, q]| {
            seen += 1;
            found.extend((0..walk.length).map(|i| [p + i * walk.steps[0], q + i * walk.steps[1]]));
        });
        let place = |linear: usize, own: &[usize]| {
            let coordinates = (0..shape.len())
                .map(|axis| linear / shape[axis + 1..].iter().product::<usize>() % shape[axis]);
            coordinates
                .zip(own)
                .map(|(coordinate, stride)| coordinate * stride)
                .sum::<usize>()
        };
        let expected: Vec<[usize; 2]> = (0..shape.iter().product())
            .map(|at| own.map(|own| place(at, own)))
            .collect();
        assert_eq!((found, seen), (expected, rows));
    }

    #[test]
    fn axes_of_one_stride_are_one_row() {
        check(&[2, 3, 4], [&[12, 4, 1], &[12, 4, 1]], 1);
        check(&[2, 3, 4], [&[12, 4, 1], &[0, 0, 0]], 1);
        check(&[2, 3, 4], [&[12, 4, 1], &[0, 4, 1]], 2);
        check(&[2, 3, 4], [&[12, 4, 1], &[3, 1, 0]], 6);
        check(&[2, 3, 4], [&[12, 4, 1], &[1, 2, 6]], 6);
        check(&[5, 1, 4], [&[4, 4, 1], &[4, 0, 1]], 1);
        check(&[1, 1], [&[1, 1], &[0, 0]], 1);
        check(&[], [&[], &[]], 1);
        check(&[3, 0], [&[0, 1], &[0, 1]], 1);
        check(&[0, 3], [&[3, 1], &[0, 1]], 0);
        check(&[2, 3, 4, 5], [&[60, 20, 5, 1], &[1, 2, 6, 24]], 24);
    }
}
