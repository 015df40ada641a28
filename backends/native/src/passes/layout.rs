//! Keeps images between convolutions in the blocked layout, and those of bytes with channels last. Before
//! other operators they are converted back.
//!
//! Convolutions require blocks. Nodes that also support blocks (poolings, activations, sums of two images,
//! concatenations along channels) use them if all their operands have them. A value has at most two forms,
//! each computed once.

use std::collections::HashMap;

use native_kernels::elementwise::Binary;

use super::Report;
use super::pattern::operator;
use crate::error::NodeError;
use crate::ir::{Fused, Graph, Interleaved, Layout, Node, OnBytes, Op, Operator, ValueId};
use crate::kernels::{
    Device, combines, convolves, convolves_channels_last, convolves_volumes, is_by_channel, is_uniform,
    pools_bytes, reads_plain,
};
use crate::ops::fast::{Fast, Normalization, Quantized};

/// The number of adjacent bytes that kernels read as one word.
const CHANNELS_OF_A_WORD: usize = 4;

struct Relayout<'g> {
    graph: &'g mut Graph,
    device: &'g Device,
    nodes: Vec<Node>,
    /// The form of a value in a layout other than plain.
    blocked: HashMap<ValueId, ValueId>,
    /// The values that have no plain form yet.
    only_blocked: Vec<bool>,
    report: Report,
}

/// Selects the layouts of a graph with known shapes; a graph with selected layouts is unchanged.
pub fn run(graph: &mut Graph, device: &Device) -> Result<Report, NodeError> {
    if graph.values.iter().any(|value| value.layout != Layout::Plain) {
        return Ok(Report::new());
    }
    let nodes = std::mem::take(&mut graph.nodes);
    let outputs = graph.outputs.clone();
    let mut pass = Relayout {
        only_blocked: vec![false; graph.values.len()],
        graph,
        device,
        nodes: Vec::with_capacity(nodes.len()),
        blocked: HashMap::new(),
        report: Report::new(),
    };
    for node in nodes {
        pass.node(node);
    }
    for id in outputs {
        pass.plain(id);
    }
    let Relayout { nodes, report, .. } = pass;
    graph.nodes = nodes;
    Ok(report)
}

