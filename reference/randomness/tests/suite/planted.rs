//! Correct generators pass, and planted faults fail, each in the expected test.

use onnx_randomness::{Contract, Violation, reproducible};
use onnx_tensor::{Tensor, bf16, f16};
use rand::RngExt;
use rand::distr::weighted::WeightedIndex;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rand_distr::{Distribution, Exp, Normal, StandardUniform};

const COUNT: usize = 20_000;

/// The test that detects a planted fault.
#[derive(PartialEq, Debug)]
enum Found {
    Nothing,
    Count,
    Support,
    Moment,
    Fit,
}

fn check(what: &str, contract: &Contract, output: &Tensor, expected: Found) {
    let verdict = contract.judge(output);
    let found = match &verdict {
        Ok(_) => Found::Nothing,
        Err(Violation::Count { .. }) => Found::Count,
        Err(Violation::Support { .. }) => Found::Support,
        Err(Violation::Moment { .. }) => Found::Moment,
        Err(Violation::Fit { .. }) => Found::Fit,
        Err(other) => panic!("{what}: {other}"),
    };
    assert_eq!(found, expected, "{what}: {verdict:?}");
}

fn draw(seed: u64, from: impl Distribution<f64>) -> Vec<f64> {
    ChaCha8Rng::seed_from_u64(seed)
        .sample_iter(from)
        .take(COUNT)
        .collect()
}

fn floats(values: &[f64]) -> Tensor {
    Tensor::vector(values.iter().map(|&value| value as f32).collect())
}

fn shaped(values: Vec<f64>, change: impl Fn(usize, f64) -> f64) -> Tensor {
    let changed: Vec<f64> = values
        .into_iter()
        .enumerate()
        .map(|(index, value)| change(index, value))
        .collect();
    floats(&changed)
}

fn gauss(seed: u64) -> Vec<f64> {
    draw(seed, Normal::new(3.0, 2.0).expect("a distribution"))
}

#[test]
fn normal() {
    let contract = Contract::Normal {
        mean: 3.0,
        deviation: 2.0,
        count: COUNT,
    };
    for seed in 0..20 {
        check("right", &contract, &floats(&gauss(seed)), Found::Nothing);
    }
    let halves = gauss(1).iter().map(|&value| f16::from_f64(value)).collect();
    check(
        "as float16",
        &contract,
        &Tensor::vector::<f16>(halves),
        Found::Nothing,
    );
    let truncated = gauss(1)
        .iter()
        .map(|&v| bf16::from_bits(((v as f32).to_bits() >> 16) as u16))
        .collect();
    check(
        "truncated to bfloat16",
        &contract,
        &Tensor::vector::<bf16>(truncated),
        Found::Nothing,
    );

    check("too few", &contract, &floats(&gauss(1)[1..]), Found::Count);
    check(
        "wrong mean",
        &contract,
        &shaped(gauss(1), |_, v| v + 0.2),
        Found::Moment,
    );
    check(
        "wrong variance",
        &contract,
        &shaped(gauss(1), |_, v| 3.0 + (v - 3.0) * 1.1),
        Found::Moment,
    );
    check(
        "a variance for a deviation",
        &contract,
        &shaped(gauss(1), |_, v| 3.0 + (v - 3.0) * 2.0),
        Found::Moment,
    );
    check("constant", &contract, &floats(&[3.0; COUNT]), Found::Moment);
    let nan = |index, v| if index == 7 { f64::NAN } else { v };
    check("a NaN", &contract, &shaped(gauss(1), nan), Found::Support);
    // Mean 3 and deviation 2, but another distribution.
    let skewed = draw(1, Exp::new(0.5).expect("a distribution"));
    check(
        "exponential",
        &contract,
        &shaped(skewed, |_, v| v + 1.0),
        Found::Fit,
    );
    let flat = draw(1, StandardUniform);
    check(
        "uniform",
        &contract,
        &shaped(flat, |_, v| 3.0 + (v - 0.5) * 2.0 * 12_f64.sqrt()),
        Found::Fit,
    );
    let mut sorted = gauss(1);
    sorted.sort_by(f64::total_cmp);
    check("sorted", &contract, &floats(&sorted), Found::Fit);
    let certain = Contract::Normal {
        mean: 3.0,
        deviation: 0.0,
        count: COUNT,
    };
    check("certain", &certain, &floats(&[3.0; COUNT]), Found::Nothing);
    check("not certain", &certain, &floats(&gauss(1)), Found::Support);
}

