//! Compares pooling, resizing, channel-wise and elementwise functions, and permutations with plain loops.

use crate::common::{pools, values};
use native_kernels::conv::Window;
use native_kernels::elementwise::{Binary, ChannelLayout, affine, binary};
use native_kernels::layout::{blocked_len, from_blocked, permute, rearrange_blocked, to_blocked};
use native_kernels::pool::{PoolShape, Pooling, global_pool, pool as pool_image};
use native_kernels::resize::{ResizeAxis, Weights, resize, resize_along};
use native_kernels::{Activation, Pool, Result};

#[track_caller]
fn close(what: &str, got: &[f32], expected: &[f64]) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        let error = (f64::from(*got) - expected).abs();
        assert!(
            error <= 2e-6 * expected.abs().max(1.0),
            "{what}: element {i} is {got}, expected {expected}"
        );
    }
}

/// Runs `body` on a blocked copy of `x` and returns the result in the plain layout.
fn blocked(
    pool: &Pool,
    batch: usize,
    channels: usize,
    [pixels, result_pixels]: [usize; 2],
    x: &[f32],
    body: impl Fn(&[f32], &mut [f32]) -> Result<()>,
) -> Vec<f32> {
    let mut source = vec![f32::NAN; blocked_len(pool, batch, channels, pixels).unwrap()];
    let mut target = vec![f32::NAN; blocked_len(pool, batch, channels, result_pixels).unwrap()];
    to_blocked(pool, batch, channels, pixels, x, &mut source).unwrap();
    body(&source, &mut target).unwrap();
    let mut y = vec![0.0; batch * channels * result_pixels];
    from_blocked(pool, batch, channels, result_pixels, &target, &mut y).unwrap();
    y
}

#[test]
fn poolings_match_in_both_layouts() {
    let windows = [
        ([7, 9], Window::square(2, 2, 0), false),
        ([13, 13], Window::square(3, 2, 0), true),
        ([10, 31], Window::square(3, 2, 1), true),
        (
            [6, 5],
            Window {
                pad_begin: [2, 0],
                ..Window::square(3, 1, 1)
            },
            false,
        ),
        (
            [9, 9],
            Window {
                dilation: [2, 3],
                ..Window::square(2, 3, 1)
            },
            true,
        ),
        ([1, 1], Window::square(1, 1, 0), false),
    ];
    let kinds = [
        Pooling::Max,
        Pooling::Average { include_pad: false },
        Pooling::Average { include_pad: true },
    ];
    for pool in pools() {
        for (size, window, ceil_mode) in windows {
            for pooling in kinds {
                let shape = PoolShape {
                    window,
                    pooling,
                    ceil_mode,
                };
                let output = shape.output(size).unwrap();
                let (batch, channels) = (2, 19);
                let x = values(1, batch * channels * size[0] * size[1]);
                let expected = pool_exact(&shape, batch * channels, size, output, &x);
                let what = format!("{pool:?} {shape:?} {size:?}");
                let mut y = vec![0.0; expected.len()];
                pool_image(
                    &pool,
                    ChannelLayout::Plain,
                    [batch, channels],
                    size,
                    &shape,
                    &x,
                    &mut y,
                )
                .unwrap();
                close(&what, &y, &expected);
                let pixels = [size[0] * size[1], output[0] * output[1]];
                let y = blocked(&pool, batch, channels, pixels, &x, |x, y| {
                    pool_image(
                        &pool,
                        ChannelLayout::Blocked,
                        [batch, channels],
                        size,
                        &shape,
                        x,
                        y,
                    )
                });
                close(&what, &y, &expected);
            }
        }
    }
}

