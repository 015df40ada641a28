//! Kernels that are bound by memory or by elementary functions, next to a plain copy. Criterion: `cargo bench -p
//! native-kernels --bench rows`.

mod common;

use std::hint::black_box;

use common::values;
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use native_kernels::elementwise::{Binary, Unary, binary, unary};
use native_kernels::layout::{permute, to_blocked};
use native_kernels::norm::{Softmax, layer_norm, softmax};
use native_kernels::{Activation, Buffer, Pool};

/// An image of 256 channels of 56 × 56: 3 MiB, in the third cache.
const SHAPE: [usize; 2] = [256, 56 * 56];
const LEN: usize = SHAPE[0] * SHAPE[1];

fn rows(criterion: &mut Criterion) {
    let pool = Pool::new(1);
    let x = Buffer::from_slice(&values(LEN));
    let mut group = criterion.benchmark_group("rows");
    group
        .throughput(Throughput::Bytes(8 * LEN as u64))
        .sample_size(30);
    let mut y = Buffer::<f32>::zeroed(LEN);
    group.bench_function("copy", |bench| {
        bench.iter(|| black_box(&mut y).copy_from_slice(black_box(&x)))
    });
    moves(&mut group, &pool, &x, &mut y);
    let ops = [
        ("exp", Unary::Exp),
        ("log", Unary::Log),
        ("erf", Unary::Erf),
        ("tanh", Unary::Activation(Activation::Tanh)),
        ("sigmoid", Unary::Activation(Activation::Sigmoid)),
        ("gelu", Unary::Activation(Activation::Gelu)),
        ("relu", Unary::Activation(Activation::Relu)),
    ];
    for (name, op) in ops {
        group.bench_function(name, |bench| bench.iter(|| unary(&pool, op, &x, &mut y)));
    }
    group.bench_function("add", |bench| {
        bench.iter(|| binary(&pool, Binary::Add, (&[LEN], &x), (&[LEN], &x), &mut y));
    });
    group.bench_function("softmax", |bench| {
        bench.iter(|| softmax(&pool, Softmax::Linear, [LEN / 1024, 1024, 1], &x, &mut y));
    });
    let scale = values(1024);
    group.bench_function("layer norm", |bench| {
        bench.iter(|| layer_norm(&pool, [LEN / 1024, 1024], &x, &scale, Some(&scale), 1e-5, &mut y));
    });
    group.finish();
}

fn moves(group: &mut BenchmarkGroup<WallTime>, pool: &Pool, x: &[f32], y: &mut [f32]) {
    group.bench_function("transpose", |bench| {
        bench.iter(|| permute(pool, &SHAPE, &[1, 0], x, y))
    });
    group.bench_function("to blocked", |bench| {
        bench.iter(|| to_blocked(pool, 1, SHAPE[0], SHAPE[1], x, y));
    });
}

criterion_group!(benches, rows);
criterion_main!(benches);
