//! A small constructed run with one of everything that renderers distinguish.

#![allow(dead_code, reason = "each test binary uses some of it")]

mod latency;

use latency::{latency, latency_gate};
use run_record::common::{PropertyKind, Shared};
use run_record::{
    BackendInfo, CaseDetail, CaseRecord, CheckedBy, DataSetDetail, Deviation, Disagreements, Environment,
    Erratum, ErrorStage, Event, FirstDifference, Fit, LatencyRecord, LatencyVerdict, Level, MachineState,
    MismatchKind, NodeDetail, Noise, NoiseFloor, OutputStats, Overlap, Part, Place, PolicyUsed,
    RatioInterval, RunFinished, RunStarted, Scores, Typed, Values, Verdict, VerdictKind, Window,
};
use run_record::{Change, GateReport, KnownFailure, Quarantined, Waiver, WaiverState};

/// The sample's events, in a possible order of workers.
pub fn events() -> Vec<Event> {
    let mut events = vec![
        Event::RunStarted(Box::new(started())),
        Event::BackendStarted(backend("ort", "1.31.1", &[("optimization", "all")])),
        Event::BackendStarted(backend("tract:plain", "0.23.9", &[])),
        Event::PhaseFinished {
            name: "corpus".into(),
            wall_s: 0.25,
        },
    ];
    events.extend(
        cases()
            .into_iter()
            .map(|record| Event::CaseFinished(Box::new(record))),
    );
    events.push(Event::CaseDetail(Box::new(detail())));
    events.extend([
        Event::Latency(Box::new(latency("squeezenet", "ort", 2_300_000, true))),
        Event::Latency(Box::new(latency("squeezenet", "tract:plain", 6_300_000, false))),
        Event::Latency(Box::new(LatencyRecord {
            caching: "runs on one repeated input take 2 % of the time of runs on varied inputs".into(),
            checked_by: CheckedBy::FirstRun,
            dims: [("batch".to_owned(), 8)].into(),
            ..latency("squeezenet (batch=8)", "tract:plain", 6_300_000, true)
        })),
        Event::Latency(Box::new(LatencyRecord {
            ratio: Some(RatioInterval {
                estimate: 1.01,
                low: 0.97,
                high: 1.04,
            }),
            ..latency("alexnet", "ort", 4_040_000, true)
        })),
        Event::Latency(Box::new(latency("alexnet", "tract:plain", 4_000_000, true))),
        Event::Latency(Box::new(LatencyRecord {
            threads: 2,
            ..latency("squeezenet", "ort", 1_250_000, true)
        })),
        Event::Latency(Box::new(LatencyRecord {
            batch: Some(8),
            dims: [("batch".to_owned(), 8)].into(),
            ..latency("squeezenet (batch=8)", "ort", 14_000_000, true)
        })),
        Event::LatencyGate(Box::new(latency_gate("squeezenet", LatencyVerdict::Slower))),
        Event::LatencyGate(Box::new(latency_gate(
            "squeezenet (batch=8)",
            LatencyVerdict::Inconclusive,
        ))),
        Event::Machine(Box::new(MachineState {
            governor: "powersave".into(),
            mhz: Some((1200, 3400)),
            steal: Some(0.031),
            others: Some(0.72),
            load: Some(1.5),
            throttled: Some(0),
            noise: vec!["other processes used 0.7 processors".into()],
        })),
        Event::BackendFinished {
            backend: "ort".into(),
            wall_s: 3.0,
        },
        Event::BackendFinished {
            backend: "tract:plain".into(),
            wall_s: 6.4,
        },
        Event::PhaseFinished {
            name: "backends".into(),
            wall_s: 6.5,
        },
        Event::RunFinished(RunFinished {
            wall_s: 7.0,
            complete: true,
        }),
    ]);
    events
}

/// A model of two nodes.
fn detail() -> CaseDetail {
    let typed = |name: &str| Typed {
        name: name.into(),
        value_type: "float[2,3]".into(),
    };
    let values = |name: &str| Values {
        name: name.into(),
        value_type: "float[2,3]".into(),
        elements: Part {
            first: vec!["1".into(), "2".into()],
            count: 6,
        },
    };
    let node = |operator: &str, input: &str, output: &str| NodeDetail {
        name: format!("the {operator}"),
        operator: operator.into(),
        inputs: list(vec![input.into()]),
        outputs: list(vec![output.into()]),
        attributes: list(vec![("axis".into(), "-1".into())]),
    };
    CaseDetail {
        case: "onnx-1.22.0/node/test_softmax".into(),
        imports: [(String::new(), 13)].into(),
        inputs: list(vec![typed("x")]),
        outputs: list(vec![typed("y")]),
        initializers: list(vec![values("w")]),
        nodes: list(vec![node("Neg-13", "x", "n"), node("Softmax-13", "n", "y")]),
        data_sets: list(vec![DataSetDetail {
            name: "test_data_set_0".into(),
            inputs: list(vec![values("x")]),
        }]),
    }
}

