//! Latencies and decisions on them.

use run_record::{LatencyGate, LatencyRecord, LatencyVerdict, RatioInterval, Weights};

/// Whether a backend became slower.
pub fn latency_gate(model: &str, verdict: LatencyVerdict) -> LatencyGate {
    let decided = verdict != LatencyVerdict::Inconclusive;
    LatencyGate {
        model: model.into(),
        backend: "ort".into(),
        against: "old=ort".into(),
        threads: 1,
        verdict,
        ratio: decided.then_some(RatioInterval {
            estimate: 1.061,
            low: 1.024,
            high: 1.098,
        }),
        spread: decided.then_some(0.031),
        pairs: 34,
        alpha: 0.01,
        power: 0.95,
        margin: 0.02,
        reason: if decided {
            String::new()
        } else {
            "old=ort: wrong outputs".into()
        },
    }
}

/// The latency of a model on a backend.
pub fn latency(model: &str, backend: &str, median_ns: u64, outputs_ok: bool) -> LatencyRecord {
    LatencyRecord {
        model: model.into(),
        network: model.split(" (").next().unwrap_or(model).into(),
        batch: Some(1),
        backend: backend.into(),
        version: "1.0".into(),
        threads: 1,
        weights: Weights::Random,
        interleaved: true,
        spinning: false,
        rounds: 10,
        samples: 100,
        min_ns: median_ns - 100_000,
        median_ns,
        p90_ns: Some(median_ns + 400_000),
        p99_ns: None,
        mean_ns: median_ns + 50_000,
        load_ns: 80_000_000,
        first_ns: median_ns * 3,
        peak_bytes: Some(300 << 20),
        outputs_ok,
        reason: if outputs_ok {
            String::new()
        } else {
            "output 0: 12 of 1000 elements differ".into()
        },
        ..LatencyRecord::default()
    }
}
