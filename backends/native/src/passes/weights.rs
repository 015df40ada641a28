//! Merges a DequantizeLinear of constant weights into the MatMul or Gemm that multiplies by them.
//!
//! The product reads the integers, so neither memory nor the memory bus holds restored weights. Without this
//! pass the weights would be folded to f32. A Transpose between the two is applied to the integers.

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Tensor};

use super::pattern::{Around, Links, operator};
use super::{Report, constants, dead};
use crate::error::NodeError;
use crate::ir::{Dequantized, Epilogued, Fused, Graph, Node, Op, Operator, ValueId, dtype};
use crate::kernels::{Device, SCALE, rows_of_a_scale};
use crate::ops::transpose;

/// Merges all of them; what no other node reads is removed before it is folded.
pub fn run(graph: &mut Graph, device: &Device) -> Result<Report, NodeError> {
    let mut report = Report::new();
    let restores = |node: &Node| node.op.plain("DequantizeLinear").is_some();
    if !graph.nodes.iter().any(restores) {
        return Ok(report);
    }
    // Scales may be computed; weights must stay quantized.
    constants::fold(graph, device, |node| {
        matches!(node.op, Op::Plain(_)) && !restores(node)
    })?;
    let links = Links::new(graph);
    for at in 0..graph.nodes.len() {
        let Some(merged) = Merged::find(&links.around(graph), &graph.nodes[at]) else {
            continue;
        };
        report.push(format!("`{}` reads quantized weights", graph.nodes[at].name));
        merged.write(graph, at);
    }
    dead::run(graph)?;
    Ok(report)
}

/// A product with the operands of its DequantizeLinear.
struct Merged {
    fused: Dequantized,
    codes: Operand,
    scale: Operand,
    zero: Option<Operand>,
}

/// A constant of the graph, or a transposed one.
enum Operand {
    Given(ValueId),
    Made(Tensor),
}

impl Operand {
    fn write(self, graph: &mut Graph, name: &str) -> ValueId {
        match self {
            Operand::Given(id) => id,
            Operand::Made(tensor) => graph.add_constant(name, tensor),
        }
    }
}

impl Merged {
    fn find(around: &Around, node: &Node) -> Option<Merged> {
        let product = operator(node)?;
        let graph = around.graph;
        let is_float = |id| dtype(graph.known(id)) == Some(DType::Float);
        let x = node.input(0)?;
        let bias = node
            .input(2)
            .is_none_or(|id| is_float(id) && graph.constant(id).is_some());
        if !is_float(x) || graph.constant(x).is_some() || !bias {
            return None;
        }
        let stored_by_columns = match product.schema.name {
            "MatMul" => false,
            "Gemm" if product.attributes.float("alpha").ok()? == 1.0 => {
                product.attributes.flag("transB").ok()?
            }
            _ => return None,
        };
        let (_, mut before) = around.producer(node.input(1)?)?;
        let turned = before.op.plain("Transpose").is_some();
        if turned {
            // Two axes are exchanged by default.
            let order = before.op.plain("Transpose")?.attributes.ints("perm").ok()?;
            if order.is_some_and(|order| order != [1, 0]) {
                return None;
            }
            (_, before) = around.producer(before.input(0)?)?;
        }
        let dequantize = before.op.plain("DequantizeLinear")?;
        let operand = |position: usize| {
            let id = before.input(position)?;
            Some((id, graph.constant(id)?))
        };
        let ((codes, weights), (scale, scales)) = (operand(0)?, operand(1)?);
        let zero = match before.input(2) {
            Some(_) => Some(operand(2)?),
            None => None,
        };
        let zeros = zero.map(|(_, tensor)| tensor);
        rows_of_a_scale(dequantize, weights, scales, zeros, stored_by_columns != turned)?;
        let operand = |id: ValueId, tensor: &Tensor| {
            if turned && tensor.rank() == 2 {
                Some(Operand::Made(transpose(tensor, &[1, 0]).ok()?))
            } else {
                Some(Operand::Given(id))
            }
        };
        Some(Merged {
            fused: Dequantized {
                product: Epilogued::plain(product),
                dequantize: if turned {
                    flipped(dequantize)?
                } else {
                    dequantize.clone()
                },
            },
            codes: operand(codes, weights)?,
            scale: operand(scale, scales)?,
            zero: match zero {
                Some((id, tensor)) => Some(operand(id, tensor)?),
                None => None,
            },
        })
    }

    fn write(self, graph: &mut Graph, at: usize) {
        let mut node = graph.nodes[at].clone();
        let name = |part: &str| format!("{}.{part}", node.name);
        let codes = self.codes.write(graph, &name("codes"));
        let scale = self.scale.write(graph, &name("scale"));
        let zero = self.zero.map(|zero| zero.write(graph, &name("zero")));
        node.inputs.resize(SCALE, None);
        node.inputs[1] = Some(codes);
        node.inputs.extend([Some(scale), zero]);
        node.op = Op::Fused(Fused::Dequantized(self.fused));
        graph.nodes[at] = node;
    }
}

