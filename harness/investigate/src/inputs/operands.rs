//! Numbers for what a node says of the elements of an operand.

use std::collections::BTreeSet;

use onnx_shapes::Elements;
use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// The most numbers from which those without repetition are chosen.
const MAX_CHOICE: i64 = 1 << 24;

/// The elements of a tensor of this shape, with a description. If `is_probed`, some places are counted from
/// the end, and some elements are not in the list of an attribute.
pub(super) fn numbers(
    (elements, is_probed): (&Elements, bool),
    shape: &[usize],
    rng: &mut ChaCha8Rng,
) -> (Vec<f64>, String) {
    let count: usize = shape.iter().product();
    match elements {
        Elements::Whole(least, end) => {
            let most = end.saturating_sub(1).max(*least);
            let whole = (0..count).map(|_| rng.random_range(*least..=most) as f64);
            (whole.collect(), between(*least, most))
        }
        Elements::Distinct(axis, least, end) => {
            let most = end.saturating_sub(1).max(*least);
            let length = shape.get(*axis).copied().unwrap_or(count) as i64;
            let words = if length <= most - least + 1 {
                "distinct "
            } else {
                ""
            };
            (
                distinct(*axis, shape, (*least, most), rng),
                format!("{words}{}", between(*least, most)),
            )
        }
        Elements::Places(extents) => {
            let extents = leading(extents, shape);
            let mut places = places(extents, shape, rng);
            let from_end = places.iter_mut().zip(extents.iter().cycle());
            for (number, extent) in from_end.filter(|_| is_probed && rng.random_bool(0.125)) {
                *number -= *extent as f64;
            }
            (places, "distinct places".to_owned())
        }
        Elements::Lengths(most) => {
            let most = usize::try_from(*most).unwrap_or(0).max(1);
            (lengths(most, count, rng), format!("lengths up to {most}"))
        }
        Elements::NonZero => {
            let signed = (0..count).map(|_| f64::from(rng.random_range(1..=8_u8)));
            (signed.collect(), "integers from 1 to 8".to_owned())
        }
        Elements::Ascending(last) => {
            let steps = count.saturating_sub(1).max(1) as i64;
            let at = |index: usize| last.saturating_mul(index as i64).checked_div(steps).unwrap_or(0);
            (
                (0..count).map(|index| at(index) as f64).collect(),
                format!("ascending from 0 to {last}"),
            )
        }
        Elements::Parts(sum) => (parts(*sum, count), format!("parts of {sum}")),
        Elements::Factors(product) => (factors(*product, count, rng), format!("factors of {product}")),
        Elements::Last(list) => {
            // What is longer than the list has leading extents of its own.
            let own = count.saturating_sub(list.len());
            let last = list.get(list.len().saturating_sub(count)..).unwrap_or_default();
            let numbers = std::iter::repeat_n(2.0, own).chain(last.iter().map(|&number| number as f64));
            (numbers.collect(), "what fits the node".to_owned())
        }
        Elements::Reals(least, most) => {
            let real = (0..count).map(|_| least + rng.random::<f64>() * (most - least));
            (real.collect(), format!("from {least} to {most}"))
        }
        Elements::Words(words) => {
            let numbers: Vec<f64> = words.iter().filter_map(|word| word.parse().ok()).collect();
            let one = (0..count).map(|_| numbers.get(rng.random_range(0..numbers.len().max(1))));
            let mut drawn: Vec<f64> = one.map(|number| number.copied().unwrap_or(0.0)).collect();
            if let Some(greatest) = numbers.into_iter().reduce(f64::max) {
                for place in unlisted(is_probed, count, rng) {
                    drawn[place] = greatest + 1.0;
                }
            }
            (drawn, LISTED.to_owned())
        }
    }
}

/// Lengths of sequences, of at least half of `most`. The longest is first, as packed sequences are sorted;
/// all others may end early.
pub(super) fn lengths(most: usize, count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let least = most.div_ceil(2);
    let mut length = |place: usize| match place {
        0 if count > 1 => most,
        _ => least + rng.random_range(0..(most - least).max(1)),
    };
    (0..count).map(|place| length(place) as f64).collect()
}

