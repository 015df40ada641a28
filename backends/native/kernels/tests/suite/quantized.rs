//! Compares products with quantized weights with products of the restored weights. They have the same bits,
//! unless few rows are multiplied by sums: then they differ by roundings.

use crate::common::{assert_within, pools, values};
use native_kernels::gemm::{CodeBits, Matrix, PackedB, PackedQuantized, Quantized, Rhs, gemm};
use native_kernels::{Activation, Bias, Epilogue, Pool, Residual};

/// Rows, common dimension, columns, and rows of a block: one row and few, whole tiles and rests, blocks that
/// do not divide the common dimension, one block, several blocks of the cache.
const SHAPES: [(usize, usize, usize, usize); 20] = [
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
    (1, 1376, 161, 32),
    (1, 100, 300, 100),
    (1, 100, 140, 8),
    (1, 68, 40, 4),
    (2, 72, 65, 24),
    (3, 132, 64, 200),
];

/// Whether sums of blocks are multiplied by scales, as the module of products of few rows states.
fn multiplies_sums((m, k, _, block): (usize, usize, usize, usize), bits: CodeBits) -> bool {
    let group = match bits {
        CodeBits::Four => 8,
        CodeBits::Eight => 4,
    };
    m <= 3 && k >= 64 && (block >= k || block.is_multiple_of(group))
}

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
        let at = |i: usize, j: usize, rows: usize| if self.turned { j * rows + i } else { i * self.n + j };
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
fn check(pool: &Pool, m: usize, a: Matrix, weights: &Weights, same: bool) {
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
        if same {
            same_bits(&what, &got, &expected);
        } else {
            let saturates = matches!(epilogue.activation, Activation::Tanh);
            assert!(
                saturates || got != expected,
                "{what}: multiplied sums are rounded differently"
            );
            assert_within(&what, k, &got, &with_magnitudes(&expected, a, &restored));
        }
    }
}

/// Each element of the result with twice the sum of the magnitudes that it consists of: both products that
/// are compared are rounded. The values that an epilogue adds are at most 1, and its activations do not
/// enlarge differences.
fn with_magnitudes(result: &[f32], a: Matrix, weights: &[f32]) -> Vec<(f64, f64)> {
    let n = result.len() / a.rows();
    let magnitude = |i: usize, j: usize| -> f64 {
        let products = (0..a.columns()).map(|l| f64::from(a.get(i, l)) * f64::from(weights[l * n + j]));
        products.map(f64::abs).sum()
    };
    let pair = |(at, value): (usize, &f32)| (f64::from(*value), 2.0 * (magnitude(at / n, at % n) + 2.0));
    result.iter().enumerate().map(pair).collect()
}

#[test]
fn products_agree_with_those_of_restored_weights() {
    for pool in pools() {
        for shape in SHAPES {
            for bits in [CodeBits::Four, CodeBits::Eight] {
                for turned in [false, true] {
                    let (m, k, ..) = shape;
                    let x = values(4, m * k);
                    let a = if turned {
                        Matrix::new(&x, k, m).unwrap().transposed()
                    } else {
                        Matrix::new(&x, m, k).unwrap()
                    };
                    let same = !multiplies_sums(shape, bits);
                    check(&pool, m, a, &Weights::new(shape, bits, turned), same);
                    check(&pool, m, a, &Weights::new(shape, bits, turned).with_zero(8), same);
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
            let shape = (m, 80, 40, 16);
            let mut weights = Weights::new(shape, CodeBits::Four, false);
            let mut x = values(4, m * 80);
            let large = values(4, m * 80)
                .into_iter()
                .map(|x| x * 2e12)
                .collect::<Vec<f32>>();
            check(&pool, m, Matrix::new(&large, m, 80).unwrap(), &weights, true);
            x[7] = f32::NEG_INFINITY;
            x[47] = f32::MAX;
            check(&pool, m, Matrix::new(&x, m, 80).unwrap(), &weights, true);
            weights.scales[3] = f32::INFINITY;
            weights.scales[44] = f32::NAN;
            weights.scales[85] = 0.0;
            check(&pool, m, Matrix::new(&x, m, 80).unwrap(), &weights, true);
            x = values(4, m * 80);
            check(&pool, m, Matrix::new(&x, m, 80).unwrap(), &weights, true);
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
