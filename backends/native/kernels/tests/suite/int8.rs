//! Compares products and convolutions of bytes with sums in i64, on every instruction set of this machine:
//! they are exact.

use crate::common::pools;
use native_kernels::Pool;
use native_kernels::conv::{ConvShape, Window};
use native_kernels::int8::{
    ByteImages, ByteLayout, Bytes, BytesMut, Dot, Int8Convolution, Int8Weights, Target, dequantize,
    gemm_int8, max_pool, quantize, relayout, requantize,
};
use native_kernels::pool::{PoolShape, Pooling};

/// Bytes that include both extremes: sums of adjacent products would saturate at 16 bits.
fn bytes(seed: usize, len: usize) -> Vec<u8> {
    (0..len)
        .map(|i| {
            if i % 3 == 0 {
                255
            } else {
                ((i * 7919 + seed * 104_729) >> 3) as u8
            }
        })
        .collect()
}

fn signed(bytes: &[u8]) -> Vec<i8> {
    bytes.iter().map(|byte| *byte as i8).collect()
}

#[test]
fn products_of_bytes_are_exact() {
    let pool = Pool::new(2);
    for dot in Dot::available() {
        for (m, k, n) in [
            (1, 1, 1),
            (3, 17, 31),
            (13, 4, 33),
            (14, 100, 64),
            (5, 0, 3),
            (25, 300, 7),
            (1, 9, 300),
        ] {
            let (a, b) = (bytes(1, m * k), bytes(2, k * n));
            let (a_signed, b_signed) = (signed(&a), signed(&b));
            for (a_is_signed, b_is_signed) in [(false, true), (false, false), (true, true), (true, false)] {
                let a_bytes = if a_is_signed {
                    Bytes::Signed(&a_signed)
                } else {
                    Bytes::Unsigned(&a)
                };
                let b_bytes = if b_is_signed {
                    Bytes::Signed(&b_signed)
                } else {
                    Bytes::Unsigned(&b)
                };
                let a_zero: Vec<i32> = (0..m as i32).map(|i| i % 5 + 1).collect();
                let b_zero: Vec<i32> = (0..n as i32).map(|j| j % 7 - 3).collect();
                let packed = Int8Weights::with_dot(&pool, dot, b_bytes, k, n).unwrap();
                let mut c = vec![7; m * n];
                gemm_int8(&pool, m, a_bytes, &a_zero, &packed, &b_zero, Target::Sums(&mut c)).unwrap();
                let value = |is_signed: bool, byte: u8| {
                    if is_signed {
                        i64::from(byte as i8)
                    } else {
                        i64::from(byte)
                    }
                };
                for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                    let expected: i64 = (0..k)
                        .map(|l| {
                            let a = value(a_is_signed, a[i * k + l]) - i64::from(a_zero[i]);
                            a * (value(b_is_signed, b[l * n + j]) - i64::from(b_zero[j]))
                        })
                        .sum();
                    assert_eq!(
                        i64::from(c[i * n + j]),
                        expected,
                        "{dot:?} {m}×{k}×{n} ({i}, {j})"
                    );
                }
            }
        }
    }
}

/// Convolutions: size of the image, channels in and out, groups, window.
fn convolutions() -> Vec<([usize; 2], ConvShape)> {
    let dilated = Window {
        dilation: [2, 1],
        ..Window::square(3, 1, 2)
    };
    let uneven = Window {
        pad_end: [2, 0],
        ..Window::square(3, 2, 1)
    };
    [
        ([5, 5], [1, 1], 1, Window::square(3, 1, 1)),
        ([9, 14], [6, 14], 2, Window::square(3, 2, 1)),
        ([9, 14], [6, 35], 1, uneven),
        ([7, 7], [17, 20], 1, Window::square(1, 1, 0)),
        ([7, 6], [8, 33], 1, Window::square(1, 1, 0)),
        ([8, 9], [12, 5], 1, Window::square(1, 2, 0)),
        ([8, 8], [4, 4], 4, dilated),
        ([9, 19], [35, 35], 35, Window::square(3, 1, 1)),
        ([9, 19], [34, 34], 34, Window::square(3, 2, 1)),
        ([7, 7], [70, 70], 70, Window::square(5, 1, 2)),
        ([9, 18], [5, 5], 5, Window::square(5, 2, 2)),
        ([6, 5], [9, 9], 9, Window::square(3, 1, 1)),
        ([4, 10], [9, 9], 9, dilated),
        ([17, 18], [3, 3], 3, Window::square(17, 1, 0)),
        ([8, 8], [5, 40], 1, dilated),
    ]
    .map(|(size, [in_channels, out_channels], groups, window)| {
        let shape = ConvShape {
            in_channels,
            out_channels,
            groups,
            window,
        };
        (size, shape)
    })
    .into()
}

