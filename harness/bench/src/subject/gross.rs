//! The difference between two answers that is a gross error: it depends on the arithmetic of the model.

use harness_conformance::referee::has_halves;
use harness_investigate::truth::AGREEMENT;
use onnx_model::{Model, Node};

/// For a model with integer arithmetic on quantized values: another order of additions moves an activation
/// to the next step, which is a 255th of its range, in every layer.
const QUANTIZED: f64 = 0.05;

/// For a model with halves, which have 8 or 11 significant bits.
const HALVES: f64 = 0.01;

/// The fraction of the largest element by which correct answers of different implementations may differ.
pub(super) fn gross(model: &Model) -> f64 {
    let bodies = model.functions.iter().map(|function| function.nodes.as_slice());
    let parts: Vec<&[Node]> = bodies.chain([model.graph.nodes.as_slice()]).collect();
    let any = |is: fn(&Node) -> bool| parts.iter().any(|nodes| any_node(nodes, is));
    if any(is_quantized) {
        return QUANTIZED;
    }
    if has_halves(model) { HALVES } else { AGREEMENT }
}

/// Whether any node, or any node of a body, satisfies `is`.
fn any_node(nodes: &[Node], is: fn(&Node) -> bool) -> bool {
    let inner = |node: &Node| node.bodies().any(|body| any_node(&body.nodes, is));
    nodes.iter().any(|node| is(node) || inner(node))
}

/// `QuantizeLinear`, `DynamicQuantizeLinear`, `DequantizeLinear`, `QLinearConv`, `MatMulInteger` and others.
fn is_quantized(node: &Node) -> bool {
    let name = node.operator.as_str();
    name.contains("uantizeLinear") || name.starts_with("QLinear") || name.ends_with("Integer")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use onnx_model::{Attribute, AttributeValue, Graph};
    use onnx_tensor::{Tensor, Value, f16};

    use super::*;

    fn node(operator: &str, attributes: Vec<Attribute>) -> Node {
        Node {
            operator: operator.to_owned(),
            attributes,
            ..Node::default()
        }
    }

    fn with(name: &str, value: AttributeValue) -> Vec<Attribute> {
        vec![Attribute {
            name: name.to_owned(),
            value,
        }]
    }

    #[track_caller]
    fn check(nodes: Vec<Node>, weight: Value, expected: f64) {
        let graph = Graph {
            nodes,
            initializers: vec![("w".to_owned(), weight)],
            ..Graph::default()
        };
        assert_eq!(gross(&Model::new(21, graph)), expected);
    }

    #[test]
    fn the_arithmetic_of_the_model_decides() {
        let float = || Value::from(Tensor::vector(vec![1.0_f32]));
        let half = || Value::from(Tensor::vector(vec![f16::ONE]));
        let cast = |to| node("Cast", with("to", AttributeValue::Int(to)));
        check(vec![node("Conv", Vec::new()), cast(7)], float(), AGREEMENT);
        check(vec![node("Conv", Vec::new())], half(), HALVES);
        check(vec![cast(10)], float(), HALVES);
        check(vec![cast(16)], float(), HALVES);
        for operator in [
            "QLinearConv",
            "MatMulInteger",
            "DequantizeLinear",
            "DynamicQuantizeLinear",
        ] {
            check(vec![node(operator, Vec::new())], half(), QUANTIZED);
        }
        let body = Graph {
            nodes: vec![node("ConvInteger", Vec::new())],
            ..Graph::default()
        };
        let body = with("then_branch", AttributeValue::Graph(Arc::new(body)));
        check(vec![node("If", body)], float(), QUANTIZED);
    }
}
