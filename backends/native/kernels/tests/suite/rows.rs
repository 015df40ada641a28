//! Compares reductions, normalizations, attention and conversions with plain loops in f64.

use crate::common::{pools, values};
use native_kernels::attention::{AttentionShape, Scores, attention};
use native_kernels::elementwise::ChannelLayout;
use native_kernels::half::{bf16_to_f32, f16_to_f32, f32_to_bf16, f32_to_f16};
use native_kernels::layout::{blocked_len, from_blocked, to_blocked};
use native_kernels::norm::{Lrn, Softmax, group_norm, layer_norm, lrn, rms_norm, softmax};
use native_kernels::reduce::{Reduction, reduce};

#[track_caller]
fn close(what: &str, got: &[f32], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for (i, (got, expected)) in got.iter().zip(expected).enumerate() {
        let error = (f64::from(*got) - expected).abs();
        assert!(
            error <= tolerance * expected.abs().max(1.0),
            "{what}: element {i} is {got}, expected {expected}"
        );
    }
}

const LENGTHS: [usize; 7] = [1, 3, 16, 17, 31, 100, 2500];

#[test]
fn reductions_match() {
    type Case = (Reduction, fn(&[f64]) -> f64);
    let kinds: [Case; 10] = [
        (Reduction::Sum, |x| x.iter().sum()),
        (Reduction::Mean, |x| x.iter().sum::<f64>() / x.len() as f64),
        (Reduction::L1, |x| x.iter().map(|x| x.abs()).sum()),
        (Reduction::L2, |x| x.iter().map(|x| x * x).sum::<f64>().sqrt()),
        (Reduction::SumSquare, |x| x.iter().map(|x| x * x).sum()),
        (Reduction::Max, |x| x.iter().copied().fold(f64::MIN, f64::max)),
        (Reduction::Min, |x| x.iter().copied().fold(f64::MAX, f64::min)),
        (Reduction::Product, |x| x.iter().product()),
        (Reduction::LogSum, |x| x.iter().sum::<f64>().ln()),
        (Reduction::LogSumExp, |x| {
            x.iter().map(|x| x.exp()).sum::<f64>().ln()
        }),
    ];
    for pool in pools() {
        for n in LENGTHS {
            for inner in [1, 5, 16, 70] {
                let mixed = values(n as u64, 3 * n * inner);
                let positive: Vec<f32> = mixed.iter().map(|x| x.abs()).collect();
                for (kind, exact) in kinds {
                    let x = match kind {
                        Reduction::LogSum => &positive,
                        _ => &mixed,
                    };
                    let mut y = vec![0.0; 3 * inner];
                    reduce(&pool, kind, [3, n, inner], x, &mut y).unwrap();
                    let line = |i: usize| -> Vec<f64> {
                        (0..n)
                            .map(|j| f64::from(x[(i / inner * n + j) * inner + i % inner]))
                            .collect()
                    };
                    let expected: Vec<f64> = (0..y.len()).map(|i| exact(&line(i))).collect();
                    close(&format!("{pool:?} {kind:?} {n} {inner}"), &y, &expected, 3e-5);
                }
            }
        }
        let mut y = [0.0; 2];
        reduce(
            &pool,
            Reduction::Max,
            [2, 3, 1],
            &[1.0, f32::NAN, 2.0, 1.0, 5.0, 2.0],
            &mut y,
        )
        .unwrap();
        assert!(y[0].is_nan() && y[1] == 5.0);
    }
}

#[test]
fn softmax_matches() {
    for pool in pools() {
        for n in LENGTHS {
            for inner in [1, 5, 33] {
                let x: Vec<f32> = values(7, 2 * n * inner).iter().map(|x| x * 20.0).collect();
                for kind in [Softmax::Linear, Softmax::Logarithm] {
                    let mut y = vec![0.0; x.len()];
                    softmax(&pool, kind, [2, n, inner], &x, &mut y).unwrap();
                    let at = |i: usize, j: usize| f64::from(x[(i / (n * inner) * n + j) * inner + i % inner]);
                    let line = |row: usize, column: usize| {
                        (0..n).map(|j| at(row * n * inner + column, j).exp()).sum()
                    };
                    let sums: Vec<f64> = (0..2 * inner).map(|i| line(i / inner, i % inner)).collect();
                    let expected: Vec<f64> = (0..x.len())
                        .map(|i| {
                            let sum = sums[i / (n * inner) * inner + i % inner];
                            let own = f64::from(x[i]);
                            if kind == Softmax::Linear {
                                own.exp() / sum
                            } else {
                                own - sum.ln()
                            }
                        })
                        .collect();
                    close(&format!("{pool:?} {kind:?} {n} {inner}"), &y, &expected, 2e-6);
                }
            }
        }
    }
}

