//! Compares convolutions with sums in f64, on every instruction set of this machine.

use crate::common::{assert_within, pools, values};
use native_kernels::conv::{
    ConvShape, Convolution, Depthwise, InputLayout, Interleaved, Taps, Window, Winograd, WinogradTile,
};
use native_kernels::layout::{blocked_len, from_blocked, rearrange_blocked, to_blocked};
use native_kernels::{Activation, Bias, Epilogue, Pool, Residual};

struct Case {
    batch: usize,
    size: [usize; 2],
    shape: ConvShape,
}

fn case(batch: usize, size: [usize; 2], channels: [usize; 2], groups: usize, window: Window) -> Case {
    let [in_channels, out_channels] = channels;
    Case {
        batch,
        size,
        shape: ConvShape {
            in_channels,
            out_channels,
            groups,
            window,
        },
    }
}

fn cases() -> Vec<Case> {
    let square = Window::square;
    let odd = Window {
        kernel: [2, 5],
        stride: [2, 3],
        dilation: [3, 2],
        pad_begin: [1, 4],
        pad_end: [0, 2],
    };
    vec![
        case(1, [1, 1], [1, 1], 1, square(1, 1, 0)),
        case(2, [5, 7], [16, 16], 1, square(1, 1, 0)),
        case(1, [17, 31], [17, 33], 1, square(1, 1, 0)),
        case(1, [9, 9], [32, 64], 1, square(1, 2, 0)),
        case(1, [7, 7], [3, 17], 1, square(3, 1, 1)),
        case(2, [14, 14], [32, 48], 1, square(3, 1, 1)),
        case(1, [31, 17], [20, 70], 1, square(3, 2, 1)),
        case(1, [15, 15], [16, 8], 1, square(5, 1, 2)),
        case(1, [20, 20], [3, 32], 1, square(7, 2, 3)),
        case(2, [13, 16], [5, 6], 1, odd),
        case(1, [12, 12], [48, 48], 3, square(3, 1, 1)),
        case(1, [6, 6], [68, 68], 4, square(1, 1, 0)),
        case(1, [6, 6], [24, 40], 8, square(3, 1, 1)),
        case(1, [60, 60], [64, 16], 1, square(3, 1, 1)),
        // Few channels of the result.
        case(2, [12, 7], [16, 1], 1, square(1, 1, 0)),
        case(1, [8, 13], [16, 2], 1, odd),
        case(1, [9, 23], [32, 3], 1, square(3, 1, 1)),
        case(1, [15, 14], [48, 4], 1, square(5, 2, 2)),
    ]
}

fn exact(case: &Case, x: &[f32], w: &[f32], terms: impl Fn(usize, usize) -> Vec<f64>) -> Vec<(f64, f64)> {
    let Case {
        batch,
        size: [h, wd],
        shape,
    } = case;
    let window = &shape.window;
    let [oh, ow] = window.output(case.size).unwrap();
    let (ins, outs) = (
        shape.in_channels / shape.groups,
        shape.out_channels / shape.groups,
    );
    let mut sums = Vec::new();
    for (n, o, y, xx) in (0..*batch).flat_map(|n| {
        (0..shape.out_channels)
            .flat_map(move |o| (0..oh).flat_map(move |y| (0..ow).map(move |x| (n, o, y, x))))
    }) {
        let mut all = terms(o, sums.len());
        for i in 0..ins {
            for ky in 0..window.kernel[0] {
                for kx in 0..window.kernel[1] {
                    let row =
                        (y * window.stride[0] + ky * window.dilation[0]).wrapping_sub(window.pad_begin[0]);
                    let column =
                        (xx * window.stride[1] + kx * window.dilation[1]).wrapping_sub(window.pad_begin[1]);
                    if row < *h && column < *wd {
                        let channel = n * shape.in_channels + o / outs * ins + i;
                        let value = f64::from(x[(channel * h + row) * wd + column]);
                        let tap = ((o * ins + i) * window.kernel[0] + ky) * window.kernel[1] + kx;
                        all.push(value * f64::from(w[tap]));
                    }
                }
            }
        }
        sums.push((all.iter().sum(), all.iter().map(|x| x.abs()).sum()));
    }
    sums
}