/// Returns a DequantizeLinear of a transposed matrix.
fn flipped(dequantize: &Operator) -> Option<Operator> {
    let axis = dequantize.attributes.find_int("axis").ok()?.unwrap_or(1);
    let axis = 1 - crate::ops::call::axis(axis, 2).ok()? as i64;
    let others = dequantize.attributes.iter().filter(|(name, _)| *name != "axis");
    let others = others.map(|(name, value)| (name, value.clone()));
    let schema = dequantize.schema;
    Operator::make(
        schema.name,
        schema.since,
        others.chain([("axis", AttributeValue::Int(axis))]),
    )
}

#[cfg(test)]
mod tests {
    use onnx_model::{AttributeValue, Node as FileNode};
    use onnx_tensor::{I4, Tensor};

    use super::super::epilogue;
    use super::run;
    use crate::fixture::{Fixture, device, node};

    /// Checks the nodes after this pass and the one that merges epilogues, for weights of four bits by rows
    /// (`w`) and by columns (`v`), and of eight bits.
    #[track_caller]
    fn check(shape: &[usize], nodes: Vec<FileNode>, expected: &[&str]) {
        let codes: Vec<I4> = (0..48).map(|at| I4::wrap(at * 5 - 8)).collect();
        let bytes: Vec<u8> = (0..48).map(|at| (at * 37 % 256) as u8).collect();
        let steps: Vec<f32> = (0..12).map(|at| 0.125 + 0.01 * at as f32).collect();
        let zeros: Vec<I4> = (0..12).map(|at| I4::wrap(at - 6)).collect();
        Fixture::new(shape, nodes)
            .opset(21)
            .constant("w", Tensor::new(&[8, 6], codes.clone()).unwrap())
            .constant("ws", Tensor::new(&[2, 6], steps.clone()).unwrap())
            .constant("wz", Tensor::new(&[2, 6], zeros).unwrap())
            .constant("v", Tensor::new(&[6, 8], codes).unwrap())
            .constant("vs", Tensor::new(&[6, 2], steps).unwrap())
            .constant("u", Tensor::new(&[8, 6], bytes).unwrap())
            .constant("us", Tensor::scalar(0.02_f32))
            .constant("uz", Tensor::scalar(120_u8))
            .constant("column", Tensor::vector(vec![0.1_f32, 0.2, 0.3, 0.4, 0.5, 0.6]))
            .constant("row", Tensor::vector(vec![0.1_f32; 8]))
            .varied("b", &[6])
            .check(&[|graph| run(graph, &device(1)), epilogue::run], expected);
    }

    /// Makes a DequantizeLinear with blocks of four along this axis.
    fn blocks(inputs: &str, output: &str, axis: i64) -> FileNode {
        let attributes = [
            ("axis", AttributeValue::Int(axis)),
            ("block_size", AttributeValue::Int(4)),
        ];
        node("DequantizeLinear", inputs, output, &attributes)
    }

    #[test]
    fn weights_in_blocks_stay_quantized_and_take_an_epilogue() {
        let nodes = vec![
            blocks("w ws wz", "m", 0),
            node("MatMul", "x m", "a", &[]),
            node("Add", "a b", "c", &[]),
            node("Relu", "c", "y", &[]),
        ];
        for shape in [&[1, 8][..], &[2, 5, 8], &[8]] {
            check(shape, nodes.clone(), &["Dequantized MatMul-13 then Relu"]);
        }
    }

    #[test]
    fn transposed_weights_are_transposed_as_integers() {
        let nodes = vec![
            blocks("v vs", "m", -1),
            node("Transpose", "m", "t", &[]),
            node("MatMul", "x t", "y", &[]),
        ];
        check(&[3, 8], nodes, &["Dequantized MatMul-13 then Identity"]);
    }

    #[test]
    fn gemm_reads_weights_by_columns() {
        let nodes = vec![
            blocks("v vs", "m", 1),
            node("Gemm", "x m b", "y", &[("transB", AttributeValue::Int(1))]),
        ];
        check(&[3, 8], nodes, &["Dequantized Gemm-13 then Identity"]);
    }

    #[test]
    fn weights_of_eight_bits_have_one_scale_or_one_for_each_column() {
        let nodes = vec![
            node("DequantizeLinear", "u us uz", "m", &[]),
            node("MatMul", "x m", "y", &[]),
        ];
        check(&[1, 8], nodes, &["Dequantized MatMul-13 then Identity"]);
        let nodes = vec![
            node("DequantizeLinear", "u column", "m", &[]),
            node("MatMul", "x m", "y", &[]),
        ];
        check(&[1, 8], nodes, &["Dequantized MatMul-13 then Identity"]);
    }

    #[test]
    fn a_scale_for_each_row_is_left_to_folding() {
        let nodes = vec![
            node(
                "DequantizeLinear",
                "u row",
                "m",
                &[("axis", AttributeValue::Int(0))],
            ),
            node("MatMul", "x m", "y", &[]),
        ];
        check(&[1, 8], nodes, &["DequantizeLinear-21", "MatMul-13"]);
    }
}
