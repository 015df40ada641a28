//! Measures the scale of all activations in one run, and scales the weights accordingly.
//!
//! The probe is the model with two changes. After each kernel it divides by the root mean square of the
//! result, before any bias. Each BatchNormalization is written as its formula, with the mean and
//! variance of its own input in place of stored ones. The divisors, means and variances are the outputs
//! of the probe. Every layer is normalised before the next one reads it, so that one run is enough for
//! all.

use std::collections::HashMap;
use std::sync::Arc;

use backend_api::Named;
use onnx_model::{Attribute, AttributeValue, Graph, Model, Node, ValueInfo};
use onnx_tensor::{DType, Tensor, Value, ValueType};

use super::{RandomWeightsError, at, float_initializer};
use crate::random_weights::parameters::{self, Parameter, Role};

/// The root mean square of the output of the last kernel. Among a thousand logits with twice the spread
/// of a standard normal distribution, the largest gets about a tenth of the softmax, and the entropy is
/// 6.9 − 2 nats.
const LOGITS: f32 = 2.0;
/// The minimum stored variance: below it the channel is constant, and a division by it would amplify
/// rounding errors.
const MIN_VARIANCE: f32 = 1e-6;

/// A model to run, with the meaning of its outputs.
pub(super) struct Probe {
    /// The model; its outputs are the measured figures.
    pub model: Model,
    /// Each kernel with the output by which it is divided, and the factor by which it is then
    /// multiplied.
    kernels: Vec<(String, String, f32)>,
    /// Mean and variance of each BatchNormalization, with the outputs that hold them.
    statistics: Vec<(String, String)>,
}

/// The probe of a model whose parameters are initializers.
pub(super) fn probe(model: &Model) -> Result<Probe, RandomWeightsError> {
    let graph = &*model.graph;
    let parameters = parameters::find(graph);
    let roles: HashMap<&str, &Parameter> = parameters
        .iter()
        .map(|parameter| (parameter.name.as_str(), parameter))
        .collect();
    let mut builder = Builder {
        graph,
        constants: Vec::new(),
        nodes: Vec::new(),
        kernels: Vec::new(),
        statistics: Vec::new(),
    };
    let last = graph
        .nodes
        .iter()
        .rposition(|node| kernel(graph, node, &roles).is_some());
    for (index, node) in graph.nodes.iter().enumerate() {
        if let Some(kernel) = kernel(graph, node, &roles) {
            builder.kernel(node, kernel, if Some(index) == last { LOGITS } else { 1.0 })?;
        } else if let Some([scale, bias]) = normalization(node, &roles) {
            builder.normalization(node, scale, bias)?;
        } else {
            builder.nodes.push(node.clone());
        }
    }
    Ok(builder.finish(model))
}

/// The kernel of a node, if it is a parameter with this role.
fn kernel<'g>(graph: &'g Graph, node: &'g Node, roles: &HashMap<&str, &Parameter>) -> Option<&'g str> {
    weights(graph, node).filter(|name| {
        roles
            .get(name)
            .is_some_and(|parameter| parameter.role.is_kernel())
    })
}

/// The parameter of the second input, also through operators that change its shape.
fn weights<'g>(graph: &'g Graph, node: &'g Node) -> Option<&'g str> {
    if !matches!(node.operator.as_str(), "Conv" | "Gemm" | "MatMul") {
        return None;
    }
    let mut name = node.inputs.get(1)?;
    // Names are defined before they are used, so that the loop ends; the bound is for malformed files.
    for _ in 0..graph.nodes.len() {
        if float_initializer(graph, name).is_some() {
            return Some(name);
        }
        name = graph
            .nodes
            .iter()
            .find(|node| node.outputs.first() == Some(name))?
            .inputs
            .first()?;
    }
    None
}

/// Scale and bias of a BatchNormalization whose mean and variance are parameters.
fn normalization<'n>(node: &'n Node, roles: &HashMap<&str, &Parameter>) -> Option<[&'n str; 2]> {
    let [_, scale, bias, mean, variance] = node.inputs.as_slice() else {
        return None;
    };
    let role = |name: &String| roles.get(name.as_str()).map(|parameter| parameter.role);
    let known = role(mean) == Some(Role::Mean) && role(variance) == Some(Role::Variance);
    (node.operator == "BatchNormalization" && known).then_some([scale.as_str(), bias.as_str()])
}

