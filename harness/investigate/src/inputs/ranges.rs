//! Inputs that are the ends of a range, as their names say: the lower one is not above the other.

use backend_api::Named;
use onnx_tensor::{Real, Tensor, TensorError, Value, dispatch};

/// The words for the lower and for the upper end.
const ENDS: [[&str; 2]; 5] = [
    ["min", "max"],
    ["low", "high"],
    ["lower", "upper"],
    ["start", "end"],
    ["begin", "end"],
];

/// Orders the ends of each range, element by element, among the values with these numbers.
pub(super) fn order(values: &mut [Named], drawn: &[usize]) {
    for &low in drawn {
        let is_upper = |&&high: &&usize| is_range(&values[low].0, &values[high].0);
        let Some(&high) = drawn.iter().find(is_upper) else {
            continue;
        };
        let pair = (values[low].1.as_tensor(), values[high].1.as_tensor());
        let (Some(least), Some(most)) = pair else {
            continue;
        };
        if least.shape() == most.shape()
            && let Ok([least, most]) = ordered(least, most)
        {
            (values[low].1, values[high].1) = (Value::Tensor(least), Value::Tensor(most));
        }
    }
}

/// Whether two names differ by the words for the ends of a range.
fn is_range(low: &str, high: &str) -> bool {
    let (low, high) = (low.to_lowercase(), high.to_lowercase());
    let mut ends = ENDS.iter();
    ends.any(|[lower, upper]| low.contains(lower) && low.replacen(lower, upper, 1) == high)
}

/// The lesser and the greater elements of two tensors of one type and shape.
fn ordered(a: &Tensor, b: &Tensor) -> Result<[Tensor; 2], TensorError> {
    dispatch!(real, a.dtype(), T => {
        let (mut low, mut high) = (a.to_vec::<T>()?, b.to_vec::<T>()?);
        for (low, high) in low.iter_mut().zip(&mut high) {
            if low.to_f64() > high.to_f64() {
                std::mem::swap(low, high);
            }
        }
        Ok([Tensor::new(a.shape(), low)?, Tensor::new(b.shape(), high)?])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(names: [&str; 2], expected: [[f32; 2]; 2]) {
        let of = |name: &str, elements: [f32; 2]| (name.to_owned(), Tensor::vector(elements.to_vec()).into());
        let mut values = [of(names[0], [3.0, 1.0]), of(names[1], [2.0, 4.0])];
        order(&mut values, &[0, 1]);
        let expected = [of(names[0], expected[0]), of(names[1], expected[1])];
        assert_eq!(values, expected);
    }

    #[test]
    fn ends_of_ranges_are_ordered() {
        check(["fmin", "fmax"], [[2.0, 1.0], [3.0, 4.0]]);
        check(["range_end", "range_start"], [[3.0, 4.0], [2.0, 1.0]]);
        check(["Low", "High"], [[2.0, 1.0], [3.0, 4.0]]);
        check(["minimum", "other"], [[3.0, 1.0], [2.0, 4.0]]);
        check(["a", "b"], [[3.0, 1.0], [2.0, 4.0]]);
    }
}
