//! The elements around the first difference of an output, for display.

use backend_api::Named;
use onnx_tensor::{Array, Element, Tensor};
use run_record::{OutputStats, Window};

use super::Envelopes;
use super::leaves::leaf;
use super::scalar::{Scalar, text};

/// The number of elements before and after the first difference.
const REACH: usize = 4;

/// The maximum number of inputs that are shown with an output.
const MAX_INPUTS: usize = 4;

/// The maximum number of characters of an element: a string may be long.
const MAX_CHARACTERS: usize = 48;

/// Adds to each differing output the elements around its first difference: the observed and expected
/// values, the bounds, and the elements of the inputs at the same positions.
pub fn add_windows(
    outputs: &mut [OutputStats],
    expected: &[Named],
    observed: &[Named],
    inputs: &[Named],
    envelopes: &Envelopes,
) {
    for stats in outputs.iter_mut().filter(|stats| stats.differing > 0) {
        let pair = leaf(expected, &stats.name).zip(leaf(observed, &stats.name));
        stats.window = pair.and_then(|(expected, got)| {
            let at = stats.first.first()?;
            let center = flat(&at.index, expected.shape())?;
            let start = center.saturating_sub(REACH);
            let end = center.saturating_add(REACH + 1).min(expected.len());
            let places: Vec<usize> = (start..end).collect();
            let radius = envelopes.of(&stats.name, &expected);
            Some(Box::new(Window {
                start: start as u64,
                got: texts(&got, &places),
                expected: texts(&expected, &places),
                bounds: radius.map_or_else(Vec::new, |envelope| radii(&envelope.radius, &places)),
                inputs: input_elements(inputs, expected.shape(), &places),
            }))
        });
    }
}

/// The first elements of a tensor.
pub fn first_elements(tensor: &Tensor, most: usize) -> Vec<String> {
    let places: Vec<usize> = (0..tensor.len().min(most)).collect();
    texts(tensor, &places)
}

/// The row-major position of an index; `None` if it is out of bounds.
fn flat(index: &[u64], shape: &[usize]) -> Option<usize> {
    let mut at = 0_usize;
    for (&index, &extent) in index.iter().zip(shape) {
        at = at
            .checked_mul(extent)?
            .checked_add(usize::try_from(index).ok()?)?;
    }
    (index.len() == shape.len()).then_some(at)
}

/// The elements at `places` of each input that can be broadcast to `shape`.
fn input_elements(inputs: &[Named], shape: &[usize], places: &[usize]) -> Vec<(String, Vec<String>)> {
    let fitting = inputs.iter().filter_map(|(name, _)| {
        let tensor = leaf(inputs, name)?;
        let places: Option<Vec<usize>> = places
            .iter()
            .map(|&place| broadcast(place, shape, tensor.shape()))
            .collect();
        Some((name.clone(), texts(&tensor, &places?)))
    });
    fitting.take(MAX_INPUTS).collect()
}

/// The position of the element of an input of shape `from` that is broadcast to position `place` of a
/// result of shape `to`; `None` if the shapes do not broadcast.
fn broadcast(mut place: usize, to: &[usize], from: &[usize]) -> Option<usize> {
    let missing = to.len().checked_sub(from.len())?;
    let (mut at, mut stride) = (0, 1);
    for (axis, &extent) in to.iter().enumerate().rev() {
        let index = place % extent.max(1);
        place /= extent.max(1);
        let Some(&own) = axis.checked_sub(missing).and_then(|axis| from.get(axis)) else {
            continue;
        };
        match own {
            1 => {}
            own if own == extent => at += index * stride,
            _ => return None,
        }
        stride *= own;
    }
    Some(at)
}

fn radii(radius: &Array<f64>, places: &[usize]) -> Vec<f64> {
    let at = |&place: &usize| radius.iter().nth(place).copied();
    places.iter().filter_map(at).collect()
}

