//! A report of realistic size with synthetic results, to inspect the page: `cargo run -p reports
//! --example synthetic -- FOLDER`.

use std::error::Error;
use std::path::Path;

use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use reports::{View, render, write_all};
use run_record::Report;
use run_record::{
    BackendInfo, CaseRecord, Environment, ErrorStage, Event, FirstDifference, LatencyRecord, Level,
    MismatchKind, OutputStats, PolicyUsed, RunFinished, RunStarted, Verdict, Weights,
};

const OPERATORS: &str = "Abs:1,6,13 Acos:7,22 Add:1,6,7,13,14 And:1,7 ArgMax:1,11,12,13 ArgMin:1,11,12,13 Attention:23,24 \
    AveragePool:1,7,10,11,19,22 BatchNormalization:1,6,7,9,14,15 Bernoulli:15,22 BitShift:11 BitwiseAnd:18 Cast:1,6,9,13,19,21,23,25 \
    CastLike:15,19,21,23 Ceil:1,6,13 Celu:12 CenterCropPad:18 Clip:1,6,11,12,13 Col2Im:18 Compress:9,11 Concat:1,4,11,13 \
    Constant:1,9,11,12,13 ConstantOfShape:9,20 Conv:1,11,22 ConvInteger:10 ConvTranspose:1,11,22 Cos:7,22 CumSum:11,14 DFT:17,20 \
    DeformConv:19,22 DepthToSpace:1,11,13 DequantizeLinear:10,13,19,21,23 Det:11,22 Div:1,6,7,13,14 Dropout:1,6,7,10,12,13,22 \
    DynamicQuantizeLinear:11 Einsum:12 Elu:1,6,22 Equal:1,7,11,13,19 Erf:9,13 Exp:1,6,13 Expand:8,13 EyeLike:9,22 Flatten:1,9,11,13 \
    GRU:1,3,7,14,22 Gather:1,11,13 GatherElements:11,13 GatherND:11,12,13 Gelu:20 Gemm:1,6,7,9,11,13 GridSample:16,20,22 Hardmax:1,11,13 \
    If:1,11,13,16,19,21 ImageDecoder:20 InstanceNormalization:1,6,22 IsInf:10,20 LRN:1,13 LSTM:1,7,14,22 LayerNormalization:17 \
    LeakyRelu:1,6,16 LogSoftmax:1,11,13 Loop:1,11,13,16,19 LpNormalization:1,22 MatMul:1,9,13 MatMulInteger:10 Max:1,6,8,12,13 \
    MaxPool:1,8,10,11,12,22 MaxUnpool:9,11,22 Mean:1,6,8,13 MelWeightMatrix:17 Mish:18,22 Mod:10,13 Mul:1,6,7,13,14 NegativeLogLikelihoodLoss:12,13,22 \
    NonMaxSuppression:10,11 NonZero:9,13 OneHot:9,11 Optional:15 PRelu:1,6,7,9,16 Pad:1,2,11,13,18,19,21 Pow:1,7,12,13,15 QLinearConv:10 \
    QLinearMatMul:10,21 QuantizeLinear:10,13,19,21,23 RMSNormalization:23 RNN:1,7,14,22 Range:11 ReduceMax:1,11,12,13,18,20 \
    ReduceSum:1,11,13 RegexFullMatch:20 Relu:1,6,13,14 Reshape:1,5,13,14,19,21 Resize:10,11,13,18,19 RoiAlign:10,16,22 RotaryEmbedding:23 \
    STFT:17 Scan:8,9,11 ScatterElements:11,13,16,18 ScatterND:11,13,16,18 SequenceMap:17 Shape:1,13,15,19 Slice:1,10,11,13 Softmax:1,11,13 \
    SoftmaxCrossEntropyLoss:12,13 Split:1,2,11,13,18 StringNormalizer:10 TensorScatter:24 TfIdfVectorizer:9 Tile:1,6,13 TopK:1,10,11 \
    Transpose:1,13,21 Trilu:14 Unique:11 Upsample:1,7,9 Where:9,16 Xor:1,7 ai.onnx.ml.ArrayFeatureExtractor:1 ai.onnx.ml.Binarizer:1 \
    ai.onnx.ml.LabelEncoder:1,2,4 ai.onnx.ml.TreeEnsemble:5 ai.onnx.preview.training.Adam:1";