/// Runs `body` on blocked tensors, with a bias, a residual and Relu, and compares.
fn check(
    pool: &Pool,
    case: &Case,
    layout: InputLayout,
    roundings: usize,
    body: impl Fn(&[f32], &[f32], &Epilogue, &mut [f32]),
) {
    let Case { batch, size, shape } = *case;
    let [oh, ow] = shape.window.output(size).unwrap();
    let x = values(1, batch * shape.in_channels * size[0] * size[1]);
    let per_out = shape.in_channels / shape.groups * shape.window.kernel[0] * shape.window.kernel[1];
    let w = values(2, shape.out_channels * per_out);
    let bias = values(3, shape.out_channels);
    let residual = values(4, batch * shape.out_channels * oh * ow);
    let blocked = |channels: usize, pixels: usize, values: &[f32]| {
        let mut y = vec![f32::NAN; blocked_len(pool, batch, channels, pixels).unwrap()];
        to_blocked(pool, batch, channels, pixels, values, &mut y).unwrap();
        y
    };
    let x_given = match layout {
        InputLayout::Plain => x.clone(),
        InputLayout::Blocked => blocked(shape.in_channels, size[0] * size[1], &x),
    };
    let residual_blocked = blocked(shape.out_channels, oh * ow, &residual);
    let mut y = vec![f32::NAN; residual_blocked.len()];
    let epilogue = Epilogue {
        bias: Bias::Column(&bias),
        residual: Residual::Add(&residual_blocked),
        activation: Activation::Relu,
    };
    body(&x_given, &w, &epilogue, &mut y);
    let mut plain = vec![0.0; residual.len()];
    from_blocked(pool, batch, shape.out_channels, oh * ow, &y, &mut plain).unwrap();
    let mut sums = exact(case, &x, &w, |o, at| {
        vec![f64::from(bias[o]), f64::from(residual[at])]
    });
    sums.iter_mut().for_each(|(sum, _)| *sum = sum.max(0.0));
    let what = format!("{pool:?} {batch} × {size:?} {shape:?} {layout:?}");
    assert_within(&what, roundings * per_out, &plain, &sums);
    let mut again = vec![f32::NAN; y.len()];
    to_blocked(pool, batch, shape.out_channels, oh * ow, &plain, &mut again).unwrap();
    assert_eq!(y, again, "{what}: the last block is padded with zeros");
}

#[test]
fn direct_convolutions_are_within_the_bound() {
    for pool in pools() {
        for case in cases() {
            for layout in [InputLayout::Plain, InputLayout::Blocked] {
                check(&pool, &case, layout, 1, |x, w, epilogue, y| {
                    let conv = Convolution::new(&pool, case.shape, layout, w).unwrap();
                    conv.run(&pool, case.batch, case.size, x, epilogue, y).unwrap();
                });
            }
        }
    }
}

/// Windows that slide share pixels in registers; others are computed one by one. Both have the same bits: a
/// residual that is the previous content of the result selects the second way.
#[test]
fn sliding_windows_have_the_bits_of_single_ones() {
    for pool in pools() {
        for kernel in 1..10 {
            for (stride, pad) in [(1, kernel / 2), (2, kernel / 2), (1, 0), (2, kernel - 1)] {
                for width in [1, 2, 5, 7, 13, 16, 23, 40] {
                    let window = Window::square(kernel, stride, pad);
                    sliding_equals_single(&pool, [kernel + 1 + width % 3, width], window);
                }
            }
        }
    }
}

fn sliding_equals_single(pool: &Pool, size: [usize; 2], window: Window) {
    let channels = 19;
    let Ok([rows, columns]) = window.output(size) else {
        return;
    };
    let shape = case(1, size, [channels; 2], channels, window).shape;
    let weights = values(1, channels * window.kernel[0] * window.kernel[1]);
    let conv = Depthwise::new(pool, shape, &weights).unwrap();
    let x = values(2, blocked_len(pool, 1, channels, size[0] * size[1]).unwrap());
    let residual = values(3, blocked_len(pool, 1, channels, rows * columns).unwrap());
    for activation in [Activation::Relu, Activation::Tanh] {
        let epilogue = |residual| Epilogue {
            residual,
            activation,
            ..Epilogue::default()
        };
        let mut sliding = vec![f32::NAN; residual.len()];
        let mut single = residual.clone();
        conv.run(
            pool,
            1,
            size,
            &x,
            &epilogue(Residual::Add(&residual)),
            &mut sliding,
        )
        .unwrap();
        conv.run(pool, 1, size, &x, &epilogue(Residual::Output), &mut single)
            .unwrap();
        let same = sliding
            .iter()
            .zip(&single)
            .all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(same, "{pool:?} {size:?} {window:?} {activation:?}");
    }
}