/// The elements at `places`, formatted for display.
fn texts(tensor: &Tensor, places: &[usize]) -> Vec<String> {
    fn at<T: Element>(array: &Array<T>, places: &[usize], show: impl Fn(&T) -> String) -> Vec<String> {
        let found = places.iter().filter_map(|&place| array.iter().nth(place));
        found.map(show).collect()
    }
    macro_rules! texts {
        ($($variant:ident $show:expr),* $(,)?) => {
            match tensor {
                $(Tensor::$variant(array) => at(array, places, $show),)*
            }
        };
    }
    fn float<T: Scalar>(value: &T) -> String {
        text(*value)
    }
    texts!(
        Float float, Double float, Float16 float, Bfloat16 float, Float8E4M3Fn float, Float8E4M3Fnuz float,
        Float8E5M2 float, Float8E5M2Fnuz float, Float4E2M1 float, Float8E8M0 float, Float6E2M3 float,
        Float6E3M2 float,
        Uint8 u8::to_string, Int8 i8::to_string, Uint16 u16::to_string, Int16 i16::to_string,
        Int32 i32::to_string, Int64 i64::to_string, Uint32 u32::to_string, Uint64 u64::to_string,
        Uint4 |value| value.get().to_string(), Int4 |value| value.get().to_string(),
        Uint2 |value| value.get().to_string(), Int2 |value| value.get().to_string(),
        Bool bool::to_string,
        Complex64 |value| format!("{}{:+}i", value.re, value.im),
        Complex128 |value| format!("{}{:+}i", value.re, value.im),
        String |value| quoted(value),
    )
}

/// The beginning of a string, in quotes.
fn quoted(value: &str) -> String {
    let mut shown: String = value.chars().take(MAX_CHARACTERS).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    format!("{shown:?}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Tolerance, compare};

    #[track_caller]
    fn check(place: usize, to: &[usize], from: &[usize], expected: Option<usize>) {
        assert_eq!(
            broadcast(place, to, from),
            expected,
            "{place} of {to:?} in {from:?}"
        );
    }

    #[test]
    fn positions_follow_the_rules_of_broadcasting() {
        check(5, &[2, 3], &[2, 3], Some(5));
        check(5, &[2, 3], &[3], Some(2));
        check(5, &[2, 3], &[2, 1], Some(1));
        check(5, &[2, 3], &[], Some(0));
        check(5, &[2, 3], &[1, 1], Some(0));
        check(5, &[2, 3], &[4], None);
        check(5, &[2, 3], &[1, 2, 3], None);
        check(23, &[2, 3, 4], &[3, 1], Some(2));
    }

    #[test]
    fn the_window_is_around_the_first_difference_and_within_the_output() {
        let tensor = |values: Vec<f32>| Tensor::new(&[2, values.len() / 2], values).unwrap();
        let named = |name: &str, tensor: Tensor| vec![(name.to_owned(), tensor.into())];
        let right: Vec<f32> = (0..20).map(|place| place as f32).collect();
        let mut wrong = right.clone();
        (wrong[11], wrong[19]) = (0.5, 7.0);
        let (expected, observed) = (named("y", tensor(right.clone())), named("y", tensor(wrong)));
        let bias = Tensor::new(&[10], right[..10].to_vec()).unwrap();
        let inputs = named("x", bias);
        let mut comparison = compare(&expected, &observed, Tolerance::EXACT);
        add_windows(
            &mut comparison.outputs,
            &expected,
            &observed,
            &inputs,
            Envelopes::NONE,
        );
        let stats = &comparison.outputs[0];
        let window = stats.window.as_deref().unwrap();
        assert_eq!(window.start, 7);
        assert_eq!(window.got[4], "0.5");
        assert_eq!(
            window.expected,
            ["7", "8", "9", "10", "11", "12", "13", "14", "15"]
        );
        assert_eq!(window.inputs[0].1, ["7", "8", "9", "0", "1", "2", "3", "4", "5"]);
        assert!(window.bounds.is_empty());
        assert_eq!(stats.spread.len(), 20);
        assert_eq!(
            stats
                .spread
                .iter()
                .enumerate()
                .filter(|(_, count)| **count > 0)
                .map(|(at, _)| at)
                .collect::<Vec<_>>(),
            [11, 19]
        );
    }

    #[test]
    fn a_long_string_is_truncated() {
        let value = "ä".repeat(100);
        let shown = first_elements(&Tensor::new(&[1], vec![value]).unwrap(), 4);
        assert_eq!(shown[0].chars().count(), MAX_CHARACTERS + 3);
    }
}
