//! Types and shapes of the values of a run.

use std::collections::HashMap;

use backend_api::{Named, Profile};
use onnx_model::{AttributeValue, Graph, Model};
use onnx_tensor::{DType, Value};
use run_record::profile::ModelNode;

/// The element type and shape of the tensors of a run, by name.
#[derive(Clone, Debug, Default)]
pub struct Shapes(HashMap<String, (DType, Vec<u64>)>);

impl Shapes {
    /// Shapes from the model and its inputs: initializers and the values of inputs.
    pub fn of_model(model: &Model, inputs: &[Named]) -> Shapes {
        let mut shapes = Shapes::default();
        shapes.graph(&model.graph);
        for (name, value) in inputs {
            shapes.value(name, value);
        }
        shapes
    }

    fn graph(&mut self, graph: &Graph) {
        for (name, value) in &graph.initializers {
            self.value(name, value);
        }
        let attributes = graph.nodes.iter().flat_map(|node| &node.attributes);
        for attribute in attributes {
            match &attribute.value {
                AttributeValue::Graph(body) => self.graph(body),
                AttributeValue::Graphs(bodies) => bodies.iter().for_each(|body| self.graph(body)),
                _ => {}
            }
        }
    }

    fn value(&mut self, name: &str, value: &Value) {
        if let Value::Tensor(tensor) = value {
            let shape = tensor.shape().iter().map(|&extent| extent as u64).collect();
            self.0.insert(name.to_owned(), (tensor.dtype(), shape));
        }
    }

    /// Adds the shapes that the steps of a backend report; known ones stay.
    pub fn learn(&mut self, profile: &Profile) {
        for output in profile.steps.iter().flat_map(|step| &step.outputs) {
            let dtype = DType::from_onnx_name(&output.dtype).ok();
            if let (Some(dtype), Some(shape), false) = (dtype, &output.shape, output.name.is_empty()) {
                self.0
                    .entry(output.name.clone())
                    .or_insert_with(|| (dtype, shape.clone()));
            }
        }
    }

    /// Whether the first output of every node outside of functions is known.
    pub fn know(&self, nodes: &[ModelNode]) -> bool {
        let outputs = nodes
            .iter()
            .filter(|node| node.function.is_empty())
            .filter_map(|node| node.outputs.first());
        outputs.into_iter().all(|name| self.0.contains_key(name))
    }

    /// The shape of a tensor.
    pub fn shape(&self, name: &str) -> Option<&[u64]> {
        self.0.get(name).map(|(_, shape)| shape.as_slice())
    }

    /// The number of elements of a tensor.
    pub fn elements(&self, name: &str) -> Option<f64> {
        Some(product(self.shape(name)?))
    }

    /// The bytes of a tensor; a string counts as its handle.
    pub fn bytes(&self, name: &str) -> Option<f64> {
        let (dtype, shape) = self.0.get(name)?;
        let bits = dtype.bits().unwrap_or(8 * dtype.memory());
        Some(product(shape) * bits as f64 / 8.0)
    }

    /// The type as `float[1,64,56,56]`; empty if it is not known.
    pub fn text(&self, name: &str) -> String {
        let Some((dtype, shape)) = self.0.get(name) else {
            return String::new();
        };
        let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
        format!("{dtype}[{}]", extents.join(","))
    }
}

/// The product of extents. As a float: a hostile answer may name any extents.
pub fn product(extents: &[u64]) -> f64 {
    extents.iter().map(|&extent| extent as f64).product()
}
