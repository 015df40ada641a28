//! The overlap of boxes and masks with those of the reference.
//!
//! Boxes are recognised as follows: an output of rank 2 or more with a last axis of extent 4 that holds
//! no probabilities. If in every row the third element is at least the first and the fourth at least the
//! second, they are corners (x₁, y₁, x₂, y₂, or y first); otherwise, if the third and fourth are never
//! negative, a center and a size. Masks: an output of rank 3 or more whose last two axes have extents of
//! at least 16 and whose elements are between 0 and 1; a plane of these two axes is a mask, and elements
//! above 0.5 belong to it.

use run_record::Overlap;

use super::Floor;
use super::scores::probable;

/// The minimum extents of a mask.
const MASK: usize = 16;

/// Elements above this value belong to a mask.
const INSIDE: f64 = 0.5;

/// Converts a row to the corners of its box.
type Corners = fn(&[f64; 4]) -> [f64; 4];

/// The overlap of boxes; `None` if the output does not have the form of boxes.
pub(super) fn boxes(floor: &Floor, observed: &[f64]) -> Option<Overlap> {
    // One row of four features has the form of a box by chance.
    let many = floor.shape.len() >= 3 || floor.center.len() > 4;
    let wide = floor.shape.len() >= 2 && floor.shape.last() == Some(&4) && many;
    let rows = || floor.center.as_chunks::<4>().0.iter();
    if !wide || rows().all(|row| probable(row)) {
        return None;
    }
    let (form, corners): (_, Corners) = if rows().all(|[a, b, c, d]| c >= a && d >= b) {
        ("corners", |row| *row)
    } else if rows().all(|[_, _, c, d]| *c >= 0.0 && *d >= 0.0) {
        ("center and size", |[x, y, w, h]| {
            [x - w / 2.0, y - h / 2.0, x + w / 2.0, y + h / 2.0]
        })
    } else {
        return None;
    };
    let seen = observed.as_chunks::<4>().0.iter();
    let overlaps = rows()
        .zip(seen)
        .map(|(right, seen)| cover(&corners(right), &corners(seen)));
    summary(form, overlaps)
}

/// The intersection of two boxes divided by their union; 1 for equal boxes, even without area.
fn cover(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    let side = |low: f64, high: f64| (high - low).max(0.0);
    let area = |r: &[f64; 4]| side(r[0], r[2]) * side(r[1], r[3]);
    let both = side(a[0].max(b[0]), a[2].min(b[2])) * side(a[1].max(b[1]), a[3].min(b[3]));
    let either = area(a) + area(b) - both;
    match either {
        _ if a == b => 1.0,
        either if either > 0.0 => both / either,
        _ => 0.0,
    }
}

/// The overlap of masks; `None` if the output does not have the form of masks.
pub(super) fn masks(floor: &Floor, observed: &[f64]) -> Option<Overlap> {
    let [_, .., height, width] = *floor.shape.as_slice() else {
        return None;
    };
    let large = height >= MASK && width >= MASK && floor.shape.len() >= 3;
    if !large || !floor.center.iter().all(|x| (0.0..=1.0).contains(x)) {
        return None;
    }
    let planes = floor
        .center
        .chunks_exact(height * width)
        .zip(observed.chunks_exact(height * width));
    let overlaps = planes.map(|(right, seen)| {
        let (mut both, mut either) = (0_u64, 0_u64);
        for (right, seen) in right
            .iter()
            .map(|x| *x > INSIDE)
            .zip(seen.iter().map(|x| *x > INSIDE))
        {
            both += u64::from(right && seen);
            either += u64::from(right || seen);
        }
        // Two empty masks are equal.
        if either == 0 {
            1.0
        } else {
            both as f64 / either as f64
        }
    });
    summary("above 0.5", overlaps)
}

fn summary(form: &str, overlaps: impl Iterator<Item = f64>) -> Option<Overlap> {
    let (mut regions, mut sum, mut least) = (0_u64, 0.0, f64::INFINITY);
    for overlap in overlaps {
        regions += 1;
        sum += overlap;
        least = f64::min(least, overlap);
    }
    (regions > 0).then(|| Overlap {
        form: form.to_owned(),
        regions,
        mean: sum / regions as f64,
        least,
    })
}

#[cfg(test)]
mod tests {
    use onnx_tensor::DType;
    use run_record::NoiseFloor;

    use super::*;

    fn floor(shape: &[usize], center: Vec<f64>) -> Floor {
        Floor {
            sigma: vec![0.1; center.len()],
            kinds: vec![1; center.len()],
            anchor: center.clone(),
            center,
            exact: false,
            unmoved: false,
            outcomes: Vec::new(),
            integers: Vec::new(),
            reach: 4.0,
            together: f64::INFINITY,
            dtype: DType::Float,
            shape: shape.to_vec(),
            summary: NoiseFloor::default(),
        }
    }

    fn check(right: [f64; 4], seen: [f64; 4], wanted: Option<(&str, f64)>) {
        let found = boxes(&floor(&[1, 1, 4], right.to_vec()), &seen);
        let found = found.map(|found| (found.form, found.least));
        assert_eq!(
            found,
            wanted.map(|(form, least)| (form.to_owned(), least)),
            "{right:?}"
        );
    }

    #[test]
    fn boxes_are_recognised_by_their_corners_or_sizes() {
        check([0.0, 0.0, 2.0, 2.0], [0.0, 0.0, 2.0, 2.0], Some(("corners", 1.0)));
        check(
            [0.0, 0.0, 2.0, 2.0],
            [1.0, 0.0, 3.0, 2.0],
            Some(("corners", 1.0 / 3.0)),
        );
        check([0.0, 0.0, 2.0, 2.0], [5.0, 5.0, 6.0, 6.0], Some(("corners", 0.0)));
        check(
            [9.0, 9.0, 2.0, 2.0],
            [9.0, 9.0, 2.0, 1.0],
            Some(("center and size", 0.5)),
        );
        check([9.0, 9.0, -2.0, 2.0], [9.0, 9.0, 2.0, 1.0], None);
        check([0.25; 4], [0.25; 4], None);
    }

    #[test]
    fn masks_are_planes_between_zero_and_one() {
        let plane = |right: usize| {
            (0..256)
                .map(|at| if at < right { 0.9 } else { 0.1 })
                .collect::<Vec<f64>>()
        };
        let found = masks(&floor(&[1, 16, 16], plane(128)), &plane(64)).unwrap();
        assert_eq!((found.regions, found.mean), (1, 0.5));
        let empty = masks(&floor(&[1, 1, 16, 16], plane(0)), &plane(0)).unwrap();
        assert_eq!(empty.least, 1.0);
        assert_eq!(masks(&floor(&[16, 16], plane(0)), &plane(0)), None);
        assert_eq!(masks(&floor(&[1, 16, 16], vec![2.0; 256]), &plane(0)), None);
    }
}
