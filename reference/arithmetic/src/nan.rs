//! The NaN that stands for all NaNs: quiet, without a sign, without a payload.

/// The bits of the NaN of float32.
pub const FLOAT: u32 = 0x7FC0_0000;
/// The bits of the NaN of float64.
pub const DOUBLE: u64 = 0x7FF8_0000_0000_0000;

/// Whether a NaN among float32 numbers has other bits than [`FLOAT`].
pub fn has_other_f32(numbers: &[f32]) -> bool {
    in_blocks(numbers, |x| x.is_nan() & (x.to_bits() != FLOAT))
}

/// Whether a NaN among float64 numbers has other bits than [`DOUBLE`].
pub fn has_other_f64(numbers: &[f64]) -> bool {
    in_blocks(numbers, |x| x.is_nan() & (x.to_bits() != DOUBLE))
}

/// As [`Iterator::any`], without a branch for each number.
fn in_blocks<T: Copy>(numbers: &[T], property: impl Fn(T) -> bool) -> bool {
    let has_it = |block: &[T]| block.iter().fold(false, |found, &x| found | property(x));
    numbers.chunks(4096).any(has_it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_other_nans_are_found_at_every_place() {
        let floats = [0.0, f32::INFINITY, f32::from_bits(FLOAT), -f32::MAX, 1e-45];
        let doubles = [0.0, f64::INFINITY, f64::from_bits(DOUBLE), -f64::MAX, 5e-324];
        for place in [0, 1, 4095, 4096, 9000] {
            let mut x: Vec<f32> = (0..9001).map(|i| floats[i % 5]).collect();
            assert!(!has_other_f32(&x));
            for bits in [0xFFC0_0000, 0x7FC0_0001, 0x7F80_0001] {
                x[place] = f32::from_bits(bits);
                assert!(has_other_f32(&x), "{bits:x} at {place}");
            }
            let mut x: Vec<f64> = (0..9001).map(|i| doubles[i % 5]).collect();
            assert!(!has_other_f64(&x));
            for bits in [
                0xFFF8_0000_0000_0000,
                0x7FF8_0000_0000_0001,
                0x7FF0_0000_0000_0001,
            ] {
                x[place] = f64::from_bits(bits);
                assert!(has_other_f64(&x), "{bits:x} at {place}");
            }
        }
        assert!(!has_other_f32(&[]) && !has_other_f64(&[]));
    }
}
