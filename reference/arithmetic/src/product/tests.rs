//! Every product is compared, bit by bit, with the order that the module states.

use std::num::NonZeroUsize;

use super::*;
use crate::isa::on_each;
use crate::threads;

/// Numbers of all kinds: ordinary ones, pairs that cancel, tiny and huge ones, infinities, NaN, zeros.
pub(crate) fn numbers(count: usize, seed: u64) -> Vec<f32> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let special = seed.is_multiple_of(3);
    let mut last = 0.0;
    let number = |_| {
        let bits = next();
        let unit = (bits >> 40) as f32 / (1_u32 << 23) as f32 - 1.0;
        last = match bits % 64 {
            0..8 => -last,
            8..12 => unit * 1e30,
            12..16 => unit * 1e-40,
            16..20 => 0.0 * unit,
            20 if special => f32::INFINITY,
            21 if special => f32::NAN,
            22 if special => f32::MIN_POSITIVE / 3.0,
            _ => unit,
        };
        last
    };
    (0..count).map(number).collect()
}

fn same(found: f64, expected: f64) -> bool {
    found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan()
}

/// The sums of a product in the stated order.
fn expected(
    a: &[f32],
    b: &[f32],
    (rows, terms, columns): (usize, usize, usize),
    blocks: &Blocks,
) -> Vec<f64> {
    let mut sums = vec![0.25; rows * columns];
    for (index, sum) in sums.iter_mut().enumerate() {
        let (row, column) = (index / columns, index % columns);
        for block in &blocks.0 {
            let step = if block.at_once { 1 } else { block.terms.len() };
            for part in split(block.terms.clone(), step) {
                *sum += part.range.fold(0.0, |partial, term| {
                    f64::from(a[row * terms + term]).mul_add(f64::from(b[term * columns + column]), partial)
                });
            }
        }
    }
    sums
}

/// As [`expected`], in double-double, with the value of each sum.
fn expected_compensated(
    a: &[f64],
    b: &[f64],
    (rows, terms, columns): (usize, usize, usize),
) -> Vec<[f64; 2]> {
    let mut sums = vec![[0.25, 0.0]; rows * columns];
    for (index, [high, low]) in sums.iter_mut().enumerate() {
        for term in 0..terms {
            let (x, y) = (
                a[index / columns * terms + term],
                b[term * columns + index % columns],
            );
            compensated::push(x, y, high, low);
        }
    }
    sums
}

/// The product of operands in tiles for this number of threads.
fn product<F: Factor>(
    operands: Operands<'_, F>,
    start: F::Sum,
    (rows, columns): (usize, usize),
    parts: usize,
) -> Vec<F::Sum> {
    let mut result = vec![F::Sum::default(); rows * columns];
    let jobs = tiles(&mut result, rows, columns, parts);
    threads::for_each(jobs.into_iter(), parts, Buffers::default, |buffers, tile| {
        let mut sums = vec![start; tile.rows.len() * tile.columns.len()];
        let width = tile.columns.len();
        F::accumulate(operands, tile.rows, tile.columns, buffers, &mut sums);
        for (row, sums) in tile.result.into_iter().zip(sums.chunks(width)) {
            row.copy_from_slice(sums);
        }
    });
    result
}

fn transposed<T: Copy>(elements: &[T], columns: usize) -> Vec<T> {
    (0..elements.len())
        .map(|index| {
            let rows = elements.len() / columns;
            elements[index % rows * columns + index / rows]
        })
        .collect()
}

/// Checks each layout of the operands, on each instruction set and with several threads.
fn check(shape: (usize, usize, usize), blocks: &Blocks, seed: u64) {
    let (rows, terms, columns) = shape;
    let (a, b) = (numbers(rows * terms, seed), numbers(terms * columns, seed + 1));
    let (a_columns, b_columns) = (transposed(&a, terms), transposed(&b, columns));
    let by_rows = |elements, rows, columns| Matrix::by_rows(elements, rows, columns).unwrap();
    let expected = expected(&a, &b, shape, blocks);
    let lefts = [
        by_rows(&a, rows, terms).transposed(),
        by_rows(&a_columns, terms, rows),
    ];
    let rights = [
        by_rows(&b, terms, columns),
        by_rows(&b_columns, columns, terms).transposed(),
    ];
    for (left, right) in lefts
        .iter()
        .flat_map(|left| rights.iter().map(move |right| (left, right)))
    {
        let operands = Operands {
            a: left,
            b: right,
            blocks,
        };
        for parts in [1, 3] {
            for found in on_each(|| product(operands, 0.25, (rows, columns), parts)) {
                let fits = found
                    .iter()
                    .zip(&expected)
                    .all(|(found, expected)| same(*found, *expected));
                assert!(fits, "{shape:?} in {blocks:?}, {parts} threads");
            }
        }
    }
    compensated(&a, &b, shape, blocks);
}

