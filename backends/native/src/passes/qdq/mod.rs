//! Replaces operators between DequantizeLinear and QuantizeLinear by operators on bytes.
//!
//! - `DequantizeLinear → Conv, MatMul or Gemm (→ Relu, Clip) → QuantizeLinear` with constant scales and
//!   weights becomes QLinearConv or QLinearMatMul. Sums are then exact and rounded once, whereas the original
//!   nodes round products and sums in f32, in an order that ONNX does not define: a result near the middle
//!   between two bytes may become the other one. A Relu or Clip is merged only if bytes cannot represent the
//!   values that it cuts off, so that saturation does the same. A bias is merged only if it is quantized with
//!   the scale of the products, up to the rounding of that scale.
//! - `DequantizeLinear → Add, Sub, Mul, Concat, AveragePool, GlobalAveragePool or a function of one value →
//!   QuantizeLinear` becomes one node, which computes the same numbers of f32 in registers. A mean is rounded
//!   once.
//! - `DequantizeLinear → MaxPool or a change of shape → QuantizeLinear` with the same scale and zero point
//!   works on the bytes. The position of the maximum does not change, and a byte that is dequantized and
//!   quantized again is the same byte.

mod combined;
mod product;
mod scaled;

use onnx_schema::SchemaType;

use super::pattern::{Around, Links, operator};
use super::{Report, constants, dead};
use crate::error::NodeError;
use crate::ir::{Graph, Node, dtype};
use crate::kernels::Device;
use crate::ops::fast::{Fast, Pooled};
use scaled::Scaled;

/// Rewrites all chains, and removes nodes that only they read before their constants are folded.
pub fn run(graph: &mut Graph, device: &Device) -> Result<Report, NodeError> {
    let mut report = Report::new();
    if !graph
        .nodes
        .iter()
        .any(|node| node.op.plain("QuantizeLinear").is_some())
    {
        return Ok(report);
    }
    // Scales may be computed; weights must stay quantized.
    constants::fold(graph, device, |node| node.op.plain("DequantizeLinear").is_none())?;
    let found: Vec<Option<Rewrite>> = {
        let links = Links::new(graph);
        let around = links.around(graph);
        graph
            .nodes
            .iter()
            .map(|node| Rewrite::find(&around, node))
            .collect()
    };
    let nodes = std::mem::take(&mut graph.nodes);
    for (node, rewrite) in nodes.into_iter().zip(found) {
        match rewrite {
            None => graph.nodes.push(node),
            Some(Rewrite::Moved(moved)) => {
                report.push(format!("`{}` now moves bytes", moved.name));
                graph.nodes.push(moved);
            }
            Some(Rewrite::Product(product)) => {
                report.push(format!("`{}` becomes an operator on bytes", product.name()));
                product.write(graph, &node);
            }
            Some(Rewrite::Combined(combined)) => {
                report.push(format!("`{}` works on bytes", combined.name()));
                combined.write(graph, &node);
            }
        }
    }
    dead::run(graph)?;
    Ok(report)
}

/// The replacement of a QuantizeLinear.
enum Rewrite {
    Moved(Node),
    Product(Box<product::Product>),
    Combined(Box<combined::Combined>),
}

impl Rewrite {
    fn find(around: &Around, node: &Node) -> Option<Rewrite> {
        let result = Scaled::quantized(around, node)?;
        let moved = || moved(around, node, &result).map(Rewrite::Moved);
        product::Product::find(around, node, result.clone())
            .map(|product| Rewrite::Product(Box::new(product)))
            .or_else(moved)
            .or_else(|| {
                let combined = combined::Combined::find(around, node, result.clone())?;
                Some(Rewrite::Combined(Box::new(combined)))
            })
    }
}

