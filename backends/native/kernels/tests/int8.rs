//! Products and convolutions of bytes against sums in i64, on every instruction set of this machine: they are exact.

mod common;

use common::pools;
use native_kernels::Pool;
use native_kernels::conv::{ConvShape, Window};
use native_kernels::int8::{
    ByteImages, ByteLayout, Bytes, BytesMut, Dot, Int8Convolution, Int8Weights, Target, gemm_int8, requantize,
};

/// Bytes that reach both ends: sums of neighbouring products would saturate at 16 bits.
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

#[test]
fn convolutions_of_bytes_are_exact() {
    let pool = Pool::new(2);
    for dot in Dot::available() {
        for (size, [ins, outs], groups, window) in [
            ([5, 5], [1, 1], 1, Window::square(3, 1, 1)),
            ([9, 14], [6, 14], 2, Window::square(3, 2, 1)),
            ([7, 7], [17, 20], 1, Window::square(1, 1, 0)),
            (
                [8, 8],
                [4, 4],
                4,
                Window {
                    dilation: [2, 1],
                    ..Window::square(3, 1, 2)
                },
            ),
        ] {
            let shape = ConvShape {
                in_channels: ins,
                out_channels: outs,
                groups,
                window,
            };
            let [oh, ow] = window.output(size).unwrap();
            let [kh, kw] = window.kernel;
            let per_group = ins / groups;
            let (x, w) = (
                bytes(1, 2 * ins * size[0] * size[1]),
                signed(&bytes(2, outs * per_group * kh * kw)),
            );
            let zero: Vec<i32> = (0..outs as i32).map(|o| o % 3 - 1).collect();
            let bias: Vec<i32> = (0..outs as i32).map(|o| o * 1000 - 5000).collect();
            let conv = Int8Convolution::with_dot(&pool, dot, shape, Bytes::Signed(&w), &zero).unwrap();
            let mut y = vec![7; 2 * outs * oh * ow];
            let images = ByteImages {
                batch: 2,
                size,
                layout: ByteLayout::Plain,
                x: Bytes::Unsigned(&x),
                zero: 131,
            };
            conv.run(
                &pool,
                &images,
                Some(&bias),
                ByteLayout::Plain,
                Target::Sums(&mut y),
            )
            .unwrap();
            for (index, y) in y.iter().enumerate() {
                let (column, row) = (index % ow, index / ow % oh);
                let (out, image) = (index / (ow * oh) % outs, index / (ow * oh * outs));
                let mut sum = i64::from(bias[out]);
                for (i, ky, kx) in (0..per_group)
                    .flat_map(|i| (0..kh).flat_map(move |ky| (0..kw).map(move |kx| (i, ky, kx))))
                {
                    let r =
                        (row * window.stride[0] + ky * window.dilation[0]).wrapping_sub(window.pad_begin[0]);
                    let c = (column * window.stride[1] + kx * window.dilation[1])
                        .wrapping_sub(window.pad_begin[1]);
                    if r < size[0] && c < size[1] {
                        let channel = image * ins + out / (outs / groups) * per_group + i;
                        let weight = i64::from(w[((out * per_group + i) * kh + ky) * kw + kx]);
                        let value = i64::from(x[(channel * size[0] + r) * size[1] + c]);
                        sum += (value - 131) * (weight - i64::from(zero[out]));
                    }
                }
                assert_eq!(i64::from(*y), sum, "{dot:?} {shape:?} {index}");
            }
        }
    }
}

#[test]
fn requantisation_rounds_halves_to_even_and_saturates() {
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
