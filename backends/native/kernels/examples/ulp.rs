//! Measures the error of the elementary functions over every f32, on each instruction set of this machine. It
//! takes minutes.
//!
//! `cargo run --release -p native-kernels --example ulp [function…]`
#![allow(clippy::print_stdout, reason = "a program that prints its result")]

#[path = "../tests/suite/ulp/mod.rs"]
mod ulp;

use native_kernels::{Isa, Pool};

/// The number of arguments evaluated at a time.
const CHUNK: usize = 1 << 12;

fn main() -> Result<(), String> {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let pools = Isa::available()
        .into_iter()
        .map(|isa| Pool::with_isa(1, isa).map_err(|error| error.to_string()));
    let pools: Vec<Pool> = pools.collect::<Result<_, _>>()?;
    let mut exceeded = Vec::new();
    for function in ulp::functions() {
        if !wanted.is_empty() && !wanted.iter().any(|name| name == function.name) {
            continue;
        }
        for (pool, (worst, at)) in pools.iter().zip(everywhere(&function, &pools)) {
            let isa = pool.isa();
            println!(
                "{:<10} {isa:?}: {worst:.3} ULP at {at:e} ({:#010x})",
                function.name,
                at.to_bits()
            );
            if worst > function.bound {
                exceeded.push(format!("{} {isa:?}", function.name));
            }
        }
    }
    if exceeded.is_empty() {
        Ok(())
    } else {
        Err(format!("the stated bound is exceeded: {}", exceeded.join(", ")))
    }
}

/// Returns the largest error of each pool over all arguments; negative and positive ones run on separate
/// threads.
fn everywhere(function: &ulp::Function, pools: &[Pool]) -> Vec<(f64, f32)> {
    let halves = std::thread::scope(|scope| {
        let half = |start: u32| {
            let mut worst = vec![(0.0, 0.0); pools.len()];
            let mut y = vec![0.0; CHUNK];
            for chunk in 0..(1u32 << 31) / CHUNK as u32 {
                let first = start + chunk * CHUNK as u32;
                let x: Vec<f32> = (0..CHUNK as u32).map(|i| f32::from_bits(first + i)).collect();
                merge(&mut worst, &function.worst(pools, &x, &mut y));
            }
            worst
        };
        let other = scope.spawn(move || half(1 << 31));
        let own = half(0);
        (own, other.join())
    });
    let (mut worst, other) = halves;
    match other {
        Ok(other) => merge(&mut worst, &other),
        Err(panic) => std::panic::resume_unwind(panic),
    }
    worst
}

fn merge(worst: &mut [(f64, f32)], other: &[(f64, f32)]) {
    for (worst, other) in worst.iter_mut().zip(other) {
        if other.0 > worst.0 {
            *worst = *other;
        }
    }
}