/// The places of elements that no attribute lists, for which a node has a default: an eighth, and one of
/// four. None unless `is_probed`.
pub(super) fn unlisted(is_probed: bool, count: usize, rng: &mut ChaCha8Rng) -> BTreeSet<usize> {
    const PART: usize = 8;
    const LEAST: usize = 4;
    let others = match count / PART {
        _ if !is_probed => 0,
        0 => usize::from(count >= LEAST),
        others => others,
    };
    (0..others).map(|_| rng.random_range(0..count)).collect()
}

/// The description of elements that an attribute lists.
pub(super) const LISTED: &str = "entries of an attribute";

fn between(least: i64, most: i64) -> String {
    if least == most {
        least.to_string()
    } else {
        format!("integers from {least} to {most}")
    }
}

/// Whole numbers none of which occurs twice along an axis, as far as there are enough of them. Without such
/// an axis none occurs twice at all, or if there are too few along no axis: nodes choose rows of edges.
fn distinct(axis: usize, shape: &[usize], (least, most): (i64, i64), rng: &mut ChaCha8Rng) -> Vec<f64> {
    let count: usize = shape.iter().product();
    let (length, stride) = match shape.get(axis) {
        Some(&extent) => (extent, shape.iter().skip(axis + 1).product()),
        None => (count, 1),
    };
    let mut numbers = vec![0.0; count];
    let most = most.min(least.saturating_add(MAX_CHOICE));
    let mut choice: Vec<i64> = (least..=most).collect();
    if shape.get(axis).is_none() && count > choice.len() && shape.iter().all(|extent| *extent <= choice.len())
    {
        choice.shuffle(rng);
        for (at, number) in numbers.iter_mut().enumerate() {
            let (mut rest, mut sum) = (at, 0);
            for extent in shape.iter().rev().map(|extent| extent.max(&1)) {
                sum += rest % extent;
                rest /= extent;
            }
            *number = choice[sum % choice.len()] as f64;
        }
        return numbers;
    }
    for line in 0..count.checked_div(length).unwrap_or(0) {
        choice.shuffle(rng);
        let first = line / stride * stride * length + line % stride;
        for (step, number) in (0..length).zip(choice.iter().cycle()) {
            numbers[first + step * stride] = *number as f64;
        }
    }
    numbers
}

/// The extents that an index names.
fn leading<'e>(extents: &'e [i64], shape: &[usize]) -> &'e [i64] {
    let axes = shape.last().map_or(0, |&axes| axes.min(extents.len()));
    extents.get(..axes).unwrap_or_default()
}

/// Tuples that are places in a tensor of these extents, in an order of their own. An input may lack the axis
/// of the tuples, which a node adds.
fn places(extents: &[i64], shape: &[usize], rng: &mut ChaCha8Rng) -> Vec<f64> {
    let total = extents
        .iter()
        .fold(1_i64, |known, &extent| known.saturating_mul(extent.max(1)));
    let count: usize = shape.iter().product();
    let rows = count.div_ceil(extents.len().max(1));
    let mut order: Vec<i64> = (0..total.min(MAX_CHOICE)).collect();
    order.shuffle(rng);
    let tuple = |place: i64| {
        let mut place = place;
        let mut tuple: Vec<f64> = Vec::with_capacity(extents.len());
        for extent in extents.iter().rev().map(|extent| extent.max(&1)) {
            tuple.push((place % extent) as f64);
            place /= extent;
        }
        tuple.reverse();
        tuple
    };
    order
        .iter()
        .cycle()
        .take(rows)
        .flat_map(|&place| tuple(place))
        .take(count)
        .collect()
}

/// Numbers of at least 0, as equal as possible, with this sum.
fn parts(sum: i64, count: usize) -> Vec<f64> {
    let parts = count.max(1) as i64;
    let at = |index: i64| sum / parts + i64::from(index < sum % parts);
    (0..count as i64).map(|index| at(index) as f64).collect()
}