#[test]
fn normalisations_match() {
    let moments = |x: &[f64]| {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        (
            mean,
            x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / x.len() as f64,
        )
    };
    for pool in pools() {
        for n in LENGTHS {
            let x: Vec<f32> = values(3, 4 * n).iter().map(|x| x + 3.0).collect();
            let wide: Vec<f64> = x.iter().map(|x| f64::from(*x)).collect();
            let (scale, bias) = (values(4, n), values(5, n));
            let mut y = vec![0.0; x.len()];
            layer_norm(&pool, [4, n], &x, &scale, Some(&bias), 1e-5, &mut y).unwrap();
            let expected: Vec<f64> = (0..x.len())
                .map(|i| {
                    let (mean, variance) = moments(&wide[i / n * n..][..n]);
                    let unit = (wide[i] - mean) / (variance + f64::from(1e-5f32)).sqrt();
                    unit * f64::from(scale[i % n]) + f64::from(bias[i % n])
                })
                .collect();
            close(&format!("{pool:?} layer {n}"), &y, &expected, 3e-6);
            rms_norm(&pool, [4, n], &x, &scale, 1e-5, &mut y).unwrap();
            let expected: Vec<f64> = (0..x.len())
                .map(|i| {
                    let mean = wide[i / n * n..][..n].iter().map(|x| x * x).sum::<f64>() / n as f64;
                    wide[i] / (mean + f64::from(1e-5f32)).sqrt() * f64::from(scale[i % n])
                })
                .collect();
            close(&format!("{pool:?} rms {n}"), &y, &expected, 1e-6);
            let (scale, bias) = (values(4, 4), values(5, 4));
            group_norm(&pool, [1, 4, n], 2, &x, &scale, &bias, 1e-5, &mut y).unwrap();
            let expected: Vec<f64> = (0..x.len())
                .map(|i| {
                    let (mean, variance) = moments(&wide[i / (2 * n) * 2 * n..][..2 * n]);
                    let unit = (wide[i] - mean) / (variance + f64::from(1e-5f32)).sqrt();
                    unit * f64::from(scale[i / n]) + f64::from(bias[i / n])
                })
                .collect();
            close(&format!("{pool:?} group {n}"), &y, &expected, 3e-6);
        }
    }
}

#[test]
fn local_response_matches_in_both_layouts() {
    for pool in pools() {
        for (channels, pixels, size, beta) in [
            (1, 1, 1, 0.75),
            (20, 9, 5, 0.75),
            (33, 40, 4, 0.5),
            (3, 17, 9, 0.6),
        ] {
            let parameters = Lrn {
                size,
                alpha: 0.3,
                beta,
                bias: 1.5,
            };
            let x = values(1, 2 * channels * pixels);
            let expected: Vec<f64> = (0..x.len())
                .map(|i| {
                    let (plane, pixel) = (i / pixels, i % pixels);
                    let (image, channel) = (plane / channels, plane % channels);
                    let first = channel.saturating_sub((size - 1) / 2);
                    let last = (channel + size / 2 + 1).min(channels);
                    let square = |c: usize| f64::from(x[(image * channels + c) * pixels + pixel]).powi(2);
                    let sum: f64 = (first..last).map(square).sum();
                    f64::from(x[i]) / (1.5 + f64::from(0.3f32) / size as f64 * sum).powf(f64::from(beta))
                })
                .collect();
            let mut y = vec![0.0; x.len()];
            lrn(
                &pool,
                ChannelLayout::Plain,
                [2, channels, pixels],
                parameters,
                &x,
                &mut y,
            )
            .unwrap();
            close("plain", &y, &expected, 1e-6);
            let mut blocked = vec![f32::NAN; blocked_len(&pool, 2, channels, pixels).unwrap()];
            let mut result = blocked.clone();
            to_blocked(&pool, 2, channels, pixels, &x, &mut blocked).unwrap();
            lrn(
                &pool,
                ChannelLayout::Blocked,
                [2, channels, pixels],
                parameters,
                &blocked,
                &mut result,
            )
            .unwrap();
            from_blocked(&pool, 2, channels, pixels, &result, &mut y).unwrap();
            close("blocked", &y, &expected, 1e-6);
        }
    }
}

