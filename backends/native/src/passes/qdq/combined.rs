//! Sums, products, concatenations, means and functions of one value between DequantizeLinear and
//! QuantizeLinear.

use native_kernels::elementwise::Binary;
use onnx_tensor::Dim;

use super::super::pattern::{Around, operator};
use super::product::before_saturation;
use super::scaled::Scaled;
use crate::ir::{Fused, Graph, Node, OnBytes, Op, Operator, ValueId, shape};
use crate::ops::fast::{Fast, Pooled};

/// A node with its quantized operands and result.
pub struct Combined {
    node: Node,
    inner: OnBytes,
    operands: Vec<Scaled>,
    result: Scaled,
}

impl Combined {
    /// Returns the node that a QuantizeLinear quantizes to `result`.
    pub fn find(around: &Around, quantize: &Node, result: Scaled) -> Option<Combined> {
        let (_, node) = around.sole_producer(quantize.input(0)?)?;
        let node = before_saturation(around, node, &result)?;
        let own = operator(node)?;
        let ids = node.inputs.iter().copied().collect::<Option<Vec<ValueId>>>()?;
        if !is_supported(around, own, &ids, node.only_output()?) {
            return None;
        }
        let dequantized = |id: &ValueId| Scaled::dequantized(around, *id);
        let operands = ids.iter().map(dequantized).collect::<Option<Vec<Scaled>>>()?;
        let bytes = |side: &Scaled| side.is_bytes() && side.is_one();
        if !operands.iter().chain([&result]).all(bytes) {
            return None;
        }
        let (_, dequantize) = around.producer(ids[0])?;
        Some(Combined {
            inner: OnBytes {
                operator: own.clone(),
                dequantize: dequantize.op.plain("DequantizeLinear")?.clone(),
                quantize: quantize.op.plain("QuantizeLinear")?.clone(),
                operands: operands.len(),
            },
            node: node.clone(),
            operands,
            result,
        })
    }

    /// Returns the name of the original node.
    pub fn name(&self) -> &str {
        &self.node.name
    }

    /// Adds the fused node in place of the QuantizeLinear.
    pub fn write(self, graph: &mut Graph, quantize: &Node) {
        let mut inputs = Vec::new();
        for operand in &self.operands {
            inputs.push(Some(operand.bytes));
            inputs.extend(operand.inputs(graph));
        }
        inputs.extend(self.result.inputs(graph));
        graph.nodes.push(Node {
            name: self.node.name,
            op: Op::Fused(Fused::Bytes(self.inner)),
            inputs,
            outputs: quantize.outputs.clone(),
        });
    }
}

/// Whether kernels support an operator with these operands, if they are bytes.
fn is_supported(around: &Around, operator: &Operator, operands: &[ValueId], result: ValueId) -> bool {
    let images = |id: &ValueId| shape(around.graph.known(*id)).is_some_and(|dims: &[Dim]| dims.len() == 4);
    match operator.row.fast {
        Some(Fast::Binary(Binary::Add | Binary::Sub | Binary::Mul)) => {
            let alike = |id: &ValueId| around.same_shape(*id, result);
            let by_channel = |id: &ValueId| is_by_channel(around, *id, result);
            match operands {
                [a, b] => alike(a) && (alike(b) || by_channel(b)) || by_channel(a) && alike(b),
                _ => false,
            }
        }
        Some(Fast::Concat) => operands.len() > 1,
        Some(Fast::Pool(Pooled { mean: true, global })) => {
            let up = || operator.attributes.flag("ceil_mode").unwrap_or(true);
            operands.iter().all(images) && (global || !up())
        }
        Some(Fast::Activation(_)) => operands.len() == 1,
        _ => false,
    }
}

/// Whether a value has one element for each channel of each image of a result.
fn is_by_channel(around: &Around, id: ValueId, result: ValueId) -> bool {
    let [Some(own), Some(whole)] = [id, result].map(|id| shape(around.graph.known(id))) else {
        return false;
    };
    let leading = own.len().min(2);
    let known = own.iter().all(|dim| *dim != Dim::Unknown);
    known
        && own.len() == whole.len()
        && own.len() > 2
        && own[..leading] == whole[..leading]
        && own[leading..].iter().all(|dim| *dim == Dim::Fixed(1))
}
