//! Faults of one element.

use harness_compare::scalar::{Scalar, Whole};
use onnx_tensor::{Array, Element, Tensor};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::super::fault::Leaf;

/// Runs a body with `T` and the array bound for a float tensor; `None` for any other.
macro_rules! floats {
    ($tensor:expr, $array:ident => $body:expr) => {
        match $tensor {
            Tensor::Float($array) => $body,
            Tensor::Double($array) => $body,
            Tensor::Float16($array) => $body,
            Tensor::Bfloat16($array) => $body,
            Tensor::Float8E4M3Fn($array) => $body,
            Tensor::Float8E4M3Fnuz($array) => $body,
            Tensor::Float8E5M2($array) => $body,
            Tensor::Float8E5M2Fnuz($array) => $body,
            Tensor::Float4E2M1($array) => $body,
            Tensor::Float8E8M0($array) => $body,
            Tensor::Float6E2M3($array) => $body,
            Tensor::Float6E3M2($array) => $body,
            _ => None,
        }
    };
}

/// The same for integer tensors.
macro_rules! integers {
    ($tensor:expr, $array:ident => $body:expr) => {
        match $tensor {
            Tensor::Uint8($array) => $body,
            Tensor::Int8($array) => $body,
            Tensor::Uint16($array) => $body,
            Tensor::Int16($array) => $body,
            Tensor::Uint32($array) => $body,
            Tensor::Int32($array) => $body,
            Tensor::Uint64($array) => $body,
            Tensor::Int64($array) => $body,
            Tensor::Uint4($array) => $body,
            Tensor::Int4($array) => $body,
            Tensor::Uint2($array) => $body,
            Tensor::Int2($array) => $body,
            _ => None,
        }
    };
}

/// A copy with one element replaced: the first, from a random position on, for which `make` returns a
/// value.
fn replaced<T: Element>(
    array: &Array<T>,
    rng: &mut ChaCha8Rng,
    make: impl Fn(usize, &T) -> Option<T>,
) -> Option<Tensor> {
    let mut elements: Vec<T> = array.iter().cloned().collect();
    let count = elements.len();
    let start = rng.random_range(0..count.max(1));
    let places = (0..count).map(|step| (start + step) % count);
    let (place, value) = places
        .into_iter()
        .find_map(|place| Some((place, make(place, elements.get(place)?)?)))?;
    *elements.get_mut(place)? = value;
    Tensor::new(array.shape(), elements).ok()
}

/// Replaces one float by the first representable value beyond its bound, above or below.
pub fn beyond(leaf: &Leaf<'_>, rng: &mut ChaCha8Rng) -> Option<Tensor> {
    let envelope = leaf.envelope?;
    let radii: Vec<f64> = envelope.radius.iter().copied().collect();
    floats!(&envelope.center, centers => beyond_of(leaf.tensor, centers, &radii, rng))
}

fn beyond_of<T: Scalar + Element>(
    tensor: &Tensor,
    centers: &Array<T>,
    radii: &[f64],
    rng: &mut ChaCha8Rng,
) -> Option<Tensor> {
    let centers: Vec<T> = centers.iter().copied().collect();
    let side = if rng.random_bool(0.5) { 1 } else { -1 };
    replaced(tensor.array::<T>().ok()?, rng, |place, _| {
        let (center, radius) = (*centers.get(place)?, *radii.get(place)?);
        first_beyond(center, radius, side).or_else(|| first_beyond(center, radius, -side))
    })
}

/// The value nearest to `center` with a distance greater than `radius`, on one side; `None` if the format
/// ends before.
fn first_beyond<T: Scalar>(center: T, radius: f64, side: i32) -> Option<T> {
    /// The maximum error of rounding to the format, in steps.
    const MAX_STEPS: usize = 16;
    let edge = T::of(center.value() + f64::from(side) * radius);
    if !radius.is_finite() || !center.value().is_finite() || !edge.value().is_finite() {
        return None;
    }
    let is_beyond = |ordinal: i64| (T::from_ordinal(ordinal).value() - center.value()).abs() > radius;
    let (mut ordinal, step) = (edge.ordinal(), i64::from(side));
    for _ in 0..MAX_STEPS {
        match (is_beyond(ordinal), is_beyond(ordinal - step)) {
            (true, false) => break,
            (true, true) => ordinal -= step,
            (false, _) => ordinal += step,
        }
    }
    let found = T::from_ordinal(ordinal);
    (is_beyond(ordinal) && found.value().is_finite()).then_some(found)
}

