//! Compares convolutions over three axes and transposed convolutions with plain loops in f64, on every
//! instruction set of this machine.

use crate::common::{assert_within, pools, values};
use approx::assert_abs_diff_eq;
use native_kernels::conv::{InputLayout, Volume, VolumeFilters, VolumeShape};
use native_kernels::layout::{blocked_len, from_blocked, to_blocked};
use native_kernels::{Activation, Bias, Epilogue, Isa, Pool};

const BATCH: usize = 2;

/// One channel each, one pixel each, one tap.
const SHAPE: VolumeShape = VolumeShape {
    transposed: false,
    in_channels: 1,
    out_channels: 1,
    groups: 1,
    size: [1; 3],
    output: [1; 3],
    kernel: [1; 3],
    stride: [1; 3],
    dilation: [1; 3],
    begin: [0; 3],
};

struct Operands {
    x: Vec<f32>,
    w: Vec<f32>,
    bias: Vec<f32>,
}

impl Operands {
    fn new(shape: &VolumeShape) -> Operands {
        let taps: usize = shape.kernel.iter().product();
        let pixels: usize = shape.size.iter().product();
        Operands {
            x: values(1, BATCH * shape.in_channels * pixels),
            w: values(2, shape.in_channels * shape.out_channels / shape.groups * taps),
            bias: values(3, shape.out_channels),
        }
    }
}

/// Calls `visit` with the coordinates of each element.
fn each([depth, height, width]: [usize; 3], mut visit: impl FnMut(usize, [usize; 3])) {
    let mut number = 0;
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                visit(number, [z, y, x]);
                number += 1;
            }
        }
    }
}

/// Returns each sum and the sum of the magnitudes of its terms, by the definitions of Conv and ConvTranspose.
fn expected(shape: &VolumeShape, operands: &Operands) -> Vec<(f64, f64)> {
    let [pixels, places, taps] =
        [shape.size, shape.output, shape.kernel].map(|all| all.iter().product::<usize>());
    let (ins, outs) = (
        shape.in_channels / shape.groups,
        shape.out_channels / shape.groups,
    );
    let mut sums: Vec<(f64, f64)> = Vec::new();
    for _ in 0..BATCH {
        for bias in &operands.bias {
            sums.extend(vec![(f64::from(*bias), f64::from(bias.abs())); places]);
        }
    }
    // The smaller side counts windows: results of a convolution, pixels of a transposed one.
    let (windows, other) = if shape.transposed {
        (shape.size, shape.output)
    } else {
        (shape.output, shape.size)
    };
    each(windows, |at, window| {
        each(shape.kernel, |tap, offset| {
            let mut place = 0;
            for axis in 0..3 {
                let full = window[axis] * shape.stride[axis] + offset[axis] * shape.dilation[axis];
                match full.checked_sub(shape.begin[axis]) {
                    Some(inside) if inside < other[axis] => place = place * other[axis] + inside,
                    _ => return,
                }
            }
            let (pixel, result) = if shape.transposed {
                (at, place)
            } else {
                (place, at)
            };
            for image in 0..BATCH {
                for out in 0..shape.out_channels {
                    for channel in 0..ins {
                        let source = out / outs * ins + channel;
                        let filter = if shape.transposed {
                            source * outs + out % outs
                        } else {
                            out * ins + channel
                        };
                        let x = operands.x[(image * shape.in_channels + source) * pixels + pixel];
                        let term = f64::from(x) * f64::from(operands.w[filter * taps + tap]);
                        let sum = &mut sums[(image * shape.out_channels + out) * places + result];
                        *sum = (sum.0 + term, sum.1 + term.abs());
                    }
                }
            }
        });
    });
    sums
}

