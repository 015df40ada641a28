//! The oldest ONNX Runtime that the adapter can use, each test in a worker of its own.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use backend_api::BackendError;
use backend_api::protocol::Load;
use harness_fetch::{Cache, FetchError, Fetcher, Lockfile};
use harness_worker::{Cancel, Declined, StartError, Worker, WorkerSpec};
use onnx_model::Model;
use onnx_tensor::{DType, Tensor, Value, ValueType};

use crate::fixture::{add_two, external, one_node, pass_through};

/// In the lock only for the machines for which it was published as an npm package.
const OLDEST: &str = "1.10.0";

/// The library; `None` on a machine for which the lock has none.
fn library() -> Option<PathBuf> {
    static LIBRARY: LazyLock<Result<Option<PathBuf>, FetchError>> = LazyLock::new(|| {
        let lock = Lockfile::embedded()?;
        let Ok(pin) = lock.runtime_version(OLDEST) else {
            return Ok(None);
        };
        let fetcher = Fetcher::new(Cache::from_env()?, |event| eprintln!("{event}"));
        fetcher.runtime_library(pin).map(Some)
    });
    match &*LIBRARY {
        Ok(library) => library.clone(),
        Err(error) => panic!("this test needs ONNX Runtime {OLDEST}, which is not available: {error}"),
    }
}

fn start(options: &[(&str, &str)]) -> Option<Result<Worker, StartError>> {
    let library = library()?.to_string_lossy().into_owned();
    let spec = WorkerSpec {
        env: BTreeMap::from([("ORT_DYLIB_PATH".to_owned(), library)]),
        options: options
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect(),
        ..WorkerSpec::new("ort", env!("CARGO_BIN_EXE_onnx-worker-ort"))
    };
    Some(Worker::start(Arc::new(spec), Cancel::default()))
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

/// The model at an opset that the runtime knows.
fn at_old_opset(model: Model) -> Model {
    Model {
        ir_version: 6,
        opset_imports: BTreeMap::from([(String::new(), 13)]),
        ..model
    }
}

fn load(model: Model) -> Load {
    Load {
        model: at_old_opset(model).encode().into(),
        ..Load::default()
    }
}

/// Loads a model and runs it with one input, `x` or `x0`.
#[track_caller]
fn run(load: Load, input: &str, value: Value) -> Option<Result<Value, Declined>> {
    let mut worker = start(&[])?.unwrap_or_else(|error| panic!("{error}"));
    let loaded = match worker.load(load, soon()).unwrap_or_else(|exit| panic!("{exit}")) {
        Ok(loaded) => loaded,
        Err(error) => return Some(Err(error)),
    };
    let ran = worker.run(loaded.session, vec![(input.to_owned(), value)], soon());
    let ran = ran.unwrap_or_else(|exit| panic!("{exit}"));
    Some(ran.map(|ran| ran.outputs.into_iter().next().expect("one output").1))
}

#[track_caller]
fn check_unsupported(result: Option<Result<Value, Declined>>, text: &str) {
    let Some(result) = result else { return };
    match result {
        Err(Declined::Backend(error @ BackendError::Unsupported { .. })) => {
            assert!(error.to_string().contains(text), "{error}");
        }
        other => panic!("expected unsupported ({text}), got {other:?}"),
    }
}

#[test]
fn it_describes_itself() {
    let Some(worker) = start(&[]) else { return };
    let worker = worker.unwrap_or_else(|error| panic!("{error}"));
    let description = worker.description();
    assert_eq!(description.version, OLDEST);
    assert!(
        description.build.starts_with("build unknown ("),
        "{description:?}"
    );
}

#[test]
fn tensors_pass() {
    for value in [
        Value::from(Tensor::vector(vec![1.5_f32, -2.0])),
        Tensor::vector(vec![1_i64, -2]).into(),
        Tensor::vector(vec![true, false]).into(),
        Tensor::vector(vec!["é".to_owned(), String::new()]).into(),
    ] {
        let model = pass_through(&value.value_type());
        let Some(found) = run(load(model), "x", value.clone()) else {
            return;
        };
        let found = found.unwrap_or_else(|error| panic!("{error}"));
        let (found, expected) = (found.as_tensor(), value.as_tensor());
        assert!(
            found
                .zip(expected)
                .is_some_and(|(found, expected)| found.same_bits(expected)),
            "expected {expected:?}, got {found:?}"
        );
    }
}

#[test]
fn strings_with_a_nul_are_unsupported() {
    let text = Tensor::vector(vec!["a\0b".to_owned()]);
    let model = pass_through(&ValueType::tensor(DType::String));
    check_unsupported(run(load(model), "x", text.into()), "that contain a NUL");
}

/// The runtime reads through null when it loads an operator that makes an optional, so the model has none.
#[test]
fn outputs_of_optional_types_are_no_crash() {
    let float = ValueType::tensor(DType::Float);
    let optional = ValueType::Optional(Box::new(float));
    let value = Value::from(Tensor::vector(vec![1.0_f32]));
    let Some(found) = run(load(pass_through(&optional)), "x", value) else {
        return;
    };
    assert!(found.is_err(), "{found:?}");
}

#[test]
fn external_data_is_found_in_the_models_folder() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let request = Load {
        model: external(&at_old_opset(add_two()), folder.path()).into(),
        folder: Some(folder.path().to_owned()),
        ..Load::default()
    };
    let value = Value::from(Tensor::vector(vec![1.0_f32]));
    let Some(found) = run(request, "x0", value) else {
        return;
    };
    let found = found.unwrap_or_else(|error| panic!("{error}"));
    let expected = Tensor::vector(vec![8.0_f32]);
    assert!(
        found.as_tensor().is_some_and(|found| found.same_bits(&expected)),
        "{found:?}"
    );
}

#[test]
fn optimizers_cannot_be_left_out() {
    let Some(worker) = start(&[("without", "ConstantFolding")]) else {
        return;
    };
    let mut worker = worker.unwrap_or_else(|error| panic!("{error}"));
    let model = pass_through(&ValueType::tensor(DType::Float));
    let answer = worker
        .load(load(model), soon())
        .unwrap_or_else(|exit| panic!("{exit}"));
    let error = answer.expect_err("the runtime has no such option").to_string();
    assert!(error.contains("`without`") && error.contains("1.18"), "{error}");
}

#[test]
fn a_profile_names_the_outputs_of_a_node() {
    let Some(worker) = start(&[]) else { return };
    let mut worker = worker.unwrap_or_else(|error| panic!("{error}"));
    let float = ValueType::tensor(DType::Float);
    let mut model = one_node("Tanh", None, std::slice::from_ref(&float), &float);
    let nodes = &mut Arc::make_mut(&mut model.graph).nodes;
    nodes[0].name = "n".to_owned();
    let request = Load {
        inputs: vec![("x0".to_owned(), Tensor::vector(vec![0.5_f32; 60_000]).into())],
        ..load(model)
    };
    let answer = worker
        .profile(request, 3, soon())
        .unwrap_or_else(|exit| panic!("{exit}"));
    let profile = answer.unwrap_or_else(|error| panic!("{error}"));
    let [step] = profile.steps.as_slice() else {
        panic!("{profile:?}")
    };
    assert_eq!((step.operator.as_str(), step.calls), ("Tanh", 3));
    assert_eq!(step.outputs[0].name, "y");
}
