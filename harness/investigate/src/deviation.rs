//! The deviation of a backend's values from the reference's, as one number.

use std::collections::HashMap;

use backend_api::Named;
use harness_compare::leaves;
use onnx_tensor::{Real, Tensor, TensorError, dispatch};

/// The minimum deviation of integers that are not all equal.
const UNEQUAL: f64 = 1e-2;

/// The deviation of `observed` from `expected`: the largest difference of two elements, relative to the
/// largest element of their value; the maximum over all values. 0 if all elements are equal, infinite if
/// names, types, shapes, lengths or special values differ. 1 for booleans and strings that differ, and
/// at least 1 % for integers that differ.
pub fn deviation(expected: &[Named], observed: &[Named]) -> f64 {
    measured(expected, observed, UNEQUAL)
}

/// The deviation as people read it: without the least deviation of integers.
pub fn difference(expected: &[Named], observed: &[Named]) -> f64 {
    measured(expected, observed, 0.0)
}

/// The deviation, at least `unequal` for integers that differ.
fn measured(expected: &[Named], observed: &[Named], unequal: f64) -> f64 {
    let observed: HashMap<String, Tensor> = leaves(observed).into_iter().collect();
    let (mut most, mut count) = (0.0_f64, 0);
    for value in expected {
        // The elements of a sequence and the entries of a map have one scale.
        let parts = leaves(std::slice::from_ref(value));
        let scale = parts.iter().map(|(_, part)| largest(part)).fold(0.0, f64::max);
        count += parts.len();
        for (name, part) in &parts {
            let found = observed.get(name);
            most = most.max(found.map_or(f64::INFINITY, |found| tensors(part, found, scale, unequal)));
        }
    }
    if count == observed.len() {
        most
    } else {
        f64::INFINITY
    }
}

/// The largest finite element of a float tensor; 0 for other types.
fn largest(tensor: &Tensor) -> f64 {
    let numbers = Some(tensor)
        .filter(|tensor| tensor.dtype().is_float())
        .map(numbers);
    let numbers = numbers.and_then(Result::ok).unwrap_or_default();
    finite_maximum(&numbers)
}

fn finite_maximum(numbers: &[f64]) -> f64 {
    let finite = numbers.iter().filter(|x| x.is_finite());
    finite.fold(0.0_f64, |most, x| most.max(x.abs()))
}

fn tensors(expected: &Tensor, observed: &Tensor, scale: f64, unequal: f64) -> f64 {
    if expected.dtype() != observed.dtype() || expected.shape() != observed.shape() {
        return f64::INFINITY;
    }
    if expected.same_bits(observed) {
        return 0.0;
    }
    let observed_tensor = observed;
    match (numbers(expected), numbers(observed)) {
        (Ok(expected_numbers), Ok(observed)) => {
            if expected.dtype().is_float() {
                relative(&expected_numbers, &observed, scale)
            } else {
                let scale = finite_maximum(&expected_numbers);
                let apart = wide(expected, observed_tensor).map(|apart| apart / scale);
                apart
                    .unwrap_or_else(|| relative(&expected_numbers, &observed, scale))
                    .max(unequal)
            }
        }
        _ => 1.0,
    }
}

/// The largest difference of integers of 64 bits, which may have no two neighbours in f64. `None` for other
/// types.
fn wide(expected: &Tensor, observed: &Tensor) -> Option<f64> {
    fn most<T: Copy + Into<i128>>(pairs: impl Iterator<Item = (T, T)>) -> f64 {
        pairs
            .map(|(a, b)| (a.into() - b.into()).unsigned_abs())
            .max()
            .unwrap_or(0) as f64
    }
    match (expected, observed) {
        (Tensor::Int64(a), Tensor::Int64(b)) => Some(most(a.iter().copied().zip(b.iter().copied()))),
        (Tensor::Uint64(a), Tensor::Uint64(b)) => Some(most(a.iter().copied().zip(b.iter().copied()))),
        _ => None,
    }
}

/// The elements of a tensor of integers or floats.
fn numbers(tensor: &Tensor) -> Result<Vec<f64>, TensorError> {
    dispatch!(real, tensor.dtype(), T => {
        Ok(tensor.array::<T>()?.iter().map(|x| <T as Real>::to_f64(*x)).collect())
    })
}

fn relative(expected: &[f64], observed: &[f64], scale: f64) -> f64 {
    let apart = |(e, o): (&f64, &f64)| match (e, o) {
        (e, o) if e == o || e.is_nan() && o.is_nan() => 0.0,
        (e, o) if e.is_finite() && o.is_finite() => (e - o).abs(),
        _ => f64::INFINITY,
    };
    let most = expected.iter().zip(observed).map(apart).fold(0.0, f64::max);
    match most {
        0.0 => 0.0,
        most if scale > 0.0 => most / scale,
        _ => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use approx::assert_relative_eq;

    use onnx_tensor::{DType, Sequence, Value, ValueType};

    use super::*;

    #[track_caller]
    fn check(expected: Tensor, observed: Tensor, wanted: f64) {
        let named = |tensor: Tensor| [("x".to_owned(), tensor.into())];
        assert_eq!(deviation(&named(expected), &named(observed)), wanted);
    }

    #[test]
    fn a_difference_is_relative_to_the_largest_element() {
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
            0.5,
        );
        check(
            Tensor::vector(vec![1_i64, 1000]),
            Tensor::vector(vec![2_i64, 1000]),
            UNEQUAL,
        );
        check(Tensor::vector(vec![true]), Tensor::vector(vec![false]), 1.0);
        check(Tensor::vector(vec![1_i64]), Tensor::scalar(1_i64), f64::INFINITY);
        check(
            Tensor::vector(vec![0.0_f32]),
            Tensor::vector(vec![1.0_f32]),
            f64::INFINITY,
        );
    }
    /// 41 of 9.2e18, as ONNX Runtime's sum of squares has it.
    #[test]
    fn the_difference_of_large_integers_is_exact() {
        let named = |element: i64| [("x".to_owned(), Tensor::vector(vec![element]).into())];
        let (expected, observed) = (named(9_223_372_030_926_249_001), named(9_223_372_030_926_248_960));
        let apart = difference(&expected, &observed);
        assert_relative_eq!(apart, 4.445e-18, epsilon = 0.0, max_relative = 1e-3);
        assert_eq!(deviation(&expected, &observed), UNEQUAL);
        assert_eq!(difference(&named(5), &named(5)), 0.0);
    }

    #[test]
    fn the_elements_of_a_sequence_have_one_scale() {
        let sequence = |elements: &[f32]| {
            let values = elements.iter().map(|x| Tensor::scalar(*x).into()).collect();
            let element = ValueType::tensor(DType::Float);
            [("x".to_owned(), Value::Sequence(Sequence { element, values }))]
        };
        let of = |observed: &[f32]| deviation(&sequence(&[4.0, 0.5]), &sequence(observed));
        assert_eq!(of(&[4.0, 1.5]), 0.25);
        assert_eq!(of(&[4.0]), f64::INFINITY);
        assert_eq!(of(&[4.0, 0.5, 0.0]), f64::INFINITY);
    }
}
