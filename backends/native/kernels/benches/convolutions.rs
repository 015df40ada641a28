//! Compares convolutions of the light zoo models with the peak of the processor:
//! `cargo bench -p native-kernels --bench convolutions -- [--threads N] [model…]`.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod common;

use std::cell::RefCell;

use common::zoo::{self, Work};
use common::{Candidate, interleaved, peak, values};
use native_kernels::conv::{
    ConvShape, Convolution, Depthwise, InputLayout, Interleaved, Winograd, WinogradTile,
};
use native_kernels::{Activation, Bias, Buffer, Epilogue, Pool, PoolOptions};

/// An algorithm for a convolution.
enum Algorithm {
    Direct(Convolution),
    Depthwise(Depthwise),
    Interleaved(Interleaved),
    Winograd(Winograd),
}

impl Algorithm {
    fn run(&self, pool: &Pool, size: usize, x: &[f32], epilogue: &Epilogue, y: &mut [f32]) {
        let size = [size; 2];
        match self {
            Self::Direct(conv) => conv.run(pool, 1, size, x, epilogue, y),
            Self::Depthwise(conv) => conv.run(pool, 1, size, x, epilogue, y),
            Self::Interleaved(conv) => conv.run(pool, 1, size, x, epilogue, y),
            Self::Winograd(conv) => conv.run(pool, 1, size, x, epilogue, y),
        }
        .unwrap();
    }
}

/// Returns all applicable algorithms; the first never changes the order of sums.
fn algorithms(pool: &Pool, shape: ConvShape) -> Vec<(&'static str, Algorithm)> {
    let weights = values(
        shape.out_channels * shape.in_channels / shape.groups * shape.window.kernel.iter().product::<usize>(),
    );
    if Depthwise::fits(&shape) {
        return vec![(
            "depthwise",
            Algorithm::Depthwise(Depthwise::new(pool, shape, &weights).unwrap()),
        )];
    }
    let layout = if shape.in_channels < 8 {
        InputLayout::Plain
    } else {
        InputLayout::Blocked
    };
    let direct = Algorithm::Direct(Convolution::new(pool, shape, layout, &weights).unwrap());
    let mut algorithms = vec![("direct", direct)];
    // The order that a channel shuffle produces; the sums are those of the direct algorithm.
    let out_groups: Vec<usize> = (0..shape.out_channels)
        .map(|out| (out + 1) % shape.groups)
        .collect();
    if Interleaved::fits(pool.isa(), &shape, &out_groups) {
        let interleaved = Interleaved::new(pool, shape, &out_groups, &weights).unwrap();
        algorithms.insert(0, ("interleaved", Algorithm::Interleaved(interleaved)));
    }
    if Winograd::fits(&shape) && layout == InputLayout::Blocked {
        for (name, tile) in [("F(2,3)", WinogradTile::Two), ("F(4,3)", WinogradTile::Four)] {
            algorithms.push((
                name,
                Algorithm::Winograd(Winograd::new(pool, shape, tile, &weights).unwrap()),
            ));
        }
    }
    algorithms
}

/// Returns the seconds of the peak's burst, then of each algorithm, all in the same rounds; and the
/// operations of the burst.
fn measure(pool: &Pool, size: usize, shape: ConvShape, algorithms: &[(&str, Algorithm)]) -> (Vec<f64>, f64) {
    let [oh, ow] = shape.window.output([size; 2]).unwrap();
    let bias = values(shape.out_channels);
    let x = Buffer::from_slice(&values(shape.in_channels.next_multiple_of(16) * size * size));
    let y = RefCell::new(Buffer::zeroed(shape.out_channels.next_multiple_of(16) * oh * ow));
    let epilogue = Epilogue {
        bias: Bias::Column(&bias),
        activation: Activation::Relu,
        ..Epilogue::default()
    };
    let mut work = 0.0;
    let mut candidates = vec![Candidate::new("peak", || work = peak::burst(pool.isa()))];
    for (name, algorithm) in algorithms {
        let (x, y, epilogue) = (&x, &y, &epilogue);
        candidates.push(Candidate::new(*name, move || {
            algorithm.run(pool, size, x, epilogue, &mut y.borrow_mut());
        }));
    }
    let times = interleaved(&mut candidates);
    drop(candidates);
    (times, work)
}

/// Seconds of a model: with the first algorithm of each layer, with the faster of that and F(2,3), with the
/// fastest; and at the peak.
#[derive(Default)]
struct Sum {
    exact: f64,
    two: f64,
    best: f64,
    at_peak: f64,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let mut threads = 1;
    if let Some(at) = arguments.iter().position(|word| word == "--threads") {
        threads = arguments[at + 1].parse().unwrap();
        arguments.drain(at..at + 2);
    }
    let pool = Pool::with_options(PoolOptions {
        threads,
        ..PoolOptions::default()
    })
    .unwrap();
    println!(
        "{threads} threads, {:?}; peak of one core {:.0} GFLOP/s, stream {:.1} GB/s",
        pool.isa(),
        peak::measure(pool.isa()),
        peak::memory()
    );
    println!(
        "count image in → out kernel/stride groups: GFLOP/s (% of the peak in the same rounds), other algorithms"
    );
    for (model, layers) in zoo::models() {
        if !arguments.is_empty() && !arguments.iter().any(|name| name == model) {
            continue;
        }
        let mut sum = Sum::default();
        for layer in &layers {
            let Work::Convolution { size, shape } = layer.work else {
                continue;
            };
            report(&pool, layer.count, size, shape, &mut sum);
        }
        println!(
            "= {model}: {:.2} ms ({:.0}% of the peak); with F(2,3) {:.2}, with the fastest {:.2}",
            sum.exact * 1e3,
            100.0 * sum.at_peak / sum.exact,
            sum.two * 1e3,
            sum.best * 1e3
        );
    }
}

fn report(pool: &Pool, count: usize, size: usize, shape: ConvShape, sum: &mut Sum) {
    let algorithms = algorithms(pool, shape);
    let (times, work) = measure(pool, size, shape, &algorithms);
    let window = shape.window;
    let pixels: usize = window.output([size; 2]).unwrap().iter().product();
    let taps: usize = window.kernel.iter().product();
    let operations = (2 * shape.out_channels * shape.in_channels / shape.groups * taps * pixels) as f64;
    let peak = work / times[0] * pool.threads() as f64;
    let first = times[1];
    let (ins, outs) = (shape.in_channels, shape.out_channels);
    print!(
        "{count:>2} {size:>3}² {ins:>4} → {outs:<4} {}/{} g{:<3} {:7.3} ms {:4.0} ({:2.0}%)",
        window.kernel[0],
        window.stride[0],
        shape.groups,
        first * 1e3,
        operations / first / 1e9,
        100.0 * operations / first / peak
    );
    if Depthwise::fits(&shape) {
        // Few operations per value: memory traffic of image and result is the bound.
        let values = shape.in_channels * size * size + shape.out_channels * pixels;
        print!("  {:.0} GB/s", (values * size_of::<f32>()) as f64 / first / 1e9);
    }
    let of = |wanted: &str| {
        let found = algorithms.iter().position(|(name, _)| *name == wanted);
        found.map_or(f64::INFINITY, |at| times[at + 1])
    };
    for ((name, _), time) in algorithms.iter().zip(&times[1..]).skip(1) {
        print!("  {name} ×{:.2}", first / time);
    }
    println!();
    let count = count as f64;
    let two = of("F(2,3)").min(first);
    sum.exact += count * first;
    sum.two += count * two;
    sum.best += count * of("F(4,3)").min(two);
    sum.at_peak += count * operations / peak;
}
