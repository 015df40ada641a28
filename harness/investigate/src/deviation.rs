//! One number for how far a backend's values are from the reference's.

use backend_api::Named;
use harness_compare::leaves;
use harness_conformance::noise::floats;
use onnx_tensor::Tensor;

/// The deviation of values that must be equal and of which some are not.
const UNEQUAL: f64 = 1e-2;

/// How far `observed` is from `expected`: the largest difference of two elements, relative to the largest element of their
/// tensor; of several tensors the worst. 0 where all are equal, infinite where names, types, shapes or special values differ.
/// Of integers, booleans and strings the part of unequal elements counts, at least 1 %.
pub fn deviation(expected: &[Named], observed: &[Named]) -> f64 {
    let observed = leaves(observed);
    let of = |(name, expected): &(String, Tensor)| {
        let found = observed.iter().find(|(known, _)| known == name);
        found.map_or(f64::INFINITY, |(_, observed)| tensors(expected, observed))
    };
    let expected = leaves(expected);
    expected.iter().map(of).fold(0.0, f64::max)
}

fn tensors(expected: &Tensor, observed: &Tensor) -> f64 {
    if expected.dtype() != observed.dtype() || expected.shape() != observed.shape() {
        return f64::INFINITY;
    }
    if expected.same_bits(observed) {
        return 0.0;
    }
    match (floats(expected), floats(observed)) {
        (Some(expected), Some(observed)) => relative(&expected, &observed),
        _ => UNEQUAL,
    }
}

fn relative(expected: &[f64], observed: &[f64]) -> f64 {
    let largest = expected
        .iter()
        .filter(|x| x.is_finite())
        .fold(0.0_f64, |most, x| most.max(x.abs()));
    let apart = |(e, o): (&f64, &f64)| match (e, o) {
        (e, o) if e == o || e.is_nan() && o.is_nan() => 0.0,
        (e, o) if e.is_finite() && o.is_finite() => (e - o).abs(),
        _ => f64::INFINITY,
    };
    let most = expected.iter().zip(observed).map(apart).fold(0.0, f64::max);
    match most {
        0.0 => 0.0,
        most if largest > 0.0 => most / largest,
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(expected: Tensor, observed: Tensor, wanted: f64) {
        let named = |tensor: Tensor| [("x".to_owned(), tensor.into())];
        assert_eq!(deviation(&named(expected), &named(observed)), wanted);
    }

    #[test]
    fn a_difference_counts_relative_to_the_largest_element() {
        check(
            Tensor::vector(vec![0.0_f32, 4.0]),
            Tensor::vector(vec![1.0_f32, 4.0]),
            0.25,
        );
        check(
            Tensor::vector(vec![0.0_f32, -0.0]),
            Tensor::vector(vec![-0.0_f32, 0.0]),
            0.0,
        );
        check(
            Tensor::vector(vec![f32::NAN]),
            Tensor::vector(vec![f32::NAN]),
            0.0,
        );
        check(
            Tensor::vector(vec![f32::NAN]),
            Tensor::vector(vec![1.0_f32]),
            f64::INFINITY,
        );
        check(
            Tensor::vector(vec![1_i64, 2]),
            Tensor::vector(vec![1_i64, 3]),
            UNEQUAL,
        );
        check(Tensor::vector(vec![1_i64]), Tensor::scalar(1_i64), f64::INFINITY);
        check(
            Tensor::vector(vec![0.0_f32]),
            Tensor::vector(vec![1.0_f32]),
            f64::INFINITY,
        );
    }
}
