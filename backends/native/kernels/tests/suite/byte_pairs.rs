//! Compares functions of bytes with their definition, for all bytes and all pairs of bytes.

use crate::common::pools;
use native_kernels::conv::Window;
use native_kernels::int8::{
    ByteMap, BytePair, BytePart, ByteScale, Bytes, PairOperation, average_pool, concat_bytes,
    quantize_dynamically,
};
use native_kernels::pool::{PoolShape, Pooling};

const fn unsigned(scale: f32, zero: i32) -> ByteScale {
    ByteScale {
        signed: false,
        scale,
        zero,
    }
}

const fn signed(scale: f32, zero: i32) -> ByteScale {
    ByteScale {
        signed: true,
        scale,
        zero,
    }
}

/// Scales of two operands and a result: arbitrary ones, powers of two (whose sums lie in the middle of two
/// bytes), equal ones, results that saturate, tiny and huge scales.
const SCALES: [[ByteScale; 3]; 10] = [
    [unsigned(0.0235, 128), unsigned(0.0171, 3), unsigned(0.031, 117)],
    [signed(0.0235, -7), signed(0.0171, 3), signed(0.031, 0)],
    [signed(0.02, 0), unsigned(0.02, 0), unsigned(0.02, 1)],
    [unsigned(0.25, 0), unsigned(0.5, 7), unsigned(1.0, 129)],
    [unsigned(0.125, 1), signed(0.25, -1), signed(0.5, 3)],
    [unsigned(0.1, 255), unsigned(0.3, 0), signed(0.001, 5)],
    [
        unsigned(1.0 / 3.0, 9),
        unsigned(1.0 / 7.0, 200),
        unsigned(0.4, 60),
    ],
    [signed(1e-38, 0), signed(1.2e-38, 5), unsigned(1.2e-38, 0)],
    [signed(1e33, 0), signed(1e33, 5), unsigned(2e33, 0)],
    [unsigned(1e-20, 0), signed(1e30, 5), unsigned(1e-30, 0)],
];

/// The number that a byte represents, rounded once to f32.
fn number(scale: ByteScale, bits: u8) -> f32 {
    let byte = if scale.signed {
        i32::from(bits as i8)
    } else {
        i32::from(bits)
    };
    (f64::from(byte - scale.zero) * f64::from(scale.scale)) as f32
}

/// `saturate(round(value / scale) + zero)`, by integers.
fn byte(scale: ByteScale, value: f32) -> u8 {
    let rounded = f64::from(value / scale.scale).round_ties_even().clamp(-1e6, 1e6) as i32 + scale.zero;
    if scale.signed {
        rounded.clamp(-128, 127) as i8 as u8
    } else {
        rounded.clamp(0, 255) as u8
    }
}

#[test]
fn all_pairs_of_bytes_are_exact() {
    let (a, b): (Vec<u8>, Vec<u8>) = (0..1 << 16).map(|at: u32| ((at >> 8) as u8, at as u8)).unzip();
    for pool in pools() {
        for [first, second, result] in SCALES {
            for operation in [
                PairOperation::Add,
                PairOperation::Subtract,
                PairOperation::Multiply,
            ] {
                let pair = BytePair::new(&pool, operation, [first, second], result);
                let mut y = vec![7; a.len()];
                pair.run(&pool, &a, &b, &mut y).unwrap();
                for ((&a, &b), &y) in a.iter().zip(&b).zip(&y) {
                    let (x, z) = (number(first, a), number(second, b));
                    let value = match operation {
                        PairOperation::Add => x + z,
                        PairOperation::Subtract => x - z,
                        PairOperation::Multiply => x * z,
                    };
                    let what = format!("{operation:?} of {first:?} {a} and {second:?} {b} to {result:?}");
                    assert_eq!(y, byte(result, value), "{what}");
                }
            }
        }
    }
}

#[test]
fn parts_are_rescaled_and_concatenated() {
    let all: Vec<u8> = (0..=255).collect();
    for pool in pools() {
        for [first, second, result] in SCALES {
            let maps = [first, second].map(|from| ByteMap::rescaled(&pool, from, result));
            let parts = [(&maps[0], 64), (&maps[1], 32)].map(|(map, len)| BytePart {
                x: Bytes::Unsigned(&all[..4 * len]),
                len,
                map,
            });
            let mut y = vec![7; 4 * 96];
            concat_bytes(&pool, 4, &parts, &mut y).unwrap();
            for (at, y) in y.into_iter().enumerate() {
                let (row, column) = (at / 96, at % 96);
                let (from, bits) = if column < 64 {
                    (first, row * 64 + column)
                } else {
                    (second, row * 32 + column - 64)
                };
                let what = format!("{from:?} {bits} to {result:?}");
                assert_eq!(y, byte(result, number(from, bits as u8)), "{what}");
            }
        }
        let table = std::array::from_fn(|at| (at * 7 % 256) as u8);
        let mut y = vec![0; 256];
        ByteMap::of_table(&pool, table).run(&pool, &all, &mut y).unwrap();
        assert_eq!(y, table);
    }
}