fn list<T>(first: Vec<T>) -> Part<T> {
    Part {
        count: first.len() as u64,
        first,
    }
}

/// A possible decision of a gate on the sample.
pub fn gates() -> Vec<GateReport> {
    let known = |verdict, line| KnownFailure {
        verdict,
        reason: "opset 27 is under development".into(),
        line: Some(line),
        owner: None,
        expires: None,
        quarantine: false,
    };
    let change = |case: &str, transition: &str, expected, observed, line| Change {
        case: format!("onnx-1.22.0/{case}"),
        transition: transition.into(),
        closes: matches!(transition, "regression" | "vanished"),
        expected,
        observed,
        reason: "3 of 6 elements differ".into(),
        line,
    };
    vec![
        GateReport {
            backend: "ort".into(),
            baseline: "onnx-tests/baselines/ort.toml".into(),
            open: false,
            reasons: vec!["2 regressions: <a> and another".into()],
            known: [(
                "onnx-1.22.0/node/test_div".to_owned(),
                known(VerdictKind::Error, 7),
            )]
            .into(),
            changes: vec![
                change(
                    "node/test_softmax",
                    "regression",
                    VerdictKind::Pass,
                    Some(VerdictKind::Mismatch),
                    None,
                ),
                change("node/test_gone", "vanished", VerdictKind::Error, None, Some(8)),
                change(
                    "node/test_abs",
                    "unexpected pass",
                    VerdictKind::Crash,
                    Some(VerdictKind::Pass),
                    Some(6),
                ),
            ],
            shared: vec![Shared {
                kind: PropertyKind::Operator,
                value: "Softmax".into(),
                failing: 2,
                of_failing: 2,
                passing: 0,
            }],
            waivers: vec![
                waiver(WaiverState::Expired, Some(-3)),
                waiver(WaiverState::Due, Some(1)),
            ],
            quarantined: vec![Quarantined {
                case: "onnx-1.22.0/node/test_div".into(),
                observed: VerdictKind::Error,
                reason: "opset 27".into(),
                why: "fails sometimes".into(),
                owner: "ada".into(),
                expires: "2027-01-31".into(),
            }],
        },
        GateReport {
            backend: "tract:plain".into(),
            baseline: "tract.toml".into(),
            open: true,
            ..GateReport::default()
        },
    ]
}

fn waiver(state: WaiverState, days: Option<i64>) -> Waiver {
    Waiver {
        case: "onnx-1.7.0..1.22.0/node/test_adam".into(),
        state,
        days,
        owner: Some("ada".into()),
        expires: Some("2026-11-20".into()),
        version: None,
        reason: "no kernel | yet".into(),
        line: Some(9),
        quarantine: false,
    }
}

/// A result without outputs.
pub fn case(name: &str, backend: &str, verdict: Verdict, reason: &str) -> CaseRecord {
    CaseRecord {
        case: format!("onnx-1.22.0/{name}"),
        backend: backend.into(),
        verdict,
        reason: reason.into(),
        operators: vec!["Softmax-13".into()],
        attempts: 1,
        ..CaseRecord::default()
    }
}

fn started() -> RunStarted {
    RunStarted {
        started: "2026-11-20T19:40:00Z".into(),
        release: "1.22.0".into(),
        cases: 7,
        command: vec!["xtask".into(), "conformance".into()],
        environment: Environment {
            os: "linux x86_64".into(),
            cpu: "Some CPU".into(),
            cores: 2,
            memory_bytes: 24 << 30,
            harness: "0.1.0".into(),
            ..Environment::default()
        },
        policy: PolicyUsed {
            name: "bound".into(),
            version: 3,
        },
        ..RunStarted::default()
    }
}

fn backend(name: &str, version: &str, options: &[(&str, &str)]) -> BackendInfo {
    BackendInfo {
        name: name.into(),
        kind: name.split(':').next().unwrap_or(name).into(),
        version: version.into(),
        options: options
            .iter()
            .map(|(key, value)| ((*key).into(), (*value).into()))
            .collect(),
        ..BackendInfo::default()
    }
}

