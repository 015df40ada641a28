//! A BatchNormalization with known statistics goes into the weights of the convolution before it; where there is none it
//! becomes a scale and a shift for each channel.

use onnx_tensor::{DType, Tensor};

use super::Report;
use super::pattern::{Around, operator};
use crate::error::NodeError;
use crate::ir::{Fused, Graph, Node, Op, ValueId, dtype};
use crate::ops::numbers::slice;
use native_kernels::Activation;

/// Scale and shift of a batch normalisation in f64, for each channel.
fn factors(graph: &Graph, node: &Node) -> Option<(Vec<f64>, Vec<f64>)> {
    let operator = operator(node).filter(|operator| operator.schema.name == "BatchNormalization")?;
    let training =
        operator.attributes.flag("training_mode").ok()? || node.outputs.iter().flatten().count() != 1;
    let tested = operator.schema.since >= 7 || operator.attributes.flag("is_test").ok()?;
    if training
        || !tested
        || operator
            .attributes
            .find_int("spatial")
            .ok()?
            .is_some_and(|spatial| spatial == 0)
    {
        return None;
    }
    let values = |position: usize| slice::<f32>(graph.constant(node.input(position)?)?).ok();
    let (gamma, beta, mean, variance) = (values(1)?, values(2)?, values(3)?, values(4)?);
    let epsilon = f64::from(operator.attributes.float("epsilon").ok()?);
    let same = [beta.len(), mean.len(), variance.len()] == [gamma.len(); 3];
    let scale = |at: usize| f64::from(gamma[at]) / (f64::from(variance[at]) + epsilon).sqrt();
    let scales: Vec<f64> = (0..gamma.len()).filter(|_| same).map(scale).collect();
    let shift = |at: usize| f64::from(beta[at]) - f64::from(mean[at]) * scales[at];
    same.then(|| (scales.clone(), (0..gamma.len()).map(shift).collect()))
}

/// Folds what can be folded.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    for at in 0..graph.nodes.len() {
        let node = graph.nodes[at].clone();
        let Some((scale, shift)) = factors(graph, &node) else {
            continue;
        };
        let (Some(input), Some(output)) = (node.input(0), node.output(0)) else {
            continue;
        };
        if dtype(graph.known(input)) != Some(DType::Float) {
            continue;
        }
        let conv = Around::new(graph)
            .sole_producer(input)
            .map(|(position, conv)| (position, conv.clone()));
        let folded =
            conv.and_then(|(position, conv)| Some((position, scaled(graph, &conv, &scale, &shift)?)));
        if let Some((position, mut conv)) = folded {
            report.push(format!(
                "`{}` goes into the weights of `{}`",
                node.name, conv.name
            ));
            conv.outputs = vec![Some(output)];
            graph.nodes[position] = conv;
            graph.nodes[at].outputs = vec![None];
        } else {
            report.push(format!("`{}` becomes a scale and a shift", node.name));
            let constant = |graph: &mut Graph, what: &str, values: &[f64]| {
                let values = values.iter().map(|&value| value as f32).collect::<Vec<f32>>();
                graph.add_constant(format!("{}.{what}", node.name), Tensor::vector(values))
            };
            let (scale, shift) = (constant(graph, "scale", &scale), constant(graph, "shift", &shift));
            graph.nodes[at] = Node {
                name: node.name.clone(),
                op: Op::Fused(Fused::Affine(Activation::Identity)),
                inputs: vec![Some(input), Some(scale), Some(shift)],
                outputs: vec![Some(output)],
            };
        }
    }
    graph
        .nodes
        .retain(|node| node.outputs.iter().any(Option::is_some));
    Ok(report)
}

/// The convolution with its weights and bias scaled, if they are constants.
fn scaled(graph: &mut Graph, conv: &Node, scale: &[f64], shift: &[f64]) -> Option<Node> {
    conv.op.plain("Conv")?;
    let weights = graph.constant(conv.input(1)?)?;
    let (values, shape) = (slice::<f32>(weights).ok()?, weights.shape().to_vec());
    let bias: Vec<f32> = match conv.input(2) {
        Some(id) => graph.constant(id)?.to_vec::<f32>().ok()?,
        None => vec![0.0; scale.len()],
    };
    if shape.first() != Some(&scale.len()) || bias.len() != scale.len() || scale.is_empty() {
        return None;
    }
    let each = values.len() / scale.len();
    let product = |(at, &value): (usize, &f32)| (f64::from(value) * scale[at / each.max(1)]) as f32;
    let weights: Vec<f32> = values.iter().enumerate().map(product).collect();
    let moved = |at: usize| (f64::from(bias[at]) * scale[at] + shift[at]) as f32;
    let bias: Vec<f32> = (0..bias.len()).map(moved).collect();
    let weights = Tensor::new(&shape, weights).ok()?;
    let mut conv = conv.clone();
    let ids: [ValueId; 2] = [
        graph.add_constant(format!("{}.weights", conv.name), weights),
        graph.add_constant(format!("{}.bias", conv.name), Tensor::vector(bias)),
    ];
    conv.inputs = vec![conv.input(0), Some(ids[0]), Some(ids[1])];
    Some(conv)
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, node};
    use super::run;

    fn with_statistics(fixture: Fixture) -> Fixture {
        ["scale", "bias", "mean", "variance"].into_iter().fold(fixture, |fixture, name| fixture.varied(name, &[3]))
    }

    #[test]
    fn statistics_go_into_the_weights() {
        let nodes = vec![
            node("Conv", "x w", "c", &[]),
            node("BatchNormalization", "c scale bias mean variance", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes).varied("w", &[3, 2, 3, 3]);
        with_statistics(fixture).check(&[run], &["Conv-11"]);
    }

    #[test]
    fn without_a_convolution_they_become_scale_and_shift() {
        let nodes = vec![node("BatchNormalization", "x scale bias mean variance", "y", &[])];
        with_statistics(Fixture::new(&[2, 3, 2], nodes)).check(&[run], &["Affine then Identity"]);
    }

    #[test]
    fn a_value_that_others_read_keeps_its_convolution() {
        let nodes = vec![
            node("Conv", "x w", "c", &[]),
            node("BatchNormalization", "c scale bias mean variance", "n", &[]),
            node("Add", "c n", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes).varied("w", &[3, 2, 1, 1]);
        with_statistics(fixture).check(&[run], &["Conv-11", "Affine then Identity", "Add-14"]);
    }
}
