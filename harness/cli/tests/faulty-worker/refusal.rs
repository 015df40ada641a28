//! Refusals of models for something outside of their nodes, as runtimes have them.

use std::str::FromStr;

use backend_api::BackendError;
use onnx_model::{Model, ValueInfo};
use onnx_tensor::{Dim, ValueType};

/// What a worker refuses.
#[derive(Clone, Copy)]
pub(crate) enum Refusal {
    /// A declared value with other extents than the first input has; the networks of the tests have one
    /// shape.
    Stale,
    /// An output without a fixed shape.
    NoOutputShape,
    /// An inner value without a fixed shape.
    NoInnerShape,
    /// An input with a symbolic extent.
    Symbol,
    /// A node on which no output depends.
    DeadNode,
    /// An import of the operator set `unused`.
    Import,
}

impl FromStr for Refusal {
    type Err = String;

    fn from_str(text: &str) -> Result<Refusal, String> {
        Ok(match text {
            "stale" => Refusal::Stale,
            "no-output-shape" => Refusal::NoOutputShape,
            "no-inner-shape" => Refusal::NoInnerShape,
            "symbol" => Refusal::Symbol,
            "dead-node" => Refusal::DeadNode,
            "import" => Refusal::Import,
            other => return Err(format!("no refusal `{other}`")),
        })
    }
}

impl Refusal {
    /// Refuses the model if it has the property.
    pub fn check(self, model: &Model) -> Result<(), BackendError> {
        match self.culprit(model) {
            Some(culprit) => Err(BackendError::load(culprit)),
            None => Ok(()),
        }
    }

    fn culprit(self, model: &Model) -> Option<String> {
        let graph = &model.graph;
        let inner = || graph.nodes.iter().flat_map(|node| &node.outputs);
        match self {
            Refusal::Stale => {
                let right = fixed(graph.inputs.first()?)?;
                let mut infos = graph.value_info.iter().chain(&graph.outputs);
                let stale = infos.find(|info| fixed(info).is_some_and(|shape| shape != right))?;
                Some(format!(
                    "`{}` is declared with another shape than inferred",
                    stale.name
                ))
            }
            Refusal::NoOutputShape => {
                let open = graph.outputs.iter().find(|info| fixed(info).is_none())?;
                Some(format!("output `{}` has no shape", open.name))
            }
            Refusal::NoInnerShape => {
                let declared = || graph.value_info.iter().chain(&graph.outputs);
                let open = inner()
                    .find(|name| !declared().any(|info| info.name == **name && fixed(info).is_some()))?;
                Some(format!("the shape of `{open}` is not known"))
            }
            Refusal::Symbol => {
                let open = graph.inputs.iter().find(|info| fixed(info).is_none())?;
                Some(format!("input `{}` has a symbolic extent", open.name))
            }
            Refusal::DeadNode => {
                let read = |name: &String| {
                    let mut inputs = graph.nodes.iter().flat_map(|node| &node.inputs);
                    inputs.any(|input| input == name) || graph.outputs.iter().any(|info| info.name == *name)
                };
                let dead = inner().find(|name| !read(name))?;
                Some(format!("nothing reads `{dead}`"))
            }
            Refusal::Import => {
                let unused = model.opset_imports.contains_key("unused");
                unused.then(|| "the operator set `unused` is not known".to_owned())
            }
        }
    }
}

/// The extents, if all are fixed.
fn fixed(info: &ValueInfo) -> Option<Vec<usize>> {
    let Some(ValueType::Tensor {
        shape: Some(shape), ..
    }) = &info.value_type
    else {
        return None;
    };
    let extent = |dim: &Dim| match dim {
        Dim::Fixed(extent) => Some(*extent),
        Dim::Named(_) | Dim::Unknown => None,
    };
    shape.iter().map(extent).collect()
}
