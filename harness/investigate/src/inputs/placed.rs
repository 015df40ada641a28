//! Puts values that matter into numbers that were drawn.

use onnx_tensor::DType;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::probes::Probes;

/// The elements of which a tenth shows what an operator makes of a value: with half of them a mean of an
/// image is one of such values.
const MANY: usize = 1024;

/// Puts half of the elements on values at which the operators that read them behave differently, or a tenth
/// of [`MANY`]. Where equal elements matter, every second row has multiples of a half, and the greatest
/// number of a line is there twice. Returns whether any element has changed.
pub(super) fn probe(
    numbers: &mut [f64],
    (shape, dtype): (&[usize], DType),
    probes: &Probes,
    rng: &mut ChaCha8Rng,
) -> bool {
    let (last, is_whole) = (shape.last().copied().unwrap_or(1).max(1), !dtype.is_float());
    if let Some(boxes) = probes.boxes {
        numbers.chunks_mut(last).for_each(|row| boxes.fill(row, rng));
        return true;
    }
    let columns: Vec<Vec<f64>> = if probes.columns.is_empty() {
        vec![probes.numbers.clone()]
    } else {
        (0..last)
            .map(|column| probes.of_column(column).collect())
            .collect()
    };
    // The columns of a table have no other meaning than that of their thresholds. Every second row is plain:
    // thresholds alone reach few of the leaves.
    let part = if !probes.columns.is_empty() {
        0.9
    } else if probes.rare || numbers.len() >= MANY {
        0.1
    } else {
        0.5
    };
    let is_plain = |place: usize| !probes.columns.is_empty() && (place / last).is_multiple_of(2);
    let mut changed = false;
    for (place, number) in numbers.iter_mut().enumerate() {
        let before = *number;
        if let Some((least, most)) = probes.range {
            let drawn: f64 = rng.random_range(least..=most);
            *number = if is_whole { drawn.round() } else { drawn };
        }
        if !probes.equal.is_empty() && (place / last).is_multiple_of(2) {
            *number = if is_whole {
                *number % 4.0
            } else {
                (*number * 2.0).round() / 2.0
            };
        }
        changed |= before.to_bits() != number.to_bits();
    }
    let most = columns.iter().map(Vec::len).max().unwrap_or(0);
    if most > 0 {
        let mut open: Vec<usize> = (0..numbers.len()).filter(|place| !is_plain(*place)).collect();
        // Not more than their share: beside them there are plain numbers in the smallest input.
        let share = (part * open.len() as f64 + rng.random::<f64>()) as usize;
        // Of few values each is there if a third of the elements suffices.
        let share = share.max(most.min(open.len() / 3));
        let first = rng.random_range(0..most);
        for (turn, &mut place) in open.partial_shuffle(rng, share).0.iter_mut().enumerate() {
            let values = &columns[place % columns.len()];
            if !values.is_empty() {
                numbers[place] = values[(first + turn) % values.len()];
                changed = true;
            }
        }
    }
    for axis in &probes.equal {
        changed |= equal_extremes(numbers, shape, *axis, rng);
    }
    changed |= near_ties(numbers, shape, probes, rng);
    // Half of the rows reach a chosen node, half of these from a plain row.
    if !probes.trees.is_empty() {
        for (number, row) in numbers.chunks_mut(last).enumerate() {
            if matches!(number % 4, 1 | 2) {
                probes.trees.fill(row, dtype, rng);
                changed = true;
            }
        }
    }
    changed
}

/// Gives the greatest number of half of the lines along an axis, and the least, a second place in its line.
fn equal_extremes(numbers: &mut [f64], shape: &[usize], axis: i64, rng: &mut ChaCha8Rng) -> bool {
    let rank = shape.len() as i64;
    let axis = usize::try_from(if axis < 0 { axis + rank } else { axis });
    let Some(axis) = axis
        .ok()
        .filter(|axis| shape.get(*axis).is_some_and(|extent| *extent > 1))
    else {
        return false;
    };
    let (extent, stride) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    for line in 0..numbers.len() / extent {
        if line > 0 && rng.random() {
            continue;
        }
        let at = |step: usize| line / stride * stride * extent + line % stride + step * stride;
        let order = |a: &usize, b: &usize| numbers[at(*a)].total_cmp(&numbers[at(*b)]);
        let (least, greatest) = ((0..extent).min_by(order), (0..extent).max_by(order));
        let (Some(least), Some(greatest)) = (least, greatest) else {
            continue;
        };
        let mut others: Vec<usize> = (0..extent)
            .filter(|step| ![least, greatest].contains(step))
            .collect();
        if others.is_empty() {
            others.push(least);
        }
        others.shuffle(rng);
        for (other, extreme) in others.into_iter().zip([greatest, least]) {
            numbers[at(other)] = numbers[at(extreme)];
        }
    }
    true
}

