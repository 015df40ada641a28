//! Whether all elements are small.

/// The number of elements that are tested before the search can end.
const BLOCK: usize = 4096;

/// Whether the absolute value of every element is below `limit`. NaN is not below.
pub fn all_below(values: &[f32], limit: f32) -> bool {
    // A block is tested to its end, which the compiler turns into vectors.
    let is_below = |block: &[f32]| block.iter().fold(true, |all, value| all & (value.abs() < limit));
    values.chunks(BLOCK).all(is_below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_element_decides() {
        for length in [1, BLOCK, 3 * BLOCK + 5] {
            for (element, below, finite) in [
                (1.0, true, true),
                (-2e9, false, true),
                (f32::NEG_INFINITY, false, false),
                (f32::NAN, false, false),
            ] {
                let mut values = vec![-3.5; length];
                values[length / 2] = element;
                let found = (all_below(&values, 1e9), all_below(&values, f32::INFINITY));
                assert_eq!(found, (below, finite), "{element} among {length}");
            }
        }
        assert!(all_below(&[], 0.0));
    }
}