impl Relayout<'_> {
    fn node(&mut self, mut node: Node) {
        if self.is_convolution(&node) {
            self.convolution(&mut node);
        } else if convolves_volumes(self.graph, &node) {
            self.volume(&mut node);
        } else if let Some(position) = self.meets_channels(&node) {
            // The other operand has a blocked form already.
            node.inputs[position] = node.input(position).map(|id| self.blocked_form(id));
            self.read_forms(&mut node);
            self.set_output_layout(&mut node, Layout::Blocked);
        } else if self.takes_blocks(&node) {
            self.read_forms(&mut node);
            self.set_output_layout(&mut node, Layout::Blocked);
        } else if self.takes_channels_last(&node) {
            self.read_forms(&mut node);
            self.set_output_layout(&mut node, Layout::ChannelsLast);
        } else {
            for id in node.inputs.clone().into_iter().flatten() {
                self.plain(id);
            }
        }
        self.nodes.push(node);
    }

    /// Reads values in their other form, if they have one.
    fn read_forms(&self, node: &mut Node) {
        let inputs = std::mem::take(&mut node.inputs);
        let form = |id: ValueId| self.blocked.get(&id).copied().unwrap_or(id);
        node.inputs = inputs.into_iter().map(|input| input.map(form)).collect();
    }

    /// Whether a value has a form of this layout.
    fn has(&self, id: ValueId, layout: Layout) -> bool {
        self.blocked
            .get(&id)
            .is_some_and(|form| self.graph.value(*form).layout == layout)
    }

    /// Whether a node works on channels last here: a convolution of bytes, which converts its image itself if
    /// needed, or an operator that does the same to all elements.
    fn takes_channels_last(&self, node: &Node) -> bool {
        if convolves_channels_last(self.graph, node) {
            return true;
        }
        if let Op::Fused(Fused::Bytes(inner)) = &node.op {
            return self.combines_channels_last(node, inner);
        }
        if !node.input(0).is_some_and(|id| self.has(id, Layout::ChannelsLast)) {
            return false;
        }
        if pools_bytes(self.graph, node) {
            return true;
        }
        let Some(operator) = operator(node) else {
            return false;
        };
        match operator.row.fast {
            Some(Fast::Quantized(Quantized::Quantize | Quantized::Dequantize)) => {
                is_uniform(self.graph, node)
            }
            _ => self.is_float(node) && self.treats_all_alike(node, operator, Layout::ChannelsLast),
        }
    }

    /// Whether the operands of a fused node on bytes have channels last, and a Concat has complete words.
    fn combines_channels_last(&self, node: &Node, inner: &OnBytes) -> bool {
        let operands: Vec<_> = node
            .inputs
            .iter()
            .step_by(3)
            .take(inner.operands)
            .copied()
            .collect();
        let last = |id: &Option<ValueId>| id.is_some_and(|id| self.has(id, Layout::ChannelsLast));
        let joins = || self.joins_channels(&operands, &inner.operator, Layout::ChannelsLast);
        let is_concat = matches!(inner.operator.row.fast, Some(Fast::Concat));
        operands.iter().all(last) && (!is_concat || joins()) && combines(self.graph, node)
    }

    /// Whether a node does the same to all elements, or concatenates whole channels, and all of its operands
    /// have this layout.
    fn treats_all_alike(&self, node: &Node, operator: &Operator, layout: Layout) -> bool {
        let has = |input: &Option<ValueId>| input.is_some_and(|id| self.has(id, layout));
        let all = || node.inputs.iter().all(has);
        match operator.row.fast {
            // A quotient would be NaN in the channels that fill a block.
            Some(Fast::Binary(Binary::Add | Binary::Sub | Binary::Mul | Binary::Max | Binary::Min)) => {
                let shape = node.only_output().and_then(|output| self.graph.shape_of(output));
                let same = |id: &ValueId| self.graph.shape_of(*id) == shape;
                all() && shape.is_some() && node.inputs.len() == 2 && node.inputs.iter().flatten().all(same)
            }
            Some(Fast::Concat) => all() && self.joins_channels(&node.inputs, operator, layout),
            Some(Fast::Activation(_)) => {
                let alone = node.inputs.iter().skip(1).all(Option::is_none);
                node.inputs.first().is_some_and(has) && alone
            }
            _ => false,
        }
    }

    /// Whether a Concat is along channels and all operands except the last have complete blocks or words.
    fn joins_channels(&self, operands: &[Option<ValueId>], concat: &Operator, layout: Layout) -> bool {
        let block = match layout {
            Layout::ChannelsLast => CHANNELS_OF_A_WORD,
            _ => self.device.lanes(),
        };
        let along = concat.attributes.int("axis").unwrap_or(0);
        let rank = operands
            .first()
            .copied()
            .flatten()
            .and_then(|id| self.graph.shape_of(id))
            .map_or(0, |shape| shape.len());
        let (_, before) = operands.split_last().unwrap_or((&None, &[]));
        let whole = |id: &ValueId| {
            self.graph
                .shape_of(*id)
                .is_some_and(|shape| shape[1].is_multiple_of(block))
        };
        (along == 1 || along == 1 - rank as i64) && before.iter().flatten().all(whole)
    }

    fn is_float(&self, node: &Node) -> bool {
        let dtype = |id: ValueId| crate::ir::dtype(self.graph.known(id));
        node.only_output().and_then(dtype) == Some(onnx_tensor::DType::Float)
    }

    fn is_convolution(&self, node: &Node) -> bool {
        let Op::Fused(Fused::Convolution(inner) | Fused::Interleaved(Interleaved { inner, .. })) = &node.op
        else {
            return false;
        };
        let settled = |position: usize| {
            node.input(position)
                .is_none_or(|id| self.graph.shape_of(id).is_some())
        };
        let x = node.input(0).and_then(|id| self.graph.shape_of(id));
        let output = node.only_output().and_then(|id| self.graph.shape_of(id));
        let sound = |shape: &Vec<usize>| matches!(shape.len(), 3 | 4) && !shape.contains(&0);
        let filters = node.input(1).and_then(|id| self.graph.shape_of(id));
        let (Some(x), Some(w), Some(output)) = (x, filters, output) else {
            return false;
        };
        settled(3) && sound(&x) && sound(&output) && convolves(&inner.operator, &x, &w)
    }

    fn convolution(&mut self, node: &mut Node) {
        let channels = node
            .input(0)
            .and_then(|id| self.graph.shape_of(id))
            .map_or(0, |shape| shape[1]);
        let leaves = match &node.op {
            Op::Fused(Fused::Convolution(inner)) => reads_plain(&inner.operator, channels),
            _ => false,
        };
        for position in [0, 3] {
            let Some(id) = node.input(position) else { continue };
            let stays = position == 0 && leaves && !self.only_blocked[id.index()];
            if !stays {
                node.inputs[position] = Some(self.blocked_form(id));
            }
        }
        self.set_output_layout(node, Layout::Blocked);
    }

    /// A transposed convolution, or one over three axes.
    fn volume(&mut self, node: &mut Node) {
        let Some(id) = node.input(0) else { return };
        let channels = self.graph.shape_of(id).map_or(0, |shape| shape[1]);
        let leaves = operator(node).is_some_and(|operator| reads_plain(operator, channels));
        if !leaves || self.only_blocked[id.index()] {
            node.inputs[0] = Some(self.blocked_form(id));
        }
        self.set_output_layout(node, Layout::Blocked);
    }

    /// Returns the position of the operand with one value for each channel, if a node adds it to,
    /// or multiplies it with, a blocked image, as in squeeze-and-excitation.
    fn meets_channels(&self, node: &Node) -> Option<usize> {
        let kernel = operator(node)?.row.fast;
        let combines = matches!(kernel, Some(Fast::Binary(Binary::Add | Binary::Mul)));
        if !combines || node.inputs.len() != 2 || !self.is_float(node) {
            return None;
        }
        let output = self.graph.shape_of(node.only_output()?)?;
        let meets = |&(image, values): &(usize, usize)| {
            let (image, values) = (node.input(image)?, node.input(values)?);
            let fits = self.has(image, Layout::Blocked)
                && self.graph.constant(values).is_none()
                && self.graph.shape_of(image)? == output
                && is_by_channel(&output, &self.graph.shape_of(values)?);
            fits.then_some(())
        };
        let found = [(0, 1), (1, 0)].into_iter().find(|pair| meets(pair).is_some());
        found.map(|(_, values)| values)
    }

    /// Whether a node other than a convolution works on blocks here.
    fn takes_blocks(&self, node: &Node) -> bool {
        let has_blocks = |id: ValueId| self.has(id, Layout::Blocked);
        let Some(output) = node.only_output() else {
            return false;
        };
        let Some(shape) = self.graph.shape_of(output) else {
            return false;
        };
        let first = node.input(0).is_some_and(has_blocks);
        let operator = match &node.op {
            Op::Fused(Fused::Affine(_) | Fused::Rounded(_)) => return first,
            Op::Fused(Fused::Rearrange(_)) => {
                return node.inputs.iter().all(|input| input.is_some_and(has_blocks));
            }
            Op::Plain(operator) => operator,
            _ => return false,
        };
        match operator.row.fast {
            Some(Fast::Pool(_)) => {
                let flags = |name: &str| operator.attributes.flag(name).unwrap_or(false);
                first && matches!(shape.len(), 3..=5) && !(flags("count_include_pad") && flags("ceil_mode"))
            }
            Some(Fast::Normalization(Normalization::Neighbours)) => first,
            _ => self.treats_all_alike(node, operator, Layout::Blocked),
        }
    }

    /// Replaces the node's output by this form of it.
    fn set_output_layout(&mut self, node: &mut Node, layout: Layout) {
        let Some(output) = node.only_output() else { return };
        let value = self.graph.value(output).clone();
        self.report.push(match layout {
            Layout::ChannelsLast => format!("`{}` writes channels last", node.name),
            _ => format!("`{}` writes blocks", node.name),
        });
        let form = self.add(value.name, value.known, layout);
        self.blocked.insert(output, form);
        self.only_blocked[output.index()] = true;
        node.outputs = vec![Some(form)];
    }

    fn add(&mut self, name: String, known: Option<onnx_tensor::ValueType>, layout: Layout) -> ValueId {
        let id = self.graph.add(name, known, None);
        self.graph.values[id.index()].layout = layout;
        self.only_blocked.push(false);
        id
    }

    /// Returns the blocked form; adds it if there is none.
    fn blocked_form(&mut self, id: ValueId) -> ValueId {
        if let Some(&form) = self.blocked.get(&id).filter(|_| self.has(id, Layout::Blocked)) {
            return form;
        }
        self.plain(id);
        let value = self.graph.value(id).clone();
        self.report
            .push(format!("`{}` is converted to blocks", value.name));
        let form = self.add(value.name.clone(), value.known, Layout::Blocked);
        self.nodes.push(reorder(value.name, id, form));
        self.blocked.insert(id, form);
        form
    }

    /// Ensures that a value has a plain form.
    fn plain(&mut self, id: ValueId) {
        if !std::mem::take(&mut self.only_blocked[id.index()]) {
            return;
        }
        if let Some(&form) = self.blocked.get(&id) {
            let name = self.graph.value(id).name.clone();
            self.report
                .push(format!("`{name}` is converted to the plain layout"));
            self.nodes.push(reorder(name, form, id));
        }
    }
}