const UNSUPPORTED: [&str; 4] = [
    "is not implemented",
    "has no kernel for bfloat16",
    "accepts no sequence",
    "wants a constant second input",
];
const SUITES: [(&str, usize); 5] = [
    ("node", 1765),
    ("simple", 23),
    ("pytorch-converted", 82),
    ("pytorch-operator", 35),
    ("real", 9),
];
const BACKENDS: [(&str, &str, f64); 3] = [
    ("ort", "1.31.1", 0.9),
    ("tract", "0.23.9", 0.69),
    ("reference", "0.1.0", 0.995),
];
const MODELS: [(&str, f64); 9] = [
    ("alexnet", 14.0),
    ("densenet121", 21.5),
    ("inception_v1", 16.0),
    ("inception_v2", 10.4),
    ("resnet50", 21.1),
    ("shufflenet", 3.2),
    ("squeezenet", 2.3),
    ("vgg19", 91.0),
    ("zfnet512", 28.3),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: synthetic FOLDER")?;
    let report = View::from(Report::fold(events()));
    for path in write_all(&report, Path::new(&folder))? {
        eprintln!("{} ({} bytes)", path.display(), path.metadata()?.len());
    }
    let stderr = std::io::stderr();
    eprintln!("{}", render::terminal(&report, run_record::Look::of(&stderr)));
    Ok(())
}

fn events() -> Vec<Event> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut events = vec![Event::RunStarted(Box::new(started()))];
    events.extend(BACKENDS.map(|(name, version, _)| Event::BackendStarted(info(name, version))));
    for (name, operators) in cases(&mut random) {
        let luck: f64 = random.random();
        for (backend, _, quality) in BACKENDS {
            events.push(Event::CaseFinished(Box::new(result(
                &name,
                &operators,
                backend,
                luck / quality,
                &mut random,
            ))));
        }
    }
    events.extend(
        latencies(&mut random)
            .into_iter()
            .map(|record| Event::Latency(Box::new(record))),
    );
    let phases = [
        ("corpus", 0.62),
        ("reference", 3.91),
        ("ort", 3.24),
        ("tract", 6.43),
        ("report", 0.31),
    ];
    events.extend(phases.map(|(name, wall_s)| Event::PhaseFinished {
        name: name.into(),
        wall_s,
    }));
    let walls = [("ort", 3.24), ("tract", 6.43), ("reference", 3.91)];
    events.extend(walls.map(|(name, wall_s)| Event::BackendFinished {
        backend: name.into(),
        wall_s,
    }));
    events.push(Event::RunFinished(RunFinished {
        wall_s: 14.5,
        complete: true,
    }));
    events
}

fn started() -> RunStarted {
    RunStarted {
        started: "2026-11-20T19:40:12Z".into(),
        release: "1.22.0".into(),
        cases: 1914,
        command: ["cargo", "xtask", "conformance", "--out", "conformance-report"]
            .map(String::from)
            .into(),
        environment: Environment::collect("0.1.0"),
        policy: PolicyUsed {
            name: "bound".into(),
            version: 1,
        },
        ..RunStarted::default()
    }
}

fn info(name: &str, version: &str) -> BackendInfo {
    let options = [
        ("optimization", "all"),
        ("intra_threads", "1"),
        ("spinning", "off"),
    ];
    BackendInfo {
        name: name.into(),
        kind: name.into(),
        version: version.into(),
        build: "x86_64-unknown-linux-gnu".into(),
        options: options.map(|(key, value)| (key.into(), value.into())).into(),
        providers: vec!["cpu".into()],
    }
}

/// Name and operators of each case.
fn cases(random: &mut ChaCha8Rng) -> Vec<(String, Vec<String>)> {
    let operators: Vec<String> = OPERATORS
        .split_whitespace()
        .filter_map(|entry| entry.split_once(':'))
        .flat_map(|(name, versions)| versions.split(',').map(move |since| format!("{name}-{since}")))
        .collect();
    let variants = [
        "default_axis",
        "example",
        "broadcast",
        "bfloat16",
        "float16",
        "expanded",
        "3d_keepdims",
        "negative_axes",
    ];
    let mut cases = Vec::new();
    for (suite, count) in SUITES {
        for index in 0..count {
            let many = if suite == "node" {
                1
            } else {
                random.random_range(1..12)
            };
            let used: Vec<String> = operators.sample(random, many).cloned().collect();
            let stem = used[0]
                .rsplit('.')
                .next()
                .unwrap_or_default()
                .to_lowercase()
                .replace('-', "_");
            let variant = variants[index % variants.len()];
            cases.push((format!("onnx-1.22.0/{suite}/test_{stem}_{variant}_{index}"), used));
        }
    }
    cases
}

