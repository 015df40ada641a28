//! Merges scales and shifts of channels by constants (a BatchNormalization, a Mul, an Add) into the weights
//! of the preceding convolution or product, or into a preceding scale and shift. Channels of a product may be
//! on any axis. A BatchNormalization
//! without any of these becomes a scale and shift.

use onnx_tensor::{DType, Dim, Tensor, Value};

use super::pattern::{Links, along, operator};
use super::{Report, columns};
use crate::error::NodeError;
use crate::ir::{Fused, Graph, Node, Op, ValueId, dtype, shape};
use crate::ops::numbers::slice;
use native_kernels::Activation;
use native_kernels::elementwise::scale_rows;

/// The scaled value, and the scale and shift of each channel.
pub struct Factors {
    pub input: ValueId,
    /// The axis of the channels.
    pub axis: usize,
    pub scale: Vec<f64>,
    pub shift: Vec<f64>,
}

fn factors(graph: &Graph, node: &Node) -> Option<Factors> {
    let name = operator(node)?.schema.name;
    if name == "BatchNormalization" {
        let (scale, shift) = statistics(graph, node)?;
        let input = node.input(0)?;
        return Some(Factors {
            input,
            axis: 1,
            scale,
            shift,
        });
    }
    if !matches!(name, "Mul" | "Add") || operator(node)?.schema.since < 7 {
        return None;
    }
    let extents = shape(graph.known(node.output(0)?))?;
    let (a, b) = (node.input(0)?, node.input(1)?);
    let (input, constant) = if graph.constant(b).is_some() {
        (a, b)
    } else {
        (b, a)
    };
    // The constant must not broadcast the scaled value to a larger shape.
    if shape(graph.known(input))?.len() != extents.len() {
        return None;
    }
    let constant = graph.constant(constant)?;
    let axis = axis_of(constant.shape(), extents.len())?;
    let &Dim::Fixed(channels) = extents.get(axis)? else {
        return None;
    };
    let values = along(constant, channels, axis, extents.len())?;
    let values: Vec<f64> = values.into_iter().map(f64::from).collect();
    let (scale, shift) = match name {
        "Mul" => (values, vec![0.0; channels]),
        _ => (vec![1.0; channels], values),
    };
    Some(Factors {
        input,
        axis,
        scale,
        shift,
    })
}

/// Returns the axis, of `rank` axes, along which a constant of this shape varies; axis 1 if it is a single
/// value.
fn axis_of(shape: &[usize], rank: usize) -> Option<usize> {
    let mut varied = (0..shape.len()).filter(|&axis| shape[axis] != 1);
    let first = varied.next();
    let added = rank.checked_sub(shape.len())?;
    varied
        .next()
        .is_none()
        .then(|| first.map_or(1, |axis| added + axis))
}

/// Returns the scale and shift of a batch normalization in f64, for each channel.
fn statistics(graph: &Graph, node: &Node) -> Option<(Vec<f64>, Vec<f64>)> {
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
    let values = |position: usize| {
        let list = graph
            .constant(node.input(position)?)
            .filter(|list| list.rank() == 1)?;
        slice::<f32>(list).ok()
    };
    let (gamma, beta, mean, variance) = (values(1)?, values(2)?, values(3)?, values(4)?);
    let epsilon = f64::from(operator.attributes.float("epsilon").ok()?);
    let same = [beta.len(), mean.len(), variance.len()] == [gamma.len(); 3];
    let scale = |at: usize| f64::from(gamma[at]) / (f64::from(variance[at]) + epsilon).sqrt();
    let scales: Vec<f64> = (0..gamma.len()).filter(|_| same).map(scale).collect();
    let shift = |at: usize| f64::from(beta[at]) - f64::from(mean[at]) * scales[at];
    same.then(|| (scales.clone(), (0..gamma.len()).map(shift).collect()))
}

