//! Compares matrix products with sums in f64, on every instruction set of this machine.

use crate::common::{assert_within, pools, values};
use approx::assert_abs_diff_eq;
use native_kernels::gemm::{Matrix, PackedB, Rhs, gemm, gemm_batch};
use native_kernels::{Activation, Bias, Epilogue, Pool, Residual};

/// Rows, common dimension, columns: single values, odd sizes, complete tiles and one more, several blocks of
/// each.
const SHAPES: [(usize, usize, usize); 27] = [
    (1, 1, 1),
    (1, 17, 3),
    (1, 1, 37),
    (1, 300, 1),
    (3, 1, 31),
    (17, 3, 1),
    (14, 16, 32),
    (15, 17, 33),
    (13, 31, 48),
    (5, 0, 7),
    (31, 385, 65),
    (1, 1000, 100),
    (1, 131, 2100),
    (1, 64, 4),
    (225, 7, 16),
    (230, 400, 40),
    (64, 1024, 17),
    (28, 769, 47),
    (2, 2048, 5),
    (100, 64, 200),
    (1, 70, 333),
    (2, 64, 300),
    (3, 20, 200),
    (2, 0, 64),
    (29, 130, 197),
    (43, 390, 230),
    (254, 384, 514),
];

fn exact(a: Matrix, b: Matrix, terms: impl Fn(usize, usize) -> Vec<f64>) -> Vec<(f64, f64)> {
    let mut sums = Vec::new();
    for i in 0..a.rows() {
        for j in 0..b.columns() {
            let products = (0..a.columns()).map(|l| f64::from(a.get(i, l)) * f64::from(b.get(l, j)));
            let all: Vec<f64> = products.chain(terms(i, j)).collect();
            sums.push((all.iter().sum(), all.iter().map(|x| x.abs()).sum()));
        }
    }
    sums
}

fn check(pool: &Pool, (m, k, n): (usize, usize, usize), a_transposed: bool, b_transposed: bool) {
    let what = format!("{pool:?} {m}×{k}×{n} {a_transposed} {b_transposed}");
    let (a_data, b_data) = (values(1, m * k), values(2, k * n));
    let a = if a_transposed {
        Matrix::new(&a_data, k, m).unwrap().transposed()
    } else {
        Matrix::new(&a_data, m, k).unwrap()
    };
    let b = if b_transposed {
        Matrix::new(&b_data, n, k).unwrap().transposed()
    } else {
        Matrix::new(&b_data, k, n).unwrap()
    };
    let (column, row, residual) = (values(3, n), values(4, m), values(5, m * n));
    let mut c = values(6, m * n);
    let before = c.clone();
    let packed = PackedB::new(pool, b).unwrap();
    let epilogue = Epilogue {
        bias: Bias::Column(&column),
        residual: Residual::Add(&residual),
        ..Epilogue::default()
    };
    let terms = |i: usize, j: usize| vec![f64::from(column[j]), f64::from(residual[i * n + j])];
    gemm(pool, a, Rhs::Packed(&packed), &epilogue, &mut c).unwrap();
    assert_within(&what, k, &c, &exact(a, b, terms));
    let unpacked = {
        let mut c = before.clone();
        gemm(pool, a, Rhs::Matrix(b), &epilogue, &mut c).unwrap();
        c
    };
    match m {
        1 => assert_within(&what, k, &unpacked, &exact(a, b, terms)),
        _ => assert_eq!(c, unpacked, "{what}: packed at the call or before"),
    }

    let epilogue = Epilogue {
        bias: Bias::Row(&row),
        residual: Residual::Output,
        activation: Activation::Relu,
    };
    let terms = |i: usize, j: usize| vec![f64::from(row[i]), f64::from(before[i * n + j])];
    let mut sums = exact(a, b, terms);
    sums.iter_mut().for_each(|(sum, _)| *sum = sum.max(0.0));
    for rhs in [Rhs::Packed(&packed), Rhs::Matrix(b)] {
        let mut c = before.clone();
        gemm(pool, a, rhs, &epilogue, &mut c).unwrap();
        assert_within(&what, k, &c, &sums);
    }
}