#[test]
fn depthwise_convolutions_are_within_the_bound() {
    let windows = [
        ([20, 33], Window::square(3, 1, 1)),
        ([21, 20], Window::square(3, 2, 1)),
        ([9, 9], Window::square(5, 1, 2)),
        ([3, 1], Window::square(3, 1, 1)),
        (
            [16, 40],
            Window {
                dilation: [2, 2],
                ..Window::square(3, 1, 2)
            },
        ),
        // Even and odd numbers of rows, windows larger than the image.
        ([14, 14], Window::square(5, 1, 2)),
        ([12, 31], Window::square(7, 1, 3)),
        ([1, 1], Window::square(5, 1, 2)),
        ([5, 3], Window::square(5, 1, 4)),
        ([8, 9], Window::square(4, 1, 0)),
        (
            [6, 23],
            Window {
                kernel: [2, 5],
                stride: [1, 2],
                dilation: [1, 3],
                pad_begin: [0, 5],
                pad_end: [1, 7],
            },
        ),
    ];
    for pool in pools() {
        for (size, window) in windows {
            for channels in [1, 16, 35] {
                let case = case(2, size, [channels; 2], channels, window);
                check(&pool, &case, InputLayout::Blocked, 1, |x, w, epilogue, y| {
                    let conv = Depthwise::new(&pool, case.shape, w).unwrap();
                    conv.run(&pool, case.batch, case.size, x, epilogue, y).unwrap();
                });
            }
        }
    }
}

/// Windows of which most products are outside of an image of this size.
fn dilated() -> Vec<([usize; 2], Window)> {
    let window = |kernel, dilation, pad_begin, pad_end| Window {
        kernel,
        dilation,
        pad_begin,
        pad_end,
        stride: [1; 2],
    };
    vec![
        ([16, 16], window([3, 3], [12, 12], [12, 12], [12, 12])),
        ([5, 7], window([3, 3], [4, 5], [4, 5], [4, 5])),
        ([9, 20], window([3, 5], [6, 9], [6, 18], [6, 18])),
        ([6, 8], window([3, 3], [4, 7], [8, 7], [0, 7])),
    ]
}

#[test]
fn sums_over_taps_are_within_the_bound() {
    for pool in pools() {
        for (size, window) in dilated() {
            for channels in [[16, 16], [37, 70], [20, 5]] {
                let case = case(2, size, channels, 1, window);
                assert!(Taps::pays(&pool, &case.shape, size), "{size:?} {window:?}");
                check(&pool, &case, InputLayout::Blocked, 1, |x, w, epilogue, y| {
                    let conv = Taps::new(&pool, case.shape, w).unwrap();
                    conv.run(&pool, case.batch, case.size, x, epilogue, y).unwrap();
                });
            }
        }
    }
}

#[test]
fn sums_over_taps_do_not_depend_on_the_number_of_threads() {
    for isa in native_kernels::Isa::available() {
        for (size, window) in dilated() {
            let case = case(1, size, [20, 100], 1, window);
            let w = values(2, 20 * 100 * window.kernel[0] * window.kernel[1]);
            let results = [1, 2, 5].map(|threads| {
                let pool = Pool::with_isa(threads, isa).unwrap();
                let x = values(1, blocked_len(&pool, 1, 20, size[0] * size[1]).unwrap());
                let [rows, columns] = window.output(size).unwrap();
                let mut y = vec![0.0; blocked_len(&pool, 1, 100, rows * columns).unwrap()];
                let conv = Taps::new(&pool, case.shape, &w).unwrap();
                let epilogue = Epilogue::default();
                conv.run(&pool, 1, size, &x, &epilogue, &mut y).unwrap();
                y
            });
            assert!(results.iter().all(|y| *y == results[0]), "{isa:?} {window:?}");
        }
    }
}

/// Returns the channel at each position if `groups` are interleaved; each block of `lanes` is reversed if
/// `turned`.
fn turns(channels: usize, groups: usize, lanes: usize, turned: bool) -> Vec<usize> {
    let each = channels / groups;
    let mut order: Vec<usize> = (0..channels)
        .map(|place| place % groups * each + place / groups)
        .collect();
    if turned {
        order.chunks_mut(lanes).for_each(<[usize]>::reverse);
    }
    order
}

