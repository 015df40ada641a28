//! Error rates of a gate on simulated and on recorded series. No clock is read here.
//!
//! `recorded.csv` holds medians of turns of one backend compared with itself (`bench --aa --pairs 200`),
//! measured on a machine with 2 processors of which other processes used 1.1 to 1.5.

use approx::assert_abs_diff_eq;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Normal, StudentT};

use super::*;

/// The number of simulated gates of each kind.
const GATES: u32 = 1_000;

fn design() -> Design {
    Design::sequential(0.01, 0.95, 0.02, 200, Duration::MAX)
}

/// A source of log-ratios of two equal backends.
type Source<'s> = &'s dyn Fn(&mut ChaCha8Rng) -> Box<dyn FnMut(&mut ChaCha8Rng) -> f64>;

/// The fractions of gates with the verdicts slower, not slower and inconclusive, and the mean number of
/// pairs, if the new backend takes `ratio` times the time of the old one.
fn rates(source: Source, ratio: f64) -> [f64; 4] {
    let design = design();
    let mut counts = [0.0; 4];
    for seed in 0..GATES {
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(seed));
        let mut noise = source(&mut rng);
        let decision = decide(&design, None, || Some(noise(&mut rng) + ratio.ln()));
        counts[match decision.verdict {
            LatencyVerdict::Slower => 0,
            LatencyVerdict::NotSlower => 1,
            LatencyVerdict::Inconclusive => 2,
        }] += 1.0;
        counts[3] += decision.pairs as f64;
    }
    counts.map(|count| count / f64::from(GATES))
}

/// Checks the stated rates: at most 1 % false alarms, +5 % detected in at least 95 %, +2 % in at least
/// 80 %.
#[track_caller]
fn check(name: &str, source: Source) {
    for (ratio, least, most) in [(1.0, 0.0, 0.01), (1.02, 0.80, 1.0), (1.05, 0.95, 1.0)] {
        let [slower, not_slower, inconclusive, pairs] = rates(source, ratio);
        println!(
            "{name}, ratio {ratio}: slower {:.1} %, not slower {:.1} %, inconclusive {:.1} %, {pairs:.0} pairs",
            100.0 * slower,
            100.0 * not_slower,
            100.0 * inconclusive
        );
        assert!(
            (least..=most).contains(&slower),
            "{name}, ratio {ratio}: {slower}"
        );
        if ratio == 1.0 {
            assert!(not_slower >= 0.95, "{name}: {not_slower}");
        }
    }
}

/// The log-ratios of a recorded series.
fn recorded(series: &str) -> Vec<f64> {
    let lines = include_str!("recorded.csv").lines();
    let ratio = |line: &str| {
        let [name, new, old] = line.split(',').collect::<Vec<_>>().try_into().unwrap();
        let log = |ns: &str| ns.parse::<f64>().map(f64::ln);
        (name == series).then(|| log(new).unwrap() - log(old).unwrap())
    };
    let ratios: Vec<f64> = lines.skip(1).filter_map(ratio).collect();
    assert_eq!(ratios.len(), 200, "{series}");
    ratios
}

/// Blocks of ten recorded pairs, each pair in random order: a simulation of what a gate would have
/// measured.
fn resampled(ratios: Vec<f64>, rng: &mut ChaCha8Rng) -> Box<dyn FnMut(&mut ChaCha8Rng) -> f64> {
    let mut place = rng.random_range(0..ratios.len());
    let mut left = 10;
    Box::new(move |rng| {
        if left == 0 {
            (place, left) = (rng.random_range(0..ratios.len()), 10);
        }
        (place, left) = ((place + 1) % ratios.len(), left - 1);
        if rng.random::<bool>() {
            ratios[place]
        } else {
            -ratios[place]
        }
    })
}

#[test]
fn error_rates_hold_on_recorded_turns() {
    for series in ["mnist-8-native", "mnist-8-ort", "version-RFB-320-native"] {
        let ratios = recorded(series);
        check(series, &|rng| resampled(ratios.clone(), rng));
    }
}