#[test]
fn uniform() {
    let contract = Contract::Uniform {
        low: -1.0,
        high: 3.0,
        count: COUNT,
    };
    let unit = |seed| draw(seed, StandardUniform);
    for seed in 0..20 {
        check(
            "right",
            &contract,
            &shaped(unit(seed), |_, u| 4.0 * u - 1.0),
            Found::Nothing,
        );
    }
    let narrow = unit(1).iter().map(|&u| bf16::from_f64(4.0 * u - 1.0)).collect();
    check(
        "as bfloat16",
        &contract,
        &Tensor::vector::<bf16>(narrow),
        Found::Nothing,
    );

    check(
        "beyond the end",
        &contract,
        &shaped(unit(1), |_, u| 4.1 * u - 1.0),
        Found::Support,
    );
    check("0 to 1", &contract, &floats(&unit(1)), Found::Moment);
    check("constant", &contract, &floats(&[1.0; COUNT]), Found::Moment);
    check(
        "too narrow",
        &contract,
        &shaped(unit(1), |_, u| 1.0 + (u - 0.5) * 3.6),
        Found::Moment,
    );
    check(
        "a grid",
        &contract,
        &shaped(unit(1), |index, _| 4.0 * index as f64 / COUNT as f64 - 1.0),
        Found::Fit,
    );
    check(
        "coarse",
        &contract,
        &shaped(unit(1), |_, u| (4.0 * u - 1.0).round()),
        Found::Moment,
    );
}

#[test]
fn bernoulli() {
    let probabilities = draw(99, StandardUniform);
    let contract = Contract::Bernoulli {
        probabilities: probabilities.clone(),
    };
    let drawn = |seed, of: &dyn Fn(f64) -> f64| {
        let uniform = draw(seed, StandardUniform);
        let bits = uniform
            .iter()
            .zip(&probabilities)
            .map(|(u, p)| u8::from(*u < of(*p)));
        Tensor::vector(bits.collect::<Vec<u8>>())
    };
    for seed in 0..20 {
        check("right", &contract, &drawn(seed, &|p| p), Found::Nothing);
    }
    check("inverted", &contract, &drawn(1, &|p| 1.0 - p), Found::Fit);
    check("a threshold", &contract, &drawn(1, &|p| p.round()), Found::Fit);
    check("a coin", &contract, &drawn(1, &|_| 0.5), Found::Fit);
    check("too often", &contract, &drawn(1, &|p| p + 0.05), Found::Moment);
    check(
        "ones",
        &contract,
        &Tensor::vector(vec![true; COUNT]),
        Found::Moment,
    );
    check(
        "twos",
        &contract,
        &Tensor::vector(vec![2_i32; COUNT]),
        Found::Support,
    );
    let impossible = Contract::Bernoulli {
        probabilities: vec![0.0; COUNT],
    };
    check("impossible", &impossible, &drawn(1, &|_| 0.001), Found::Support);
}

#[test]
fn multinomial() {
    let rows = vec![vec![0.5, 0.25, 0.25, 0.0], vec![0.001, 0.009, 0.09, 0.9]];
    let contract = Contract::Multinomial {
        rows: rows.clone(),
        samples: COUNT / 2,
    };
    let drawn = |seed, rows: &[Vec<f64>]| {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut classes = Vec::new();
        for row in rows {
            let class = WeightedIndex::new(row).expect("weights");
            classes.extend((0..COUNT / 2).map(|_| class.sample(&mut random) as i64));
        }
        classes
    };
    for seed in 0..20 {
        check(
            "right",
            &contract,
            &Tensor::vector(drawn(seed, &rows)),
            Found::Nothing,
        );
    }
    let swapped = [rows[1].clone(), rows[0].clone()];
    check(
        "rows swapped",
        &contract,
        &Tensor::vector(drawn(1, &swapped)),
        Found::Support,
    );
    let flat = [rows[0].clone(), vec![0.05, 0.05, 0.1, 0.8]];
    check(
        "too flat",
        &contract,
        &Tensor::vector(drawn(1, &flat)),
        Found::Fit,
    );
    check(
        "constant",
        &contract,
        &Tensor::vector(vec![1_i32; COUNT]),
        Found::Fit,
    );
    check(
        "no class",
        &contract,
        &Tensor::vector(vec![4_i32; COUNT]),
        Found::Support,
    );
}