/// Averages two images of 3 × 4 pixels and 5 channels.
#[track_caller]
fn check_mean(window: Window, include_pad: bool, from: ByteScale, to: ByteScale) {
    let (size, channels, pixel) = ([3, 4], 5, 8);
    let shape = PoolShape {
        window,
        pooling: Pooling::Average { include_pad },
        ceil_mode: false,
    };
    let [rows, columns] = shape.output(size).unwrap();
    let x: Vec<u8> = (0..2 * 12 * pixel).map(|at| (at * 37 % 256) as u8).collect();
    for pool in pools() {
        let mut y = vec![7; 2 * rows * columns * pixel];
        average_pool(
            &pool,
            [2, channels],
            size,
            &shape,
            [from, to],
            Bytes::Unsigned(&x),
            &mut y,
        )
        .unwrap();
        for (at, y) in y.into_iter().enumerate() {
            let (channel, column) = (at % pixel, at / pixel % columns);
            let (row, image) = (at / pixel / columns % rows, at / pixel / columns / rows);
            if channel >= channels {
                continue;
            }
            let (mut sum, mut count) = (0, 0);
            for ky in 0..window.kernel[0] {
                for kx in 0..window.kernel[1] {
                    let r =
                        (row * window.stride[0] + ky * window.dilation[0]).wrapping_sub(window.pad_begin[0]);
                    let c = (column * window.stride[1] + kx * window.dilation[1])
                        .wrapping_sub(window.pad_begin[1]);
                    let inside = r < size[0] && c < size[1];
                    count += usize::from(inside || include_pad);
                    if inside {
                        let bits = x[((image * size[0] + r) * size[1] + c) * pixel + channel];
                        let value = if from.signed {
                            i32::from(bits as i8)
                        } else {
                            i32::from(bits)
                        };
                        sum += value - from.zero;
                    }
                }
            }
            let mean = (f64::from(sum) * (f64::from(from.scale) / count as f64)) as f32;
            assert_eq!(y, byte(to, mean), "{window:?} {include_pad} at {at}");
        }
    }
}

#[test]
fn means_of_bytes_are_exact() {
    let whole = Window {
        kernel: [3, 4],
        ..Window::square(1, 1, 0)
    };
    for [from, _, to] in SCALES {
        check_mean(whole, false, from, to);
        check_mean(Window::square(2, 1, 0), false, from, to);
        check_mean(Window::square(3, 2, 1), false, from, to);
        check_mean(Window::square(3, 1, 1), true, from, to);
    }
}

/// Values with NaN, infinities and zeros of both signs, in lengths around that of vectors.
#[test]
fn a_dynamic_range_contains_zero_and_ignores_nan() {
    let special = [
        f32::NAN,
        -0.0,
        0.0,
        1.5,
        -2.5,
        f32::INFINITY,
        f32::NEG_INFINITY,
        1e-40,
    ];
    for pool in pools() {
        for len in [0, 1, 7, 31, 32, 33, 100] {
            for kinds in [1, 3, 5, 6, 8] {
                let x: Vec<f32> = (0..len)
                    .map(|at| match at % 5 {
                        0 => special[at / 5 % kinds],
                        _ => (at as f32 * 0.37).sin() * 3.0 + if len == 7 { 9.0 } else { 0.0 },
                    })
                    .collect();
                let mut y = vec![7; len];
                let (scale, zero) = quantize_dynamically(&pool, &x, &mut y).unwrap();
                let numbers = || x.iter().copied().filter(|x| !x.is_nan());
                let least = numbers().fold(0.0, f32::min);
                let most = numbers().fold(0.0, f32::max);
                let expected = if least == most {
                    1.0
                } else {
                    (most - least) / 255.0
                };
                assert_eq!(scale, expected, "{x:?}");
                assert_eq!(
                    zero,
                    (-least / scale).round_ties_even().clamp(0.0, 255.0) as u8,
                    "{x:?}"
                );
                for (x, y) in x.iter().zip(y) {
                    let quotient = Some(x / scale).filter(|quotient| !quotient.is_nan());
                    let placed = quotient.unwrap_or(0.0).round_ties_even() + f32::from(zero);
                    assert_eq!(y, placed.clamp(0.0, 255.0) as u8, "{x} by {scale}");
                }
            }
        }
    }
}

#[test]
fn a_repeated_operand_is_that_of_whole_ones() {
    let [a, b, result] = SCALES[0];
    for pool in pools() {
        for (lines, line, period) in [(1, 4, 4), (6, 49, 1), (2, 8 * 700, 8), (3, 2500, 1), (1, 12, 12)] {
            let long: Vec<u8> = (0..lines * line).map(|at| (at * 89 % 256) as u8).collect();
            let short: Vec<u8> = (0..lines * period).map(|at| (at * 57 % 256) as u8).collect();
            let whole: Vec<u8> = (0..long.len())
                .map(|at| short[at / line * period + at % line % period])
                .collect();
            for is_first in [false, true] {
                let operation = PairOperation::Subtract;
                let scales = if is_first { [b, a] } else { [a, b] };
                let pair = BytePair::new(&pool, operation, scales, result);
                let (mut expected, mut y) = (vec![0; long.len()], vec![1; long.len()]);
                let (first, second) = if is_first {
                    (&whole, &long)
                } else {
                    (&long, &whole)
                };
                pair.run(&pool, first, second, &mut expected).unwrap();
                pair.run_repeated(&pool, &long, (&short, period), is_first, &mut y)
                    .unwrap();
                assert_eq!(y, expected, "{lines} lines of {line} with {period} bytes each");
            }
        }
    }
}