fn reorder(name: String, from: ValueId, to: ValueId) -> Node {
    Node {
        name,
        op: Op::Fused(Fused::Reorder),
        inputs: vec![Some(from)],
        outputs: vec![Some(to)],
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Rewrite, convolution};
    use crate::fixture::{Fixture, device, node};

    #[test]
    fn transposed_convolutions_and_volumes_read_and_write_blocks() {
        let device_pass: Rewrite = |graph| super::run(graph, &device(1));
        let passes = [convolution::run, super::super::dead::run, device_pass];
        let planes = vec![
            node("Conv", "x v", "a", &[]),
            node("ConvTranspose", "a w", "b", &[]),
            node("Relu", "b", "c", &[]),
            node("Conv", "c w", "y", &[]),
        ];
        Fixture::new(&[1, 9, 4, 4], planes)
            .varied("v", &[32, 9, 1, 1])
            .varied("w", &[32, 32, 1, 1])
            .check(
                &passes,
                &[
                    "Reorder",
                    "Conv-11 then Identity",
                    "ConvTranspose-11",
                    "Relu-14",
                    "Conv-11 then Identity",
                    "Reorder",
                ],
            );
        let volumes = vec![
            node("Conv", "x v", "a", &[]),
            node("Relu", "a", "b", &[]),
            node("ConvTranspose", "b v", "y", &[]),
        ];
        Fixture::new(&[2, 9, 3, 4, 5], volumes)
            .varied("v", &[9, 9, 2, 2, 2])
            .check(
                &passes,
                &["Reorder", "Conv-11", "Relu-14", "ConvTranspose-11", "Reorder"],
            );
    }

    #[test]
    fn a_value_for_each_channel_meets_blocks() {
        let nodes = vec![
            node("Conv", "x w", "a", &[]),
            node("GlobalAveragePool", "a", "b", &[]),
            node("Conv", "b w", "c", &[]),
            node("Mul", "c a", "d", &[]),
            node("Conv", "d w", "y", &[]),
        ];
        let fixture = Fixture::new(&[2, 19, 3, 5], nodes).varied("w", &[19, 19, 1, 1]);
        let passes = [convolution::run, super::super::dead::run, |graph: &mut _| {
            super::run(graph, &device(1))
        }];
        fixture.check(
            &passes,
            &[
                "Reorder",
                "Conv-11 then Identity",
                "GlobalAveragePool-1",
                "Conv-11 then Identity",
                "Mul-14",
                "Conv-11 then Identity",
                "Reorder",
            ],
        );
    }

    #[test]
    fn images_stay_in_blocks_between_convolutions() {
        let nodes = vec![
            node("Conv", "x v", "a", &[]),
            node("Sigmoid", "a", "b", &[]),
            node("Sin", "x", "unused", &[]),
            node("Conv", "b w", "y", &[]),
        ];
        let fixture = Fixture::new(&[1, 2, 4, 4], nodes)
            .varied("v", &[32, 2, 1, 1])
            .varied("w", &[32, 32, 1, 1]);
        let passes = [convolution::run, super::super::dead::run, |graph: &mut _| {
            super::run(graph, &device(1))
        }];
        fixture.check(
            &passes,
            &[
                "Conv-11 then Identity",
                "Sigmoid-13",
                "Conv-11 then Identity",
                "Reorder",
            ],
        );
    }
}