#[test]
fn dropout() {
    let data = gauss(5);
    let contract = Contract::Dropout {
        data: data.clone(),
        ratio: 0.3,
    };
    let drawn = |seed, ratio: f64, scale: f64| {
        let uniform = draw(seed, StandardUniform);
        let kept = uniform
            .iter()
            .zip(&data)
            .map(|(u, x)| if *u < ratio { 0.0 } else { x * scale });
        Tensor::vector(kept.collect::<Vec<f64>>())
    };
    for seed in 0..20 {
        check("right", &contract, &drawn(seed, 0.3, 1.0 / 0.7), Found::Nothing);
    }
    check("not scaled", &contract, &drawn(1, 0.3, 1.0), Found::Support);
    check(
        "falls too often",
        &contract,
        &drawn(1, 0.4, 1.0 / 0.7),
        Found::Moment,
    );
    check("inverted", &contract, &drawn(1, 0.7, 1.0 / 0.7), Found::Moment);
    check(
        "nothing falls",
        &contract,
        &drawn(1, 0.0, 1.0 / 0.7),
        Found::Moment,
    );
}

/// 3e38 / (1 − 0.5) is beyond the range of float and rounds to an infinity of its sign; 1e38 / 0.5 is
/// within it.
#[test]
fn dropout_beyond_the_range_of_the_type() {
    let contract = Contract::Dropout {
        data: vec![3e38, -3e38, 1e38],
        ratio: 0.5,
    };
    let check = |what, output: [f32; 3], found| {
        check(what, &contract, &Tensor::vector(output.to_vec()), found);
    };
    let inf = f32::INFINITY;
    check("rounded", [inf, -inf, 2e38], Found::Nothing);
    check("dropped", [0.0, -inf, 0.0], Found::Nothing);
    check("saturated", [f32::MAX, -inf, 2e38], Found::Support);
    check("of another sign", [inf, inf, 2e38], Found::Support);
    check("infinite within the range", [inf, -inf, inf], Found::Support);
}

/// `output = scale · data · mask`: an infinite element stays infinite, or is 0, or the NaN of ∞ · 0.
#[test]
fn dropout_of_non_finite_elements() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let contract = Contract::Dropout {
        data: vec![inf, -inf, inf, nan, nan, 1.0],
        ratio: 0.5,
    };
    let check = |what, output: [f64; 6], found| {
        check(what, &contract, &Tensor::vector(output.to_vec()), found);
    };
    check("kept", [inf, -inf, inf, nan, nan, 2.0], Found::Nothing);
    check("dropped", [nan, nan, 0.0, 0.0, nan, 0.0], Found::Nothing);
    check(
        "another infinity",
        [-inf, -inf, inf, nan, nan, 2.0],
        Found::Support,
    );
    check("a finite number", [1.0, -inf, inf, nan, nan, 2.0], Found::Support);
    check(
        "infinite of a finite one",
        [inf, -inf, inf, nan, nan, inf],
        Found::Support,
    );
    check(
        "NaN of a finite one",
        [inf, -inf, inf, nan, nan, nan],
        Found::Support,
    );
}

#[test]
fn a_seed_fixes_every_bit() {
    let first = floats(&gauss(1));
    assert_eq!(reproducible(&first, &floats(&gauss(1))), Ok(()));
    assert_eq!(
        reproducible(&first, &floats(&gauss(2))),
        Err(Violation::NotReproducible)
    );
}