/// Merges where possible.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let mut links = Links::new(graph);
    for at in 0..graph.nodes.len() {
        let Some(factors) = factors(graph, &graph.nodes[at]) else {
            continue;
        };
        // An infinity would be multiplied by zeros of the weights instead of by sums.
        let finite = factors
            .scale
            .iter()
            .chain(&factors.shift)
            .all(|x| (*x as f32).is_finite());
        if dtype(graph.known(factors.input)) != Some(DType::Float) || !finite {
            continue;
        }
        let node = graph.nodes[at].clone();
        // A mere summand is an epilogue of the product.
        if factors.scale.iter().any(|&factor| factor != 1.0)
            && let Some(product) = columns::merge(graph, &mut links, at, &factors)
        {
            report.push(format!("`{}` is merged into `{product}`", node.name));
            continue;
        }
        if factors.axis != 1 {
            continue;
        }
        let before = links.around(graph).sole_producer(factors.input);
        let before = before.map(|(position, before)| (position, before.clone()));
        let folded = before.and_then(|(position, before)| {
            let merged =
                scaled(graph, &links, &before, &factors).or_else(|| merged(graph, &before, &factors));
            Some((position, merged?))
        });
        if let Some((position, mut folded)) = folded {
            report.push(format!("`{}` is merged into `{}`", node.name, folded.name));
            folded.outputs = node.outputs;
            links.replace(graph, position, folded);
            let husk = &mut graph.nodes[at];
            links.forget(husk);
            (husk.inputs, husk.outputs) = (Vec::new(), vec![None]);
        } else if node.op.plain("BatchNormalization").is_some() {
            report.push(format!("`{}` becomes a scale and a shift", node.name));
            let affine = affine(graph, &node.name, &factors, node.outputs);
            links.replace(graph, at, affine);
        }
    }
    graph
        .nodes
        .retain(|node| node.outputs.iter().any(Option::is_some));
    Ok(report)
}

fn affine(graph: &mut Graph, name: &str, factors: &Factors, outputs: Vec<Option<ValueId>>) -> Node {
    let mut constant = |what: &str, values: &[f64]| {
        let values = values.iter().map(|&value| value as f32).collect::<Vec<f32>>();
        Some(graph.add_constant(format!("{name}.{what}"), Tensor::vector(values)))
    };
    let (scale, shift) = (
        constant("scale", &factors.scale),
        constant("shift", &factors.shift),
    );
    Node {
        name: name.to_owned(),
        op: Op::Fused(Fused::Affine(Activation::Identity)),
        inputs: vec![Some(factors.input), scale, shift],
        outputs,
    }
}

/// Merges a scale and shift into the preceding one.
fn merged(graph: &mut Graph, before: &Node, factors: &Factors) -> Option<Node> {
    let Op::Fused(Fused::Affine(Activation::Identity)) = before.op else {
        return None;
    };
    let values = |position: usize| slice::<f32>(graph.constant(before.input(position)?)?).ok();
    let (scale, shift) = (values(1)?, values(2)?);
    if scale.len() != factors.scale.len() || shift.len() != factors.shift.len() {
        return None;
    }
    let product = |(&old, &new): (&f32, &f64)| f64::from(old) * new;
    let both = Factors {
        input: before.input(0)?,
        axis: factors.axis,
        scale: scale.iter().zip(&factors.scale).map(product).collect(),
        shift: shift
            .iter()
            .zip(&factors.scale)
            .map(product)
            .zip(&factors.shift)
            .map(|(a, b)| a + b)
            .collect(),
    };
    Some(affine(graph, &before.name, &both, Vec::new()))
}