/// Replaces a finite element by +Inf, if the format has it.
pub fn infinity(leaf: &Leaf<'_>, rng: &mut ChaCha8Rng) -> Option<Tensor> {
    fn make<T: Scalar>(element: T) -> Option<T> {
        let infinite = T::of(f64::INFINITY);
        (element.value().is_finite() && infinite.value().is_infinite()).then_some(infinite)
    }
    floats!(leaf.tensor, array => replaced(array, rng, |_, element| make(*element)))
}

/// Replaces an infinity by the largest finite number.
pub fn finite(leaf: &Leaf<'_>, rng: &mut ChaCha8Rng) -> Option<Tensor> {
    fn make<T: Scalar>(element: T) -> Option<T> {
        let ordinal = element.ordinal();
        element
            .value()
            .is_infinite()
            .then(|| T::from_ordinal(ordinal - ordinal.signum()))
    }
    floats!(leaf.tensor, array => replaced(array, rng, |_, element| make(*element)))
}

/// Replaces an element by NaN, if the format has it.
pub fn nan(leaf: &Leaf<'_>, rng: &mut ChaCha8Rng) -> Option<Tensor> {
    fn make<T: Scalar>(element: T) -> Option<T> {
        let nan = T::of(f64::NAN);
        (!element.value().is_nan() && nan.value().is_nan()).then_some(nan)
    }
    floats!(leaf.tensor, array => replaced(array, rng, |_, element| make(*element)))
}

/// Inverts the sign of a zero, if elements are only copied and the format has both zeros.
pub fn zero_sign(leaf: &Leaf<'_>, rng: &mut ChaCha8Rng) -> Option<Tensor> {
    fn make<T: Scalar>(element: T) -> Option<T> {
        let other = T::of(-element.value());
        let is_other = other.value().is_sign_negative() != element.value().is_sign_negative();
        (element.value() == 0.0 && other.value() == 0.0 && is_other).then_some(other)
    }
    if !leaf.copied {
        return None;
    }
    floats!(leaf.tensor, array => replaced(array, rng, |_, element| make(*element)))
}

/// Changes one integer by one, or by one more than its bound.
pub fn off_by_one(leaf: &Leaf<'_>, rng: &mut ChaCha8Rng) -> Option<Tensor> {
    let radii = leaf
        .envelope
        .map(|envelope| envelope.radius.iter().copied().collect::<Vec<f64>>());
    let side = if rng.random_bool(0.5) { 1 } else { -1 };
    integers!(leaf.tensor, array => replaced(array, rng, |place, element| {
        let radius = radii.as_ref().and_then(|radii| radii.get(place)).copied().unwrap_or(0.0);
        let step = radius.is_finite().then_some(side * (2 * radius as i128 + 1))?;
        Whole::of(element.whole() + step).or_else(|| Whole::of(element.whole() - step))
    }))
}

/// Replaces an element with several right answers by a value between two of them, or beyond them,
/// that is none.
pub fn between_answers(leaf: &Leaf<'_>, rng: &mut ChaCha8Rng) -> Option<Tensor> {
    let answers = &leaf.envelope?.answers;
    let found = |place: usize| {
        let spans = answers.of(place);
        let gap = spans.windows(2).find_map(|pair| match pair {
            [(_, before), (after, _)] if before < after => Some((before + after) / 2.0),
            _ => None,
        });
        gap.or(spans.last().map(|(_, last)| last + 1.0))
    };
    let real =
        floats!(leaf.tensor, array => replaced(array, rng, |place, _| Some(Scalar::of(found(place)?))));
    real.or_else(|| {
        integers!(leaf.tensor, array => replaced(array, rng, |place, _| {
            let value = found(place)?;
            Whole::of(value.floor() as i128).filter(|_| value.fract() == 0.0)
                .or_else(|| Whole::of(answers.of(place).last()?.1 as i128 + 1))
        }))
    })
}

/// Changes the case of one letter.
pub fn string_case(leaf: &Leaf<'_>, rng: &mut ChaCha8Rng) -> Option<Tensor> {
    fn make(text: &str) -> Option<String> {
        let at = text.find(|letter: char| letter.is_ascii_alphabetic())?;
        let flip = |(index, letter): (usize, char)| match letter {
            letter if index != at => letter,
            letter if letter.is_ascii_lowercase() => letter.to_ascii_uppercase(),
            letter => letter.to_ascii_lowercase(),
        };
        Some(text.char_indices().map(flip).collect())
    }
    let Tensor::String(array) = leaf.tensor else {
        return None;
    };
    replaced(array, rng, |_, text| make(text))
}