/// Numbers of at least 1 with this product.
fn factors(product: i64, count: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let mut numbers = vec![1_i64; count];
    if let Some(first) = numbers.first_mut().filter(|_| product == 0) {
        // The extent that leaves no elements.
        *first = -1;
    }
    let (mut rest, mut prime) = (product, 2);
    while rest > 1 && count > 0 {
        if prime * prime > rest {
            prime = rest;
        }
        match rest % prime {
            0 => {
                numbers[rng.random_range(0..count)] *= prime;
                rest /= prime;
            }
            _ => prime += 1,
        }
    }
    numbers.iter().map(|&number| number as f64).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    #[test]
    fn elements_are_what_the_node_says() {
        let check = |elements: Elements, shape: &[usize], holds: &dyn Fn(&[f64]) -> bool| {
            for seed in 0..20 {
                let (found, _) = numbers((&elements, false), shape, &mut ChaCha8Rng::seed_from_u64(seed));
                let count: usize = shape.iter().product();
                assert!(found.len() == count && holds(&found), "{elements:?}: {found:?}");
            }
        };
        let sorted = |found: &[f64]| {
            let mut found = found.to_vec();
            found.sort_by(f64::total_cmp);
            found
        };
        check(Elements::Whole(-1, 2), &[9], &|found| {
            found.iter().all(|x| (-1.0..=1.0).contains(x))
        });
        // An empty range has its first number.
        check(Elements::Whole(3, 0), &[2], &|found| found == [3.0, 3.0]);
        check(Elements::Distinct(0, 0, 3), &[3], &|found| {
            sorted(found) == [0.0, 1.0, 2.0]
        });
        check(Elements::Distinct(1, 0, 2), &[2, 2], &|found| {
            found[0] != found[1] && found[2] != found[3]
        });
        check(Elements::Distinct(0, 0, 2), &[2, 2], &|found| {
            found[0] != found[2] && found[1] != found[3]
        });
        check(Elements::Distinct(9, 0, 4), &[2, 2], &|found| {
            sorted(found) == [0.0, 1.0, 2.0, 3.0]
        });
        // Four edges among four nodes: none begins where another does, or ends there, or where it begins.
        check(Elements::Distinct(9, 0, 4), &[2, 4], &|found| {
            let rows = [&found[..4], &found[4..]];
            rows.iter().all(|row| sorted(row) == [0.0, 1.0, 2.0, 3.0])
                && rows[0].iter().zip(rows[1]).all(|(from, to)| from != to)
        });
        check(Elements::Places(vec![2, 2]), &[4, 2], &|found| {
            sorted(
                &found
                    .chunks(2)
                    .map(|place| place[0] * 2.0 + place[1])
                    .collect::<Vec<_>>(),
            ) == [0.0, 1.0, 2.0, 3.0]
        });
        check(Elements::Places(vec![4]), &[4], &|found| {
            sorted(found) == [0.0, 1.0, 2.0, 3.0]
        });
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let (found, _) = numbers((&Elements::Places(vec![16]), true), &[16, 1], &mut rng);
        assert!(found.iter().any(|place| *place < 0.0), "{found:?}");
        let found: Vec<f64> = found.iter().map(|place| place.rem_euclid(16.0)).collect();
        assert_eq!(sorted(&found), (0..16).map(f64::from).collect::<Vec<_>>());
        check(Elements::Lengths(6), &[5], &|found| {
            found[0] == 6.0 && found.iter().all(|length| (3.0..=6.0).contains(length))
        });
        check(Elements::NonZero, &[50], &|found| !found.contains(&0.0));
        check(Elements::Ascending(5), &[3], &|found| found == [0.0, 2.0, 5.0]);
        check(Elements::Parts(7), &[3], &|found| found == [3.0, 2.0, 2.0]);
        check(Elements::Factors(84), &[3], &|found| {
            found.iter().product::<f64>() == 84.0
        });
        check(Elements::Factors(0), &[2], &|found| found == [-1.0, 1.0]);
        check(Elements::Last(vec![5, 6]), &[1], &|found| found == [6.0]);
        check(Elements::Last(vec![5, 6]), &[3], &|found| {
            found == [2.0, 5.0, 6.0]
        });
        check(Elements::Reals(0.5, 1.0), &[9], &|found| {
            found.iter().all(|x| (0.5..=1.0).contains(x))
        });
        check(Elements::Words(vec!["7".to_owned()]), &[2], &|found| {
            found == [7.0, 7.0]
        });
    }
}