fn pool_exact(shape: &PoolShape, planes: usize, size: [usize; 2], output: [usize; 2], x: &[f32]) -> Vec<f64> {
    let window = &shape.window;
    // The position of a tap, and whether it is in the padded image.
    let position = |axis: usize, index: usize, tap: usize| {
        let at = (index * window.stride[axis] + tap * window.dilation[axis]) as isize
            - window.pad_begin[axis] as isize;
        (at, at < (size[axis] + window.pad_end[axis]) as isize)
    };
    let mut result = Vec::new();
    for (plane, i, j) in (0..planes)
        .flat_map(|plane| (0..output[0]).flat_map(move |i| (0..output[1]).map(move |j| (plane, i, j))))
    {
        let mut pixels = Vec::new();
        let mut counted = 0;
        for (ky, kx) in (0..window.kernel[0]).flat_map(|ky| (0..window.kernel[1]).map(move |kx| (ky, kx))) {
            let ((y, y_padded), (x_at, x_padded)) = (position(0, i, ky), position(1, j, kx));
            counted += usize::from(y_padded && x_padded);
            if (0..size[0] as isize).contains(&y) && (0..size[1] as isize).contains(&x_at) {
                pixels.push(f64::from(
                    x[(plane * size[0] + y as usize) * size[1] + x_at as usize],
                ));
            }
        }
        result.push(match shape.pooling {
            Pooling::Max => pixels.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Pooling::Average { include_pad: true } => pixels.iter().sum::<f64>() / counted as f64,
            Pooling::Average { include_pad: false } => pixels.iter().sum::<f64>() / pixels.len() as f64,
        });
    }
    result
}

#[test]
fn global_poolings_and_affine_maps_match_in_both_layouts() {
    check_by_channel(51);
    check_by_channel(1);
}

/// Checks global poolings and affine maps of images with this number of pixels.
#[track_caller]
fn check_by_channel(pixels: usize) {
    let (batch, channels) = (2, 35);
    let x = values(1, batch * channels * pixels);
    let (scale, shift) = (values(2, channels), values(3, channels));
    let mean = |plane: &[f32]| plane.iter().map(|x| f64::from(*x)).sum::<f64>() / plane.len() as f64;
    let means: Vec<f64> = x.chunks(pixels).map(mean).collect();
    let mapped = |f: fn(f64) -> f64| -> Vec<f64> {
        let channel = |i: usize| i / pixels % channels;
        let line = |i: usize| f64::from(x[i]) * f64::from(scale[channel(i)]) + f64::from(shift[channel(i)]);
        (0..x.len()).map(|i| f(line(i))).collect()
    };
    for pool in pools() {
        let average = Pooling::Average { include_pad: false };
        let mut y = vec![0.0; batch * channels];
        global_pool(
            &pool,
            ChannelLayout::Plain,
            [batch, channels, pixels],
            average,
            &x,
            &mut y,
        )
        .unwrap();
        close("plain", &y, &means);
        let y = blocked(&pool, batch, channels, [pixels, 1], &x, |x, y| {
            global_pool(
                &pool,
                ChannelLayout::Blocked,
                [batch, channels, pixels],
                average,
                x,
                y,
            )
        });
        close("blocked", &y, &means);
        for (activation, f) in [
            (Activation::Relu, (|x| x.max(0.0)) as fn(f64) -> f64),
            (Activation::Sigmoid, |x| 1.0 / (1.0 + (-x).exp())),
        ] {
            let shape = [batch, channels, pixels];
            let mut y = vec![0.0; x.len()];
            affine(
                &pool,
                ChannelLayout::Plain,
                shape,
                &scale,
                &shift,
                activation,
                &x,
                &mut y,
            )
            .unwrap();
            close("plain", &y, &mapped(f));
            let y = blocked(&pool, batch, channels, [pixels; 2], &x, |x, y| {
                affine(
                    &pool,
                    ChannelLayout::Blocked,
                    shape,
                    &scale,
                    &shift,
                    activation,
                    x,
                    y,
                )
            });
            close("blocked", &y, &mapped(f));
        }
    }
}