#[test]
fn interleaved_groups_are_within_the_bound() {
    for pool in pools() {
        let lanes = pool.isa().lanes();
        for (size, channels, groups) in [
            ([5, 7], [136, 136], 4),
            ([1, 2], [16, 72], 8),
            ([9, 4], [20, 30], 2),
        ] {
            for turned in [false, true] {
                let case = case(2, size, channels, groups, Window::square(1, 1, 0));
                let [ins, outs] = channels;
                let (from, to) = (
                    turns(ins, groups, lanes, false),
                    turns(outs, groups, lanes, turned),
                );
                let out_groups: Vec<usize> = to.iter().map(|&out| out / (outs / groups)).collect();
                let rearrange = |order: &[usize], values: &[f32]| {
                    let mut target = vec![f32::NAN; values.len()];
                    let pixels = size[0] * size[1];
                    let places: Vec<_> = order.iter().map(|&channel| (0, channel)).collect();
                    let images = [(order.len(), values)];
                    rearrange_blocked(&pool, 2, pixels, &places, &images, &mut target).unwrap();
                    target
                };
                check(&pool, &case, InputLayout::Blocked, 1, |x, w, epilogue, y| {
                    let rows: Vec<&[f32]> = w.chunks_exact(ins / groups).collect();
                    let w: Vec<f32> = to.iter().flat_map(|&out| rows[out]).copied().collect();
                    let Bias::Column(bias) = epilogue.bias else {
                        panic!("the epilogue has a bias")
                    };
                    let Residual::Add(residual) = epilogue.residual else {
                        panic!("the epilogue has a residual")
                    };
                    let bias: Vec<f32> = to.iter().map(|&out| bias[out]).collect();
                    let residual = rearrange(&to, residual);
                    let epilogue = Epilogue {
                        bias: Bias::Column(&bias),
                        residual: Residual::Add(&residual),
                        ..*epilogue
                    };
                    let conv = Interleaved::new(&pool, case.shape, &out_groups, &w).unwrap();
                    let mut result = residual.clone();
                    conv.run(&pool, 2, size, &rearrange(&from, x), &epilogue, &mut result)
                        .unwrap();
                    let mut back = vec![0; outs];
                    to.iter().enumerate().for_each(|(place, &out)| back[out] = place);
                    y.copy_from_slice(&rearrange(&back, &result));
                });
            }
        }
    }
}

/// The transforms of F(4, 3) increase rounding errors; the bound here is that of ten times as many terms.
/// The tiles round differently: a choice by the number of threads would give other bits.
#[test]
fn the_choice_of_a_tile_does_not_depend_on_the_number_of_threads() {
    let window = Window {
        kernel: [3, 3],
        stride: [1, 1],
        dilation: [1, 1],
        pad_begin: [1, 1],
        pad_end: [1, 1],
    };
    let channels = [16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512];
    let pools = [1, 2, 5].map(Pool::new);
    let mut chosen = 0;
    for (ins, outs) in channels
        .into_iter()
        .flat_map(|ins| channels.map(|outs| (ins, outs)))
    {
        for side in [5, 7, 10, 14, 20, 28, 40, 56, 112] {
            let shape = ConvShape {
                in_channels: ins,
                out_channels: outs,
                groups: 1,
                window,
            };
            let tiles = pools
                .each_ref()
                .map(|pool| Winograd::choose(pool, &shape, 1, [side, side]));
            assert!(
                tiles.iter().all(|tile| *tile == tiles[0]),
                "{ins} to {outs} at {side}: {tiles:?}"
            );
            chosen += usize::from(tiles[0].is_some());
        }
    }
    assert!(chosen > 100, "Winograd is chosen {chosen} times");
}

#[test]
fn winograd_is_within_its_wider_bound() {
    let wide = Window {
        pad_begin: [2, 0],
        pad_end: [0, 1],
        ..Window::square(3, 1, 0)
    };
    for pool in pools() {
        for (size, channels, window) in [
            ([4, 4], [16, 16], Window::square(3, 1, 1)),
            ([1, 1], [1, 3], Window::square(3, 1, 1)),
            ([13, 30], [20, 40], Window::square(3, 1, 1)),
            ([11, 9], [48, 33], wide),
        ] {
            let case = case(2, size, channels, 1, window);
            for (tile, roundings) in [(WinogradTile::Two, 2), (WinogradTile::Four, 10)] {
                check(
                    &pool,
                    &case,
                    InputLayout::Blocked,
                    roundings,
                    |x, w, epilogue, y| {
                        let conv = Winograd::new(&pool, case.shape, tile, w).unwrap();
                        conv.run(&pool, case.batch, case.size, x, epilogue, y).unwrap();
                    },
                );
            }
        }
    }
}
