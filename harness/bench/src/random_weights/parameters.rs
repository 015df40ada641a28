//! Finds the parameters of a graph and their roles.

use std::collections::{HashMap, HashSet};

use onnx_model::{AttributeValue, Graph, Node};
use onnx_tensor::{DType, Value};

/// A float32 parameter: a fill (the output of a ConstantOfShape over a constant shape) or an
/// initializer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Parameter {
    /// The name of the fill's output, or of the initializer.
    pub name: String,
    pub shape: Vec<usize>,
    /// Its role in the operator that reads it first.
    pub role: Role,
}

/// The role of a parameter in an operator.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// The weights of a Conv, Gemm or MatMul.
    Kernel {
        /// The number of products that are summed for one element of the output.
        fan_in: usize,
    },
    /// A summand.
    Bias,
    /// A factor.
    Scale,
    /// The mean that a BatchNormalization subtracts.
    Mean,
    /// The variance of a BatchNormalization.
    Variance,
}

impl Role {
    pub fn is_kernel(self) -> bool {
        matches!(self, Role::Kernel { .. })
    }
}

/// All parameters of the main graph with a known role, each once, in the order in which nodes read them.
pub(super) fn find(graph: &Graph) -> Vec<Parameter> {
    let shapes = sources(graph);
    let origins = Origins::of(graph, &shapes);
    let mut seen = HashSet::new();
    let mut found = Vec::new();
    for node in &graph.nodes {
        for (index, input) in node.inputs.iter().enumerate() {
            let Some(name) = origins.of_value(input) else {
                continue;
            };
            let shape = shapes.get(name).map(Vec::as_slice).unwrap_or_default();
            if let Some(role) = role(node, index, shape)
                && seen.insert(name)
            {
                found.push(Parameter {
                    name: name.to_owned(),
                    shape: shape.to_vec(),
                    role,
                });
            }
        }
    }
    found
}

/// Name and shape of every possible parameter.
fn sources(graph: &Graph) -> HashMap<&str, Vec<usize>> {
    let initializers = graph.initializers.iter().filter_map(|(name, value)| match value {
        Value::Tensor(tensor) if tensor.dtype() == DType::Float => {
            Some((name.as_str(), tensor.shape().to_vec()))
        }
        _ => None,
    });
    let fills = graph.nodes.iter().filter_map(|node| fill(graph, node));
    initializers.chain(fills).collect()
}

/// Output and shape of a node that fills a constant shape with a float32 value.
pub(super) fn fill<'g>(graph: &'g Graph, node: &'g Node) -> Option<(&'g str, Vec<usize>)> {
    let float = match node.attribute("value") {
        Some(AttributeValue::Tensor(tensor)) => tensor.dtype() == DType::Float,
        // The default is a float32 zero.
        _ => true,
    };
    if node.operator != "ConstantOfShape" || !node.domain.is_empty() || !float {
        return None;
    }
    let Value::Tensor(shape) = graph.initializer(node.inputs.first()?)? else {
        return None;
    };
    let extents = shape.to_vec::<i64>().ok()?;
    let extents = extents.into_iter().map(|extent| usize::try_from(extent).ok());
    Some((node.outputs.first()?, extents.collect::<Option<_>>()?))
}

/// Maps a value to its parameter, also through operators that change its shape.
struct Origins<'g>(HashMap<&'g str, &'g str>);

impl<'g> Origins<'g> {
    fn of(graph: &'g Graph, shapes: &HashMap<&'g str, Vec<usize>>) -> Origins<'g> {
        let mut origins = Origins(shapes.keys().map(|&name| (name, name)).collect());
        for node in &graph.nodes {
            let same = matches!(
                node.operator.as_str(),
                "Reshape" | "Unsqueeze" | "Squeeze" | "Flatten" | "Identity"
            );
            if let (true, Some(input), Some(output)) = (same, node.inputs.first(), node.outputs.first())
                && let Some(origin) = origins.of_value(input)
            {
                origins.0.insert(output, origin);
            }
        }
        origins
    }

    fn of_value(&self, name: &str) -> Option<&'g str> {
        self.0.get(name).copied()
    }
}

/// The role of the `index`-th input of `node`, if it is a parameter of `shape`.
fn role(node: &Node, index: usize, shape: &[usize]) -> Option<Role> {
    let product = |extents: &[usize]| extents.iter().product::<usize>().max(1);
    let after_first = || product(shape.get(1..).unwrap_or_default());
    let transposed = || matches!(node.attribute("transB"), Some(AttributeValue::Int(flag)) if *flag != 0);
    Some(match (node.operator.as_str(), index) {
        ("Conv", 1) => Role::Kernel {
            fan_in: after_first(),
        },
        ("Gemm", 1) if transposed() => Role::Kernel {
            fan_in: after_first(),
        },
        // The last axis but one is summed over; a vector has only one axis.
        ("Gemm" | "MatMul", 1) => Role::Kernel {
            fan_in: product(
                shape
                    .get(shape.len().saturating_sub(2)..)
                    .and_then(|axes| axes.get(..1))
                    .unwrap_or_default(),
            ),
        },
        ("Conv" | "Gemm", 2) | ("BatchNormalization", 2) | ("Add", _) => Role::Bias,
        ("BatchNormalization", 1) | ("Mul", _) => Role::Scale,
        ("BatchNormalization", 3) => Role::Mean,
        ("BatchNormalization", 4) => Role::Variance,
        _ => return None,
    })
}