#[test]
fn on_a_noisy_machine_the_verdict_is_inconclusive_and_not_wrong() {
    let ratios = recorded("version-RFB-320-ort");
    let source: Source = &|rng| resampled(ratios.clone(), rng);
    let [slower, not_slower, ..] = rates(source, 1.0);
    println!("version-RFB-320-ort, ratio 1: slower {slower}, not slower {not_slower}");
    assert!(slower <= 0.01, "{slower}");
    // With a power of 95 %, at most 5 % of the slowdowns by the margin have the verdict not slower.
    let [slower, not_slower, ..] = rates(source, 1.02);
    println!("version-RFB-320-ort, ratio 1.02: slower {slower}, not slower {not_slower}");
    assert!(not_slower <= 0.05, "{not_slower}");
}

#[test]
fn error_rates_hold_under_normal_noise() {
    check("normal, 3 %", &|_| {
        let normal = Normal::new(0.0, 0.03).unwrap();
        Box::new(move |rng| normal.sample(rng))
    });
}

#[test]
fn error_rates_hold_under_outliers() {
    check("Student's t with 2 degrees of freedom, scale 2.5 %", &|_| {
        let student = StudentT::new(2.0).unwrap();
        Box::new(move |rng| 0.025 * student.sample(rng))
    });
}

#[test]
fn error_rates_hold_under_slow_periods() {
    // In some successive pairs one turn of each is slow; the random order decides which.
    check("slow periods of 15 %", &|_| {
        let normal = Normal::new(0.0, 0.02).unwrap();
        let mut spell = 0_u32;
        Box::new(move |rng| {
            spell = match spell {
                0 if rng.random_bool(0.02) => 10,
                left => left.saturating_sub(1),
            };
            let hit = if spell > 0 { 0.15 } else { 0.0 };
            normal.sample(rng) + if rng.random::<bool>() { hit } else { -hit }
        })
    });
}

#[test]
fn a_saved_run_keeps_the_rates_if_the_machine_did_not_change() {
    let normal = Normal::new(0.0, 0.02).unwrap();
    let alarms = (0..GATES).filter(|seed| {
        let mut rng = ChaCha8Rng::seed_from_u64(u64::from(*seed));
        let old: Vec<f64> = (0..30).map(|_| normal.sample(&mut rng)).collect();
        let decision = decide(&design(), Some(&old), || Some(normal.sample(&mut rng)));
        decision.verdict == LatencyVerdict::Slower
    });
    let alarms = alarms.count();
    println!("saved: {alarms} alarms in {GATES}");
    assert!(alarms <= 10, "{alarms}");
}

#[test]
fn a_gate_ends_when_no_more_pairs_are_measured() {
    let mut values = [0.01, -0.01, 0.0].into_iter();
    let decision = decide(&design(), None, || values.next());
    assert_eq!(
        (decision.verdict, decision.pairs),
        (LatencyVerdict::Inconclusive, 3)
    );
    assert_eq!((decision.ratio, decision.spread), (None, None));
    // A ratio of 2 is detected at the first look that can detect it.
    let decision = decide(&design(), None, || Some(2.0_f64.ln()));
    assert_eq!(decision.verdict, LatencyVerdict::Slower);
    assert!(decision.pairs <= 16, "{}", decision.pairs);
    let ratio = decision.ratio.unwrap();
    assert_abs_diff_eq!(ratio.estimate, 2.0, epsilon = 1e-9);
    // A real slowdown below the margin does not matter.
    let decision = decide(&design(), None, || Some(1.01_f64.ln()));
    assert_eq!(decision.verdict, LatencyVerdict::NotSlower);
}

#[test]
fn looks_grow_to_the_maximum_number_of_pairs() {
    assert_eq!(design().looks, [8, 11, 15, 21, 29, 40, 54, 73, 99, 134, 181, 200]);
    assert_eq!(Design::fixed(0.01, 0.95, 0.02, 30, Duration::MAX).looks, [30]);
    assert_eq!(Design::sequential(0.01, 0.95, 0.02, 5, Duration::MAX).looks, [5]);
    assert_eq!(design().shared_by(4).alpha, 0.0025);
}