fn result(case: &str, operators: &[String], backend: &str, luck: f64, random: &mut ChaCha8Rng) -> CaseRecord {
    let operator = &operators[0];
    let differing = random.random_range(1..400);
    let (verdict, reason) = match (luck, random.random_range(0..400)) {
        (_, 0) => (
            Verdict::Crash { signal: Some(8) },
            "worker died by SIGFPE while it ran the model".to_owned(),
        ),
        (_, 1) => (
            Verdict::Timeout,
            "no answer within 10 s; the worker was killed".to_owned(),
        ),
        (luck, 2..8) if luck > 0.4 => (
            Verdict::Mismatch(MismatchKind::Numeric),
            format!("output y: {differing} of 1200 elements differ"),
        ),
        (luck, 8..10) if luck > 0.4 => (
            Verdict::Mismatch(MismatchKind::Dtype),
            "output y is float32 instead of bfloat16".to_owned(),
        ),
        (luck, _) if luck < 1.0 => (Verdict::Pass, String::new()),
        (_, roll) if roll % 7 == 0 => (
            Verdict::Error(ErrorStage::Load),
            "opset 27 is under development and support for it is limited".to_owned(),
        ),
        (_, roll) => (
            Verdict::Unsupported,
            format!("operator {operator} {}", UNSUPPORTED[roll % UNSUPPORTED.len()]),
        ),
    };
    let wrong = verdict == Verdict::Mismatch(MismatchKind::Numeric);
    CaseRecord {
        case: case.into(),
        backend: backend.into(),
        verdict,
        reason,
        operators: operators.to_vec(),
        outputs: if wrong {
            vec![stats(differing, random)]
        } else if verdict == Verdict::Pass {
            vec![right(random)]
        } else {
            Vec::new()
        },
        load_ns: Some(random.random_range(200_000..9_000_000)),
        run_ns: Some(random.random_range(5_000..900_000)),
        official: wrong.then(|| random.random_bool(0.2)),
        level: match verdict {
            Verdict::Pass => Some(Level::WithinRounding),
            Verdict::Mismatch(_) => Some(Level::Outside),
            _ => None,
        },
        attempts: if matches!(verdict, Verdict::Crash { .. }) {
            2
        } else {
            1
        },
        ..CaseRecord::default()
    }
}

fn stats(differing: u64, random: &mut ChaCha8Rng) -> OutputStats {
    let (expected, error) = (
        random.random_range(-2.0..2.0),
        10f64.powf(random.random_range(-5.0..1.0)),
    );
    OutputStats {
        name: "y".into(),
        dtype: "float32".into(),
        shape: vec![3, 20, 20],
        elements: 1200,
        differing,
        max_abs: error,
        max_rel: if random.random_bool(0.1) {
            f64::INFINITY
        } else {
            error / 1.5
        },
        max_ulp: (error * 8_388_608.0).round(),
        first: vec![FirstDifference {
            index: vec![0, random.random_range(0..20), random.random_range(0..20)],
            actual: format!("{:.6}", expected + error),
            expected: format!("{expected:.6}"),
        }],
        unequal: differing,
        level: Level::Outside,
        ulps: vec![1200 - differing, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, differing],
        ..OutputStats::default()
    }
}

fn right(random: &mut ChaCha8Rng) -> OutputStats {
    let off = random.random_range(0..300);
    OutputStats {
        name: "y".into(),
        dtype: "float".into(),
        shape: vec![3, 20, 20],
        elements: 1200,
        unequal: off,
        max_ulp: 2.0,
        level: Level::WithinRounding,
        model: Some("gamma_n, n = 27".into()),
        ulps: vec![1200 - off, off / 2, off - off / 2],
        ..OutputStats::default()
    }
}

fn latencies(random: &mut ChaCha8Rng) -> Vec<LatencyRecord> {
    let mut records = Vec::new();
    for (model, milliseconds) in MODELS {
        for (threads, slower) in [(1, 1.9), (2, 1.0)] {
            for (backend, factor) in [("ort", 1.0), ("tract", random.random_range(1.7..5.5))] {
                let median = milliseconds * slower * factor * 1e6;
                let outputs_ok = (model, backend) != ("shufflenet", "tract");
                records.push(latency(model, backend, threads, median as u64, outputs_ok));
            }
        }
    }
    records
}

fn latency(model: &str, backend: &str, threads: u32, median_ns: u64, outputs_ok: bool) -> LatencyRecord {
    LatencyRecord {
        model: model.into(),
        backend: backend.into(),
        version: "1.31.1".into(),
        threads,
        weights: Weights::Random,
        interleaved: true,
        spinning: false,
        rounds: 20,
        samples: 400,
        min_ns: median_ns * 94 / 100,
        median_ns,
        p90_ns: Some(median_ns * 112 / 100),
        p99_ns: None,
        mean_ns: median_ns * 103 / 100,
        load_ns: median_ns * 6,
        first_ns: median_ns * 2,
        peak_bytes: Some(300 << 20),
        outputs_ok,
        reason: if outputs_ok {
            String::new()
        } else {
            "output 0: 31 of 1000 elements differ".into()
        },
        ..LatencyRecord::default()
    }
}