fn computed(
    pool: &Pool,
    shape: &VolumeShape,
    layout: InputLayout,
    operands: &Operands,
    activation: Activation,
) -> Vec<f32> {
    let [pixels, places] = [shape.size, shape.output].map(|all| all.iter().product::<usize>());
    // Packed for images of another extent.
    let filters = VolumeFilters::new(pool, shape.of_filters(), layout, &operands.w).unwrap();
    let volume = Volume::new(*shape, &filters).unwrap();
    let x = match layout {
        InputLayout::Plain => operands.x.clone(),
        InputLayout::Blocked => {
            let mut x = vec![f32::NAN; blocked_len(pool, BATCH, shape.in_channels, pixels).unwrap()];
            to_blocked(pool, BATCH, shape.in_channels, pixels, &operands.x, &mut x).unwrap();
            x
        }
    };
    let mut y = vec![f32::NAN; blocked_len(pool, BATCH, shape.out_channels, places).unwrap()];
    let epilogue = Epilogue {
        bias: Bias::Column(&operands.bias),
        activation,
        ..Epilogue::default()
    };
    volume.run(pool, BATCH, &x, &epilogue, &mut y).unwrap();
    let lanes = pool.isa().lanes();
    let padding = shape.out_channels.next_multiple_of(lanes) - shape.out_channels;
    let last = y
        .chunks_exact(places * lanes)
        .nth(shape.out_channels.div_ceil(lanes) - 1)
        .unwrap();
    let zero = |pixel: &[f32]| pixel[lanes - padding..].iter().all(|x| *x == 0.0);
    assert!(
        last.chunks_exact(lanes).all(zero),
        "{pool:?} {shape:?}: the padding is zero"
    );
    let mut plain = vec![f32::NAN; BATCH * shape.out_channels * places];
    from_blocked(pool, BATCH, shape.out_channels, places, &y, &mut plain).unwrap();
    plain
}

#[track_caller]
fn check(shape: VolumeShape) {
    let operands = Operands::new(&shape);
    let expected = expected(&shape, &operands);
    let terms = shape.in_channels * shape.kernel.iter().product::<usize>();
    let layouts = match shape.groups {
        1 => &[InputLayout::Blocked, InputLayout::Plain][..],
        _ => &[InputLayout::Blocked],
    };
    for pool in pools() {
        for &layout in layouts {
            let got = computed(&pool, &shape, layout, &operands, Activation::Identity);
            assert_within(&format!("{pool:?} {layout:?} {shape:?}"), terms, &got, &expected);
        }
    }
}

/// Checks a geometry as a convolution and transposed. `extra` results are added at the end of each axis.
#[track_caller]
fn check_both(
    size: [usize; 3],
    kernel: [usize; 3],
    stride: [usize; 3],
    dilation: [usize; 3],
    begin: [usize; 3],
    extra: [usize; 3],
) {
    let span = |axis: usize| (kernel[axis] - 1) * dilation[axis] + 1;
    let forward = [0, 1, 2].map(|axis| {
        let padded = size[axis] + 2 * begin[axis];
        (padded >= span(axis)).then(|| (padded - span(axis)) / stride[axis] + 1)
    });
    let backward = [0, 1, 2].map(|axis| {
        let full = (size[axis] - 1) * stride[axis] + span(axis) + extra[axis];
        full.saturating_sub(2 * begin[axis]).max(1)
    });
    // The second pair has complete blocks of the image, and few channels of the result.
    for [in_channels, out_channels] in [[5, 19], [16, 3]] {
        let shape = VolumeShape {
            in_channels,
            out_channels,
            size,
            kernel,
            stride,
            dilation,
            begin,
            ..SHAPE
        };
        if let [Some(depth), Some(height), Some(width)] = forward {
            check(VolumeShape {
                output: [depth, height, width],
                ..shape
            });
        }
        check(VolumeShape {
            transposed: true,
            output: backward,
            ..shape
        });
    }
}

#[test]
fn one_axis() {
    for width in [1, 4, 131] {
        for kernel in [1, 2, 3, 4, 7] {
            for (stride, dilation) in [(1, 1), (2, 1), (3, 2), (2, 2), (4, 3), (5, 1)] {
                for (begin, extra) in [(0, 0), (1, 1), (3, 2)] {
                    let last = |extent| [1, 1, extent];
                    check_both(
                        last(width),
                        last(kernel),
                        last(stride),
                        last(dilation),
                        [0, 0, begin],
                        [0, 0, extra],
                    );
                }
            }
        }
    }
}

