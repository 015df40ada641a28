//! Compares products and convolutions of bytes with the peak of the processor:
//! `cargo bench -p native-kernels --bench bytes -- [--threads N]`. Operations are multiplications and
//! additions, as for f32.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod common;

use common::{Candidate, interleaved, peak};
use native_kernels::conv::{ConvShape, Window};
use native_kernels::int8::{
    ByteImages, ByteLayout, Bytes, BytesMut, Dot, Int8Convolution, Int8Weights, Target, gemm_int8,
};
use native_kernels::{Buffer, Pool};

/// Rows, common dimension and columns: layers of transformers, and the last layer of ResNet-50.
const PRODUCTS: [[usize; 3]; 6] = [
    [1, 2048, 1000],
    [1, 4096, 4096],
    [128, 768, 768],
    [128, 768, 3072],
    [128, 3072, 768],
    [512, 1024, 1024],
];

/// Size of the image, channels in and out, kernel, stride: the most expensive layers of ResNet-50.
const CONVOLUTIONS: [[usize; 5]; 12] = [
    [224, 3, 64, 7, 2],
    [56, 64, 64, 1, 1],
    [56, 64, 64, 3, 1],
    [56, 64, 256, 1, 1],
    [56, 256, 64, 1, 1],
    [28, 128, 128, 3, 1],
    [28, 128, 512, 1, 1],
    [14, 256, 256, 3, 1],
    [14, 256, 1024, 1, 1],
    [14, 1024, 256, 1, 1],
    [7, 512, 512, 3, 1],
    [7, 512, 2048, 1, 1],
];

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| ((i * 7919 + 17) >> 3) as u8).collect()
}

fn signed(len: usize) -> Vec<i8> {
    bytes(len).into_iter().map(u8::cast_signed).collect()
}

/// Measures in alternation with the peak, and prints the share of the peak.
fn report(pool: &Pool, name: &str, operations: usize, run: impl FnMut()) {
    let dot = Dot::of(pool.isa());
    let mut work = 0.0;
    let mut candidates = [
        Candidate::new("peak", || work = peak::burst_bytes(dot)),
        Candidate::new(name, run),
    ];
    let times = interleaved(&mut candidates);
    drop(candidates);
    let peak = work / times[0] * pool.threads() as f64;
    let rate = operations as f64 / times[1];
    println!(
        "{name:<28} {:8.3} ms {:6.0} GOP/s ({:2.0}%)",
        times[1] * 1e3,
        rate / 1e9,
        100.0 * rate / peak
    );
}

fn product(pool: &Pool, [m, k, n]: [usize; 3]) {
    let (a, b, scale) = (bytes(m * k), signed(k * n), vec![1e-4; n]);
    let weights = Int8Weights::new(pool, Bytes::Signed(&b), k, n).unwrap();
    let mut c = Buffer::zeroed(m * n);
    report(pool, &format!("{m} × {k} × {n}"), 2 * m * k * n, || {
        let target = Target::Bytes {
            y: BytesMut::Unsigned(&mut c),
            scale: &scale,
            zero: 3,
        };
        gemm_int8(pool, m, Bytes::Unsigned(&a), &[131], &weights, &[0], target).unwrap();
    });
}

fn convolution(pool: &Pool, [size, ins, outs, kernel, stride]: [usize; 5]) {
    let window = Window::square(kernel, stride, kernel / 2);
    let shape = ConvShape {
        in_channels: ins,
        out_channels: outs,
        groups: 1,
        window,
    };
    let pixels: usize = window.output([size; 2]).unwrap().iter().product();
    let layout = ByteLayout::ChannelsLast;
    let (x, w) = (
        bytes(layout.len(1, ins, size * size).unwrap()),
        signed(outs * ins * kernel * kernel),
    );
    let (scale, bias) = (vec![1e-4; outs], vec![1000; outs]);
    let convolution = Int8Convolution::new(pool, shape, Bytes::Signed(&w), &[0]).unwrap();
    let mut y = Buffer::zeroed(layout.len(1, outs, pixels).unwrap());
    let images = ByteImages {
        batch: 1,
        size: [size; 2],
        layout,
        x: Bytes::Unsigned(&x),
        zero: 131,
    };
    let name = format!("{size}² {ins} → {outs} {kernel}/{stride}");
    report(pool, &name, 2 * w.len() * pixels, || {
        let target = Target::Bytes {
            y: BytesMut::Unsigned(&mut y),
            scale: &scale,
            zero: 3,
        };
        convolution
            .run(pool, &images, Some(&bias), layout, target)
            .unwrap();
    });
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let threads = arguments.iter().position(|word| word == "--threads");
    let threads = threads.map_or(1, |at| arguments[at + 1].parse().unwrap());
    let pool = Pool::new(threads);
    let dot = Dot::of(pool.isa());
    println!("{threads} threads, {dot:?}; share of the peak in the same rounds");
    PRODUCTS.into_iter().for_each(|extents| product(&pool, extents));
    CONVOLUTIONS
        .into_iter()
        .for_each(|layer| convolution(&pool, layer));
}