fn moved(around: &Around, quantize: &Node, result: &Scaled) -> Option<Node> {
    let (_, node) = around.sole_producer(quantize.input(0)?)?;
    let found = operator(node)?;
    let given = Scaled::dequantized(around, node.input(0)?)?;
    let moves = match found.row.fast {
        Some(
            Fast::Transpose
            | Fast::Pool(Pooled {
                mean: false,
                global: false,
            }),
        ) => true,
        _ => found.row.view,
    };
    let dtype = dtype(around.graph.known(given.bytes))?;
    let types = found.schema.input(0).map(|x| found.schema.types(x))?;
    if !moves || !types.contains(&SchemaType::Tensor(dtype)) || node.only_output().is_none() {
        return None;
    }
    if !given.is_one() || !given.represents_the_same(result) {
        return None;
    }
    let mut moved = node.clone();
    moved.inputs[0] = Some(given.bytes);
    moved.outputs = vec![Some(result.bytes)];
    Some(moved)
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue;
    use onnx_tensor::Tensor;

    use super::run;
    use crate::fixture::{Fixture, device, node};

    /// Runs from x through bytes, these nodes, and bytes, to y.
    fn check(shape: &[usize], nodes: Vec<onnx_model::Node>, expected: &[&str]) {
        let mut all = vec![
            node("QuantizeLinear", "x s z", "xq", &[]),
            node("DequantizeLinear", "xq s z", "xd", &[]),
            node(
                "DequantizeLinear",
                "wq ws",
                "w",
                &[("axis", AttributeValue::Int(0))],
            ),
            node(
                "DequantizeLinear",
                "bq bs",
                "b",
                &[("axis", AttributeValue::Int(0))],
            ),
        ];
        all.extend(nodes);
        all.push(node("DequantizeLinear", "yq t u", "y", &[]));
        let weights: Vec<i8> = (0..12).map(|at: i8| at * 7 - 40).collect();
        // Powers of two, so that the original nodes are exact too.
        let fixture = Fixture::new(shape, all)
            .constant("s", Tensor::scalar(0.015_625_f32))
            .constant("z", Tensor::scalar(3_u8))
            .constant("t", Tensor::scalar(0.125_f32))
            .constant("u", Tensor::scalar(0_u8))
            .constant("wq", Tensor::new(&[3, 4, 1, 1], weights.clone()).unwrap())
            .constant("mq", Tensor::new(&[3, 4], weights).unwrap())
            .constant("ms", Tensor::scalar(0.25_f32))
            .constant("ws", Tensor::vector(vec![0.25_f32, 0.5, 0.125]))
            .constant("bq", Tensor::vector(vec![10_i32, -200, 90]))
            .constant(
                "bs",
                Tensor::vector(vec![0.003_906_25_f32, 0.007_812_5, 0.001_953_125]),
            )
            .constant("least", Tensor::scalar(-6.0_f32))
            .constant("six", Tensor::scalar(6.0_f32));
        fixture.check(&[|graph| run(graph, &device(1))], expected);
    }

    const ENDS: [&str; 2] = ["QuantizeLinear-19", "DequantizeLinear-19"];

    #[test]
    fn a_convolution_with_bias_and_relu_becomes_one_on_bytes() {
        let nodes = vec![
            node("Conv", "xd w b", "c", &[]),
            node("Relu", "c", "r", &[]),
            node("QuantizeLinear", "r t u", "yq", &[]),
        ];
        check(&[1, 4, 3, 3], nodes, &[ENDS[0], "QLinearConv-10", ENDS[1]]);
    }

    #[test]
    fn a_clip_inside_of_the_byte_range_is_not_merged() {
        let nodes = vec![
            node("Conv", "xd w b", "c", &[]),
            node("Clip", "c least six", "r", &[]),
            node("QuantizeLinear", "r t u", "yq", &[]),
        ];
        let all = [
            ENDS[0], ENDS[1], ENDS[1], ENDS[1], "Conv-11", "Clip-13", ENDS[0], ENDS[1],
        ];
        check(&[1, 4, 3, 3], nodes, &all);
    }

    #[test]
    fn a_product_becomes_one_on_bytes() {
        let nodes = vec![
            node("DequantizeLinear", "mq ms", "m", &[]),
            node("MatMul", "xd m", "c", &[]),
            node("QuantizeLinear", "c t u", "yq", &[]),
        ];
        check(&[2, 5, 3], nodes, &[ENDS[0], "QLinearMatMul-10", ENDS[1]]);
    }

    #[test]
    fn a_gemm_becomes_a_convolution_of_single_pixels() {
        let nodes = vec![
            node(
                "DequantizeLinear",
                "mq ws",
                "m",
                &[("axis", AttributeValue::Int(0))],
            ),
            node("Gemm", "xd m b", "c", &[("transB", AttributeValue::Int(1))]),
            node("QuantizeLinear", "c t u", "yq", &[]),
        ];
        let expected = [ENDS[0], "Unsqueeze-13", "QLinearConv-10", "Squeeze-13", ENDS[1]];
        check(&[5, 4], nodes, &expected);
    }

    #[test]
    fn max_pool_works_on_bytes() {
        let kernel = ("kernel_shape", AttributeValue::Ints(vec![2, 2]));
        let nodes = vec![
            node("MaxPool", "xd", "c", &[kernel]),
            node("QuantizeLinear", "c s z", "d", &[]),
            node("DequantizeLinear", "d s z", "e", &[]),
            node("Conv", "e w b", "f", &[]),
            node("QuantizeLinear", "f t u", "yq", &[]),
        ];
        let expected = [ENDS[0], "MaxPool-12", "QLinearConv-10", ENDS[1]];
        check(&[1, 4, 3, 3], nodes, &expected);
    }

    #[test]
    fn operators_between_bytes_become_one_node() {
        let axis = ("axis", AttributeValue::Int(1));
        let kernel = ("kernel_shape", AttributeValue::Ints(vec![2, 2]));
        let quantize = || node("QuantizeLinear", "c t u", "yq", &[]);
        for (first, name) in [
            (node("Add", "xd xd", "c", &[]), "Add-14 on bytes"),
            (node("Sub", "xd xd", "c", &[]), "Sub-14 on bytes"),
            (node("Mul", "xd xd", "c", &[]), "Mul-14 on bytes"),
            (node("Concat", "xd xd", "c", &[axis]), "Concat-13"),
            (
                node("GlobalAveragePool", "xd", "c", &[]),
                "GlobalAveragePool-1 on bytes",
            ),
            (node("AveragePool", "xd", "c", &[kernel]), "AveragePool-19"),
            (node("HardSwish", "xd", "c", &[]), "HardSwish-14 on bytes"),
        ] {
            check(&[1, 4, 3, 3], vec![first, quantize()], &[ENDS[0], name, ENDS[1]]);
        }
        // The result of the Relu is that of saturation.
        let nodes = vec![
            node("Add", "xd xd", "b", &[]),
            node("Relu", "b", "c", &[]),
            quantize(),
        ];
        check(&[1, 4, 3, 3], nodes, &[ENDS[0], "Add-14 on bytes", ENDS[1]]);
    }

    #[test]
    fn a_shape_that_depends_on_values_is_known_at_run_time() {
        let nodes = vec![
            node("Greater", "xd s", "positive", &[]),
            node("Flatten", "positive", "rows", &[("axis", AttributeValue::Int(0))]),
            node("Squeeze", "rows", "chosen", &[]),
            node("Compress", "xd chosen", "some", &[]),
            node("QuantizeLinear", "some s z", "someq", &[]),
            node("DequantizeLinear", "someq s z", "somed", &[]),
            node("HardSwish", "somed", "c", &[]),
            node("QuantizeLinear", "c t u", "yq", &[]),
        ];
        let expected = [
            ENDS[0],
            ENDS[1],
            "Greater-13",
            "Flatten-13",
            "Squeeze-13",
            "Compress-11",
            ENDS[0],
            "HardSwish-14 on bytes",
            ENDS[1],
        ];
        check(&[1, 4, 3, 3], nodes, &expected);
    }

    #[test]
    fn an_operand_with_an_element_for_each_channel_stays_bytes() {
        let own = |operator: &str, inputs: &str| {
            vec![
                node("GlobalAveragePool", "xd", "m", &[]),
                node("QuantizeLinear", "m s z", "mq", &[]),
                node("DequantizeLinear", "mq s z", "md", &[]),
                node(operator, inputs, "c", &[]),
                node("QuantizeLinear", "c t u", "yq", &[]),
            ]
        };
        for (operator, inputs) in [
            ("Mul", "xd md"),
            ("Mul", "md xd"),
            ("Sub", "md xd"),
            ("Add", "xd md"),
        ] {
            let name = format!("{operator}-14 on bytes");
            let expected = [ENDS[0], "GlobalAveragePool-1 on bytes", &name, ENDS[1]];
            check(&[2, 4, 3, 3], own(operator, inputs), &expected);
        }
    }

    #[test]
    fn operands_that_broadcast_stay_f32() {
        let nodes = vec![
            node("GlobalAveragePool", "xd", "m", &[]),
            node("Mul", "xd m", "c", &[]),
            node("QuantizeLinear", "c t u", "yq", &[]),
        ];
        let expected = [
            ENDS[0],
            ENDS[1],
            "GlobalAveragePool-1",
            "Mul-14",
            ENDS[0],
            ENDS[1],
        ];
        check(&[1, 4, 3, 3], nodes, &expected);
    }

    /// A network whose images stay bytes with channels last. All scales are powers of two, so the original
    /// nodes are exact too.
    #[test]
    fn a_network_on_bytes_computes_the_same() {
        let group = ("group", AttributeValue::Int(8));
        let pads = ("pads", AttributeValue::Ints(vec![1, 1, 1, 1]));
        let window = |extent| ("kernel_shape", AttributeValue::Ints(vec![extent; 2]));
        let mut nodes = vec![
            node("DequantizeLinear", "pq ms", "p", &[]),
            node("DequantizeLinear", "dq ms", "d", &[]),
            node("DequantizeLinear", "eq ms", "e", &[]),
        ];
        type Step<'s> = (&'s str, &'s str, &'s [(&'s str, AttributeValue)]);
        let steps: [Step; 10] = [
            ("Conv", "xd p", &[]),
            ("Conv", "y0 d", &[group.clone(), pads.clone()]),
            ("Add", "y1 xd", &[]),
            ("Concat", "y2 y0", &[("axis", AttributeValue::Int(1))]),
            ("HardSwish", "y3", &[]),
            ("AveragePool", "y4", &[window(2)]),
            ("Conv", "y5 e", &[]),
            ("GlobalAveragePool", "y6", &[]),
            ("Mul", "y7 y6", &[]),
            ("Sub", "y8 y7", &[]),
        ];
        for (at, (operator, inputs, attributes)) in steps.into_iter().enumerate() {
            let [scale, zero] = [["t", "u"], ["s", "z"]][at % 2];
            nodes.push(node(operator, inputs, &format!("c{at}"), attributes));
            let [whole, bytes, back] = ["c", "q", "y"].map(|name| format!("{name}{at}"));
            nodes.push(node(
                "QuantizeLinear",
                &format!("{whole} {scale} {zero}"),
                &bytes,
                &[],
            ));
            nodes.push(node(
                "DequantizeLinear",
                &format!("{bytes} {scale} {zero}"),
                &back,
                &[],
            ));
        }
        nodes.push(node("Neg", "y9", "y", &[]));
        let mut all = vec![
            node("QuantizeLinear", "x s z", "xq", &[]),
            node("DequantizeLinear", "xq s z", "xd", &[]),
        ];
        all.extend(nodes);
        let bytes = |count: usize| {
            (0..count)
                .map(|at| (at * 89 % 256) as u8 as i8)
                .collect::<Vec<i8>>()
        };
        let expected = [
            "QuantizeLinear-19",
            "QLinearConv-10",
            "QLinearConv-10",
            "Add-14 on bytes",
            "Concat-13",
            "HardSwish-14 on bytes",
            "AveragePool-19",
            "QLinearConv-10",
            "GlobalAveragePool-1 on bytes",
            "Mul-14 on bytes",
            "Sub-14 on bytes",
            "DequantizeLinear-19",
            "Neg-13",
        ];
        Fixture::new(&[2, 8, 9, 9], all)
            .constant("s", Tensor::scalar(0.015_625_f32))
            .constant("z", Tensor::scalar(3_u8))
            .constant("t", Tensor::scalar(0.125_f32))
            .constant("u", Tensor::scalar(128_u8))
            .constant("ms", Tensor::scalar(0.007_812_5_f32))
            .constant("pq", Tensor::new(&[8, 8, 1, 1], bytes(64)).unwrap())
            .constant("dq", Tensor::new(&[8, 1, 3, 3], bytes(72)).unwrap())
            .constant("eq", Tensor::new(&[40, 16, 1, 1], bytes(640)).unwrap())
            .check(&[|graph| run(graph, &device(1))], &expected);
    }
}
