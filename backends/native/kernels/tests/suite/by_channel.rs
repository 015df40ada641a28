//! Compares functions of pixels and one value for each channel with plain loops.

use crate::common::{pools, values};
use native_kernels::elementwise::{ByChannel, by_channel};
use native_kernels::layout::{blocked_len, from_blocked, to_blocked};

#[test]
fn every_pixel_meets_the_value_of_its_channel() {
    let batch = 2;
    for (channels, pixels) in [(1, 1), (16, 9), (19, 50), (40, 1500)] {
        let x = values(3, batch * channels * pixels);
        let factors = values(4, batch * channels);
        for pool in pools() {
            let lanes = pool.isa().lanes();
            let mut image = vec![f32::NAN; blocked_len(&pool, batch, channels, pixels).unwrap()];
            to_blocked(&pool, batch, channels, pixels, &x, &mut image).unwrap();
            let mut blocked = vec![f32::NAN; blocked_len(&pool, batch, channels, 1).unwrap()];
            to_blocked(&pool, batch, channels, 1, &factors, &mut blocked).unwrap();
            let planes = batch * channels.div_ceil(lanes);
            for (op, apply) in [
                (ByChannel::Add, (|a, b| a + b) as fn(f32, f32) -> f32),
                (ByChannel::Mul, |a, b| a * b),
            ] {
                let mut result = vec![f32::NAN; image.len()];
                by_channel(&pool, op, [planes, pixels], &image, &blocked, &mut result).unwrap();
                let padding = |at: &usize| {
                    at / lanes / pixels % channels.div_ceil(lanes) * lanes + at % lanes >= channels
                };
                assert!(
                    (0..result.len()).filter(padding).all(|at| result[at] == 0.0),
                    "{pool:?} {op:?}"
                );
                let mut y = vec![f32::NAN; x.len()];
                from_blocked(&pool, batch, channels, pixels, &result, &mut y).unwrap();
                let expected: Vec<f32> = (0..x.len())
                    .map(|at| apply(x[at], factors[at / pixels]))
                    .collect();
                assert_eq!(y, expected, "{pool:?} {op:?} {channels} channels");
            }
            let short = by_channel(
                &pool,
                ByChannel::Mul,
                [planes, pixels],
                &image,
                &blocked[1..],
                &mut vec![0.0; image.len()],
            );
            assert!(short.is_err());
        }
    }
}