fn cases() -> Vec<CaseRecord> {
    let timed = |record: CaseRecord| CaseRecord {
        load_ns: Some(1_500_000),
        run_ns: Some(500_000),
        ..record
    };
    let mismatch = CaseRecord {
        outputs: vec![
            stats("x", 0, 0.0),
            stats("y", 3, 0.001),
            stats("z", 1, f64::INFINITY),
        ],
        official: Some(true),
        level: Some(Level::Outside),
        ..case(
            "node/test_softmax",
            "ort",
            Verdict::Mismatch(MismatchKind::Numeric),
            "3 of 6 elements differ",
        )
    };
    let crash = CaseRecord {
        attempts: 2,
        ..case(
            "node/test_div",
            "tract:plain",
            Verdict::Crash { signal: Some(8) },
            "worker died by SIGFPE",
        )
    };
    let explained = CaseRecord {
        outputs: vec![OutputStats {
            ulps: vec![4, 2],
            unequal: 2,
            max_ulp: 1.0,
            level: Level::WithinRounding,
            ..stats("y", 0, 1e-7)
        }],
        official: Some(true),
        level: Some(Level::WithinRounding),
        place: Some(Place {
            requested: "CUDAExecutionProvider".into(),
            nodes: [("CPUExecutionProvider".to_owned(), 1)].into(),
            elsewhere: vec!["<abs> (Abs) on CPUExecutionProvider".into()],
        }),
        ..case("node/test_abs", "ort", Verdict::Pass, "")
    };
    let unexplained = CaseRecord {
        outputs: vec![OutputStats {
            ulps: vec![3, 0, 3],
            unequal: 3,
            max_ulp: 2.0,
            of_bound: 2.5,
            level: Level::Tolerated,
            noise: Some(Box::new(noise())),
            ..stats("y", 0, 2e-7)
        }],
        official: Some(true),
        level: Some(Level::Tolerated),
        ..case("simple/test_sign", "ort", Verdict::Pass, "")
    };
    let hostile = "node/test_<script>alert('1')</script>, \"quoted\" | piped";
    let refused = Verdict::Error(ErrorStage::Load);
    vec![
        timed(case("simple/test_sign", "tract:plain", Verdict::Pass, "")),
        timed(explained),
        timed(mismatch),
        timed(unexplained),
        case("node/test_div", "ort", refused, "opset 27 is under development"),
        case(
            "node/test_abs",
            "tract:plain",
            Verdict::Unsupported,
            "no kernel for Abs-13 on bfloat16",
        ),
        crash,
        case(
            "node/test_softmax",
            "tract:plain",
            Verdict::Timeout,
            "no answer within 10 s",
        ),
        case(
            hostile,
            "ort",
            refused,
            "node \"<img src=x>\": bad attribute\nsecond line",
        ),
        case(
            "node/test_dropout",
            "ort",
            Verdict::Disputed(Erratum::Nondeterministic),
            "the mask is random",
        ),
    ]
}

fn stats(name: &str, differing: u64, max_abs: f64) -> OutputStats {
    OutputStats {
        name: name.into(),
        dtype: "float".into(),
        shape: vec![2, 3],
        elements: 6,
        unequal: differing,
        differing,
        allowed: "the bound".into(),
        level: if differing > 0 {
            Level::Outside
        } else {
            Level::Exact
        },
        model: Some("gamma_n, n = 3".into()),
        of_bound: max_abs / 2e-7,
        max_abs,
        max_rel: if name == "x" { f64::NAN } else { 0.01 },
        max_ulp: 83886.0,
        mean_abs: max_abs / 4.0,
        mean_rel: 0.002,
        mean_ulp: 0.5,
        bias: -max_abs / 8.0,
        needed_rtol: 0.01,
        ulps: vec![6 - differing, 0, 0, 0, differing],
        special: Disagreements {
            infinity: u64::from(max_abs.is_infinite()),
            ..Disagreements::default()
        },
        first: (differing > 0)
            .then(|| FirstDifference {
                index: vec![0, 1],
                actual: "0.25".into(),
                expected: "0.251".into(),
            })
            .into_iter()
            .collect(),
        spread: if differing > 0 {
            vec![1, 0, 0, 0, 0, 2]
        } else {
            Vec::new()
        },
        window: (differing > 0).then(|| Box::new(window())),
        judgement: None,
        noise: None,
    }
}

fn window() -> Window {
    let texts = |texts: [&str; 2]| texts.map(String::from).to_vec();
    Window {
        start: 0,
        got: texts(["0.5", "0.25"]),
        expected: texts(["0.5", "0.251"]),
        bounds: vec![1e-7, f64::INFINITY],
        inputs: vec![("x".into(), texts(["1", "2"]))],
    }
}

fn noise() -> Noise {
    Noise {
        floor: NoiseFloor {
            runs: 8,
            elements: 6,
            digits: 6.25,
            least_digits: 5.5,
            margin: 0.25,
            sigma: 1e-7,
            largest_sigma: 3e-7,
            reach: 6.5,
        },
        deviation: Deviation {
            median: 0.75,
            max: 9.5,
            at: vec![1, 2],
            beyond: 1,
            digits: 5.5,
            cosine: 1.0,
        },
        scores: Some(Scores {
            rows: 2,
            classes: 3,
            top1: 1,
            top5: None,
            flips_within: 0,
            flips_beyond: 1,
            margin: 12.0,
        }),
        boxes: None,
        masks: Some(Overlap {
            form: "above 0.5".into(),
            regions: 1,
            mean: 0.875,
            least: 0.875,
        }),
        fit: Some(Fit {
            slope: 1.0009765625,
            slope_error: 1e-6,
            intercept: -2e-8,
            r_squared: 0.9375,
        }),
    }
}