/// Returns the convolution with its weights and bias scaled, if they are constants.
fn scaled(graph: &mut Graph, links: &Links, conv: &Node, factors: &Factors) -> Option<Node> {
    let Factors { scale, shift, .. } = factors;
    conv.op.plain("Conv")?;
    let id = conv.input(1)?;
    let weights = graph.constant(id)?;
    let filters = slice::<f32>(weights).ok().and(weights.shape().first().copied())?;
    let bias: Vec<f32> = match conv.input(2) {
        Some(id) => {
            let bias = graph.constant(id).filter(|bias| bias.rank() == 1)?;
            bias.to_vec::<f32>().ok()?
        }
        None => vec![0.0; scale.len()],
    };
    if filters != scale.len() || bias.len() != scale.len() || scale.is_empty() {
        return None;
    }
    let moved = |at: usize| (f64::from(bias[at]) * scale[at] + shift[at]) as f32;
    let bias: Vec<f32> = (0..bias.len()).map(moved).collect();
    let weights = if scale.iter().all(|&factor| factor == 1.0) {
        id
    } else {
        scaled_weights(graph, links.uses(id) == 1, id, &conv.name, scale)?
    };
    let mut conv = conv.clone();
    let bias = graph.add_constant(format!("{}.bias", conv.name), Tensor::vector(bias));
    conv.inputs = vec![conv.input(0), Some(weights), Some(bias)];
    Some(conv)
}

/// Returns the filters of a constant, each multiplied by its factor. They are scaled in place if no other
/// node reads them (`alone`).
fn scaled_weights(graph: &mut Graph, alone: bool, id: ValueId, conv: &str, scale: &[f64]) -> Option<ValueId> {
    let slot = &mut graph.values[id.index()].constant;
    let held = if alone { slot.take() } else { slot.clone() };
    let Some(Value::Tensor(Tensor::Float(mut array))) = held else {
        return None;
    };
    scale_rows(scale, array.as_slice_mut()?).ok()?;
    Some(graph.add_constant(format!("{conv}.weights"), Tensor::Float(array)))
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::fixture::{Fixture, node};

    fn with_statistics(fixture: Fixture) -> Fixture {
        ["scale", "bias", "mean", "variance"]
            .into_iter()
            .fold(fixture, |fixture, name| fixture.varied(name, &[3]))
    }

    #[test]
    fn statistics_are_merged_into_the_weights() {
        let nodes = vec![
            node("Conv", "x w", "c", &[]),
            node("BatchNormalization", "c scale bias mean variance", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes).varied("w", &[3, 2, 3, 3]);
        with_statistics(fixture).check(&[run], &["Conv-11"]);
    }

    #[test]
    fn weights_with_other_readers_are_not_changed() {
        let nodes = vec![
            node("Conv", "x w", "c", &[]),
            node("BatchNormalization", "c scale bias mean variance", "n", &[]),
            node("Conv", "x w", "d", &[]),
            node("Sub", "n d", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes).varied("w", &[3, 2, 3, 3]);
        with_statistics(fixture).check(&[run], &["Conv-11", "Conv-11", "Sub-14"]);
    }

    #[test]
    fn without_a_convolution_they_become_scale_and_shift() {
        let nodes = vec![node("BatchNormalization", "x scale bias mean variance", "y", &[])];
        with_statistics(Fixture::new(&[2, 3, 2], nodes)).check(&[run], &["Affine then Identity"]);
    }

    #[test]
    fn a_scale_after_a_scale_is_merged() {
        let nodes = vec![
            node("BatchNormalization", "x scale bias mean variance", "n", &[]),
            node("Mul", "n factor", "m", &[]),
            node("Add", "summand m", "y", &[]),
        ];
        let fixture = Fixture::new(&[2, 3, 2], nodes)
            .varied("factor", &[1, 3, 1])
            .varied("summand", &[3, 1]);
        with_statistics(fixture).check(&[run], &["Affine then Identity"]);
    }

    #[test]
    fn a_convolution_with_other_readers_is_not_changed() {
        let nodes = vec![
            node("Conv", "x w", "c", &[]),
            node("BatchNormalization", "c scale bias mean variance", "n", &[]),
            node("Add", "c n", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes).varied("w", &[3, 2, 1, 1]);
        with_statistics(fixture).check(&[run], &["Conv-11", "Affine then Identity", "Add-14"]);
    }
}
