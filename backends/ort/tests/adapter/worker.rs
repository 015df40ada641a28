//! The worker as the harness starts it, each in a separate process, because some options are fixed for a
//! process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::protocol::Load;
use harness_worker::{Cancel, StartError, Worker, WorkerExitKind, WorkerSpec};
use onnx_model::Model;
use onnx_tensor::{DType, Tensor, ValueType};

use crate::fixture::{library, one_node, pass_through};

/// Starts `onnx-worker-ort` with a library and an option.
fn start(library: &str, option: Option<(&str, &str)>) -> Result<Worker, StartError> {
    let option = option.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let spec = WorkerSpec {
        env: BTreeMap::from([("ORT_DYLIB_PATH".to_owned(), library.to_owned())]),
        options: option.into_iter().collect(),
        ..WorkerSpec::new("ort", env!("CARGO_BIN_EXE_onnx-worker-ort"))
    };
    Worker::start(Arc::new(spec), Cancel::default())
}

fn started(option: Option<(&str, &str)>) -> Worker {
    let library = library().to_string_lossy().into_owned();
    start(&library, option).unwrap_or_else(|error| panic!("{error}"))
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn load(model: &Model) -> Load {
    Load {
        model: model.encode().into(),
        ..Load::default()
    }
}

#[test]
fn without_a_library_the_error_says_how_to_get_one() {
    let error = start("", None).expect_err("there is no library").to_string();
    assert!(
        error.contains("ORT_DYLIB_PATH") && error.contains("Python package onnxruntime"),
        "{error}"
    );
}

#[test]
fn the_error_names_a_wrong_option() {
    let library = library().to_string_lossy().into_owned();
    let error = start(&library, Some(("thread", "4")))
        .expect_err("no such option")
        .to_string();
    assert!(error.contains("`thread`") && error.contains("threads"), "{error}");
}

#[test]
fn unreleased_opsets_load_only_if_they_are_allowed() {
    let unreleased = Model {
        opset_imports: BTreeMap::from([(String::new(), 29)]),
        ..pass_through(&ValueType::tensor(DType::Float))
    };
    for (value, loads) in [("off", false), ("on", true)] {
        let mut worker = started(Some(("unreleased-opsets", value)));
        let answer = worker
            .load(load(&unreleased), soon())
            .expect("the worker answers");
        assert_eq!(answer.is_ok(), loads, "unreleased-opsets={value}: {answer:?}");
    }
}

#[test]
fn a_crash_of_the_runtime_ends_the_worker() {
    let int32 = ValueType::tensor(DType::Int32);
    let quotient = one_node("Div", None, &[int32.clone(), int32.clone()], &int32);
    let mut worker = started(None);
    let session = worker
        .load(load(&quotient), soon())
        .expect("it answers")
        .expect("it loads")
        .session;
    let operand = |name: &str, value: i32| (name.to_owned(), Tensor::vector(vec![value]).into());
    let death = worker.run(session, vec![operand("x0", i32::MIN), operand("x1", -1)], soon());
    // Processors differ: x86 traps this division, ARM returns a number.
    if cfg!(target_arch = "x86_64") {
        let death = death.expect_err("the division is trapped");
        assert_eq!(death.kind, WorkerExitKind::Crash { signal: 8 }, "{death}");
    }
}