struct Builder<'g> {
    graph: &'g Graph,
    constants: Vec<(String, Value)>,
    nodes: Vec<Node>,
    kernels: Vec<(String, String, f32)>,
    statistics: Vec<(String, String)>,
}

impl Builder<'_> {
    /// `y = kernel(x) / rms · target + bias`.
    fn kernel(&mut self, node: &Node, kernel: &str, target: f32) -> Result<(), RandomWeightsError> {
        let output = node.outputs.first().map_or("", String::as_str);
        let name = |part: &str| format!("{output}:{part}");
        let bias = node
            .inputs
            .get(2)
            .filter(|bias| float_initializer(self.graph, bias).is_some());
        self.product(node, bias.is_some(), name("product"));
        self.push("Mul", &[&name("product"), &name("product")], &name("square"));
        let keepdims = Attribute {
            name: "keepdims".to_owned(),
            value: AttributeValue::Int(0),
        };
        self.push("ReduceMean", &[&name("square")], &name("mean square"));
        self.nodes
            .last_mut()
            .into_iter()
            .for_each(|node| node.attributes.push(keepdims.clone()));
        self.push("Sqrt", &[&name("mean square")], &name("rms"));
        self.constant(&name("target"), Tensor::scalar(target));
        self.push("Div", &[&name("product"), &name("rms")], &name("unit"));
        let scaled = if bias.is_some() {
            name("scaled")
        } else {
            output.to_owned()
        };
        self.push("Mul", &[&name("unit"), &name("target")], &scaled);
        if let Some(bias) = bias {
            // The bias of a Conv is along the second axis, that of a Gemm along the last.
            let trailing = match node.operator.as_str() {
                "Conv" => {
                    float_initializer(self.graph, kernel).map_or(0, |kernel| kernel.rank().saturating_sub(2))
                }
                _ => 0,
            };
            let column = self.along(bias, trailing, &name("bias"))?;
            self.push("Add", &[&scaled, &column], output);
        }
        self.kernels.push((kernel.to_owned(), name("rms"), target));
        Ok(())
    }

    /// The node itself, without its bias.
    fn product(&mut self, node: &Node, biased: bool, output: String) {
        let mut bare = node.clone();
        if biased {
            bare.inputs.truncate(2);
            // Before version 11 the bias of a Gemm was required.
            if node.operator == "Gemm" {
                let zero = format!("{output}:no bias");
                self.constant(&zero, Tensor::scalar(0.0_f32));
                bare.inputs.push(zero);
            }
        }
        bare.outputs = vec![output];
        self.nodes.push(bare);
    }

    /// `y = (x − mean(x)) / √(variance(x) + ε) · scale + bias`, for each channel.
    fn normalization(&mut self, node: &Node, scale: &str, bias: &str) -> Result<(), RandomWeightsError> {
        let output = node.outputs.first().map_or("", String::as_str);
        let name = |part: &str| format!("{output}:{part}");
        let epsilon = match node.attribute("epsilon") {
            Some(AttributeValue::Float(epsilon)) => *epsilon,
            _ => 1e-5,
        };
        let [input, _, _, mean, variance] = node.inputs.as_slice() else {
            return Ok(());
        };
        self.push("GlobalAveragePool", &[input], &name("mean"));
        self.push("Sub", &[input, &name("mean")], &name("centred"));
        self.push("Mul", &[&name("centred"), &name("centred")], &name("square"));
        self.push("GlobalAveragePool", &[&name("square")], &name("variance"));
        self.constant(&name("epsilon"), Tensor::scalar(epsilon));
        self.push("Add", &[&name("variance"), &name("epsilon")], &name("shifted"));
        self.push("Sqrt", &[&name("shifted")], &name("deviation"));
        self.push("Div", &[&name("centred"), &name("deviation")], &name("unit"));
        let (scale, bias) = (
            self.along(scale, 2, &name("scale"))?,
            self.along(bias, 2, &name("bias"))?,
        );
        self.push("Mul", &[&name("unit"), &scale], &name("scaled"));
        self.push("Add", &[&name("scaled"), &bias], output);
        self.statistics.push((mean.clone(), name("mean")));
        self.statistics.push((variance.clone(), name("variance")));
        Ok(())
    }

    fn push(&mut self, operator: &str, inputs: &[&str], output: &str) {
        self.nodes.push(Node {
            operator: operator.to_owned(),
            inputs: inputs.iter().map(|&input| input.to_owned()).collect(),
            outputs: vec![output.to_owned()],
            ..Node::default()
        });
    }

    fn constant(&mut self, name: &str, tensor: Tensor) {
        self.constants.push((name.to_owned(), Value::Tensor(tensor)));
    }

    /// Adds a copy of the initializer with `trailing` axes of extent 1 after its own, so that it is
    /// along the channels.
    fn along(
        &mut self,
        initializer: &str,
        trailing: usize,
        name: &str,
    ) -> Result<String, RandomWeightsError> {
        let Some(tensor) = float_initializer(self.graph, initializer) else {
            return Ok(initializer.to_owned());
        };
        let mut shape = tensor.shape().to_vec();
        shape.extend(std::iter::repeat_n(1, trailing));
        let column = tensor.reshape(&shape).map_err(|error| at(initializer, error))?;
        self.constant(name, column);
        Ok(name.to_owned())
    }

    fn finish(self, model: &Model) -> Probe {
        let figures = self
            .kernels
            .iter()
            .map(|(_, rms, _)| rms)
            .chain(self.statistics.iter().map(|(_, name)| name));
        let outputs = figures.map(|name| ValueInfo {
            name: name.clone(),
            value_type: Some(ValueType::tensor(DType::Float)),
        });
        let graph = Graph {
            outputs: outputs.collect(),
            initializers: self
                .graph
                .initializers
                .iter()
                .cloned()
                .chain(self.constants)
                .collect(),
            nodes: self.nodes,
            ..self.graph.clone()
        };
        Probe {
            model: Model {
                graph: Arc::new(graph),
                ..model.clone()
            },
            kernels: self.kernels,
            statistics: self.statistics,
        }
    }
}