/// Puts some elements of the last quarter of the samples next to a tie. One of them may change all that
/// follows from its sample, so that the others have none, and a tensor of one sample without parts has none.
fn near_ties(numbers: &mut [f64], shape: &[usize], probes: &Probes, rng: &mut ChaCha8Rng) -> bool {
    /// The share of elements next to a tie.
    const PART: f64 = 0.25;
    /// The fewest parts of one sample.
    const PARTS: usize = 4;
    let inner = shape.len().saturating_sub(1);
    let is_sampled = |(axis, extent): (usize, &usize)| *extent > 1 && (axis == 0 || *extent >= PARTS);
    let axis = (0..inner).find(|axis| is_sampled((*axis, &shape[*axis])));
    let (Some(axis), false) = (axis, probes.near_ties.is_empty()) else {
        return false;
    };
    let stride: usize = shape[axis + 1..].iter().product();
    let (extent, ties) = (shape[axis], &probes.near_ties);
    let first = extent - extent.div_ceil(PARTS);
    for (place, number) in numbers.iter_mut().enumerate() {
        if (place / stride.max(1)) % extent >= first && rng.random_bool(PART) {
            *number = ties[rng.random_range(0..ties.len())];
        }
    }
    true
}

/// Multiplies a tenth of the elements of the last samples, or of the last parts of the only sample, by 3 to
/// 30, and one of them by 150, beyond which an exponential overflows. Returns whether any element has
/// changed.
pub(super) fn enlarge(
    numbers: &mut [f64],
    (shape, dtype): (&[usize], DType),
    probes: &Probes,
    rng: &mut ChaCha8Rng,
) -> bool {
    /// A normal number times it overflows an exponential of float in one of two cases.
    const OVERFLOWING: f64 = 150.0;
    let Some(last) = last_part(shape, numbers.len()).filter(|_| probes.large) else {
        return false;
    };
    if probes.boxes.is_some() || probes.range.is_some() {
        return false;
    }
    let large = &mut numbers[last..];
    for _ in 0..large.len().div_ceil(10) {
        let place = rng.random_range(0..large.len());
        large[place] *= 10.0_f64.powf(rng.random_range(0.5..1.5));
    }
    // Sums of float16 overflow by themselves.
    if dtype != DType::Float16 && large.len() > 1 {
        let place = rng.random_range(0..large.len());
        large[place] = OVERFLOWING * if rng.random() { 1.0 } else { -1.0 };
    }
    true
}

/// Makes the row before the last samples a thousandth, and a few of its elements 0: where a model adds an
/// epsilon, it shows there. Of two rows or fewer only an element of the last becomes 0. Returns whether any
/// element has changed.
pub(super) fn diminish(numbers: &mut [f64], shape: &[usize], probes: &Probes, rng: &mut ChaCha8Rng) -> bool {
    /// About the root of a usual epsilon.
    const SMALL: f64 = 1e-3;
    /// The share of elements of the row that are 0.
    const ZEROS: f64 = 0.125;
    let width = shape.last().copied().unwrap_or(1).max(1);
    let Some(last) = last_part(shape, numbers.len()).filter(|_| probes.small) else {
        return false;
    };
    if probes.range.is_some() {
        return false;
    }
    if let Some(row) = (last / width).checked_sub(1).filter(|row| *row > 0) {
        for number in numbers.iter_mut().skip(row * width).take(width) {
            *number *= if rng.random_bool(ZEROS) { 0.0 } else { SMALL };
        }
    } else {
        let place = rng.random_range(last..numbers.len());
        numbers[place] = 0.0;
    }
    true
}

/// Puts NaN into the last sample, or the last part of the only one, infinities into that before it and both
/// zeros into the third, as far as half of the samples stay plain: what is lost of NaN does not show behind
/// an infinity. Of two or three samples one has one of these kinds. Returns whether any element has changed.
pub(super) fn specialise(numbers: &mut [f64], shape: &[usize], rng: &mut ChaCha8Rng) -> bool {
    const KINDS: [&[f64]; 3] = [&[f64::NAN], &[f64::INFINITY, f64::NEG_INFINITY], &[0.0, -0.0]];
    let Some(axis) = sample_axis(shape).filter(|_| !numbers.is_empty()) else {
        return false;
    };
    let (parts, inner) = (shape[axis], shape[axis + 1..].iter().product::<usize>());
    let count = (parts / 2).min(KINDS.len());
    let first = if count == 1 {
        rng.random_range(0..KINDS.len())
    } else {
        0
    };
    for (part, turn) in (0..parts).rev().take(count).zip(first..) {
        let mut places: Vec<usize> = (part * inner..(part + 1) * inner).collect();
        places.shuffle(rng);
        for (place, special) in places.into_iter().zip(KINDS[turn % KINDS.len()]) {
            numbers[place] = *special;
        }
    }
    true
}

/// The first axis with more than one element.
fn sample_axis(shape: &[usize]) -> Option<usize> {
    shape.iter().position(|extent| *extent > 1)
}