/// Convolves two images in the plain layout in i64; `x` has the zero point `x_zero`.
fn convolved(
    shape: &ConvShape,
    size: [usize; 2],
    x: &dyn Fn(usize) -> i64,
    x_zero: i64,
    w: &dyn Fn(usize) -> i64,
    w_zero: &[i32],
) -> Vec<i64> {
    let window = &shape.window;
    let [oh, ow] = window.output(size).unwrap();
    let [kh, kw] = window.kernel;
    let per_group = shape.in_channels / shape.groups;
    let one = |index: usize| {
        let (column, row) = (index % ow, index / ow % oh);
        let (out, image) = (
            index / (ow * oh) % shape.out_channels,
            index / (ow * oh * shape.out_channels),
        );
        let taps =
            (0..per_group).flat_map(|i| (0..kh).flat_map(move |ky| (0..kw).map(move |kx| [i, ky, kx])));
        let product = |[i, ky, kx]: [usize; 3]| {
            let place = |axis: usize, at: usize, tap: usize| {
                (at * window.stride[axis] + tap * window.dilation[axis]).wrapping_sub(window.pad_begin[axis])
            };
            let (r, c) = (place(0, row, ky), place(1, column, kx));
            if r >= size[0] || c >= size[1] {
                return 0;
            }
            let group = out / (shape.out_channels / shape.groups);
            let channel = image * shape.in_channels + group * per_group + i;
            let weight = w(((out * per_group + i) * kh + ky) * kw + kx);
            (x((channel * size[0] + r) * size[1] + c) - x_zero) * (weight - i64::from(w_zero[out]))
        };
        taps.map(product).sum()
    };
    (0..2 * shape.out_channels * oh * ow).map(one).collect()
}

/// Compares the sums of a convolution in both layouts, and on one and two threads.
fn check_sums(dot: Dot, size: [usize; 2], shape: ConvShape, x_signed: bool, w_signed: bool, zero_step: i32) {
    let outs = shape.out_channels;
    let pixels: usize = shape.window.output(size).unwrap().iter().product();
    let taps: usize = shape.window.kernel.iter().product();
    let x = bytes(1, 2 * shape.in_channels * size[0] * size[1]);
    let w = bytes(2, outs * shape.in_channels / shape.groups * taps);
    let (x_i8, w_i8) = (signed(&x), signed(&w));
    let zero: Vec<i32> = (0..outs as i32).map(|o| o % 3 * zero_step).collect();
    let bias: Vec<i32> = (0..outs as i32).map(|o| o * 1000 - 5000).collect();
    let x_zero = if x_signed { -13 } else { 131 };
    let of = |is_signed: bool, byte: u8| {
        if is_signed {
            i64::from(byte.cast_signed())
        } else {
            byte.into()
        }
    };
    let exact = convolved(
        &shape,
        size,
        &|at| of(x_signed, x[at]),
        x_zero.into(),
        &|at| of(w_signed, w[at]),
        &zero,
    );
    let weights = if w_signed {
        Bytes::Signed(&w_i8)
    } else {
        Bytes::Unsigned(&w)
    };
    for threads in [1, 2] {
        let pool = Pool::new(threads);
        let conv = Int8Convolution::with_dot(&pool, dot, shape, weights, &zero).unwrap();
        let mut images = ByteImages {
            batch: 2,
            size,
            layout: ByteLayout::Plain,
            x: if x_signed {
                Bytes::Signed(&x_i8)
            } else {
                Bytes::Unsigned(&x)
            },
            zero: x_zero,
        };
        let mut y = vec![7; 2 * outs * pixels];
        conv.run(
            &pool,
            &images,
            Some(&bias),
            ByteLayout::Plain,
            Target::Sums(&mut y),
        )
        .unwrap();
        let what = format!("{dot:?} {shape:?} {x_signed} {w_signed} {threads}");
        for (index, (got, sum)) in y.iter().zip(&exact).enumerate() {
            assert_eq!(
                i64::from(*got),
                sum + i64::from(bias[index / pixels % outs]),
                "{what} {index}"
            );
        }
        if !Int8Convolution::takes_channels_last(&shape) {
            continue;
        }
        let extents = [2, shape.in_channels, size[0] * size[1]];
        let mut last = vec![0; ByteLayout::ChannelsLast.len(2, extents[1], extents[2]).unwrap()];
        relayout(&pool, extents, ByteLayout::Plain, &x, &mut last).unwrap();
        let last_i8 = signed(&last);
        images.layout = ByteLayout::ChannelsLast;
        images.x = if x_signed {
            Bytes::Signed(&last_i8)
        } else {
            Bytes::Unsigned(&last)
        };
        let mut z = vec![7; ByteLayout::ChannelsLast.len(2, outs, pixels).unwrap()];
        conv.run(
            &pool,
            &images,
            Some(&bias),
            ByteLayout::ChannelsLast,
            Target::Sums(&mut z),
        )
        .unwrap();
        let mut back = vec![7; y.len()];
        relayout(&pool, [2, outs, pixels], ByteLayout::ChannelsLast, &z, &mut back).unwrap();
        assert_eq!(back, y, "{what}");
    }
}

