//! Writes a SoftmaxCrossEntropyLoss as the specification defines it: a LogSoftmax, which has a kernel, and a
//! NegativeLogLikelihoodLoss.

use onnx_model::AttributeValue;
use onnx_tensor::DType;

use super::Report;
use super::chain::{Chain, replace};
use super::pattern::operator;
use crate::error::NodeError;
use crate::ir::{Graph, dtype};

/// Replaces every such node over f32 whose scores have classes.
pub fn run(graph: &mut Graph) -> Result<Report, NodeError> {
    replace(graph, "is the loss of a LogSoftmax", |graph, node| {
        let found = operator(node).filter(|found| found.schema.name == "SoftmaxCrossEntropyLoss")?;
        let (scores, loss) = (node.input(0)?, node.output(0)?);
        graph.shape_of(scores).filter(|shape| shape.len() >= 2)?;
        dtype(graph.known(scores)).filter(|&dtype| dtype == DType::Float)?;
        let mut chain = Chain::new(graph, &node.name);
        let classes = ("axis", AttributeValue::Int(1));
        let logarithms = chain.add("LogSoftmax", 13, [classes], vec![Some(scores)]);
        let mut inputs = node.inputs.clone();
        inputs[0] = Some(logarithms);
        let same = |name| Some((name, found.attributes.get(name)?.clone()));
        let attributes = ["ignore_index", "reduction"].into_iter().filter_map(same);
        let made = chain.add("NegativeLogLikelihoodLoss", 13, attributes, inputs);
        let second = node.output(1).map(|result| (logarithms, result));
        let results: Vec<_> = second.into_iter().chain([(made, loss)]).collect();
        Some(chain.ending_in(&results))
    })
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{Int, String};
    use onnx_tensor::Tensor;

    use super::run;
    use crate::fixture::{Fixture, node};

    #[track_caller]
    fn check(shape: &[usize], inputs: &str, outputs: &str, reduction: &str) {
        let attributes = [("reduction", String(reduction.into())), ("ignore_index", Int(1))];
        let labels = (0..shape.iter().product::<usize>() / shape[1]).map(|at| at as i64 % 3);
        let labels = Tensor::new::<i64>(&[&shape[..1], &shape[2..]].concat(), labels.collect());
        let mut loss = node("SoftmaxCrossEntropyLoss", inputs, "", &attributes);
        loss.outputs = outputs.split(' ').map(str::to_owned).collect();
        Fixture::new(shape, vec![loss])
            .opset(13)
            .constant("l", labels.expect("one label for each row"))
            .varied("w", &[3])
            .check(&[run], &["LogSoftmax-13", "NegativeLogLikelihoodLoss-13"]);
    }

    #[test]
    fn a_loss_reads_logarithms() {
        check(&[4, 3], "x l", "y", "mean");
        check(&[4, 3], "x l w", "y", "sum");
        check(&[2, 3, 5], "x l w", "y", "none");
        check(&[2, 3, 5], "x l", "z y", "none");
    }
}
