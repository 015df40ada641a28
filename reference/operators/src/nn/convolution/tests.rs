//! Convolutions are compared, bit by bit, with their definition: for each output the terms in their order,
//! in blocks, with a product with zero where the input ends.

use std::num::NonZeroUsize;

use onnx_arithmetic::product::DEPTH;
use onnx_arithmetic::threads;

use super::*;
use crate::nn::window::WindowAxis;

/// A spatial axis: input, kernel, stride, dilation and the pads on both sides.
type Axis = [usize; 5];

/// Batch, groups, channels and output channels of a group.
type Channels = [usize; 4];

fn forward(axes: &[Axis]) -> Vec<WindowAxis> {
    let axis = |&[input, kernel, stride, dilation, pad]: &Axis| WindowAxis {
        input,
        output: (input + 2 * pad - (kernel - 1) * dilation - 1) / stride + 1,
        kernel,
        stride,
        dilation,
        begin: pad as i64,
        end: pad as i64,
    };
    axes.iter().map(axis).collect()
}

fn transposed(axes: &[Axis]) -> Vec<WindowAxis> {
    let axis = |&[input, kernel, stride, dilation, pad]: &Axis| WindowAxis {
        input,
        output: (input - 1) * stride + (kernel - 1) * dilation + 1 - 2 * pad,
        kernel,
        stride,
        dilation,
        begin: pad as i64,
        end: pad as i64,
    };
    axes.iter().map(axis).collect()
}

fn convolution(
    axes: &[WindowAxis],
    [batch, groups, channels, maps]: Channels,
    run: fn(&WindowAxis, usize) -> Run,
) -> Convolution {
    Convolution {
        batch,
        groups,
        channels: groups * channels,
        maps: groups * maps,
        input: axes.iter().map(|axis| axis.input).collect(),
        output: axes.iter().map(|axis| axis.output).collect(),
        runs: axes
            .iter()
            .map(|axis| (0..axis.kernel).map(|k| run(axis, k)).collect())
            .collect(),
    }
}

/// The row-major index of what output position `output` reads at element `tap` of the kernel.
fn read(axes: &[WindowAxis], transposed: bool, output: usize, tap: usize) -> Option<usize> {
    let (mut output, mut tap, mut place, mut stride) = (output, tap, 0, 1);
    for axis in axes.iter().rev() {
        let (at, k) = (
            (output % axis.output) as i64,
            (tap % axis.kernel * axis.dilation) as i64,
        );
        let step = axis.stride as i64;
        let input = if transposed {
            let beyond = at + axis.begin - k;
            if beyond % step != 0 { -1 } else { beyond / step }
        } else {
            at * step + k - axis.begin
        };
        if !(0..axis.input as i64).contains(&input) {
            return None;
        }
        place += input as usize * stride;
        (output, tap, stride) = (output / axis.output, tap / axis.kernel, stride * axis.input);
    }
    Some(place)
}

/// The results by definition. `by_element` adds each product to the sum, and none with zero.
fn expected(
    this: &Convolution,
    axes: &[WindowAxis],
    transposed: bool,
    by_element: bool,
    (x, w, start): (&[f32], &[f32], &[f64]),
) -> Vec<f32> {
    let (maps, channels, taps) = (this.maps / this.groups, this.channels / this.groups, this.taps());
    let plane: usize = this.input.iter().product();
    let mut results = Vec::new();
    for (index, output) in
        (0..this.batch * this.maps).flat_map(|index| (0..this.positions()).map(move |o| (index, o)))
    {
        let (image, map) = (index / this.maps, index % this.maps);
        let group = map / maps;
        let (mut sum, mut partial) = (start[map], 0.0_f64);
        for term in 0..channels * taps {
            let (channel, tap) = (term / taps, term % taps);
            let x = read(axes, transposed, output, tap)
                .map(|place| x[(image * this.channels + group * channels + channel) * plane + place]);
            let w = f64::from(
                w[if transposed {
                    ((group * channels + channel) * maps + map % maps) * taps + tap
                } else {
                    (map * channels + channel) * taps + tap
                }],
            );
            match x {
                Some(x) if by_element => sum += w * f64::from(x),
                None if by_element => {}
                x => partial = w.mul_add(f64::from(x.unwrap_or(0.0)), partial),
            }
            if !by_element && (term % DEPTH == DEPTH - 1 || term == channels * taps - 1) {
                sum += partial;
                partial = 0.0;
            }
        }
        results.push(sum as f32);
    }
    results
}

