//! A model whose inputs have open extents.

use std::sync::Arc;

use onnx_model::{Graph, Model};
use onnx_tensor::{Dim, ValueType};

/// The model with a name of its own for every extent of every input without an initializer, `INPUT_AXIS`,
/// and without the declared extents of other values.
pub fn opened(model: &Model) -> Model {
    let mut graph = Graph::clone(&model.graph);
    let required: Vec<String> = graph.required_inputs().map(|input| input.name.clone()).collect();
    for input in &mut graph.inputs {
        let Some(mut inner) = input.value_type.as_mut() else {
            continue;
        };
        while let ValueType::Optional(element) | ValueType::Sequence(element) = inner {
            inner = element;
        }
        if let ValueType::Tensor {
            shape: Some(shape), ..
        } = inner
            && required.contains(&input.name)
        {
            for (at, extent) in shape.iter_mut().enumerate() {
                *extent = Dim::Named(format!("{}_{at}", input.name));
            }
        }
    }
    for output in &mut graph.outputs {
        if let Some(ValueType::Tensor { shape, .. }) = &mut output.value_type {
            *shape = None;
        }
    }
    graph.value_info.clear();
    Model {
        graph: Arc::new(graph),
        ..model.clone()
    }
}
