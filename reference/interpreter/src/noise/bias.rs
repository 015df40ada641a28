//! The bias of a product that runtimes compute in integers.
//!
//! A runtime fuses DequantizeLinear, a product and QuantizeLinear into a product of integers, and rounds a
//! bias that is a float to a multiple of the product of the scales. A bias that the model holds as an integer
//! stays.

use onnx_model::{Graph, Node};

/// Whether a QuantizeLinear quantizes a product of dequantized operands with a bias in float.
pub(crate) fn is_rounded(graph: &Graph, node: &Node) -> bool {
    let producer = |name: &str| {
        let gives = |node: &&Node| node.outputs.iter().any(|output| output == name);
        graph.nodes.iter().find(gives)
    };
    let is_dequantized = |name: &str| producer(name).is_some_and(|node| node.operator == "DequantizeLinear");
    let is_product = |node: &Node| {
        let is_product = matches!(
            node.operator.as_str(),
            "Conv" | "ConvTranspose" | "Gemm" | "MatMul"
        );
        is_product && node.inputs.first().is_some_and(|name| is_dequantized(name))
    };
    let Some(mut name) = node.inputs.first() else {
        return false;
    };
    while let Some(node) = producer(name) {
        let operand = |index: usize| node.inputs.get(index).filter(|name| !name.is_empty());
        match node.operator.as_str() {
            // They are part of the product, or move its elements.
            "Relu" | "LeakyRelu" | "Clip" | "Reshape" | "Transpose" | "Flatten" | "Squeeze" | "Unsqueeze" => {
                match operand(0) {
                    Some(first) => name = first,
                    None => return false,
                }
            }
            // It becomes a factor and a bias.
            "BatchNormalization" => {
                return operand(0).and_then(|name| producer(name)).is_some_and(is_product);
            }
            "Add" => {
                let [a, b] = [operand(0), operand(1)];
                let of = |product: Option<&String>, bias: Option<&String>| {
                    product.and_then(|name| producer(name)).is_some_and(is_product)
                        && bias.is_some_and(|name| !is_dequantized(name))
                };
                return of(a, b) || of(b, a);
            }
            _ => return is_product(node) && operand(2).is_some_and(|bias| !is_dequantized(bias)),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes as `operator inputs > output`, of which the last is the QuantizeLinear.
    #[track_caller]
    fn check(nodes: &[&str], wanted: bool) {
        let node = |text: &&str| {
            let (inputs, output) = text.split_once(" > ").unwrap();
            let mut words = inputs.split(' ').map(str::to_owned);
            Node {
                operator: words.next().unwrap(),
                inputs: words.collect(),
                outputs: vec![output.to_owned()],
                ..Node::default()
            }
        };
        let graph = Graph {
            nodes: nodes.iter().map(node).collect(),
            ..Graph::default()
        };
        assert_eq!(
            is_rounded(&graph, graph.nodes.last().unwrap()),
            wanted,
            "{nodes:?}"
        );
    }

    #[test]
    fn a_float_is_rounded_and_an_integer_stays() {
        let product = ["DequantizeLinear q s > x", "DequantizeLinear v s > w"];
        let bias = ["DequantizeLinear i s > b"];
        let of = |nodes: &[&'static str]| [&product[..], &bias[..], nodes].concat();
        check(&of(&["Conv x w c > y", "QuantizeLinear y s > z"]), true);
        check(&of(&["Conv x w b > y", "QuantizeLinear y s > z"]), false);
        check(&of(&["Conv x w > y", "QuantizeLinear y s > z"]), false);
        check(&of(&["Conv f w c > y", "QuantizeLinear y s > z"]), false);
        check(
            &of(&["Gemm x w c > y", "Relu y > r", "QuantizeLinear r s > z"]),
            true,
        );
        check(
            &of(&["MatMul x w > y", "Add c y > a", "QuantizeLinear a s > z"]),
            true,
        );
        check(
            &of(&["MatMul x w > y", "Add y b > a", "QuantizeLinear a s > z"]),
            false,
        );
        check(
            &of(&[
                "Conv x w > y",
                "BatchNormalization y m > a",
                "QuantizeLinear a s > z",
            ]),
            true,
        );
        check(&of(&["Softmax x > y", "QuantizeLinear y s > z"]), false);
        check(&["QuantizeLinear y s > z"], false);
    }
}