/// Puts the results of the probe into the initializers of the model.
pub(super) fn apply(model: &mut Model, probe: &Probe, outputs: &[Named]) -> Result<(), RandomWeightsError> {
    let figures: HashMap<&str, &Value> = outputs
        .iter()
        .map(|(name, value)| (name.as_str(), value))
        .collect();
    let figure = |name: &str| match figures.get(name) {
        Some(Value::Tensor(tensor)) => tensor.to_vec::<f32>().unwrap_or_default(),
        _ => Vec::new(),
    };
    let mut factors: HashMap<&str, f32> = HashMap::new();
    for (kernel, rms, target) in &probe.kernels {
        let factor = figure(rms).first().map_or(0.0, |rms| target / rms);
        if !factor.is_finite() || factor <= 0.0 {
            return Err(RandomWeightsError::Degenerate(kernel.clone()));
        }
        // If nodes share a kernel, the first determines its scale.
        factors.entry(kernel).or_insert(factor);
    }
    let statistics: HashMap<&str, &str> = probe
        .statistics
        .iter()
        .map(|(p, f)| (p.as_str(), f.as_str()))
        .collect();
    let graph = Arc::make_mut(&mut model.graph);
    for (name, value) in &mut graph.initializers {
        let Value::Tensor(tensor) = value else { continue };
        if let Some(&factor) = factors.get(name.as_str()) {
            let array = tensor.array::<f32>().map_err(|error| at(name, error))?;
            *tensor = onnx_tensor::Element::wrap(array.mapv(|x| x * factor).into_shared());
        } else if let Some(output) = statistics.get(name.as_str()) {
            let per_channel = over_samples(&figure(output), tensor.len());
            if per_channel.is_empty() || !per_channel.iter().all(|x| x.is_finite()) {
                return Err(RandomWeightsError::Degenerate(name.clone()));
            }
            let variance = output.ends_with(":variance");
            let value = |x: f32| if variance { x.max(MIN_VARIANCE) } else { x };
            let elements = per_channel.into_iter().map(value).collect();
            *tensor = Tensor::new(tensor.shape(), elements).map_err(|error| at(name, error))?;
        }
    }
    Ok(())
}

/// The mean over the samples of a batch, for each channel.
fn over_samples(figures: &[f32], channels: usize) -> Vec<f32> {
    if channels == 0 || figures.is_empty() || !figures.len().is_multiple_of(channels) {
        return Vec::new();
    }
    let samples = (figures.len() / channels) as f32;
    let column = |channel| figures.iter().skip(channel).step_by(channels).sum::<f32>() / samples;
    (0..channels).map(column).collect()
}
