//! Tests the stated bounds of the elementary functions on a dense sample of all f32 (all of them:
//! `examples/ulp.rs`).

use native_kernels::elementwise::{Unary, unary};
use native_kernels::{Activation, Isa, Pool};

#[test]
fn errors_are_within_the_stated_bounds() {
    // A prime distance covers every exponent and all patterns of low bits.
    let x: Vec<f32> = (0..=u32::MAX).step_by(10_007).map(f32::from_bits).collect();
    let mut y = vec![0.0; x.len()];
    let pools: Vec<Pool> = Isa::available()
        .into_iter()
        .map(|isa| Pool::with_isa(1, isa).unwrap())
        .collect();
    for function in crate::ulp::functions() {
        for (pool, (worst, at)) in pools.iter().zip(function.worst(&pools, &x, &mut y)) {
            let (name, bound) = (function.name, function.bound);
            assert!(
                worst <= bound,
                "{name} {:?}: {worst} ULP at {at:e} ({:#x})",
                pool.isa(),
                at.to_bits()
            );
        }
    }
}

#[test]
fn limits_are_correct() {
    let inf = f32::INFINITY;
    let nan = f32::NAN;
    let cases: [(Unary, &[(f32, f32)]); 14] = [
        (
            Unary::Exp,
            &[
                (inf, inf),
                (-inf, 0.0),
                (0.0, 1.0),
                (100.0, inf),
                (-110.0, 0.0),
                (f32::NAN, f32::NAN),
            ],
        ),
        (
            Unary::Log,
            &[
                (inf, inf),
                (0.0, -inf),
                (-0.0, -inf),
                (1.0, 0.0),
                (-1.0, f32::NAN),
                (f32::NAN, f32::NAN),
            ],
        ),
        (
            Unary::Erf,
            &[(inf, 1.0), (-inf, -1.0), (-0.0, -0.0), (f32::NAN, f32::NAN)],
        ),
        (Unary::Sin, &[(inf, nan), (-inf, nan), (-0.0, -0.0), (nan, nan)]),
        (Unary::Cos, &[(inf, nan), (-0.0, 1.0), (nan, nan)]),
        (
            Unary::Asin,
            &[
                (-0.0, -0.0),
                (1.0, std::f32::consts::FRAC_PI_2),
                (1.5, nan),
                (nan, nan),
            ],
        ),
        (
            Unary::Atan,
            &[
                (inf, std::f32::consts::FRAC_PI_2),
                (-inf, -std::f32::consts::FRAC_PI_2),
                (-0.0, -0.0),
                (nan, nan),
            ],
        ),
        (
            Unary::Activation(Activation::Tanh),
            &[(inf, 1.0), (-inf, -1.0), (-0.0, -0.0), (f32::NAN, f32::NAN)],
        ),
        (
            Unary::Activation(Activation::Sigmoid),
            &[(inf, 1.0), (-inf, 0.0), (0.0, 0.5), (f32::NAN, f32::NAN)],
        ),
        (
            Unary::Activation(Activation::Relu),
            &[(inf, inf), (-inf, 0.0), (f32::NAN, f32::NAN)],
        ),
        // x · 0 at -∞.
        (
            Unary::Activation(Activation::Gelu),
            &[
                (inf, inf),
                (-inf, nan),
                (f32::MAX, f32::MAX),
                (0.0, 0.0),
                (nan, nan),
            ],
        ),
        (
            Unary::Activation(Activation::GeluTanh),
            &[
                (inf, inf),
                (-inf, nan),
                (f32::MAX, f32::MAX),
                (0.0, 0.0),
                (nan, nan),
            ],
        ),
        (
            Unary::Activation(Activation::Swish { alpha: 1.0 }),
            &[
                (inf, inf),
                (-inf, nan),
                (f32::MAX, f32::MAX),
                (0.0, 0.0),
                (nan, nan),
            ],
        ),
        (
            Unary::Activation(Activation::HardSwish {
                alpha: 1.0 / 6.0,
                beta: 0.5,
            }),
            &[
                (inf, inf),
                (-inf, nan),
                (f32::MAX, f32::MAX),
                (0.0, 0.0),
                (nan, nan),
            ],
        ),
    ];
    for isa in Isa::available() {
        let pool = Pool::with_isa(1, isa).unwrap();
        for (op, pairs) in cases {
            for (x, expected) in pairs {
                let mut y = [0.0];
                unary(&pool, op, &[*x], &mut y).unwrap();
                let same = y[0].to_bits() == expected.to_bits() || (y[0].is_nan() && expected.is_nan());
                assert!(same, "{isa:?} {op:?} of {x} is {}, expected {expected}", y[0]);
            }
        }
    }
}
