//! Compares products with quantized weights with products of the restored weights, whose bits they have.

use crate::common::{assert_within, pools, values};
use native_kernels::gemm::{CodeBits, Matrix, PackedB, PackedQuantized, Quantized, Rhs, gemm};
use native_kernels::{Activation, Bias, Epilogue, Pool, Residual};

/// Rows, common dimension, columns, and rows of a block: one row and few, whole tiles and rests, blocks that
/// do not divide the common dimension, one block, several blocks of the cache.
const SHAPES: [(usize, usize, usize, usize); 14] = [
    (1, 1, 1, 1),
    (1, 64, 96, 32),
    (1, 70, 333, 16),
    (1, 128, 16, 128),
    (2, 50, 65, 32),
    (3, 96, 47, 32),
    (3, 33, 64, 100),
    (4, 64, 64, 32),
    (17, 100, 33, 7),
    (30, 385, 65, 128),
    (200, 800, 40, 48),
    (2, 0, 64, 32),
    (5, 0, 7, 32),
    (14, 32, 16, 1),
];

/// A quantized matrix and its restored weights.
struct Weights {
    bits: CodeBits,
    k: usize,
    n: usize,
    block: usize,
    turned: bool,
    codes: Vec<u8>,
    scales: Vec<f32>,
    zeros: Vec<u8>,
}

impl Weights {
    fn new((_, k, n, block): (usize, usize, usize, usize), bits: CodeBits, turned: bool) -> Weights {
        let limit = match bits {
            CodeBits::Four => 16,
            CodeBits::Eight => 256,
        };
        let codes = |seed: u64, len: usize| -> Vec<u8> {
            let code = |value: f32| ((value + 1.0) * 0.5 * limit as f32) as usize % limit;
            values(seed, len)
                .into_iter()
                .map(|value| code(value) as u8)
                .collect()
        };
        let scales = k.div_ceil(block) * n;
        Weights {
            bits,
            k,
            n,
            block,
            turned,
            codes: codes(1, k * n),
            scales: values(2, scales),
            zeros: codes(3, scales),
        }
    }

    /// Sets all zero points to this one.
    fn with_zero(mut self, zero: u8) -> Weights {
        self.zeros.fill(zero);
        self
    }

    fn packed(&self, pool: &Pool) -> PackedQuantized {
        let quantized = Quantized {
            bits: self.bits,
            k: self.k,
            n: self.n,
            turned: self.turned,
            block: self.block,
            codes: &self.codes,
            scales: &self.scales,
            zeros: &self.zeros,
        };
        PackedQuantized::new(pool, quantized).unwrap()
    }

    /// Returns the weights by rows.
    fn restored(&self) -> Vec<f32> {
        let blocks = self.k.div_ceil(self.block);
        let at = |i: usize, j: usize, rows: usize| match self.turned {
            true => j * rows + i,
            false => i * self.n + j,
        };
        let weight = |i: usize, j: usize| {
            let (code, step) = (self.codes[at(i, j, self.k)], at(i / self.block, j, blocks));
            (f32::from(code) - f32::from(self.zeros[step])) * self.scales[step]
        };
        let places = (0..self.k).flat_map(|i| (0..self.n).map(move |j| (i, j)));
        places.map(|(i, j)| weight(i, j)).collect()
    }
}

/// Checks that both give the same bits, where all NaN are the same.
#[track_caller]
fn same_bits(what: &str, got: &[f32], expected: &[f32]) {
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        let same = got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan());
        assert!(same, "{what}: element {i} is {got}, expected {expected}");
    }
}