/// The score with a limit; 0 is none.
fn limited(score: f64, cap: f64) -> f64 {
    if cap == 0.0 {
        score
    } else {
        cap * (score / cap).tanh()
    }
}

#[test]
fn attention_matches() {
    for pool in pools() {
        for (heads, sharing, queries, keys, key_size, value_size) in [
            (1, 1, 1, 1, 1, 1),
            (4, 2, 130, 37, 16, 24),
            (2, 1, 5, 90, 33, 7),
            (6, 3, 1, 129, 32, 40),
            (4, 2, 4, 18, 7, 1),
            (3, 3, 2, 5, 1, 3),
        ] {
            let shape = AttentionShape {
                heads,
                sharing,
                queries,
                keys,
                key_size,
                value_size,
            };
            let q = values(1, heads * queries * key_size);
            let k = values(2, heads / sharing * keys * key_size);
            let v = values(3, heads / sharing * keys * value_size);
            let mask = values(4, queries * keys);
            let offsets = vec![0; heads];
            let past = keys / 2;
            let cap = if keys.is_multiple_of(2) { 0.6_f32 } else { 0.0 };
            let scores = Scores {
                scale: 0.7,
                mask: Some((&offsets, &mask)),
                causal_past: Some(past),
                cap,
                ..Scores::default()
            };
            let mut y = vec![0.0; heads * queries * value_size];
            attention(&pool, shape, scores, &q, &k, &v, &mut y).unwrap();
            let mut expected = Vec::new();
            for (head, i) in (0..heads).flat_map(|head| (0..queries).map(move |i| (head, i))) {
                let key = |j: usize| &k[(head / sharing * keys + j) * key_size..][..key_size];
                let query = &q[(head * queries + i) * key_size..][..key_size];
                let weights: Vec<f64> = (0..keys.min(i + past + 1))
                    .map(|j| {
                        let dot: f64 = query
                            .iter()
                            .zip(key(j))
                            .map(|(a, b)| f64::from(*a) * f64::from(*b))
                            .sum();
                        let score = limited(dot * f64::from(0.7f32), f64::from(cap));
                        (score + f64::from(mask[i * keys + j])).exp()
                    })
                    .collect();
                let total: f64 = weights.iter().sum();
                let value = |j: usize, e: usize| f64::from(v[(head / sharing * keys + j) * value_size + e]);
                expected.extend((0..value_size).map(|e| {
                    weights
                        .iter()
                        .enumerate()
                        .map(|(j, w)| w * value(j, e))
                        .sum::<f64>()
                        / total
                }));
            }
            close(&format!("{pool:?} {shape:?}"), &y, &expected, 2e-6);
        }
    }
}

/// The weights of keys whose scores are lower by 100 are denormal. Their values decide the result if those
/// of the other keys are zero, and nothing if not. Huge values would overflow if weights were lifted.
#[test]
fn denormal_weights_of_attention_count() {
    let (queries, keys) = (6, 9);
    let shape = AttentionShape {
        heads: 1,
        sharing: 1,
        queries,
        keys,
        key_size: 1,
        value_size: 2,
    };
    let mask: Vec<f32> = (0..queries * keys)
        .map(|at| if at % keys % 2 == 1 { -60.0 } else { 0.0 })
        .collect();
    let second: Vec<f32> = mask.iter().map(|mask| mask / 1.5).collect();
    let few = |at: usize| if at % 2 == 1 { 1.0 } else { 0.0 };
    let weight = (-100.0_f64).exp();
    for pool in pools() {
        for (first, expected) in [(0.0, weight * 4.0 / 5.0), (3.0, 3.0), (3e38, f64::from(3e38_f32))] {
            let scores = Scores {
                scale: 1.0,
                mask: Some((&[0], &mask)),
                second: Some((&[0], &second)),
                ..Scores::default()
            };
            let v: Vec<f32> = (0..keys)
                .flat_map(|key| [first * (1.0 - few(key)) + few(key), few(key)])
                .collect();
            let (q, k) = (vec![0.0; queries], vec![0.0; keys]);
            let mut y = vec![7.0; 2 * queries];
            attention(&pool, shape, scores, &q, &k, &v, &mut y).unwrap();
            for y in y.chunks_exact(2) {
                for (y, expected) in y.iter().zip([expected, weight * 4.0 / 5.0]) {
                    let error = (f64::from(*y) - expected).abs();
                    assert!(error <= expected * 3e-7 + 5e-45, "{pool:?}: {y:e} {expected:e}");
                }
            }
        }
    }
}

