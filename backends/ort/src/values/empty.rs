//! Empty sequences. The C interface cannot make them, so a model with one `SequenceEmpty` does.

use std::collections::BTreeMap;
use std::sync::Arc;

use backend_api::BackendError;
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::ValueType;
use ort::sys;

use crate::Settings;
use crate::ffi::{Owned, Session};
use crate::runtime::Runtime;
use crate::session_options::session_options;

/// Makes an empty sequence of tensors.
pub(super) fn sequence(element: &ValueType, runtime: &Runtime) -> Result<Owned<sys::OrtValue>, BackendError> {
    let unfit = |reason: &dyn std::fmt::Display| {
        BackendError::unsupported(format!("an empty sequence of {element}: {reason}"))
    };
    let model = model(element).ok_or_else(|| unfit(&"ONNX Runtime has only sequences of tensors"))?;
    let options = session_options(runtime, &Settings::default(), None, true)?;
    let mut session =
        Session::load(&runtime.environment, &model.encode(), &options).map_err(|e| unfit(&e))?;
    let made = session.run(&[], &[c"empty".to_owned()]).map_err(|e| unfit(&e))?;
    made.into_iter()
        .flatten()
        .next()
        .ok_or_else(|| unfit(&"the runtime returned nothing"))
}

/// Returns a model whose only output, `empty`, is the empty sequence.
fn model(element: &ValueType) -> Option<Model> {
    let ValueType::Tensor { dtype, .. } = *element else {
        return None;
    };
    let node = Node {
        operator: "SequenceEmpty".to_owned(),
        outputs: vec!["empty".to_owned()],
        attributes: vec![Attribute {
            name: "dtype".to_owned(),
            value: AttributeValue::Int(dtype.to_onnx().into()),
        }],
        ..Node::default()
    };
    let graph = Graph {
        name: "empty".to_owned(),
        outputs: vec![ValueInfo {
            name: "empty".to_owned(),
            value_type: Some(ValueType::Sequence(Box::new(ValueType::tensor(dtype)))),
        }],
        nodes: vec![node],
        ..Graph::default()
    };
    Some(Model {
        // The oldest version with `SequenceEmpty`.
        ir_version: 6,
        opset_imports: BTreeMap::from([(String::new(), 11)]),
        graph: Arc::new(graph),
        functions: Vec::new(),
        producer_name: String::new(),
        producer_version: String::new(),
        oddities: Vec::new(),
    })
}