#[test]
fn products_are_within_the_bound() {
    for pool in pools() {
        for (i, shape) in SHAPES.into_iter().enumerate() {
            check(&pool, shape, i % 2 == 1, i % 4 > 1);
            check(&pool, shape, i % 2 == 0, i % 4 > 1);
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    for (m, turned) in [(50, false), (1, false), (1, true)] {
        for isa in native_kernels::Isa::available() {
            let (a, b) = (values(1, m * 400), values(2, 400 * 70));
            let results = [1, 2, 5].map(|threads| {
                let pool = Pool::with_isa(threads, isa).unwrap();
                let mut c = vec![0.0; m * 70];
                let a = Matrix::new(&a, m, 400).unwrap();
                let b = if turned {
                    Matrix::new(&b, 70, 400).unwrap().transposed()
                } else {
                    Matrix::new(&b, 400, 70).unwrap()
                };
                gemm(&pool, a, Rhs::Matrix(b), &Epilogue::default(), &mut c).unwrap();
                c
            });
            assert!(
                results[0] == results[1] && results[0] == results[2],
                "{m} {turned}"
            );
        }
    }
}

#[test]
fn every_activation_is_applied_to_whole_and_partial_vectors() {
    type Case = (Activation, fn(f64) -> f64);
    let reference: [Case; 7] = [
        (
            Activation::Clip {
                low: -0.5,
                high: 0.25,
            },
            |x| x.clamp(-0.5, 0.25),
        ),
        (Activation::LeakyRelu { slope: 0.1 }, |x| {
            if x < 0.0 { 0.1 * x } else { x }
        }),
        (Activation::Sigmoid, |x| 1.0 / (1.0 + (-x).exp())),
        (Activation::Tanh, f64::tanh),
        (
            Activation::HardSwish {
                alpha: 1.0 / 6.0,
                beta: 0.5,
            },
            |x| x * (x / 6.0 + 0.5).clamp(0.0, 1.0),
        ),
        (Activation::Elu { alpha: 2.0 }, |x| {
            if x < 0.0 { 2.0 * x.exp_m1() } else { x }
        }),
        (Activation::Celu { alpha: -2.0 }, |x| {
            x.max(0.0) + (-2.0 * (x / -2.0).exp_m1()).min(0.0)
        }),
    ];
    for pool in pools() {
        for (activation, exact) in reference {
            let x = values(7, 5 * 37);
            let one = Matrix::new(&[1.0], 1, 1).unwrap();
            let columns = Matrix::new(&x, 5 * 37, 1).unwrap();
            let mut y = vec![0.0; x.len()];
            let epilogue = Epilogue {
                activation,
                ..Epilogue::default()
            };
            gemm(&pool, one, Rhs::Matrix(columns.transposed()), &epilogue, &mut y).unwrap();
            for (x, y) in x.iter().zip(&y) {
                let expected = exact(f64::from(*x));
                assert_abs_diff_eq!(f64::from(*y), expected, epsilon = 1e-6);
            }
        }
    }
}

#[test]
fn a_batch_equals_its_products() {
    for pool in pools() {
        for (m, count) in [(9, 1), (9, 2), (9, 7), (1, 7)] {
            let (k, n) = (20, 33);
            let (a, b) = (values(1, count * m * k), values(2, count * k * n));
            let residual = values(3, count * m * n);
            let pairs: Vec<_> = (0..count)
                .map(|i| {
                    let a = Matrix::new(&a[i * m * k..], m, k).unwrap();
                    (a, Matrix::new(&b[i * k * n..], n, k).unwrap().transposed())
                })
                .collect();
            let epilogue = Epilogue {
                residual: Residual::Add(&residual),
                ..Epilogue::default()
            };
            let mut c = vec![0.0; count * m * n];
            gemm_batch(&pool, &pairs, &epilogue, &mut c).unwrap();
            for (i, (a, b)) in pairs.iter().enumerate() {
                let terms = |row: usize, column: usize| vec![f64::from(residual[(i * m + row) * n + column])];
                assert_within("batch", k, &c[i * m * n..][..m * n], &exact(*a, *b, terms));
            }
        }
    }
}

#[test]
fn wrong_sizes_are_errors() {
    let pool = Pool::new(1);
    let data = [0.0; 6];
    let a = Matrix::new(&data, 2, 3).unwrap();
    let epilogue = Epilogue::default();
    assert!(Matrix::new(&data, 2, 4).is_err());
    assert!(gemm(&pool, a, Rhs::Matrix(a), &epilogue, &mut [0.0; 6]).is_err());
    assert!(gemm(&pool, a, Rhs::Matrix(a.transposed()), &epilogue, &mut [0.0; 3]).is_err());
    let bias = Epilogue {
        bias: Bias::Column(&[0.0]),
        ..epilogue
    };
    assert!(gemm(&pool, a, Rhs::Matrix(a.transposed()), &bias, &mut [0.0; 4]).is_err());
}

/// The code for few rows adds the same terms in the same order as the code for many.
#[test]
fn a_row_of_a_product_does_not_depend_on_the_number_of_rows() {
    for pool in pools() {
        let (k, n) = (700, 333);
        let (a, b, before) = (values(1, 5 * k), values(2, k * n), values(3, 5 * n));
        let b = PackedB::new(&pool, Matrix::new(&b, k, n).unwrap()).unwrap();
        let epilogue = Epilogue {
            bias: Bias::Column(&before[..n]),
            residual: Residual::Output,
            activation: Activation::Tanh,
        };
        let [whole, parts @ ..] = [5, 1, 2, 3].map(|rows| {
            let mut c = before.clone();
            let a = Matrix::new(&a[..rows * k], rows, k).unwrap();
            gemm(&pool, a, Rhs::Packed(&b), &epilogue, &mut c).unwrap();
            c
        });
        for (rows, part) in (1..).zip(parts) {
            assert!(part[..rows * n] == whole[..rows * n], "{pool:?}: {rows} rows");
        }
    }
}