/// One more pair decides about a backend that is 3,700 times slower, however much the times vary.
#[test]
fn the_needed_number_of_pairs_is_that_for_the_ratio_that_is_seen() {
    let design = Design::sequential(0.01, 0.95, 0.02, 200, Duration::MAX);
    let needed = |centre: f64, count: i32| {
        let mut values = (0..count).map(|at| centre + 0.1 * f64::from(at % 5 - 2));
        decide(&design, None, || values.next()).needed
    };
    assert_eq!(needed(3700_f64.ln(), 7), Some(8));
    assert_eq!(needed(-3700_f64.ln(), 7), Some(8));
    let of_margin = design.pairs_needed(0.2 / 1.349, 0.02);
    assert_eq!(needed(0.0, 200), of_margin);
}

#[test]
fn the_needed_number_of_pairs_grows_with_the_square_of_the_spread() {
    let design = Design::fixed(0.01, 0.95, 0.02, 30, Duration::MAX);
    // ((2.326 + 1.645) · 0.03 ÷ ln 1.02)² · π ÷ 3 = 37.9
    assert_eq!(design.pairs_needed(0.03, 0.02), Some(38));
    assert_eq!(design.pairs_needed(0.06, 0.02), Some(152));
    assert_eq!(design.pairs_needed(0.03, 0.0), None);
}

/// The percentiles of the means of resamples, which many tools report.
fn bootstrap(values: &[f64], rng: &mut ChaCha8Rng) -> (f64, f64) {
    let mut means: Vec<f64> = (0..400)
        .map(|_| {
            let sum: f64 = values
                .iter()
                .map(|_| values[rng.random_range(0..values.len())])
                .sum();
            sum / values.len() as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    (means[9], means[390])
}

/// Of 40,000 intervals of eight pairs, how many contain the true ratio: at least 95 % of the exact ones; a
/// bootstrap does not reach that.
#[test]
fn the_interval_of_paired_times_keeps_its_level() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let (noise, slow) = (Normal::new(0.0, 0.03).unwrap(), Normal::new(0.0, 0.3).unwrap());
    let (count, truth) = (40_000, 1.25_f64);
    let (mut exact, mut resampled) = (0, 0);
    for _ in 0..count {
        let (mut new, mut old) = (Vec::new(), Vec::new());
        for _ in 0..8 {
            // A slow period affects both turns of a round.
            let common = 1e9 * f64::exp(slow.sample(&mut rng));
            old.push((common * f64::exp(noise.sample(&mut rng))) as u64);
            new.push((common * truth * f64::exp(noise.sample(&mut rng))) as u64);
        }
        let ratio = paired_ratio(&new, &old).unwrap();
        exact += u32::from((ratio.low..=ratio.high).contains(&truth));
        let values: Vec<f64> = new
            .iter()
            .zip(&old)
            .map(|(n, o)| (*n as f64 / *o as f64).ln())
            .collect();
        let (low, high) = bootstrap(&values, &mut rng);
        resampled += u32::from((low..=high).contains(&truth.ln()));
    }
    let part = |covered: u32| f64::from(covered) / f64::from(count);
    println!(
        "exact {:.1} %, bootstrap {:.1} %",
        100.0 * part(exact),
        100.0 * part(resampled)
    );
    assert!(part(exact) >= 0.95, "{exact}");
    assert!(part(resampled) < 0.94, "{resampled}");
}

#[test]
fn an_interval_needs_six_pairs_of_positive_times() {
    assert!(paired_ratio(&[2; 6], &[1; 6]).is_some());
    assert_eq!(paired_ratio(&[2; 5], &[1; 5]), None);
    assert_eq!(paired_ratio(&[2; 6], &[0; 6]), None);
    assert_eq!(paired_ratio(&[0; 6], &[1; 6]), None);
}
