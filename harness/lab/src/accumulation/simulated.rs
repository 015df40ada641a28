//! Sums with chosen accumulators, for tests.

use onnx_tensor::DType;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use crate::accumulation::layout::Layout;
pub use crate::accumulation::order::Order;
use crate::accumulation::population::{Population, measure, unit};
use crate::accumulation::subject::{Kind, Subject, Terms};
use crate::accumulation::values::{draw, stream};

/// An accumulator.
#[derive(Clone, Copy, Debug)]
pub struct Adder {
    /// The bits of partial sums.
    pub bits: u32,
    /// Whether partial sums are truncated.
    pub toward_zero: bool,
    pub order: Order,
    /// Whether products are not rounded.
    pub fused: bool,
    /// The bits of the factors of a product.
    pub factor_bits: u32,
    /// The terms that are lost.
    pub loss: Loss,
}

/// Which terms are lost.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Loss {
    None,
    /// Those of smaller magnitude.
    Below(f64),
    /// One in so many, at random.
    OneIn(u32),
}

impl Adder {
    /// Float, in the order of the terms.
    pub const FLOAT: Adder = Adder {
        bits: 24,
        toward_zero: false,
        order: Order::Sequential,
        fused: false,
        factor_bits: 53,
        loss: Loss::None,
    };

    /// The sum of the products, rounded to the accumulator.
    pub fn sum(&self, factors: &[(f64, f64)], rng: &mut ChaCha8Rng) -> f64 {
        let terms: Vec<f64> = factors
            .iter()
            .map(|factors| self.product(*factors, rng))
            .collect();
        self.total(&terms)
    }

    fn product(&self, (a, b): (f64, f64), rng: &mut ChaCha8Rng) -> f64 {
        let product = rounded(a, self.factor_bits) * rounded(b, self.factor_bits);
        let lost = match self.loss {
            Loss::None => false,
            Loss::Below(least) => product.abs() < least,
            Loss::OneIn(many) => rng.random_range(0..many) == 0,
        };
        match (lost, self.fused) {
            (true, _) => 0.0,
            (false, true) => product,
            (false, false) => self.rounded(product),
        }
    }

    fn total(&self, terms: &[f64]) -> f64 {
        match self.order {
            Order::Pairwise if terms.len() > 2 => {
                let half = terms.len().next_power_of_two() / 2;
                let (left, right) = terms.split_at(half);
                self.add(self.total(left), self.total(right))
            }
            Order::Lanes(lanes) => {
                let lane = |lane: usize| self.sequential(terms.iter().skip(lane).step_by(lanes));
                let sums: Vec<f64> = (0..lanes).map(lane).collect();
                self.sequential(sums.iter())
            }
            Order::Blocks(block) => {
                let sums: Vec<f64> = terms
                    .chunks(block)
                    .map(|block| self.sequential(block.iter()))
                    .collect();
                self.sequential(sums.iter())
            }
            Order::Sequential | Order::Pairwise | Order::Other => self.sequential(terms.iter()),
        }
    }

    fn sequential<'a>(&self, mut terms: impl Iterator<Item = &'a f64>) -> f64 {
        let first = terms.next().copied().unwrap_or(0.0);
        terms.fold(first, |sum, term| self.add(sum, *term))
    }

    /// a + b, rounded once.
    fn add(&self, a: f64, b: f64) -> f64 {
        let sum = a + b;
        let part = sum - a;
        let error = (a - (sum - part)) + (b - part);
        let kept = self.rounded(sum);
        // The exact sum is a little nearer to zero than a sum that has only the bits of the accumulator.
        let below = self.toward_zero && kept == sum && error * sum < 0.0;
        if below {
            kept - kept.signum() * spacing(kept, self.bits)
        } else {
            kept
        }
    }

    fn rounded(&self, x: f64) -> f64 {
        if self.toward_zero {
            truncated(x, self.bits)
        } else {
            rounded(x, self.bits)
        }
    }
}

/// The distance of neighbouring numbers of `bits` bits at x.
fn spacing(x: f64, bits: u32) -> f64 {
    if x == 0.0 {
        f64::MIN_POSITIVE
    } else {
        (x.abs().log2().floor() + 1.0 - f64::from(bits)).exp2()
    }
}

/// Rounded to nearest, ties to even.
fn rounded(x: f64, bits: u32) -> f64 {
    match bits {
        53 => x,
        24 => f64::from(x as f32),
        _ => (x / spacing(x, bits)).round_ties_even() * spacing(x, bits),
    }
}

fn truncated(x: f64, bits: u32) -> f64 {
    (x / spacing(x, bits)).trunc() * spacing(x, bits)
}

/// Populations of MatMul with this accumulator, each with another seed.
pub fn populations(
    adder: &Adder,
    dtype: DType,
    terms: Terms,
    length: usize,
    trials: u64,
) -> impl Iterator<Item = Population> {
    let subject = Subject {
        kind: Kind::MatMul,
        dtype,
        terms,
        length,
    };
    let bits = (-unit(dtype).log2()) as u32;
    (0..trials).map(move |seed| {
        let mut rng = stream(&subject, seed);
        let layout = Layout::of(subject.kind, length);
        let count = layout.first.iter().product::<usize>();
        let mut operand = || {
            (0..count)
                .map(|_| rounded(draw(terms, &mut rng), bits))
                .collect::<Vec<f64>>()
        };
        let (first, second) = (operand(), operand());
        let found: Vec<f64> = (0..layout.sums)
            .map(|sum| {
                let factors: Vec<(f64, f64)> = (0..length)
                    .map(|term| {
                        let (a, b) = layout.factors(sum, term);
                        (first[a], second[b])
                    })
                    .collect();
                rounded(adder.sum(&factors, &mut rng), bits)
            })
            .collect();
        measure(&layout, subject.kind, dtype, &first, &second, &found)
    })
}