#[test]
fn pairs_broadcast() {
    let shapes: [(&[usize], &[usize], &[usize]); 8] = [
        (&[], &[], &[]),
        (&[17], &[17], &[17]),
        (&[3, 40], &[40], &[3, 40]),
        (&[1], &[5, 6], &[5, 6]),
        (&[2, 3, 1, 7], &[4, 1], &[2, 3, 4, 7]),
        (&[2, 1, 33], &[1, 5, 33], &[2, 5, 33]),
        (&[4, 1], &[1, 6], &[4, 6]),
        (&[0, 3], &[1], &[0, 3]),
    ];
    type Case = (Binary, fn(f32, f32) -> f32);
    let ops: [Case; 7] = [
        (Binary::Add, |a, b| a + b),
        (Binary::Sub, |a, b| a - b),
        (Binary::Mul, |a, b| a * b),
        (Binary::Div, |a, b| a / b),
        (Binary::Min, f32::min),
        (Binary::Max, f32::max),
        (Binary::PRelu, |a, b| if a < 0.0 { a * b } else { a }),
    ];
    for pool in pools() {
        for (a_shape, b_shape, y_shape) in shapes {
            let (a, b) = (
                values(1, a_shape.iter().product()),
                values(2, b_shape.iter().product()),
            );
            let at = |shape: &[usize], i: usize| {
                let (mut rest, mut at, mut step) = (i, 0, 1);
                for (axis, size) in y_shape.iter().enumerate().rev() {
                    let index = rest % size;
                    rest /= size;
                    if let Some(own) = (axis + shape.len()).checked_sub(y_shape.len()) {
                        at += if shape[own] == 1 { 0 } else { index * step };
                        step *= shape[own];
                    }
                }
                at
            };
            for (op, f) in ops {
                let mut y = vec![0.0; y_shape.iter().product()];
                let written = binary(&pool, op, (a_shape, &a), (b_shape, &b), &mut y).unwrap();
                assert_eq!(written, y.len());
                let expected: Vec<f32> = (0..y.len())
                    .map(|i| f(a[at(a_shape, i)], b[at(b_shape, i)]))
                    .collect();
                assert_eq!(y, expected, "{pool:?} {op:?} {a_shape:?} {b_shape:?}");
            }
        }
        assert!(
            binary(
                &pool,
                Binary::Add,
                (&[2], &[0.0; 2]),
                (&[3], &[0.0; 3]),
                &mut [0.0; 6]
            )
            .is_err()
        );
    }
}

#[test]
fn permutations_match() {
    let cases: [(&[usize], &[usize]); 9] = [
        (&[], &[]),
        (&[5], &[0]),
        (&[17, 33], &[1, 0]),
        (&[200, 300], &[1, 0]),
        (&[2, 3, 20, 9], &[0, 2, 3, 1]),
        (&[2, 20, 9, 3], &[0, 3, 1, 2]),
        (&[3, 4, 5, 6], &[2, 0, 3, 1]),
        (&[2, 3, 4, 5, 6], &[4, 2, 0, 1, 3]),
        (&[1, 7, 1, 8], &[3, 2, 1, 0]),
    ];
    for pool in pools() {
        for (shape, perm) in cases {
            let x = values(1, shape.iter().product());
            let strides: Vec<usize> = (0..shape.len())
                .map(|axis| shape[axis + 1..].iter().product())
                .collect();
            let source = |i: usize| {
                let mut rest = i;
                perm.iter().rev().fold(0, |at, &axis| {
                    let index = rest % shape[axis];
                    rest /= shape[axis];
                    at + index * strides[axis]
                })
            };
            let expected: Vec<f32> = (0..x.len()).map(|i| x[source(i)]).collect();
            let mut y = vec![0.0; x.len()];
            permute(&pool, shape, perm, &x, &mut y).unwrap();
            assert_eq!(y, expected, "{pool:?} {shape:?} {perm:?}");
            let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
            let mut y = vec![0.0; x.len()];
            permute(&pool, shape, perm, &wide, &mut y).unwrap();
            assert!(
                y.iter().zip(&expected).all(|(y, x)| *y == f64::from(*x)),
                "{shape:?} {perm:?} of f64"
            );
        }
        assert!(permute(&pool, &[2, 2], &[0, 0], &[0.0; 4], &mut [0.0; 4]).is_err());
    }
}

