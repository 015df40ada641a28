//! Benchmarks of kernels that are bound by memory or by elementary functions, with criterion and processor
//! time: `cargo bench -p native-kernels --bench rows`.
//!
//! Bytes are those read and written once; `copy` is the upper limit.
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

mod common;

use std::hint::black_box;
use std::time::Duration;

use common::{peak, thread_seconds, values};
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use native_kernels::conv::Window;
use native_kernels::elementwise::{Binary, ChannelLayout, Unary, affine, binary, unary};
use native_kernels::half::f16_to_f32;
use native_kernels::layout::{from_blocked, permute, to_blocked};
use native_kernels::norm::{Lrn, Softmax, layer_norm, lrn, softmax};
use native_kernels::pool::{PoolShape, Pooling, pool as pool_image};
use native_kernels::reduce::{Reduction, reduce};
use native_kernels::{Activation, Buffer, Pool};

/// An image of 256 channels of 56 × 56: 3 MiB, which fits into the L3 cache.
const SHAPE: [usize; 2] = [256, 56 * 56];
const LEN: usize = SHAPE[0] * SHAPE[1];

/// Measures `work` by the processor time of this thread, which excludes time of other programs.
fn time(group: &mut BenchmarkGroup<WallTime>, name: &str, mut work: impl FnMut()) {
    group.bench_function(name, |bench| {
        bench.iter_custom(|runs| {
            let start = thread_seconds();
            (0..runs).for_each(|_| work());
            Duration::from_secs_f64(thread_seconds() - start)
        });
    });
}

fn group<'a>(
    criterion: &'a mut Criterion,
    name: &str,
    throughput: Throughput,
) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .throughput(throughput)
        .sample_size(30)
        .warm_up_time(Duration::from_millis(100))
        .measurement_time(Duration::from_millis(500));
    group
}

fn rows(criterion: &mut Criterion) {
    let pool = Pool::new(1);
    println!(
        "one thread, {:?}; peak {:.0} GFLOP/s, stream {:.1} GB/s",
        pool.isa(),
        peak::measure(pool.isa()),
        peak::memory()
    );
    let x = Buffer::from_slice(&values(LEN));
    let mut y = Buffer::<f32>::zeroed(LEN);
    let mut group = group(criterion, "rows", Throughput::Bytes(8 * LEN as u64));
    time(&mut group, "copy", || {
        black_box(&mut y).copy_from_slice(black_box(&x))
    });
    moves(&mut group, &pool, &x, &mut y);
    functions(&mut group, &pool, &x, &mut y);
    normalisations(&mut group, &pool, &x, &mut y);
    group.finish();
}

fn moves(group: &mut BenchmarkGroup<WallTime>, pool: &Pool, x: &[f32], y: &mut [f32]) {
    let [channels, pixels] = SHAPE;
    time(group, "transpose", || {
        permute(pool, &SHAPE, &[1, 0], x, y).unwrap()
    });
    time(group, "shuffle of channels", || {
        permute(pool, &[4, channels / 4, pixels], &[1, 0, 2], x, y).unwrap();
    });
    time(group, "to blocked", || {
        to_blocked(pool, 1, channels, pixels, x, y).unwrap()
    });
    time(group, "from blocked", || {
        from_blocked(pool, 1, channels, pixels, x, y).unwrap()
    });
}

fn functions(group: &mut BenchmarkGroup<WallTime>, pool: &Pool, x: &[f32], y: &mut [f32]) {
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
        time(group, name, || unary(pool, op, x, y).unwrap());
    }
    time(group, "add (reads twice)", || {
        binary(pool, Binary::Add, (&[LEN], x), (&[LEN], x), y).unwrap();
    });
}

fn normalisations(group: &mut BenchmarkGroup<WallTime>, pool: &Pool, x: &[f32], y: &mut [f32]) {
    let [channels, pixels] = SHAPE;
    let scale = values(1024);
    let blocked = ChannelLayout::Blocked;
    let size = [1, channels, pixels];
    time(group, "softmax", || {
        softmax(pool, Softmax::Linear, [LEN / 1024, 1024, 1], x, y).unwrap()
    });
    time(group, "layer norm", || {
        layer_norm(pool, [LEN / 1024, 1024], x, &scale, Some(&scale), 1e-5, y).unwrap();
    });
    time(group, "affine", || {
        affine(pool, blocked, size, &scale, &scale, Activation::Relu, x, y).unwrap();
    });
    let local = Lrn {
        size: 5,
        alpha: 1e-4,
        beta: 0.75,
        bias: 1.0,
    };
    time(group, "lrn", || lrn(pool, blocked, size, local, x, y).unwrap());
}

/// Kernels that read more than they write: bytes are those of the source.
fn images(criterion: &mut Criterion) {
    let pool = Pool::new(1);
    let x = Buffer::from_slice(&values(LEN));
    let mut y = Buffer::<f32>::zeroed(LEN);
    let mut group = group(criterion, "images", Throughput::Bytes(4 * LEN as u64));
    for (name, kernel, stride, pad, pooling) in [
        ("max pool 3/2", 3, 2, 0, Pooling::Max),
        ("max pool 3/1", 3, 1, 1, Pooling::Max),
        ("mean pool 2/2", 2, 2, 0, Pooling::Average { include_pad: false }),
    ] {
        let shape = PoolShape {
            window: Window::square(kernel, stride, pad),
            pooling,
            ceil_mode: false,
        };
        time(&mut group, name, || {
            pool_image(
                &pool,
                ChannelLayout::Blocked,
                [1, SHAPE[0]],
                [56, 56],
                &shape,
                &x,
                &mut y,
            )
            .unwrap();
        });
    }
    time(&mut group, "mean of rows", || {
        reduce(&pool, Reduction::Mean, [SHAPE[0], SHAPE[1], 1], &x, &mut y).unwrap();
    });
    let narrow = vec![0x3c00; LEN];
    time(&mut group, "f16 to f32", || {
        f16_to_f32(&pool, &narrow, &mut y).unwrap()
    });
    group.finish();
}

criterion_group!(benches, rows, images);
criterion_main!(benches);