/// Numbers of very different magnitudes, with pairs that cancel; some are not finite if `special` is set.
fn numbers(count: usize, seed: u64, special: bool) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut last = 0.0;
    let number = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let unit = (state >> 40) as f32 / (1_u32 << 23) as f32 - 1.0;
        last = match state % 64 {
            0..8 => -last,
            8..10 => unit * 1e30,
            10..12 => unit * 1e-40,
            12..16 => 0.0 * unit,
            16 if special => f32::INFINITY,
            17 if special => f32::NAN,
            _ => unit,
        };
        last
    };
    (0..count).map(number).collect()
}

fn check(axes: &[Axis], channels: Channels, is_transposed: bool, special: [bool; 2], seed: u64) {
    let (axes, run): (_, fn(&WindowAxis, usize) -> Run) = if is_transposed {
        (transposed(axes), Run::transposed)
    } else {
        (forward(axes), Run::forward)
    };
    let this = convolution(&axes, channels, run);
    let plane: usize = this.input.iter().product();
    let x = numbers(this.batch * this.channels * plane, seed, special[0]);
    let w = numbers(
        this.channels * this.maps / this.groups * this.taps(),
        seed + 1,
        special[1],
    );
    let start: Vec<f64> = numbers(this.maps, seed + 2, false)
        .into_iter()
        .map(f64::from)
        .collect();
    let by_element = is_transposed && special[1];
    let expected = expected(&this, &axes, is_transposed, by_element, (&x, &w, &start));
    let finish = |_, sums: &[f64], result: &mut [f32]| f32::finish_all(sums, result);
    for count in [1, 3] {
        let count = NonZeroUsize::new(count).expect("a positive number");
        let found = threads::with(count, || match (is_transposed, by_element) {
            (false, _) => this
                .run::<f32, f32>(&x, &w, &start, &finish)
                .expect("the operands fit"),
            (true, false) => this
                .run_transposed::<f32, f32>(&x, &w, &start, &finish)
                .expect("the operands fit"),
            (true, true) => this.run_transposed_by_element::<f32, f32>(&x, &w, &start, &finish),
        });
        let same = |(x, y): (&f32, &f32)| x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan();
        assert_eq!(found.len(), expected.len());
        assert!(
            found.iter().zip(&expected).all(same),
            "{this:?}, transposed: {is_transposed}, {special:?}"
        );
    }
}

#[test]
fn results_are_those_of_the_definition() {
    let axes: [&[Axis]; 8] = [
        &[[9, 3, 1, 1, 1]],
        &[[40, 16, 5, 1, 3]],
        &[[7, 2, 3, 2, 0]],
        &[[12, 3, 1, 1, 1], [10, 3, 2, 1, 1]],
        &[[6, 1, 1, 1, 0], [7, 1, 1, 1, 0]],
        &[[9, 4, 2, 1, 1], [9, 4, 2, 1, 1]],
        &[[11, 3, 2, 3, 2], [5, 2, 3, 1, 0]],
        &[[5, 2, 2, 1, 0], [4, 3, 1, 1, 1], [6, 2, 1, 2, 1]],
    ];
    let channels = [[1, 1, 1, 1], [2, 3, 2, 1], [1, 1, 40, 9], [1, 2, 7, 5]];
    let mut seed = 0;
    for (axes, channels) in axes
        .iter()
        .flat_map(|axes| channels.map(|channels| (axes, channels)))
    {
        for is_transposed in [false, true] {
            for special in [[false, false], [true, false], [true, true]] {
                seed += 3;
                check(axes, channels, is_transposed, special, seed);
            }
        }
    }
}
