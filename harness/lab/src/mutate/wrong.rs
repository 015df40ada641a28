//! Decides whether outputs are wrong, without the code under test.

use backend_api::Named;
use harness_compare::{Envelope, Envelopes, Tolerance, leaves};
use onnx_tensor::{Int, Real, Tensor};

/// Whether `observed` is wrong: another number of tensors, another type or shape, or an element that is not
/// the expected one and is beyond its bound. Without a known bound, only misplaced NaN and infinities and
/// differences of exact types are wrong. `copied`: zeros must have the same sign. `tolerance` decides
/// whether the reference's result agrees with the expected one; a bound about another result is ignored.
pub fn wrong(
    expected: &[Named],
    observed: &[Named],
    envelopes: &Envelopes,
    tolerance: Tolerance,
    copied: bool,
) -> bool {
    let (expected, observed) = (leaves(expected), leaves(observed));
    let mut pairs = expected.iter().zip(&observed);
    expected.len() != observed.len()
        || pairs.any(|((name, a), (other, b))| {
            name != other
                || a.dtype() != b.dtype()
                || a.shape() != b.shape()
                || wrong_element(a, b, envelopes.of(name, a), tolerance, copied)
        })
}

/// An element, independent of its type.
#[derive(PartialEq)]
enum Plain {
    Real(f64),
    Complex(f64, f64),
    Whole(i128),
    Text(String),
}

fn wrong_element(
    expected: &Tensor,
    observed: &Tensor,
    envelope: Option<&Envelope>,
    tolerance: Tolerance,
    copied: bool,
) -> bool {
    let (expected, observed) = (plain(expected), plain(observed));
    let centers = envelope.map(|envelope| plain(&envelope.center));
    let radii: Option<Vec<f64>> = envelope.map(|envelope| envelope.radius.iter().copied().collect());
    expected.iter().zip(&observed).enumerate().any(|(index, (a, b))| {
        let center = centers.as_ref().and_then(|centers| centers.get(index));
        let radius = radii.as_ref().and_then(|radii| radii.get(index)).copied();
        let bound = center.zip(radius);
        let bound = bound.filter(|(center, radius)| radius.is_finite() && agree(a, center, tolerance));
        let answers = envelope.map_or(&[][..], |envelope| envelope.answers.of(index));
        match bound {
            _ if same(a, b, copied) => false,
            Some(_) if is_among(a, answers) => !is_among(b, answers),
            Some((center, radius)) => !(same(center, b, copied) || distance(center, b) <= radius),
            None => unbounded(a, b),
        }
    })
}

/// Whether an element is one of several right answers.
fn is_among(element: &Plain, answers: &[(f64, f64)]) -> bool {
    let value = match element {
        Plain::Real(value) => *value,
        Plain::Whole(value) => *value as f64,
        Plain::Complex(..) | Plain::Text(_) => return false,
    };
    answers.iter().any(|(low, high)| value >= *low && value <= *high)
}

fn same(a: &Plain, b: &Plain, copied: bool) -> bool {
    let one = |a: f64, b: f64| {
        a.is_nan() && b.is_nan() || a == b && (!copied || a.is_sign_negative() == b.is_sign_negative())
    };
    match (a, b) {
        (Plain::Real(a), Plain::Real(b)) => one(*a, *b),
        (Plain::Complex(a, b), Plain::Complex(c, d)) => one(*a, *c) && one(*b, *d),
        (a, b) => a == b,
    }
}

/// Whether the reference's result agrees with the expected one, by the official rule.
fn agree(expected: &Plain, center: &Plain, tolerance: Tolerance) -> bool {
    let size = match expected {
        Plain::Real(x) => x.abs(),
        Plain::Complex(re, im) => re.hypot(*im),
        Plain::Whole(_) | Plain::Text(_) => return expected == center,
    };
    let allowed = tolerance.absolute + tolerance.relative * size;
    same(expected, center, false) || distance(expected, center) <= allowed && allowed.is_finite()
}

/// Infinite if there is no distance; zero for two zeros of different signs.
fn distance(a: &Plain, b: &Plain) -> f64 {
    let between = match (a, b) {
        (Plain::Real(a), Plain::Real(b)) if *a == 0.0 && *b == 0.0 => f64::INFINITY,
        (Plain::Real(a), Plain::Real(b)) => (a - b).abs(),
        (Plain::Complex(a, b), Plain::Complex(c, d)) => (a - c).hypot(b - d),
        (Plain::Whole(a), Plain::Whole(b)) => a.abs_diff(*b) as f64,
        _ => f64::INFINITY,
    };
    if between.is_nan() { f64::INFINITY } else { between }
}

/// Whether an element that differs is wrong without a known bound.
fn unbounded(a: &Plain, b: &Plain) -> bool {
    let clash = |a: f64, b: f64| {
        a.is_nan() != b.is_nan() || (a.is_infinite() || b.is_infinite()) && a != b || a == 0.0 && b == 0.0
    };
    match (a, b) {
        (Plain::Real(a), Plain::Real(b)) => clash(*a, *b),
        (Plain::Complex(a, b), Plain::Complex(c, d)) => {
            a.is_nan() != c.is_nan() || b.is_nan() != d.is_nan() || a.is_infinite() != c.is_infinite()
        }
        _ => true,
    }
}

fn plain(tensor: &Tensor) -> Vec<Plain> {
    macro_rules! plain {
        ($($variant:ident: $to:expr),* $(,)?) => {
            match tensor {
                $(Tensor::$variant(array) => array.iter().map($to).collect(),)*
            }
        };
    }
    plain! {
        Float: |x| Plain::Real(x.to_f64()), Double: |x| Plain::Real(*x), Float16: |x| Plain::Real(Real::to_f64(*x)),
        Bfloat16: |x| Plain::Real(Real::to_f64(*x)), Float8E4M3Fn: |x| Plain::Real(x.to_f64()),
        Float8E4M3Fnuz: |x| Plain::Real(x.to_f64()), Float8E5M2: |x| Plain::Real(x.to_f64()),
        Float8E5M2Fnuz: |x| Plain::Real(x.to_f64()), Float4E2M1: |x| Plain::Real(x.to_f64()),
        Float8E8M0: |x| Plain::Real(x.to_f64()), Float6E2M3: |x| Plain::Real(x.to_f64()),
        Float6E3M2: |x| Plain::Real(x.to_f64()), Uint8: |x| Plain::Whole(x.to_i128()), Int8: |x| Plain::Whole(x.to_i128()),
        Uint16: |x| Plain::Whole(x.to_i128()), Int16: |x| Plain::Whole(x.to_i128()), Uint32: |x| Plain::Whole(x.to_i128()),
        Int32: |x| Plain::Whole(x.to_i128()), Uint64: |x| Plain::Whole(x.to_i128()), Int64: |x| Plain::Whole(x.to_i128()),
        Uint4: |x| Plain::Whole(x.get().into()), Int4: |x| Plain::Whole(x.get().into()),
        Uint2: |x| Plain::Whole(x.get().into()), Int2: |x| Plain::Whole(x.get().into()),
        Bool: |x| Plain::Whole((*x).into()), String: |x| Plain::Text(x.clone()),
        Complex64: |x| Plain::Complex(x.re.into(), x.im.into()), Complex128: |x| Plain::Complex(x.re, x.im),
    }
}
