//! Integers in the order of elements, which are sorted faster than by a comparison of any type.

use std::collections::BTreeSet;

use onnx_tensor::{DType, Tensor};

use super::super::numbers::{floats, ints, is_int, slice};
use crate::error::Problem;

/// Returns a key for each element: equal for equal elements, and in their order. NaN counts as the maximum;
/// zeros of both signs are equal.
pub fn keys(tensor: &Tensor) -> Result<Vec<u64>, Problem> {
    // The sign bit of a signed number is the greatest of an unsigned one.
    let signed = |x: i64| (x as u64) ^ (1 << 63);
    Ok(match tensor.dtype() {
        DType::String => of_texts(slice::<String>(tensor)?),
        DType::Uint64 => slice::<u64>(tensor)?.to_vec(),
        DType::Int64 => slice::<i64>(tensor)?.iter().map(|&x| signed(x)).collect(),
        DType::Float => {
            let values = slice::<f32>(tensor)?.iter();
            values.map(|&x| signed(of_float(x.into()))).collect()
        }
        // All others have at most 32 bits.
        dtype if is_int(dtype) || dtype == DType::Bool => {
            ints(tensor)?.into_iter().map(|x| signed(x as i64)).collect()
        }
        _ => floats(tensor)?.into_iter().map(|x| signed(of_float(x))).collect(),
    })
}

fn of_float(x: f64) -> i64 {
    // The bits of a float are in the order of its magnitude.
    let bits = (x + 0.0).to_bits() as i64;
    match x.is_nan() {
        true => i64::MAX,
        false if bits < 0 => -(bits & i64::MAX),
        false => bits,
    }
}

fn of_texts(texts: &[String]) -> Vec<u64> {
    let sorted: Vec<&String> = texts.iter().collect::<BTreeSet<_>>().into_iter().collect();
    let rank = |text: &String| sorted.partition_point(|other| *other < text) as u64;
    texts.iter().map(rank).collect()
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
        let ints = [i64::MIN, -1, 0, i64::MAX].to_vec();
        assert!(
            super::keys(&Tensor::vector(ints))
                .expect("integers have keys")
                .is_sorted()
        );
        let texts = ["b", "a", "b", ""].map(str::to_owned).to_vec();
        assert_eq!(
            super::keys(&Tensor::vector(texts)).expect("texts have keys"),
            [2, 1, 2, 0]
        );
    }
}
