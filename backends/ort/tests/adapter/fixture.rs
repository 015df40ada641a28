//! The runtime, and models with one node.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};

use backend_api::{Backend, BackendError, LoadRequest, Named};
use backend_ort::{OrtBackend, Settings};
use harness_fetch::{Cache, FetchError, Fetcher, Lockfile};
use onnx_model::proto::{ModelProto, StringStringEntryProto};
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Tensor, Value, ValueType};
use prost::Message;

/// The pinned library, or that in `ORT_DYLIB_PATH`.
pub fn library() -> PathBuf {
    static LIBRARY: LazyLock<Result<PathBuf, String>> = LazyLock::new(|| {
        let fetched = || -> Result<PathBuf, FetchError> {
            let fetcher = Fetcher::new(Cache::from_env()?, |event| eprintln!("{event}"));
            fetcher.runtime_library(Lockfile::embedded()?.runtime()?)
        };
        match std::env::var_os("ORT_DYLIB_PATH") {
            Some(path) => Ok(path.into()),
            None => fetched().map_err(|error| error.to_string()),
        }
    });
    match &*LIBRARY {
        Ok(path) => path.clone(),
        Err(error) => panic!("these tests need ONNX Runtime, which is not available: {error}"),
    }
}

/// The backend with default settings.
pub fn backend() -> OrtBackend {
    let settings = Settings {
        library: Some(library().display().to_string()),
        ..Settings::default()
    };
    OrtBackend::new(settings).expect("the pinned library loads")
}

/// Loads a model, feeds values to its inputs in order, and returns the outputs.
pub fn run(model: &Model, inputs: &[Value]) -> Result<Vec<Value>, BackendError> {
    let request = LoadRequest {
        model: model.encode().into(),
        ..LoadRequest::default()
    };
    let names = model.graph.inputs.iter().map(|input| input.name.clone());
    let named: Vec<Named> = names.zip(inputs.iter().cloned()).collect();
    let outputs = backend().load(request)?.run(&named)?;
    let declared = model.graph.outputs.iter().map(|output| &output.name);
    assert!(outputs.iter().map(|(name, _)| name).eq(declared), "{outputs:?}");
    Ok(outputs.into_iter().map(|(_, value)| value).collect())
}

/// A model whose output is its input, which tests a type of values without a kernel.
pub fn pass_through(value_type: &ValueType) -> Model {
    let value = ValueInfo {
        name: "x".to_owned(),
        value_type: Some(value_type.clone()),
    };
    model(Graph {
        inputs: vec![value.clone()],
        outputs: vec![value],
        ..Graph::default()
    })
}

/// A model with one node and these types of inputs and outputs.
pub fn one_node(
    operator: &str,
    attribute: Option<(&str, AttributeValue)>,
    inputs: &[ValueType],
    output: &ValueType,
) -> Model {
    let info = |name: String, value_type: &ValueType| ValueInfo {
        name,
        value_type: Some(value_type.clone()),
    };
    let (domain, operator) = operator.rsplit_once('.').unwrap_or(("", operator));
    let names = (0..inputs.len()).map(|index| format!("x{index}"));
    let node = Node {
        domain: domain.to_owned(),
        operator: operator.to_owned(),
        inputs: names.clone().collect(),
        outputs: vec!["y".to_owned()],
        attributes: attribute
            .map(|(name, value)| Attribute {
                name: name.to_owned(),
                value,
            })
            .into_iter()
            .collect(),
        ..Node::default()
    };
    model(Graph {
        inputs: names
            .zip(inputs)
            .map(|(name, value_type)| info(name, value_type))
            .collect(),
        outputs: vec![info("y".to_owned(), output)],
        nodes: vec![node],
        ..Graph::default()
    })
}

/// `Add` of an input and a constant `x1` = 2, which is also an input.
pub fn add_two() -> Model {
    let float = ValueType::tensor(DType::Float);
    let model = one_node("Add", None, &[float.clone(), float.clone()], &float);
    let initializers = vec![("x1".to_owned(), Tensor::vector(vec![2.0_f32]).into())];
    Model {
        graph: Arc::new(Graph {
            initializers,
            ..(*model.graph).clone()
        }),
        ..model
    }
}

/// The bytes of [`add_two`] with the constant, which is 7 instead, in a file in `folder`.
pub fn external(model: &Model, folder: &Path) -> Vec<u8> {
    std::fs::write(folder.join("weights.bin"), 7.0_f32.to_le_bytes()).expect("a file can be written");
    let mut model = ModelProto::decode(model.encode().as_slice()).expect("just encoded");
    let initializer = model
        .graph
        .as_mut()
        .and_then(|graph| graph.initializer.first_mut())
        .expect("the model has a constant");
    initializer.raw_data = None;
    initializer.float_data.clear();
    initializer.data_location = Some(1);
    let entry = |key: &str, value: &str| StringStringEntryProto {
        key: Some(key.into()),
        value: Some(value.into()),
    };
    initializer.external_data = vec![
        entry("location", "weights.bin"),
        entry("offset", "0"),
        entry("length", "4"),
    ];
    model.encode_to_vec()
}

/// A model at the newest released opset of the pinned runtime.
fn model(graph: Graph) -> Model {
    Model {
        ir_version: 13,
        opset_imports: BTreeMap::from([(String::new(), 25), ("ai.onnx.ml".to_owned(), 3)]),
        graph: Arc::new(Graph {
            name: "probe".to_owned(),
            ..graph
        }),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
        oddities: Vec::new(),
    }
}
