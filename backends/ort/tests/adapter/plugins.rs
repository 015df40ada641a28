//! A plug-in provider that runs on any processor, ggml: what it takes whole, in part and not at all. Each
//! worker is a separate process, because a library is registered for the life of a process.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use backend_api::BackendError;
use backend_api::protocol::Load;
use harness_fetch::{Cache, Fetcher, Lockfile};
use harness_worker::{Cancel, Declined, StartError, Worker, WorkerSpec};
use onnx_model::{Graph, Model};
use onnx_tensor::{DType, Tensor, ValueType};

use crate::fixture::{library, one_node};

/// The provider's library; `None` if none is pinned for this system.
pub(super) fn provider() -> Option<PathBuf> {
    let lock = Lockfile::embedded().expect("the lock file is valid");
    let pin = lock.provider("ggml")?;
    let fetcher = Fetcher::new(Cache::from_env().expect("a cache folder"), |event| {
        eprintln!("{event}")
    });
    let library = fetcher.provider_library(&pin.package);
    Some(library.unwrap_or_else(|error| panic!("this test needs the package: {error}")))
}

pub(super) fn start(options: &[(&str, &str)]) -> Result<Worker, StartError> {
    let text = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let spec = WorkerSpec {
        env: BTreeMap::from([("ORT_DYLIB_PATH".to_owned(), library().display().to_string())]),
        options: options.iter().map(text).collect(),
        ..WorkerSpec::new("ort", env!("CARGO_BIN_EXE_onnx-worker-ort"))
    };
    Worker::start(Arc::new(spec), Cancel::default())
}

pub(super) fn started(options: &[(&str, &str)]) -> Worker {
    start(options).unwrap_or_else(|error| panic!("{options:?}: {error}"))
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(60)
}

fn float() -> ValueType {
    ValueType::tensor(DType::Float)
}

/// y = Abs(x).
pub(super) fn whole() -> Model {
    one_node("Abs", None, &[float()], &float())
}

/// y = Hardmax(x), which ggml does not have.
fn none() -> Model {
    one_node("Hardmax", None, &[float()], &float())
}

/// y = Hardmax(Abs(x)).
fn part() -> Model {
    let mut model = none();
    let graph = Arc::make_mut(&mut model.graph);
    let mut abs = whole().graph.nodes[0].clone();
    abs.outputs = vec!["t".to_owned()];
    graph.nodes[0].inputs = vec!["t".to_owned()];
    graph.nodes.insert(0, abs);
    model
}

/// y = Abs of a constant: the runtime computes it when it loads the model.
fn folded() -> Model {
    let model = whole();
    Model {
        graph: Arc::new(Graph {
            inputs: Vec::new(),
            initializers: vec![("x0".to_owned(), Tensor::vector(vec![-1.0_f32]).into())],
            ..(*model.graph).clone()
        }),
        ..model
    }
}

/// What a worker says to a model: `None` if it loads it.
pub(super) fn declined(worker: &mut Worker, model: &Model) -> Option<BackendError> {
    let load = Load {
        model: model.encode().into(),
        ..Load::default()
    };
    match worker.load(load, soon()).expect("it answers") {
        Ok(_) => None,
        Err(Declined::Backend(error)) => Some(error),
        Err(Declined::Refused(refusal)) => panic!("{refusal:?}"),
    }
}

#[test]
fn only_a_model_that_the_provider_takes_whole_is_loaded() {
    let Some(library) = provider() else { return };
    let library = library.display().to_string();
    // With `partial` the provider takes some nodes of a model; without it all or none.
    for partial in ["0", "1"] {
        let mut worker = started(&[("ep", "ggml"), ("ep-library", &library), ("ep.partial", partial)]);
        assert_eq!(worker.description().provider, "ggml");
        for (model, expected) in [
            (whole(), None),
            (none(), Some("Hardmax on CPUExecutionProvider")),
            (part(), Some("Hardmax on CPUExecutionProvider")),
            (folded(), Some("no node is left for ggml")),
        ] {
            match (declined(&mut worker, &model), expected) {
                (None, None) => {}
                (Some(BackendError::NotTaken { message }), Some(said)) => {
                    assert!(message.contains(said), "{message}");
                }
                (found, expected) => panic!("partial={partial}: expected {expected:?}, got {found:?}"),
            }
        }
    }
}

#[test]
fn nodes_elsewhere_are_reported_where_they_are_allowed() {
    let Some(library) = provider() else { return };
    let library = library.display().to_string();
    let options = [("ep-library", &*library), ("fallback", "on"), ("ep.partial", "1")];
    let mut worker = started(&options);
    let load = Load {
        model: part().encode().into(),
        ..Load::default()
    };
    let loaded = worker.load(load, soon()).expect("it answers").expect("it loads");
    let placed = worker.placement(loaded.session, soon()).expect("it answers");
    let placed = placed.expect("a placement");
    let mut found: Vec<_> = placed
        .iter()
        .map(|one| (one.operator.as_deref(), one.provider.as_str()))
        .collect();
    found.sort_unstable();
    let own = worker.description().provider.clone();
    assert_eq!(
        found,
        [
            (Some("Abs"), own.as_str()),
            (Some("Hardmax"), "CPUExecutionProvider")
        ]
    );
}

#[test]
fn a_provider_that_cannot_be_used_is_missing() {
    let Some(library) = provider() else { return };
    let (library, runtime) = (library.display().to_string(), crate::fixture::library());
    let runtime = runtime.display().to_string();
    for (options, said) in [
        (&[("ep", "webgpu")][..], "Python package onnxruntime-ep-webgpu"),
        (&[("ep-library", "/none.so")], "/none.so cannot be opened"),
        (&[("ep-library", &*runtime)], "is not a usable provider"),
        (
            &[("ep-library", &*library), ("ep-device", "npu")],
            "offers no device `npu` on this machine; offered: ",
        ),
    ] {
        let error = start(options).expect_err(said).to_string();
        assert!(error.contains(said), "{error}");
    }
}
