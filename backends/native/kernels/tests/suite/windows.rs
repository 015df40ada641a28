//! Windows of extreme strides, dilations and padding: every kernel with a window returns the result of a loop
//! over its taps, or an error. None overflows, reads outside of its image, or takes memory in proportion to
//! the padding.

use crate::common::{pools, values};
use native_kernels::conv::{ConvShape, Convolution, Depthwise, InputLayout, MAX_STEP, Window};
use native_kernels::elementwise::ChannelLayout;
use native_kernels::int8::{ByteImages, ByteLayout, Bytes, BytesMut, Int8Convolution, Target, max_pool};
use native_kernels::layout::{blocked_len, from_blocked, to_blocked};
use native_kernels::pool::{PoolShape, Pooling, pool};
use native_kernels::{Epilogue, Pool};

/// A convolution between two blocked images.
type Run<'a> = &'a dyn Fn(&[f32], &mut [f32]) -> native_kernels::Result<()>;

/// One row of pixels, so that windows differ along one axis.
const SIZE: [usize; 2] = [1, 5];

/// A result with more pixels is not checked.
const MAX_PIXELS: usize = 4096;

const STEPS: [usize; 8] = [
    1,
    2,
    3,
    MAX_STEP,
    MAX_STEP + 1,
    // Times three, and times eight channels, these exceed 64 bits.
    (1_usize << 60).div_ceil(3),
    1 << 60,
    usize::MAX,
];
const PADS: [usize; 7] = [0, 1, 4, MAX_STEP, MAX_STEP + 1, 1 << 60, usize::MAX];

/// All windows of one row, and some of several.
fn windows() -> Vec<Window> {
    let mut all = Vec::new();
    for kernel in [1, 2, 3] {
        for (stride, dilation) in STEPS.into_iter().flat_map(|a| STEPS.map(|b| (a, b))) {
            for (before, after) in PADS.into_iter().flat_map(|a| PADS.map(|b| (a, b))) {
                if kernel == 1 && dilation > 2 && stride > 2 {
                    continue;
                }
                all.push(Window {
                    kernel: [1, kernel],
                    stride: [1, stride],
                    dilation: [1, dilation],
                    pad_begin: [0, before],
                    pad_end: [0, after],
                });
                all.push(Window {
                    kernel: [kernel, 1],
                    stride: [stride, 2],
                    dilation: [dilation, 1],
                    pad_begin: [before, 1],
                    pad_end: [after, 0],
                });
            }
        }
    }
    all
}

/// Returns the pixels that each window reads, with their taps; `None` if there are too many windows.
fn seen(window: &Window) -> Option<Vec<Vec<(usize, usize)>>> {
    let output = window.output(SIZE).expect("the window is valid");
    let count = output[0]
        .checked_mul(output[1])
        .filter(|&count| count <= MAX_PIXELS)?;
    let place = |axis: usize, at: usize, tap: usize| {
        let place = at as i128 * window.stride[axis] as i128 + tap as i128 * window.dilation[axis] as i128
            - window.pad_begin[axis] as i128;
        usize::try_from(place).ok().filter(|&place| place < SIZE[axis])
    };
    let of = |at: usize| {
        let mut taps = Vec::new();
        for (y, x) in (0..window.kernel[0]).flat_map(|y| (0..window.kernel[1]).map(move |x| (y, x))) {
            let (row, column) = (place(0, at / output[1], y), place(1, at % output[1], x));
            if let (Some(row), Some(column)) = (row, column) {
                taps.push((y * window.kernel[1] + x, row * SIZE[1] + column));
            }
        }
        taps
    };
    Some((0..count).map(of).collect())
}

