//! The curves of pictures of a report made by hand.

use approx::assert_abs_diff_eq;
use run_record::Report;
use run_record::{
    BackendInfo, CaseRecord, Deviation, Event, LatencyRecord, MismatchKind, Noise, OutputStats, Verdict,
};

use super::{accuracy, latency, support, throughput, tradeoff};

fn case(name: &str, operator: &str, verdict: Verdict, output: OutputStats) -> Event {
    Event::CaseFinished(Box::new(CaseRecord {
        case: name.to_owned(),
        backend: "a".to_owned(),
        verdict,
        operators: vec![operator.to_owned()],
        outputs: vec![output],
        attempts: 1,
        ..CaseRecord::default()
    }))
}

fn report() -> Report {
    let output = |ulps: &[u64], max_abs, of_bound| OutputStats {
        ulps: ulps.to_vec(),
        max_abs,
        of_bound,
        ..OutputStats::default()
    };
    let measured = |threads, round_ns: &[u64], median_ns| LatencyRecord {
        model: "m".to_owned(),
        backend: "a".to_owned(),
        threads,
        samples: 4,
        outputs_ok: true,
        round_ns: round_ns.to_vec(),
        median_ns,
        ..LatencyRecord::default()
    };
    Report::fold([
        Event::BackendStarted(BackendInfo {
            name: "a".to_owned(),
            ..BackendInfo::default()
        }),
        case("c/1", "Abs-13", Verdict::Pass, output(&[4, 2], 1e-6, 0.5)),
        case(
            "c/2",
            "Abs-13",
            Verdict::Mismatch(MismatchKind::Numeric),
            output(&[1, 0, 0, 3], 0.25, 4.0),
        ),
        // An exact answer has no place beside its bound, and one without a bound neither.
        case("c/3", "Add-14", Verdict::Unsupported, output(&[], 0.0, 0.0)),
        case("c/4", "Add-14", Verdict::NotRun, output(&[], 1.0, f64::NAN)),
        Event::Latency(Box::new(measured(1, &[30, 10, 20, 40], 24))),
        Event::Latency(Box::new(measured(2, &[15], 16))),
    ])
}

#[track_caller]
fn check(found: &[(f64, f64)], expected: &[(f64, f64)]) {
    let flat = |points: &[(f64, f64)]| points.iter().flat_map(|&(x, y)| [x, y]).collect::<Vec<f64>>();
    assert_abs_diff_eq!(flat(found)[..], flat(expected)[..], epsilon = 1e-12);
}

/// Ten elements: five are exact, two are off by one unit, three by three or four.
#[test]
fn a_share_of_elements_is_off_by_more_than_so_much() {
    check(
        &accuracy::error_curve(&report(), 0, "a").points,
        &[(0.5, 0.5), (1.0, 0.3), (2.0, 0.3)],
    );
}

#[test]
fn an_error_stands_beside_its_bound() {
    check(
        &accuracy::bound_curve(&report(), 0, "a").points,
        &[(2e-6, 1e-6), (0.0625, 0.25)],
    );
}

/// The least accurate output counts; a case without noise has no place.
#[test]
fn a_model_has_its_time_and_the_digits_of_its_least_accurate_output() {
    let output = |digits| OutputStats {
        noise: Some(Box::new(Noise {
            deviation: Deviation {
                digits,
                ..Deviation::default()
            },
            ..Noise::default()
        })),
        ..OutputStats::default()
    };
    let Event::CaseFinished(mut record) = case("c", "Abs-13", Verdict::Pass, output(6.5)) else {
        panic!("a case")
    };
    record.outputs.push(output(4.25));
    record.run_ns = Some(1500);
    assert_eq!(tradeoff::point(&record), Some((1500.0, 4.25)));
    record.run_ns = None;
    assert_eq!(tradeoff::point(&record), None);
    let plain = report();
    assert!(plain.cases.iter().all(|record| tradeoff::point(record).is_none()));
}

#[test]
fn passes_are_counted_by_opset() {
    check(
        &support::curve(&report(), 0, "a").points,
        &[(13.0, 50.0), (14.0, 0.0)],
    );
}

#[test]
fn rounds_are_a_distribution_and_threads_a_speed_up() {
    let report = report();
    let curve = latency::rounds(0, &report.latencies[0]);
    check(
        &curve.points,
        &[
            (10.0, 0.0),
            (10.0, 25.0),
            (20.0, 50.0),
            (30.0, 75.0),
            (40.0, 100.0),
        ],
    );
    let medians = [(1, 24.0), (2, 16.0)].into_iter().collect();
    let chart = latency::speed_up("m", &[(0, medians)].into_iter().collect()).unwrap();
    check(&chart.curves[0].points, &[(1.0, 1.0), (2.0, 1.5)]);
    let line = |part: f64| [(1.0, part), (2.0, 2.0 * part)];
    assert_eq!(chart.guides, [1.0, 0.75, 0.5].map(line));
}

#[test]
fn a_throughput_needs_several_batch_sizes() {
    let rates = |points: &[(u64, f64)]| [(0, points.iter().copied().collect())].into_iter().collect();
    let chart = throughput::panel("m", 2, &rates(&[(8, 400.0), (1, 100.0)])).unwrap();
    check(&chart.curves[0].points, &[(1.0, 100.0), (8.0, 400.0)]);
    assert_eq!(chart.title, "m, 2 threads");
    assert!(throughput::panel("m", 1, &rates(&[(8, 400.0)])).is_none());
}

#[test]
fn a_report_without_figures_has_no_picture() {
    for (name, picture) in super::PICTURES {
        assert!(picture(&Report::default()).unwrap().is_none(), "{name}");
        let expected = !["latency-accuracy.svg", "throughput.svg"].contains(&name);
        assert_eq!(picture(&report()).unwrap().is_some(), expected, "{name}");
    }
}