fn compensated(a: &[f32], b: &[f32], shape: (usize, usize, usize), blocks: &Blocks) {
    let (rows, terms, columns) = shape;
    // All bits of an f64, so that products are not exact.
    let wide = |x: &[f32]| x.iter().map(|&x| f64::from(x) / 3.0).collect::<Vec<_>>();
    let (a, b) = (wide(a), wide(b));
    let expected = expected_compensated(&a, &b, shape);
    let a = Matrix::by_rows(Compensated::slice(&a), rows, terms)
        .unwrap()
        .transposed();
    let b = Matrix::by_rows(Compensated::slice(&b), terms, columns).unwrap();
    let operands = Operands { a: &a, b: &b, blocks };
    for found in on_each(|| product(operands, [0.25, 0.0], (rows, columns), 2)) {
        let pairs = found.iter().zip(&expected);
        let value = |sum: &[f64; 2]| compensated::value(*sum);
        assert!(
            pairs
                .into_iter()
                .all(|(found, expected)| same(value(found), value(expected))),
            "{shape:?} in double-double"
        );
    }
}

#[test]
fn sums_have_the_stated_order() {
    let shapes = [
        (1, 1, 1),
        (1, 700, 5),
        (3, 9, 1030),
        (4, 300, 17),
        (5, 257, 300),
        (8, 256, 8),
        (13, 513, 25),
        (70, 40, 270),
        (130, 33, 9),
    ];
    for (index, shape) in shapes.into_iter().enumerate() {
        let terms = shape.1;
        for (at, blocks) in [
            Blocks::of(terms),
            Blocks::within(terms, 300),
            Blocks::ending((1..=terms).filter(|end| end % 7 != 0 || *end == terms)).of_exact_products(),
            Blocks::ending([terms]),
            Blocks::ending([terms / 3, terms / 2, terms]),
        ]
        .iter()
        .enumerate()
        {
            check(shape, blocks, (index * 4 + at) as u64);
        }
    }
}

#[test]
fn products_of_vectors_have_the_order_of_columns() {
    let (rows, columns) = (37, 50);
    for seed in 0..6 {
        let wide = |x: Vec<f32>| x.into_iter().map(|x| f64::from(x) / 3.0).collect::<Vec<_>>();
        let (matrix, vector) = (
            wide(numbers(rows * columns, seed)),
            wide(numbers(columns, seed + 1)),
        );
        let panels = Panels::new(&matrix, rows, columns).unwrap();
        let run = || {
            let mut sums = vec![[0.25, 0.0]; rows];
            panels.add(&vector, &mut sums);
            sums
        };
        let expected = expected_compensated(&matrix, &vector, (rows, columns, 1));
        for found in on_each(run) {
            let mut pairs = found.into_iter().zip(expected.iter().copied());
            assert!(pairs.all(|(x, y)| same(compensated::value(x), compensated::value(y))));
        }
    }
}

#[test]
fn integers_wrap() {
    let (rows, terms, columns) = (9, 300, 11);
    let number = |index: usize| (index as i32).wrapping_mul(0x9E37_79B1_u32 as i32);
    let a: Vec<i32> = (0..rows * terms).map(number).collect();
    let b: Vec<i32> = (0..terms * columns).map(|index| number(index + 7)).collect();
    let left = Matrix::by_rows(&a, rows, terms).unwrap().transposed();
    let right = Matrix::by_rows(&b, terms, columns).unwrap();
    let operands = Operands {
        a: &left,
        b: &right,
        blocks: &Blocks::of(terms),
    };
    for found in on_each(|| product(operands, 5, (rows, columns), 1)) {
        for (index, &found) in found.iter().enumerate() {
            let expected = (0..terms).fold(5_i32, |sum, term| {
                let (x, y) = (
                    a[index / columns * terms + term],
                    b[term * columns + index % columns],
                );
                sum.wrapping_add(x.wrapping_mul(y))
            });
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn dots_add_four_sums() {
    for (seed, (rows, terms, columns)) in [(1, 1, 1), (2, 7, 3), (4, 1027, 9), (1, 2048, 1000)]
        .into_iter()
        .enumerate()
    {
        let (a, b) = (
            numbers(rows * terms, seed as u64),
            numbers(columns * terms, seed as u64 + 5),
        );
        let factors: Vec<Vec<f64>> = a
            .chunks(terms)
            .map(|row| row.iter().map(|&x| f64::from(x)).collect())
            .collect();
        let matrix = Matrix::by_rows(&b, columns, terms).unwrap().transposed();
        let run = || {
            let mut result = vec![0.0; rows * columns];
            threads::with(NonZeroUsize::MIN.saturating_add(1), || {
                dots(&factors, &matrix, &mut result)
            });
            result
        };
        for found in on_each(run) {
            for (index, &found) in found.iter().enumerate() {
                let (row, column) = (&factors[index / columns], &b[index % columns * terms..][..terms]);
                let mut sums = [0.0_f64; 4];
                let whole = terms - terms % 4;
                for at in 0..whole {
                    sums[at % 4] += row[at] * f64::from(column[at]);
                }
                let rest = (whole..terms).map(|at| row[at] * f64::from(column[at]));
                let expected = rest.fold(sums.iter().sum(), |sum, product| sum + product);
                assert!(
                    same(found, expected),
                    "{rows} × {terms} × {columns}: {found} instead of {expected}"
                );
            }
        }
    }
}