/// Checks a convolution with these channels and groups, with all its kinds of weights.
fn check_convolution(pool: &Pool, window: Window, [ins, outs, groups]: [usize; 3]) {
    let shape = ConvShape {
        in_channels: ins,
        out_channels: outs,
        groups,
        window,
    };
    let taps = window.kernel[0] * window.kernel[1];
    let w = values(2, outs * ins / groups * taps);
    let packed = Convolution::new(pool, shape, InputLayout::Blocked, &w);
    let output = window.output(SIZE);
    let (Ok(packed), Ok(output)) = (packed, output) else {
        return;
    };
    let Some(seen) = seen(&window) else {
        // If it is not computed, it is refused or the result is too short; nothing may be written.
        let mut y = [0.0; 1];
        let _ = packed.run(pool, 1, SIZE, &values(1, 4096), &Epilogue::default(), &mut y);
        return;
    };
    let pixels = SIZE[0] * SIZE[1];
    let x = values(1, ins * pixels);
    let expected = |index: usize| {
        let (out, place) = (index / seen.len(), index % seen.len());
        let first = out / (outs / groups) * (ins / groups);
        let sum = seen[place].iter().map(|&(tap, pixel)| {
            let products = (0..ins / groups).map(|channel| {
                let weight = w[(out * (ins / groups) + channel) * taps + tap];
                f64::from(x[(first + channel) * pixels + pixel]) * f64::from(weight)
            });
            products.sum::<f64>()
        });
        sum.sum::<f64>()
    };
    let check = |what: &str, result: native_kernels::Result<Vec<f32>>| {
        let Ok(y) = result else { return };
        for (index, y) in y.iter().enumerate() {
            let expected = expected(index);
            assert!(
                (f64::from(*y) - expected).abs() < 1e-4,
                "{what}: element {index} is {y}, expected {expected}: {shape:?}"
            );
        }
    };
    let blocked = |run: Run<'_>| {
        let out_pixels = output[0] * output[1];
        let mut image = vec![0.0; blocked_len(pool, 1, ins, pixels)?];
        to_blocked(pool, 1, ins, pixels, &x, &mut image)?;
        let mut result = vec![0.0; blocked_len(pool, 1, outs, out_pixels)?];
        run(&image, &mut result)?;
        let mut plain = vec![0.0; outs * out_pixels];
        from_blocked(pool, 1, outs, out_pixels, &result, &mut plain)?;
        Ok(plain)
    };
    let none = Epilogue::default();
    check(
        "direct",
        blocked(&|image, y| packed.run(pool, 1, SIZE, image, &none, y)),
    );
    let plain = Convolution::new(pool, shape, InputLayout::Plain, &w).expect("it was packed before");
    check(
        "direct, plain image",
        blocked(&|_, y| plain.run(pool, 1, SIZE, &x, &none, y)),
    );
    if Depthwise::fits(&shape) {
        let depthwise = Depthwise::new(pool, shape, &w).expect("it fits");
        check(
            "depthwise",
            blocked(&|image, y| depthwise.run(pool, 1, SIZE, image, &none, y)),
        );
    }
}

fn check_bytes(pool: &Pool, window: Window, [ins, outs, groups]: [usize; 3]) {
    let shape = ConvShape {
        in_channels: ins,
        out_channels: outs,
        groups,
        window,
    };
    let taps = window.kernel[0] * window.kernel[1];
    let w: Vec<i8> = (0..outs * ins / groups * taps)
        .map(|at| (at % 11) as i8 - 5)
        .collect();
    let x: Vec<u8> = (0..ins * SIZE[0] * SIZE[1])
        .map(|at| (at * 37 % 251) as u8)
        .collect();
    let (Ok(packed), Ok(_)) = (
        Int8Convolution::new(pool, shape, Bytes::Signed(&w), &[0]),
        window.output(SIZE),
    ) else {
        return;
    };
    let images = ByteImages {
        batch: 1,
        size: SIZE,
        layout: ByteLayout::Plain,
        x: Bytes::Unsigned(&x),
        zero: 3,
    };
    let seen = seen(&window);
    let mut sums = vec![0_i32; seen.as_ref().map_or(1, |seen| seen.len() * outs)];
    let target = Target::Sums(&mut sums);
    let outcome = packed.run(pool, &images, None, ByteLayout::Plain, target);
    let (Some(seen), Ok(())) = (seen, outcome) else {
        return;
    };
    for (index, sum) in sums.iter().enumerate() {
        let (out, place) = (index / seen.len(), index % seen.len());
        let first = out / (outs / groups) * (ins / groups);
        let mut expected = 0;
        for &(tap, pixel) in &seen[place] {
            for channel in 0..ins / groups {
                let value = i32::from(x[(first + channel) * SIZE[0] * SIZE[1] + pixel]) - 3;
                expected += value * i32::from(w[(out * (ins / groups) + channel) * taps + tap]);
            }
        }
        assert_eq!(*sum, expected, "element {index}: {shape:?}");
    }
}