#[test]
fn two_axes() {
    for (kernel, stride, dilation, begin, extra) in [
        ([1, 2, 2], [1, 2, 2], [1, 1, 1], [0, 0, 0], [0, 0, 0]),
        ([1, 4, 4], [1, 2, 2], [1, 1, 1], [0, 1, 1], [0, 0, 0]),
        ([1, 3, 3], [1, 2, 2], [1, 1, 1], [0, 1, 1], [0, 1, 1]),
        ([1, 2, 2], [1, 2, 2], [1, 1, 1], [0, 1, 1], [0, 0, 1]),
        ([1, 1, 1], [1, 3, 2], [1, 1, 1], [0, 1, 0], [0, 2, 1]),
        ([1, 3, 2], [1, 1, 3], [1, 2, 3], [0, 2, 0], [0, 0, 2]),
        ([1, 5, 1], [1, 4, 1], [1, 2, 1], [0, 3, 0], [0, 3, 0]),
    ] {
        for size in [[1, 1, 1], [1, 6, 7], [1, 3, 40]] {
            check_both(size, kernel, stride, dilation, begin, extra);
        }
    }
}

#[test]
fn three_axes() {
    for (kernel, stride, dilation, begin, extra) in [
        ([3, 3, 3], [1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 0, 0]),
        ([2, 2, 2], [2, 2, 2], [1, 1, 1], [0, 0, 0], [0, 0, 0]),
        ([3, 1, 2], [2, 3, 1], [2, 1, 1], [1, 0, 1], [1, 2, 0]),
        ([1, 3, 3], [3, 2, 2], [1, 1, 2], [1, 1, 2], [2, 1, 1]),
        ([4, 1, 1], [1, 1, 1], [3, 1, 1], [5, 0, 0], [0, 0, 0]),
    ] {
        for size in [[1, 1, 1], [4, 5, 6], [2, 3, 31]] {
            check_both(size, kernel, stride, dilation, begin, extra);
        }
    }
}

#[test]
fn channels_and_groups() {
    for transposed in [false, true] {
        for (in_channels, out_channels, groups) in [
            (1, 1, 1),
            (16, 32, 1),
            (33, 65, 1),
            (6, 6, 6),
            (4, 40, 4),
            (32, 64, 2),
            (40, 20, 10),
            (32, 2, 1),
        ] {
            check(VolumeShape {
                transposed,
                in_channels,
                out_channels,
                groups,
                size: [1, 5, 6],
                output: if transposed { [1, 10, 12] } else { [1, 2, 2] },
                kernel: [1, 4, 4],
                stride: [1, 2, 2],
                begin: [0, 1, 1],
                ..SHAPE
            });
        }
    }
}

/// The result is larger than a block in both directions.
#[test]
fn many_blocks() {
    for transposed in [false, true] {
        for [height, width] in [[300, 70], [2, 5000]] {
            let double = |extent: usize| if transposed { extent * 2 } else { extent / 2 };
            check(VolumeShape {
                transposed,
                in_channels: 9,
                out_channels: 3,
                size: [1, height, width],
                output: [1, double(height), double(width)],
                kernel: [1, 4, 4],
                stride: [1, 2, 2],
                begin: [0, 1, 1],
                ..SHAPE
            });
        }
    }
}

#[test]
fn weights_of_another_geometry_are_an_error() {
    let pool = &pools()[0];
    let shape = VolumeShape {
        transposed: true,
        output: [1, 4, 4],
        kernel: [1, 2, 2],
        stride: [1, 2, 2],
        ..SHAPE
    };
    let weights = vec![1.0; shape.in_channels * shape.out_channels * 4];
    let filters = VolumeFilters::new(pool, shape, InputLayout::Blocked, &weights).unwrap();
    let moved = |left: usize| VolumeShape {
        begin: [0, 0, left],
        ..shape
    };
    assert!(Volume::new(moved(2), &filters).is_ok());
    assert!(Volume::new(moved(1), &filters).is_err());
}

