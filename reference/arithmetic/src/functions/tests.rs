//! What an estimate decides is compared with the formula in f64, whose value is rounded.

use super::*;
use crate::isa::on_each;

type Formula = fn(f64) -> f64;

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + libm::exp(-x))
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

fn mish(x: f64) -> f64 {
    x * libm::tanh(softplus(x))
}

fn power(exponent: f64, negative: f64) -> Function {
    Function::Power { exponent, negative }
}

const GELU_TANH: [f64; 2] = [1.595_769_121_605_730_7, 0.044715];

fn functions() -> Vec<(Function, Formula)> {
    let [scale, cubic] = GELU_TANH;
    vec![
        (Function::Exp, libm::exp),
        (Function::Log, libm::log),
        (Function::Sigmoid, sigmoid),
        (Function::Tanh, libm::tanh),
        (Function::Erf, libm::erf),
        (Function::Gelu, |x| {
            0.5 * x * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
        }),
        (Function::GeluTanh { scale, cubic }, |x| {
            let [scale, cubic] = GELU_TANH;
            x * sigmoid(scale * (x + cubic * x * x * x))
        }),
        (Function::Softplus, softplus),
        (
            Function::Elu {
                alpha: 1.5,
                gamma: 1.25,
            },
            |x| {
                if x < 0.0 {
                    1.25 * (1.5 * libm::expm1(x))
                } else {
                    1.25 * x
                }
            },
        ),
        (Function::Mish, mish),
        (Function::Swish { alpha: 1.702 }, |x| x * sigmoid(1.702 * x)),
        (Function::Sin, libm::sin),
        (Function::Cos, libm::cos),
        (Function::Floor, f64::floor),
        (Function::Ceil, f64::ceil),
        (Function::Round, f64::round_ties_even),
        (Function::Square, |x| libm::pow(x.abs(), 2.0)),
        (power(3.0, -1.0), |x| libm::pow(x.abs(), 3.0) * x.signum()),
        (power(-4.0, 1.0), |x| libm::pow(x.abs(), -4.0)),
        (power(-0.5, f64::NAN), |x| libm::pow(x, -0.5)),
        (power(0.3, f64::NAN), |x| libm::pow(x, 0.3)),
        (power(1e5, 1.0), |x| libm::pow(x.abs(), 1e5)),
        (Function::Sqrt, f64::sqrt),
        (Function::Reciprocal, f64::recip),
        (Function::Softsign, |x| x / (1.0 + x.abs())),
        (
            Function::HardSigmoid {
                alpha: 0.2,
                beta: 0.5,
            },
            |x| 0.2_f64.mul_add(x, 0.5).clamp(0.0, 1.0),
        ),
        (Function::HardSwish, |x| {
            if x >= 3.0 { x } else { x * (x + 3.0).max(0.0) / 6.0 }
        }),
        (Function::LeakyRelu { alpha: 0.01 }, |x| {
            if x < 0.0 { 0.01 * x } else { x }
        }),
    ]
}

/// Every bit pattern with a distance of `FUNCTIONS_STRIDE` (65,521 if it is not set), and zeros.
fn patterns() -> Vec<f32> {
    let stride = std::env::var("FUNCTIONS_STRIDE").map_or(65_521, |stride| stride.parse().unwrap());
    (0..=u32::MAX)
        .step_by(stride)
        .map(f32::from_bits)
        .chain([0.0, -0.0, 1.0, -1.0])
        .collect()
}

#[test]
fn what_is_decided_is_the_rounded_formula() {
    let x = patterns();
    for (function, formula) in functions() {
        for (y, undecided) in on_each(|| {
            let mut y = vec![0.0; x.len()];
            let undecided = evaluate(function, &x, &mut y);
            (y, undecided)
        }) {
            let mut open = vec![false; x.len()];
            undecided.iter().for_each(|&place| open[place] = true);
            for ((&x, &y), open) in x.iter().zip(&y).zip(&open) {
                let expected = formula(f64::from(x)) as f32;
                assert!(
                    *open || y.to_bits() == expected.to_bits(),
                    "{function:?} of {x:e}: {y:e}, {expected:e}"
                );
            }
        }
    }
}

/// Arguments as they are in networks are decided, except in the tail of Gelu, where 1 + erf z cancels.
#[test]
fn few_arguments_are_left() {
    let x: Vec<f32> = (1..100_000_u32)
        .map(|at| (f64::from(at) / 1e4 - 4.99) as f32)
        .collect();
    for (function, _) in functions() {
        let x: Vec<f32> = match function {
            Function::Log | Function::Sqrt | Function::Power { .. } => {
                x.iter().map(|x| x.abs() + 1e-3).collect()
            }
            _ => x.clone(),
        };
        let undecided = evaluate(function, &x, &mut vec![0.0; x.len()]).len();
        let most = if function == Function::Gelu { 2000 } else { 200 };
        assert!(undecided < most, "{function:?}: {undecided} of {}", x.len());
    }
}

#[test]
fn decided_rows_are_the_rounded_formula() {
    check_rows(
        |x, y| softmax(x, y, &mut vec![0.0; x.len()]),
        |x, greatest, sum| libm::exp(x - greatest) / sum,
    );
    check_rows(log_softmax, |x, greatest, sum| x - greatest - libm::log(sum));
}

/// `formula` of an element, the greatest of its row, and the sum of the powers.
fn check_rows(estimate: fn(&[f32], &mut [f32]) -> bool, formula: fn(f64, f64, f64) -> f64) {
    let row = |seed: usize| -> Vec<f32> {
        (0..97 + seed % 13)
            .map(|at| ((at * 7919 + seed * 104_729) % 1000) as f32 / 37.0 - 13.0)
            .collect()
    };
    let mut decided = 0;
    for seed in 0..300 {
        let x = row(seed);
        let greatest = f64::from(x.iter().copied().fold(f32::NEG_INFINITY, f32::max));
        let sum = x.iter().map(|&x| libm::exp(f64::from(x) - greatest)).sum();
        for (y, all) in on_each(|| {
            let mut y = vec![0.0; x.len()];
            let all = estimate(&x, &mut y);
            (y, all)
        }) {
            decided += usize::from(all);
            let expected = x.iter().map(|&x| formula(x.into(), greatest, sum) as f32);
            assert!(!all || y.iter().copied().eq(expected), "row {seed}");
        }
    }
    assert!(decided > 800, "only {decided} of 900 rows are decided");
}
