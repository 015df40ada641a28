//! What runtimes quantize themselves where a model quantizes around a product.
//!
//! A runtime fuses DequantizeLinear, a product and QuantizeLinear into a product of integers. It rounds a
//! bias that is a float to a multiple of the product of the scales, and float weights to int8. What the model
//! holds as integers stays.

use onnx_model::{Graph, Node};

use super::Arithmetic;

/// What a runtime quantizes at a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quantized {
    Nothing,
    /// The bias of the product that this QuantizeLinear quantizes.
    Bias,
    /// The weights of this product.
    Weights,
}

impl Quantized {
    /// What a runtime of this class quantizes at a node; without a graph, the bias of a product that is not
    /// known.
    pub(super) fn of(graph: Option<&Graph>, node: &Node, arithmetic: Arithmetic) -> Quantized {
        match node.operator.as_str() {
            "QuantizeLinear"
                if arithmetic >= Arithmetic::Approximated
                    && graph.is_none_or(|graph| has_rounded_bias(graph, node)) =>
            {
                Quantized::Bias
            }
            "Conv" | "ConvTranspose" | "Gemm" | "MatMul"
                if arithmetic == Arithmetic::Reduced
                    && graph.is_some_and(|graph| has_rounded_weights(graph, node)) =>
            {
                Quantized::Weights
            }
            _ => Quantized::Nothing,
        }
    }
}

fn producer<'g>(graph: &'g Graph, name: &str) -> Option<&'g Node> {
    let gives = |node: &&Node| node.outputs.iter().any(|output| output == name);
    graph.nodes.iter().find(gives)
}

fn is_dequantized(graph: &Graph, name: &str) -> bool {
    producer(graph, name).is_some_and(|node| node.operator == "DequantizeLinear")
}

fn is_product(graph: &Graph, node: &Node) -> bool {
    let is_product = matches!(
        node.operator.as_str(),
        "Conv" | "ConvTranspose" | "Gemm" | "MatMul"
    );
    is_product
        && node
            .inputs
            .first()
            .is_some_and(|name| is_dequantized(graph, name))
}

/// Whether a node is part of the product before it, or only moves its elements.
fn is_fused(node: &Node) -> bool {
    matches!(
        node.operator.as_str(),
        "Relu" | "LeakyRelu" | "Clip" | "Reshape" | "Transpose" | "Flatten" | "Squeeze" | "Unsqueeze"
    )
}

/// Whether a product of dequantized activations and float weights is quantized.
fn has_rounded_weights(graph: &Graph, node: &Node) -> bool {
    let has_float_weights = node
        .inputs
        .get(1)
        .is_some_and(|weights| !is_dequantized(graph, weights));
    if !has_float_weights || !is_product(graph, node) {
        return false;
    }
    let mut reached: Vec<&str> = node.outputs.iter().map(String::as_str).collect();
    while let Some(name) = reached.pop() {
        let reads = |node: &&Node| node.inputs.first().is_some_and(|input| input == name);
        for reader in graph.nodes.iter().filter(reads) {
            if reader.operator == "QuantizeLinear" {
                return true;
            }
            if is_fused(reader) {
                reached.extend(reader.outputs.iter().map(String::as_str));
            }
        }
    }
    false
}

/// Whether a QuantizeLinear quantizes a product of dequantized operands with a bias in float.
fn has_rounded_bias(graph: &Graph, node: &Node) -> bool {
    let is_dequantized = |name: &str| is_dequantized(graph, name);
    let is_product = |name: &String| producer(graph, name).is_some_and(|node| is_product(graph, node));
    let Some(mut name) = node.inputs.first() else {
        return false;
    };
    while let Some(node) = producer(graph, name) {
        let operand = |index: usize| node.inputs.get(index).filter(|name| !name.is_empty());
        match node.operator.as_str() {
            _ if is_fused(node) => match operand(0) {
                Some(first) => name = first,
                None => return false,
            },
            // It becomes a factor and a bias.
            "BatchNormalization" => return operand(0).is_some_and(is_product),
            "Add" => {
                let [a, b] = [operand(0), operand(1)];
                let of = |product: Option<&String>, bias: Option<&String>| {
                    product.is_some_and(is_product) && bias.is_some_and(|name| !is_dequantized(name))
                };
                return of(a, b) || of(b, a);
            }
            _ => return is_product(name) && operand(2).is_some_and(|bias| !is_dequantized(bias)),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes as `operator inputs > output`; what a runtime of class `reduced` quantizes at the node `at`.
    #[track_caller]
    fn check_at(nodes: &[&str], at: usize, wanted: Quantized) {
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
        let found = Quantized::of(Some(&graph), &graph.nodes[at], Arithmetic::Reduced);
        assert_eq!(found, wanted, "{nodes:?}");
    }

    /// Whether the bias of the last node is rounded.
    #[track_caller]
    fn check(nodes: &[&str], wanted: bool) {
        let wanted = if wanted {
            Quantized::Bias
        } else {
            Quantized::Nothing
        };
        check_at(nodes, nodes.len() - 1, wanted);
    }

    #[test]
    fn float_weights_between_quantizations_are_rounded() {
        let conv = "Conv x w > y";
        let check = |nodes: &[&'static str], wanted| {
            check_at(&[&["DequantizeLinear q s > x"], nodes].concat(), 1, wanted);
        };
        check(&[conv, "QuantizeLinear y s > z"], Quantized::Weights);
        check(
            &[conv, "Relu y > r", "QuantizeLinear r s > z"],
            Quantized::Weights,
        );
        check(
            &[conv, "Softmax y > r", "QuantizeLinear r s > z"],
            Quantized::Nothing,
        );
        check(&[conv], Quantized::Nothing);
        check(&["Conv f w > y", "QuantizeLinear y s > z"], Quantized::Nothing);
        check(
            &[conv, "DequantizeLinear v s > w", "QuantizeLinear y s > z"],
            Quantized::Nothing,
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
