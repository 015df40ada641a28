//! Models with complex numbers, which the runtime does not have.

use backend_api::{BackendError, LoadRequest};
use onnx_model::{Graph, Limits, Model, Source};
use onnx_tensor::{DType, ValueType};

/// The error for a model that was not loaded and that declares complex numbers as an input, output,
/// initializer or inner value: the runtime reports them like a failure. `None` for other models, and for
/// those that cannot be decoded.
pub(crate) fn unsupported(request: &LoadRequest) -> Option<BackendError> {
    let source = Source::named("the model");
    let model = Model::decode(request.model.clone(), &source, &Limits::default()).ok()?;
    let (name, dtype) = declared(&model.graph)?;
    Some(BackendError::unsupported(format!(
        "`{name}` has elements of {dtype}: ONNX Runtime has no complex numbers"
    )))
}

/// The first value with complex elements.
fn declared(graph: &Graph) -> Option<(&str, DType)> {
    let infos = graph.inputs.iter().chain(&graph.outputs).chain(&graph.value_info);
    let declared = infos.filter_map(|info| Some((info.name.as_str(), complex(info.value_type.as_ref()?)?)));
    let stored = graph
        .initializers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), complex(&value.value_type())?)));
    declared.chain(stored).next()
}

/// The complex element type within a type.
fn complex(value_type: &ValueType) -> Option<DType> {
    match value_type {
        ValueType::Tensor { dtype, .. } | ValueType::Sparse { dtype, .. } => {
            Some(*dtype).filter(|dtype| matches!(dtype, DType::Complex64 | DType::Complex128))
        }
        ValueType::Sequence(element) | ValueType::Optional(element) => complex(element),
        ValueType::Map { value, .. } => complex(value),
    }
}
