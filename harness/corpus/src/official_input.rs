//! The rule by which the official runner generates inputs for the light models.

/// An input of a light model is too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a generated input of shape {shape:?} is beyond the limit of {MAX_ELEMENTS} elements")]
pub struct OfficialInputTooLarge {
    shape: Vec<usize>,
}

/// One GiB of float32; the largest official one has 150,528 elements.
const MAX_ELEMENTS: usize = 1 << 28;

/// The input of the official runner for a graph input of this shape: float32, row-major, element `k` of `n`
/// is `k / n`.
///
/// The rule is `generate_dummy_data` with `random=False` in `onnx/backend/test/runner/__init__.py`:
/// `(np.arange(n).reshape(shape) / n).astype(np.float32)`. Both operands are int64, so NumPy divides in
/// float64 and rounds the quotient once more, to float32. The runner treats a dimension without a value as
/// 1, generates only float32, and feeds every graph input that is not an initializer; the caller does the
/// same.
///
/// # Errors
/// A shape of more than 2²⁸ elements.
pub fn official_input(shape: &[usize]) -> Result<Vec<f32>, OfficialInputTooLarge> {
    let n = shape
        .iter()
        .try_fold(1_usize, |n, &dim| n.checked_mul(dim))
        .filter(|&n| n <= MAX_ELEMENTS);
    let n = n.ok_or_else(|| OfficialInputTooLarge {
        shape: shape.to_vec(),
    })?;
    Ok((0..n).map(|k| (k as f64 / n as f64) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bit patterns of NumPy 2.
    fn check(shape: &[usize], expected: &[(usize, u32)]) {
        let input = official_input(shape).unwrap();
        assert_eq!(input.len(), shape.iter().product::<usize>());
        for &(k, bits) in expected {
            assert_eq!(input[k].to_bits(), bits, "element {k} of {shape:?}");
        }
    }

    #[test]
    fn inputs_equal_numpy_bit_for_bit() {
        check(&[3], &[(0, 0), (1, 1_051_372_203), (2, 1_059_760_811)]);
        check(
            &[1, 3, 224, 224],
            &[
                (1, 0x36de_e95c),
                (12_345, 0x3da7_f58d),
                (75_264, 0x3f00_0000),
                (150_527, 0x3f7f_ff91),
            ],
        );
        check(&[], &[(0, 0)]);
        check(&[0, 2], &[]);
    }

    #[test]
    fn a_shape_that_is_too_large_is_an_error() {
        assert!(official_input(&[usize::MAX, 2]).is_err());
        assert!(official_input(&[1 << 20, 1 << 20]).is_err());
    }
}
