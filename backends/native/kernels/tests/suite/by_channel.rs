//! Compares functions of pixels and one value for each channel with plain loops; infinite pixels of
//! a resized image.

use crate::common::{pools, values};
use native_kernels::elementwise::{ByChannel, by_channel};
use native_kernels::layout::{blocked_len, from_blocked, to_blocked};
use native_kernels::resize::{ResizeAxis, resize};

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

/// An infinite pixel changes only the results that it has a part of, in every row that reuses its line.
#[test]
fn an_infinite_pixel_stays_in_its_neighbourhood() {
    let row_table = [
        (0, 1, 0.0),
        (0, 1, 0.5),
        (1, 2, 0.25),
        (1, 2, 1.0),
        (2, 2, 0.0),
        (0, 1, 1.0),
    ];
    let column_table = [(0, 1, 0.5), (1, 2, 0.0), (1, 3, 1.0), (2, 3, 0.75)];
    let rows = ResizeAxis::linear(row_table);
    let columns = ResizeAxis::linear(column_table);
    let has =
        |(a, b, share): (u32, u32, f32), at: u32| (a == at && share != 1.0) || (b == at && share != 0.0);
    for inner in [1, 16, 19] {
        let x = values(5, 2 * 3 * 4 * inner);
        for pool in pools() {
            let run = |x: &[f32]| {
                let mut y = vec![f32::NAN; 2 * row_table.len() * column_table.len() * inner];
                resize(&pool, [2, inner], [3, 4], [&rows, &columns], x, &mut y).unwrap();
                y
            };
            let expected = run(&x);
            for (row, column) in [(0, 0), (1, 1), (1, 3), (2, 2)] {
                let mut infinite = x.clone();
                let at = (row * 4 + column) * inner;
                infinite[at..at + inner].fill(f32::INFINITY);
                for (index, (got, expected)) in run(&infinite).iter().zip(&expected).enumerate() {
                    let pixel = index / inner;
                    let (to_row, to_column) = (pixel / column_table.len(), pixel % column_table.len());
                    let touched = to_row < row_table.len()
                        && has(row_table[to_row % row_table.len()], row as u32)
                        && has(column_table[to_column], column as u32);
                    if touched {
                        assert_eq!(*got, f32::INFINITY, "{pool:?} {inner} {row} {column} {index}")
                    } else {
                        assert_eq!(got, expected, "{pool:?} {inner} {row} {column} {index}")
                    }
                }
            }
        }
    }
}