#[test]
fn convolutions_of_bytes_are_exact() {
    for dot in Dot::available() {
        for (size, shape) in convolutions() {
            for (x_signed, w_signed, zero_step) in [
                (false, true, 0),
                (false, true, 1),
                (true, true, 0),
                (true, false, 5),
            ] {
                check_sums(dot, size, shape, x_signed, w_signed, zero_step);
            }
        }
    }
}

#[test]
fn sums_are_converted_to_bytes_as_separately() {
    let (m, k, n) = (13, 40, 45);
    let (a, b) = (bytes(1, m * k), signed(&bytes(2, k * n)));
    // Sums that reach both extremes, and a scale that produces ties.
    let scale: Vec<f64> = (0..n).map(|j| [0.5, 1.0 / 1024.0, 1.0 / 4096.0][j % 3]).collect();
    for (pool, dot) in pools()
        .iter()
        .flat_map(|pool| Dot::available().into_iter().map(move |dot| (pool, dot)))
    {
        let packed = Int8Weights::with_dot(pool, dot, Bytes::Signed(&b), k, n).unwrap();
        let mut sums = vec![0; m * n];
        let left = Bytes::Unsigned(&a);
        gemm_int8(pool, m, left, &[7], &packed, &[0], Target::Sums(&mut sums)).unwrap();
        let mut expected = vec![0_i8; m * n];
        requantize(
            pool,
            [m, n, 1],
            &sums,
            &scale,
            -3,
            BytesMut::Signed(&mut expected),
        )
        .unwrap();
        let mut y = vec![0_i8; m * n];
        let target = Target::Bytes {
            y: BytesMut::Signed(&mut y),
            scale: &scale,
            zero: -3,
        };
        gemm_int8(pool, m, left, &[7], &packed, &[0], target).unwrap();
        assert_eq!(y, expected, "{dot:?}");
        for end in [i8::MIN, i8::MAX] {
            assert!(y.contains(&end), "no sum reaches {end}");
        }
    }
}

#[test]
fn values_are_quantized_and_dequantized() {
    let x = [
        0.0,
        0.25,
        0.75,
        -0.25,
        1e9,
        -1e9,
        f32::NAN,
        f32::INFINITY,
        -0.75,
        63.4,
        1.25,
        -1.25,
    ];
    for pool in pools() {
        let mut y = [7_u8; 12];
        quantize(&pool, [1, 1, 12], &x, &[0.5], &[10], BytesMut::Unsigned(&mut y)).unwrap();
        assert_eq!(y, [10, 10, 12, 10, 255, 0, 10, 255, 8, 137, 12, 8]);
        let mut y = [7_i8; 12];
        quantize(
            &pool,
            [2, 2, 3],
            &x,
            &[0.5, 0.25],
            &[-1, 0],
            BytesMut::Signed(&mut y),
        )
        .unwrap();
        assert_eq!(y, [-1, -1, 1, -1, 127, -128, -1, 127, -3, 127, 5, -5]);
        let mut z = [7.0; 12];
        dequantize(
            &pool,
            [2, 2, 3],
            Bytes::Signed(&y),
            &[0.5, 0.25],
            &[-1, 0],
            &mut z,
        )
        .unwrap();
        assert_eq!(z[..6], [0.0, 0.0, 1.0, -0.25, 31.75, -32.0]);
        assert_eq!(z[6..], [0.0, 64.0, -1.0, 31.75, 1.25, -1.25]);
    }
}