#[test]
fn results_without_taps_are_activated() {
    let shape = VolumeShape {
        transposed: true,
        in_channels: 3,
        out_channels: 18,
        size: [2, 2, 2],
        output: [5, 6, 6],
        kernel: [1, 2, 1],
        stride: [3, 3, 3],
        ..SHAPE
    };
    let operands = Operands::new(&shape);
    let sums = expected(&shape, &operands);
    for pool in pools() {
        let got = computed(
            &pool,
            &shape,
            InputLayout::Blocked,
            &operands,
            Activation::Sigmoid,
        );
        for (got, (sum, _)) in got.iter().zip(&sums) {
            let expected = 1.0 / (1.0 + (-sum).exp());
            assert_abs_diff_eq!(f64::from(*got), expected, epsilon = 1e-6);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for transposed in [false, true] {
        for (size, kernel) in [
            ([1, 1, 700], [1, 1, 4]),
            ([1, 40, 30], [1, 3, 3]),
            ([6, 7, 8], [3, 3, 3]),
        ] {
            let shape = VolumeShape {
                transposed,
                in_channels: 20,
                out_channels: 24,
                size,
                output: size.map(|extent| {
                    if transposed {
                        extent * 2
                    } else {
                        extent.div_ceil(2)
                    }
                }),
                kernel,
                stride: [2; 3],
                begin: kernel.map(|taps| usize::from(taps > 1)),
                ..SHAPE
            };
            let operands = Operands::new(&shape);
            for isa in Isa::available() {
                let [one, others @ ..] = [1, 2, 3, 5].map(|threads| {
                    let pool = Pool::with_isa(threads, isa).unwrap();
                    computed(&pool, &shape, InputLayout::Blocked, &operands, Activation::Tanh)
                });
                assert!(others.iter().all(|other| *other == one), "{isa:?} {shape:?}");
            }
        }
    }
}

#[test]
fn unsupported_shapes_are_errors() {
    let shape = VolumeShape {
        in_channels: 4,
        out_channels: 4,
        ..SHAPE
    };
    assert!(shape.check().is_ok());
    let mut wrong = Vec::new();
    for transposed in [false, true] {
        for extent in [0, usize::MAX, 1 << 32] {
            for axis in 0..3 {
                let set = |mut all: [usize; 3]| {
                    all[axis] = extent;
                    all
                };
                let shape = VolumeShape { transposed, ..shape };
                wrong.push(VolumeShape {
                    size: set([1; 3]),
                    ..shape
                });
                wrong.push(VolumeShape {
                    output: set([1; 3]),
                    ..shape
                });
                wrong.push(VolumeShape {
                    stride: set([1; 3]),
                    ..shape
                });
                wrong.push(VolumeShape {
                    dilation: set([1; 3]),
                    ..shape
                });
                wrong.push(VolumeShape {
                    kernel: set([1; 3]),
                    ..shape
                });
            }
        }
        wrong.push(VolumeShape {
            groups: 3,
            transposed,
            ..shape
        });
        wrong.push(VolumeShape {
            groups: 0,
            transposed,
            ..shape
        });
    }
    // A padded copy of this image would not fit into memory.
    wrong.push(VolumeShape {
        kernel: [1, 2, 2],
        dilation: [1, 1 << 30, 1 << 30],
        ..shape
    });
    for shape in wrong {
        assert!(shape.check().is_err(), "{shape:?}");
        let pool = Pool::new(1);
        assert!(
            VolumeFilters::new(&pool, shape, InputLayout::Blocked, &[]).is_err(),
            "{shape:?}"
        );
    }
    let pool = Pool::new(1);
    let weights = [0.0; 16];
    let filters = VolumeFilters::new(&pool, shape, InputLayout::Plain, &weights).unwrap();
    assert!(VolumeFilters::new(&pool, shape, InputLayout::Plain, &weights[1..]).is_err());
    let volume = Volume::new(shape, &filters).unwrap();
    let mut y = vec![0.0; blocked_len(&pool, 1, 4, 1).unwrap()];
    let epilogue = Epilogue::default();
    assert!(volume.run(&pool, 1, &[0.0; 4], &epilogue, &mut y).is_ok());
    assert!(volume.run(&pool, 1, &[0.0; 3], &epilogue, &mut y).is_err());
    assert!(volume.run(&pool, 2, &[0.0; 8], &epilogue, &mut y).is_err());
}
