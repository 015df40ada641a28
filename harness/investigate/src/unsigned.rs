//! The same model with weights of uint8 in place of int8: every weight and its zero point grow by 128, so
//! that no result changes. On processors without VNNI, runtimes sum the products of an uint8 and an int8 in
//! pairs that are clamped to 16 bits (`VPMADDUBSW`); products of two uint8 are not. A backend that is wrong
//! on the first model and right on the second clamps.

use std::sync::Arc;

use onnx_model::{Graph, Model, Node};
use onnx_tensor::{Tensor, Value};

/// The operands of int8 weights: domain, operator, the position of the weights and that of their zero points.
const WEIGHTS: [(&str, &str, usize, usize); 11] = [
    ("", "MatMulInteger", 1, 3),
    ("", "ConvInteger", 1, 3),
    ("", "QLinearMatMul", 3, 5),
    ("", "QLinearConv", 3, 5),
    ("", "DequantizeLinear", 0, 2),
    ("com.microsoft", "DynamicQuantizeMatMul", 1, 3),
    ("com.microsoft", "MatMulIntegerToFloat", 1, 5),
    ("com.microsoft", "QAttention", 1, 7),
    ("com.microsoft", "QGemm", 3, 5),
    ("com.microsoft", "DynamicQuantizeLSTM", 1, 9),
    ("com.microsoft", "DynamicQuantizeLSTM", 2, 11),
];

/// Whether runtimes clamp on this processor: it has no VNNI.
pub fn clamps() -> bool {
    #[cfg(target_arch = "x86_64")]
    return !is_x86_feature_detected!("avx512vnni") && !is_x86_feature_detected!("avxvnni");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The model with its constant int8 weights as uint8; `None` if it has none, or if its weights are also
/// inputs (IR versions below 4).
pub fn with_unsigned_weights(model: &Model) -> Option<Model> {
    let mut graph = Graph::clone(&model.graph);
    let mut changed = false;
    for index in 0..graph.nodes.len() {
        for (domain, operator, weights, points) in WEIGHTS {
            let node = &graph.nodes[index];
            if node.domain == domain
                && node.operator == operator
                && let Some(made) = unsigned(&graph, node, weights, points)
            {
                replace(&mut graph, index, [weights, points], made);
                changed = true;
            }
        }
    }
    (changed && model.ir_version >= 4).then(|| Model {
        graph: Arc::new(graph),
        ..model.clone()
    })
}

/// The weights and zero points of a node as uint8; `None` if they are no constants of int8.
fn unsigned(graph: &Graph, node: &Node, weights: usize, points: usize) -> Option<[Tensor; 2]> {
    let constant = |place: usize| {
        let name = node.inputs.get(place).filter(|name| !name.is_empty())?;
        graph.initializer(name).and_then(Value::as_tensor)
    };
    let is_given = node.inputs.get(points).is_some_and(|name| !name.is_empty());
    let points = match (is_given, constant(points)) {
        (true, found) => shifted(found?)?,
        // Of the shape of the scale, which stands before it; a scalar where no scale does.
        (false, _) if node.operator == "DequantizeLinear" => {
            let shape = constant(1)?.shape().to_vec();
            Tensor::new(&shape, vec![128_u8; shape.iter().product()]).ok()?
        }
        (false, _) => Tensor::scalar(128_u8),
    };
    Some([shifted(constant(weights)?)?, points])
}

fn shifted(tensor: &Tensor) -> Option<Tensor> {
    let Tensor::Int8(array) = tensor else {
        return None;
    };
    let values: Vec<u8> = array.iter().map(|value| value.cast_unsigned() ^ 0x80).collect();
    Tensor::new(tensor.shape(), values).ok()
}

/// Gives a node new constants at two places.
fn replace(graph: &mut Graph, index: usize, places: [usize; 2], tensors: [Tensor; 2]) {
    for (place, tensor) in places.into_iter().zip(tensors) {
        let name = format!("uint8 constant {index}.{place}");
        graph.initializers.push((name.clone(), tensor.into()));
        let inputs = &mut graph.nodes[index].inputs;
        if inputs.len() <= place {
            inputs.resize(place + 1, String::new());
        }
        inputs[place] = name;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A node with the input `x` and `constants`, and the constants of uint8 that it reads afterwards.
    fn check(operator: &str, constants: &[Tensor], expected: Option<&[&[u8]]>) {
        let names = (0..constants.len()).map(|place| format!("c{place}"));
        let node = Node {
            operator: operator.to_owned(),
            inputs: std::iter::once("x".to_owned()).chain(names.clone()).collect(),
            outputs: vec!["y".to_owned()],
            ..Node::default()
        };
        let graph = Graph {
            nodes: vec![node],
            initializers: names.zip(constants.iter().cloned().map(Value::from)).collect(),
            ..Graph::default()
        };
        let found = with_unsigned_weights(&Model::new(13, graph)).map(|model| {
            let read = model.graph.nodes[0].inputs.iter();
            let read = read.filter_map(|name| model.graph.initializer(name)?.as_tensor());
            read.filter_map(|tensor| Some(tensor.array::<u8>().ok()?.iter().copied().collect()))
                .collect::<Vec<Vec<u8>>>()
        });
        let expected = expected.map(|all| all.iter().map(|values| values.to_vec()).collect());
        assert_eq!(found, expected, "{operator}");
    }

    #[test]
    fn weights_and_zero_points_grow_by_128() {
        let weights = Tensor::vector(vec![-128_i8, -1, 0, 127]);
        let point = Tensor::scalar(3_i8);
        let all: &[u8] = &[0, 127, 128, 255];
        check(
            "MatMulInteger",
            std::slice::from_ref(&weights),
            Some(&[all, &[128]]),
        );
        check(
            "ConvInteger",
            &[weights.clone(), Tensor::scalar(1_i8), point],
            Some(&[all, &[131]]),
        );
        check("MatMulInteger", &[Tensor::vector(vec![1_u8])], None);
        check("MatMul", &[weights], None);
    }
}