fn check_poolings(threads: &Pool, window: Window) {
    const CHANNELS: usize = 4;
    for ceil_mode in [false, true] {
        let shape = PoolShape {
            window,
            pooling: Pooling::Max,
            ceil_mode,
        };
        let Ok(output) = shape.output(SIZE) else { continue };
        let Some(count) = output[0]
            .checked_mul(output[1])
            .filter(|&count| count <= MAX_PIXELS)
        else {
            continue;
        };
        let x = values(3, CHANNELS * SIZE[0] * SIZE[1]);
        let mut y = vec![0.0; CHANNELS * count];
        pool(
            threads,
            ChannelLayout::Plain,
            [1, CHANNELS],
            SIZE,
            &shape,
            &x,
            &mut y,
        )
        .expect("the window is valid");
        let seen = if ceil_mode { None } else { seen(&window) };
        for (index, y) in y.iter().enumerate() {
            let Some(seen) = &seen else { break };
            let plane = &x[index / count * SIZE[1]..][..SIZE[1]];
            let pixels = seen[index % count].iter().map(|&(_, pixel)| plane[pixel]);
            assert_eq!(*y, pixels.fold(f32::NEG_INFINITY, f32::max), "{window:?}");
        }
        let bytes: Vec<u8> = (0..CHANNELS * SIZE[1]).map(|at| (at * 37 % 251) as u8).collect();
        let mut result = vec![0_u8; CHANNELS * count];
        let target = BytesMut::Unsigned(&mut result);
        max_pool(
            threads,
            [1, CHANNELS],
            SIZE,
            &shape,
            Bytes::Unsigned(&bytes),
            target,
        )
        .expect("the window is valid");
    }
}

#[test]
fn extreme_windows_are_right_or_refused() {
    for pool in pools() {
        for window in windows() {
            for channels in [[9, 9, 1], [16, 8, 1], [16, 16, 16], [8, 16, 4]] {
                check_convolution(&pool, window, channels);
                check_bytes(&pool, window, channels);
            }
            check_poolings(&pool, window);
        }
    }
}

#[test]
fn windows_beyond_the_bound_are_refused() {
    let largest = Window {
        kernel: [1, 1],
        stride: [MAX_STEP; 2],
        dilation: [MAX_STEP; 2],
        pad_begin: [MAX_STEP; 2],
        pad_end: [MAX_STEP; 2],
    };
    assert_eq!(largest.output([1, 1]), Ok([3, 3]));
    let changes: [fn(&mut Window, usize); 5] = [
        |window, value| window.kernel[0] = value,
        |window, value| window.stride[1] = value,
        |window, value| window.dilation[0] = value,
        |window, value| window.pad_begin[1] = value,
        |window, value| window.pad_end[0] = value,
    ];
    for change in changes {
        for value in [MAX_STEP + 1, usize::MAX] {
            let mut window = largest;
            change(&mut window, value);
            assert!(window.output([1, 1]).is_err(), "{window:?}");
        }
    }
}
