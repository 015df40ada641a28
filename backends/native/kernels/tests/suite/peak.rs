//! The measured peaks of the processor.

use std::time::Duration;

use native_kernels::peak;

/// Any processor of this century makes more than a billion operations in a second, and none more
/// than 10¹³ on one core.
#[test]
fn a_core_has_a_plausible_peak() {
    let rate = peak::operations(1, Duration::from_millis(5));
    assert!((1e8..1e13).contains(&rate), "{rate:e} operations in a second");
}

#[test]
fn a_core_has_a_plausible_bandwidth() {
    for bytes in [0, 1 << 15, 1 << 22] {
        let rate = peak::bandwidth(bytes, 1, Duration::from_millis(5));
        assert!(
            (1e7..1e13).contains(&rate),
            "{bytes} bytes: {rate:e} bytes in a second"
        );
    }
}