#[test]
fn max_pool_returns_the_largest_byte_of_a_window() {
    // Three channels of 3 × 4; the fourth byte of a pixel is padding.
    let x: Vec<i8> = (0..48)
        .map(|i: i32| if i % 4 == 3 { 99 } else { (i * 37 % 101 - 50) as i8 })
        .collect();
    let shape = PoolShape {
        window: Window::square(3, 2, 1),
        pooling: Pooling::Max,
        ceil_mode: false,
    };
    for pool in pools() {
        let mut y = [0_i8; 16];
        max_pool(
            &pool,
            [1, 3],
            [3, 4],
            &shape,
            Bytes::Signed(&x),
            BytesMut::Signed(&mut y),
        )
        .unwrap();
        for (at, got) in y.iter().enumerate().filter(|(at, _)| at % 4 < 3) {
            let (row, column, channel) = (at / 8, at / 4 % 2, at % 4);
            let seen =
                |place: usize, extent: usize| (2 * place).saturating_sub(1)..(2 * place + 2).min(extent);
            let all = seen(row, 3).flat_map(|r| seen(column, 4).map(move |c| (r * 4 + c) * 4 + channel));
            assert_eq!(Some(*got), all.map(|at| x[at]).max(), "{at}");
        }
    }
}

#[test]
fn requantization_rounds_ties_to_even_and_saturates() {
    let x = [1, 3, 5, -1, -3, 1000, -1000, i32::MAX, i32::MIN, 0, 7, 9];
    for pool in pools() {
        let mut y = [0u8; 12];
        requantize(&pool, [1, 1, 12], &x, &[0.5], 10, BytesMut::Unsigned(&mut y)).unwrap();
        assert_eq!(y, [10, 12, 12, 10, 8, 255, 0, 255, 0, 10, 14, 14]);
        let mut y = [0i8; 12];
        requantize(&pool, [1, 2, 6], &x, &[0.5, 1.0], -1, BytesMut::Signed(&mut y)).unwrap();
        assert_eq!(y, [-1, 1, 1, -1, -3, 127, -128, 127, -128, -1, 6, 8]);
        requantize(&pool, [6, 2, 1], &x, &[0.5, 1.0], 0, BytesMut::Signed(&mut y)).unwrap();
        assert_eq!(y, [0, 3, 2, -1, -2, 127, -128, 127, -128, 0, 4, 9]);
    }
}

/// Sums whose products lie exactly in the middle of two bytes, and next to it by less than f32 can tell.
#[test]
fn sums_near_the_middle_of_two_bytes_are_rounded_exactly() {
    let (k, n) = (4, 33);
    let weights = vec![1_i8; k * n];
    // A row is one byte and a bias; with these scales, all sums are near the middle.
    let biases: Vec<i32> = (0..n as i32).map(|j| (1 << 24) + 2 * j - 33).collect();
    for pool in pools() {
        for scale in [
            0.5 / f64::from(1 << 20),
            2.5 / f64::from(1 << 24),
            0.5,
            2.0,
            1.0 / 3.0,
        ] {
            let conv = ConvShape {
                in_channels: k,
                out_channels: n,
                groups: 1,
                window: Window::square(1, 1, 0),
            };
            let conv = Int8Convolution::new(&pool, conv, Bytes::Signed(&weights), &[0]).unwrap();
            for step in [0, 1, 17] {
                let x: Vec<u8> = (0..4 * 16).map(|at| (at * step % 256) as u8).collect();
                let images = ByteImages {
                    batch: 1,
                    size: [4, 4],
                    layout: ByteLayout::Plain,
                    x: Bytes::Unsigned(&x),
                    zero: 0,
                };
                let layout = ByteLayout::Plain;
                let mut sums = vec![0; n * 16];
                conv.run(&pool, &images, Some(&biases), layout, Target::Sums(&mut sums))
                    .unwrap();
                for zero in [0, 7, 128] {
                    let mut y = vec![0_u8; n * 16];
                    let target = Target::Bytes {
                        y: BytesMut::Unsigned(&mut y),
                        scale: &[scale],
                        zero,
                    };
                    conv.run(&pool, &images, Some(&biases), layout, target).unwrap();
                    for (y, sum) in y.iter().zip(&sums) {
                        let exact = (f64::from(*sum) * scale).round_ties_even() + f64::from(zero);
                        assert_eq!(f64::from(*y), exact.clamp(0.0, 255.0), "{sum} · {scale} + {zero}");
                    }
                }
            }
        }
    }
}