#[track_caller]
fn check(pool: &Pool, m: usize, a: Matrix, weights: &Weights) {
    let (k, n) = (weights.k, weights.n);
    let what = format!(
        "{pool:?} {m}×{k}×{n} {:?} by {} {}",
        weights.bits, weights.block, weights.turned
    );
    let restored = weights.restored();
    let floats = PackedB::new(pool, Matrix::new(&restored, k, n).unwrap()).unwrap();
    let codes = weights.packed(pool);
    let (bias, residual) = (values(5, n), values(6, m * n));
    let epilogues = [
        Epilogue::default(),
        Epilogue {
            bias: Bias::Column(&bias),
            residual: Residual::Add(&residual),
            activation: Activation::Relu,
        },
        Epilogue {
            residual: Residual::Output,
            activation: Activation::Tanh,
            ..Epilogue::default()
        },
    ];
    for epilogue in epilogues {
        let [expected, got] = [Rhs::Packed(&floats), Rhs::Quantized(&codes)].map(|b| {
            let mut c = values(7, m * n);
            gemm(pool, a, b, &epilogue, &mut c).unwrap();
            c
        });
        same_bits(&what, &got, &expected);
    }
}

#[test]
fn products_have_the_bits_of_those_with_restored_weights() {
    for pool in pools() {
        for shape in SHAPES {
            for bits in [CodeBits::Four, CodeBits::Eight] {
                for turned in [false, true] {
                    let (m, k, ..) = shape;
                    let x = values(4, m * k);
                    let a = match turned {
                        true => Matrix::new(&x, k, m).unwrap().transposed(),
                        false => Matrix::new(&x, m, k).unwrap(),
                    };
                    check(&pool, m, a, &Weights::new(shape, bits, turned));
                    check(&pool, m, a, &Weights::new(shape, bits, turned).with_zero(8));
                }
            }
        }
    }
}

#[test]
fn products_are_within_the_bound_of_plain_loops() {
    for pool in pools() {
        for (m, k, n, block) in [(1, 70, 37, 16), (5, 64, 40, 32)] {
            let weights = Weights::new((m, k, n, block), CodeBits::Four, false);
            let (x, w) = (values(4, m * k), weights.restored());
            let sum = |i: usize, j: usize| {
                let products = (0..k).map(|l| f64::from(x[i * k + l]) * f64::from(w[l * n + j]));
                let products: Vec<f64> = products.collect();
                (products.iter().sum(), products.iter().map(|x| x.abs()).sum())
            };
            let exact: Vec<(f64, f64)> = (0..m * n).map(|at| sum(at / n, at % n)).collect();
            let mut c = vec![0.0; m * n];
            let a = Matrix::new(&x, m, k).unwrap();
            let packed = weights.packed(&pool);
            gemm(&pool, a, Rhs::Quantized(&packed), &Epilogue::default(), &mut c).unwrap();
            assert_within(&format!("{pool:?} {m}×{k}×{n}"), k, &c, &exact);
        }
    }
}

#[test]
fn elements_and_scales_that_are_not_finite_change_what_they_multiply() {
    for pool in pools() {
        for m in [1, 3, 9] {
            let mut weights = Weights::new((m, 48, 40, 16), CodeBits::Four, false);
            weights.scales[3] = f32::INFINITY;
            weights.scales[44] = f32::NAN;
            weights.scales[85] = 0.0;
            let mut x = values(4, m * 48);
            x[7] = f32::NEG_INFINITY;
            x[47] = f32::MAX;
            check(&pool, m, Matrix::new(&x, m, 48).unwrap(), &weights);
        }
    }
}

#[test]
fn operands_of_other_lengths_are_errors() {
    let pool = Pool::new(1);
    let given = Quantized {
        bits: CodeBits::Four,
        k: 4,
        n: 4,
        turned: false,
        block: 2,
        codes: &[0; 16],
        scales: &[1.0; 8],
        zeros: &[0; 8],
    };
    let short = [
        Quantized { block: 0, ..given },
        Quantized {
            codes: &[0; 15],
            ..given
        },
        Quantized {
            scales: &[1.0; 7],
            ..given
        },
        Quantized {
            zeros: &[0; 7],
            ..given
        },
        Quantized {
            k: usize::MAX,
            ..given
        },
    ];
    assert!(PackedQuantized::new(&pool, given).is_ok());
    for quantized in short {
        assert!(PackedQuantized::new(&pool, quantized).is_err(), "{quantized:?}");
    }
}
