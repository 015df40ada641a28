//! Integers in the order of elements, which are sorted faster than by a comparison of any type.

use std::collections::BTreeSet;

use onnx_tensor::{DType, Tensor};

use super::super::numbers::{floats, ints, is_int, slice};
use crate::error::Problem;

/// Returns a key for each element: equal for equal elements, and in their order. NaN counts as the maximum;
/// zeros of both signs are equal.
pub fn keys(tensor: &Tensor) -> Result<Vec<i128>, Problem> {
    match tensor.dtype() {
        DType::String => of_texts(slice::<String>(tensor)?),
        dtype if is_int(dtype) || dtype == DType::Bool => ints(tensor),
        _ => Ok(floats(tensor)?.into_iter().map(of_float).collect()),
    }
}

fn of_float(x: f64) -> i128 {
    // The bits of a float are in the order of its magnitude.
    let bits = (x + 0.0).to_bits() as i64;
    i128::from(match x.is_nan() {
        true => i64::MAX,
        false if bits < 0 => -(bits & i64::MAX),
        false => bits,
    })
}

fn of_texts(texts: &[String]) -> Result<Vec<i128>, Problem> {
    let sorted: Vec<&String> = texts.iter().collect::<BTreeSet<_>>().into_iter().collect();
    let rank = |text: &String| sorted.partition_point(|other| *other < text) as i128;
    Ok(texts.iter().map(rank).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_the_elements() {
        let floats = [
            f64::NEG_INFINITY,
            -2.0,
            -1e-310,
            -0.0,
            0.0,
            1e-310,
            0.5,
            f64::INFINITY,
            f64::NAN,
        ];
        let keys = keys(&Tensor::vector(floats.to_vec())).expect("floats have keys");
        assert!(keys.is_sorted());
        let equal = keys.windows(2).filter(|pair| pair[0] == pair[1]).count();
        assert_eq!((equal, keys[3] == keys[4]), (1, true));
        let texts = ["b", "a", "b", ""].map(str::to_owned).to_vec();
        assert_eq!(
            super::keys(&Tensor::vector(texts)).expect("texts have keys"),
            [2, 1, 2, 0]
        );
    }
}