#[test]
fn resizing_follows_its_tables() {
    let rows = ResizeAxis::linear([(0, 0, 0.0), (0, 1, 0.25), (1, 2, 0.5), (2, 2, 0.0)]);
    let columns = ResizeAxis::linear([(3, 4, 0.75), (0, 1, 0.5), (4, 4, 0.0)]);
    let (nearest_rows, nearest_columns) = (ResizeAxis::nearest([2, 0]), ResizeAxis::nearest([4, 4, 1]));
    for pool in pools() {
        for inner in [1, 16] {
            let x = values(1, 2 * 3 * 5 * inner);
            let at = |plane: usize, y: usize, xx: usize, i: usize| {
                f64::from(x[((plane * 3 + y) * 5 + xx) * inner + i])
            };
            let mut y = vec![0.0; 2 * 4 * 3 * inner];
            resize(&pool, [2, inner], [3, 5], [&rows, &columns], &x, &mut y).unwrap();
            let row_table = [(0, 0, 0.0), (0, 1, 0.25), (1, 2, 0.5), (2, 2, 0.0)];
            let column_table = [(3, 4, 0.75), (0, 1, 0.5), (4, 4, 0.0)];
            let expected: Vec<f64> = (0..y.len())
                .map(|n| {
                    let (i, column, row, plane) =
                        (n % inner, n / inner % 3, n / inner / 3 % 4, n / inner / 12);
                    let ((a, b, s), (c, d, t)) = (row_table[row], column_table[column]);
                    (1.0 - s) * ((1.0 - t) * at(plane, a, c, i) + t * at(plane, a, d, i))
                        + s * ((1.0 - t) * at(plane, b, c, i) + t * at(plane, b, d, i))
                })
                .collect();
            close("linear", &y, &expected);
            let mut y = vec![0.0; 2 * 2 * 3 * inner];
            resize(
                &pool,
                [2, inner],
                [3, 5],
                [&nearest_rows, &nearest_columns],
                &x,
                &mut y,
            )
            .unwrap();
            let expected: Vec<f64> = (0..y.len())
                .map(|n| {
                    at(
                        n / inner / 6,
                        [2, 0][n / inner / 3 % 2],
                        [4, 4, 1][n / inner % 3],
                        n % inner,
                    )
                })
                .collect();
            close("nearest", &y, &expected);
        }
        assert!(
            resize(
                &pool,
                [1, 1],
                [2, 5],
                [&rows, &columns],
                &[0.0; 10],
                &mut [0.0; 12]
            )
            .is_err()
        );
    }
}

#[test]
fn an_axis_is_resized_by_weights() {
    let sums = [
        vec![(1, 1.0)],
        vec![(0, 0.25), (3, 0.5), (2, -0.125)],
        vec![],
        vec![(3, 0.5)],
    ];
    let weights = Weights::new(sums.clone());
    for pool in pools() {
        for inner in [1, 3, 16, 37] {
            let x = values(1, 2 * 4 * inner);
            let mut y = vec![f32::NAN; 2 * sums.len() * inner];
            resize_along(&pool, [2, 4, inner], &weights, &x, &mut y).unwrap();
            let expected: Vec<f64> = (0..y.len())
                .map(|at| {
                    let (i, pixel, plane) = (at % inner, at / inner % 4, at / inner / 4);
                    let term = |&(place, weight): &(u32, f32)| {
                        f64::from(x[(plane * 4 + place as usize) * inner + i]) * f64::from(weight)
                    };
                    sums[pixel].iter().map(term).sum()
                })
                .collect();
            close(&format!("{inner} adjacent elements"), &y, &expected);
        }
        let (x, mut y) = ([0.0; 12], [0.0; 16]);
        let outside = resize_along(&pool, [1, 3, 4], &weights, &x, &mut y);
        assert!(outside.is_err(), "the term 3 is outside of three pixels");
        assert!(resize_along(&pool, [1, 4, 4], &weights, &x, &mut y).is_err());
        resize_along(&pool, [0, 4, 4], &weights, &[], &mut []).unwrap();
    }
}

#[test]
fn channels_of_two_images_are_gathered() {
    let (batch, channels, pixels) = (2, [19, 4], 7);
    let places: Vec<(usize, usize)> = (0..23_usize)
        .map(|place| {
            (place * 7 % 23)
                .checked_sub(19)
                .map_or((0, place * 7 % 23), |rest| (1, rest))
        })
        .collect();
    let x = channels.map(|channels| values(8, batch * channels * pixels));
    for pool in pools() {
        let [a, b] = [0, 1].map(|image| {
            let mut y = vec![f32::NAN; blocked_len(&pool, batch, channels[image], pixels).unwrap()];
            to_blocked(&pool, batch, channels[image], pixels, &x[image], &mut y).unwrap();
            (channels[image], y)
        });
        let images = [(a.0, &a.1[..]), (b.0, &b.1[..])];
        let mut blocked = vec![f32::NAN; blocked_len(&pool, batch, places.len(), pixels).unwrap()];
        rearrange_blocked(&pool, batch, pixels, &places, &images, &mut blocked).unwrap();
        let mut y = vec![f32::NAN; batch * places.len() * pixels];
        from_blocked(&pool, batch, places.len(), pixels, &blocked, &mut y).unwrap();
        for (at, plane) in y.chunks_exact(pixels).enumerate() {
            let (image, channel) = places[at % places.len()];
            let from = at / places.len() * channels[image] + channel;
            assert_eq!(plane, &x[image][from * pixels..][..pixels], "{pool:?}");
        }
    }
}