/// The mask hides every key from the first of two queries; without it both attend to the mean of 1, 2 and 6.
#[test]
fn a_query_without_keys_results_in_zeros_or_nan() {
    let shape = AttentionShape {
        heads: 1,
        sharing: 1,
        queries: 2,
        keys: 3,
        key_size: 1,
        value_size: 1,
    };
    let hidden = f32::NEG_INFINITY;
    let mask = [hidden, hidden, hidden, 0.0, 0.0, 0.0];
    for pool in pools() {
        for zero_where_masked in [false, true] {
            let scores = Scores {
                scale: 1.0,
                mask: Some((&[0], &mask)),
                zero_where_masked,
                ..Scores::default()
            };
            let mut y = [7.0; 2];
            let (q, k, v) = ([0.0; 2], [0.0; 3], [1.0, 2.0, 6.0]);
            attention(&pool, shape, scores, &q, &k, &v, &mut y).unwrap();
            let first = if zero_where_masked {
                y[0] == 0.0
            } else {
                y[0].is_nan()
            };
            assert!(first && (y[1] - 3.0).abs() < 1e-6, "{y:?}");
        }
    }
}

/// Queries and keys are zero, so that each query attends alike to every key of values 1, 2 and 6
/// that is not hidden. A number that replaces all scores of a query leaves their mean; minus
/// infinity leaves NaN, which may become zero.
#[test]
fn a_mask_can_replace_scores() {
    let hidden = f32::NEG_INFINITY;
    for pool in pools() {
        for queries in [3, 5] {
            let shape = AttentionShape {
                heads: 1,
                sharing: 1,
                queries,
                keys: 3,
                key_size: 1,
                value_size: 1,
            };
            let mut mask = vec![0.0; 3 * queries];
            mask[..9].copy_from_slice(&[
                0.0,
                hidden,
                0.0,
                f32::MIN,
                f32::MIN,
                f32::MIN,
                hidden,
                hidden,
                hidden,
            ]);
            for nan_is_zero in [false, true] {
                let scores = Scores {
                    scale: 1.0,
                    mask: Some((&[0], &mask)),
                    replaces: true,
                    nan_is_zero,
                    ..Scores::default()
                };
                let (q, k, v) = (vec![0.0; queries], [0.0; 3], [1.0, 2.0, 6.0]);
                let mut y = vec![7.0; queries];
                attention(&pool, shape, scores, &q, &k, &v, &mut y).unwrap();
                let last = if nan_is_zero { y[2] == 0.0 } else { y[2].is_nan() };
                let near = |y: f32, x: f32| (y - x).abs() < 1e-6;
                assert!(near(y[0], 3.5) && near(y[1], 3.0) && last, "{y:?}");
                assert!(y[3..].iter().all(|&y| near(y, 3.0)), "{y:?}");
            }
        }
    }
}

#[test]
fn narrow_formats_convert_exactly() {
    for pool in pools() {
        let all: Vec<u16> = (0..=u16::MAX).collect();
        let mut wide = vec![0.0; all.len()];
        let mut back = vec![0; all.len()];
        f16_to_f32(&pool, &all, &mut wide).unwrap();
        assert!(all.iter().zip(&wide).all(|(bits, x)| {
            let expected = half::f16::from_bits(*bits).to_f32();
            x.to_bits() == expected.to_bits() || (x.is_nan() && expected.is_nan())
        }));
        f32_to_f16(&pool, &wide, &mut back).unwrap();
        assert!(
            all.iter()
                .zip(&back)
                .zip(&wide)
                .all(|((a, b), x)| a == b || x.is_nan())
        );
        bf16_to_f32(&pool, &all, &mut wide).unwrap();
        f32_to_bf16(&pool, &wide, &mut back).unwrap();
        assert!(
            all.iter()
                .zip(&back)
                .zip(&wide)
                .all(|((a, b), x)| a == b || x.is_nan())
        );
        let x = values(9, 1003);
        let (mut f, mut b) = (vec![0; x.len()], vec![0; x.len()]);
        f32_to_f16(&pool, &x, &mut f).unwrap();
        f32_to_bf16(&pool, &x, &mut b).unwrap();
        for (x, (f, b)) in x.iter().zip(f.iter().zip(&b)) {
            assert_eq!(
                (*f, *b),
                (
                    half::f16::from_f32(*x).to_bits(),
                    half::bf16::from_f32(*x).to_bits()
                )
            );
        }
    }
}