/// The place of the first element of the last eighth of the samples, or of the parts of the only one; `None`
/// if there is one element.
fn last_part(shape: &[usize], count: usize) -> Option<usize> {
    let axis = sample_axis(shape).filter(|_| count > 0)?;
    let parts = shape[axis];
    let inner: usize = shape[axis + 1..].iter().product();
    Some(inner * (parts - parts.div_ceil(8)))
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    const SHAPE: [usize; 2] = [8, 16];

    /// The rows of ones in which `change` changes an element.
    fn changed(change: impl Fn(&mut [f64], &mut ChaCha8Rng) -> bool) -> Vec<usize> {
        let (mut numbers, mut rng) = (vec![1.0; 128], ChaCha8Rng::seed_from_u64(1));
        assert!(change(&mut numbers, &mut rng));
        let rows = numbers.chunks(SHAPE[1]).enumerate();
        rows.filter(|(_, row)| row.iter().any(|number| *number != 1.0))
            .map(|(row, _)| row)
            .collect()
    }

    /// An index of the greatest element is another one only if the greatest is there twice.
    #[test]
    fn the_greatest_of_a_line_is_there_twice() {
        let check = |shape: &[usize], axis: i64, line: &[usize]| {
            let probes = Probes {
                equal: [axis].into(),
                ..Probes::default()
            };
            for seed in 0..20 {
                let mut rng = ChaCha8Rng::seed_from_u64(seed);
                let count: usize = shape.iter().product();
                let mut numbers: Vec<f64> = (0..count).map(|_| rng.random_range(-9.0..9.0)).collect();
                assert!(probe(&mut numbers, (shape, DType::Float), &probes, &mut rng));
                let line: Vec<f64> = line.iter().map(|place| numbers[*place]).collect();
                let greatest = line.iter().copied().fold(f64::MIN, f64::max);
                assert!(line.iter().filter(|x| **x == greatest).count() > 1, "{line:?}");
            }
        };
        check(&[6], 0, &[0, 1, 2, 3, 4, 5]);
        check(&[2], -1, &[0, 1]);
        check(&[1, 4], -1, &[0, 1, 2, 3]);
        check(&[3, 2], 0, &[0, 2, 4]);
    }

    /// Each kind has a sample of its own, and half of the samples have none.
    #[test]
    fn special_numbers_are_in_the_last_samples() {
        let kinds = |shape: &[usize]| {
            let mut rng = ChaCha8Rng::seed_from_u64(1);
            let mut numbers = vec![1.0; shape.iter().product()];
            assert!(specialise(&mut numbers, shape, &mut rng));
            let count = |row: &[f64], is: fn(&&f64) -> bool| row.iter().filter(is).count();
            let rows = numbers.chunks(16).map(|row| {
                [
                    count(row, |x| x.is_nan()),
                    count(row, |x| x.is_infinite()),
                    count(row, |x| **x == 0.0),
                ]
            });
            rows.collect::<Vec<_>>()
        };
        let rows = kinds(&SHAPE);
        assert_eq!(rows[..5], [[0; 3]; 5]);
        assert_eq!(rows[5..], [[0, 0, 2], [0, 2, 0], [1, 0, 0]]);
        let two = kinds(&[2, 16]);
        assert_eq!(two[0], [0; 3]);
        assert_eq!(two[1].iter().filter(|count| **count > 0).count(), 1);
    }

    /// Numbers that the model names leave room for others.
    #[test]
    fn half_of_the_numbers_are_plain() {
        let named = Probes {
            numbers: vec![300.0],
            ..Probes::default()
        };
        for seed in 0..50 {
            let (mut numbers, mut rng) = (vec![1.0; 4], ChaCha8Rng::seed_from_u64(seed));
            probe(&mut numbers, (&[4], DType::Float), &named, &mut rng);
            assert_eq!(numbers.iter().filter(|x| **x == 300.0).count(), 2);
        }
    }

    /// A tie makes all that follows from its sample uncertain, and large numbers hide what small ones show:
    /// each has samples of its own, and most have neither.
    #[test]
    fn most_samples_stay_plain() {
        let ties = Probes {
            near_ties: vec![0.5],
            ..Probes::default()
        };
        assert_eq!(
            changed(|numbers, rng| near_ties(numbers, &SHAPE, &ties, rng)),
            [6, 7]
        );
        let both = Probes {
            large: true,
            small: true,
            ..Probes::default()
        };
        let kind = (&SHAPE[..], DType::Float);
        assert_eq!(changed(|numbers, rng| enlarge(numbers, kind, &both, rng)), [7]);
        assert_eq!(changed(|numbers, rng| diminish(numbers, &SHAPE, &both, rng)), [6]);
        // A vector is one sample: a tie would reach everything.
        let mut vector = vec![1.0; 16];
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        assert!(!near_ties(&mut vector, &[16], &ties, &mut rng));
        assert!(!near_ties(&mut vector, &[1, 16], &ties, &mut rng));
    }
}
