//! Removes the channel shuffle between two grouped convolutions: the first writes its channels in an order in
//! which the groups of the second are interleaved.
//!
//! Both become convolutions of interleaved groups ([`Fused::Interleaved`]). Later nodes keep that order if
//! they treat all channels alike; a concatenation interleaves its channels as it copies them. If another
//! operator or the graph's output reads a value, its channels are reordered. Each sum adds the same products
//! in the same order as before.

mod order;
mod unit;

use std::collections::HashMap;

use onnx_tensor::Tensor;

use self::order::{Order, Orders, take_turns};
use self::unit::{Member, Unit, find, groups_of};
use super::Report;
use super::pattern::Links;
use crate::error::NodeError;
use crate::ir::{Fused, Graph, Interleaved, Node, Op, ValueId};
use crate::kernels::Device;

/// The change of a node of a unit.
enum Role {
    /// Reads interleaved groups; writes its channels in this order.
    First(Member, Order),
    /// Is removed.
    Shuffle,
    /// Reads this value instead of the shuffled one; its channels are in this order.
    Depthwise(Member, Option<ValueId>, Order),
    /// Reads interleaved groups in this order, and writes interleaved groups.
    Second(Member, Order),
}

/// Rewrites all units; a graph without units is unchanged.
pub fn run(graph: &mut Graph, device: &Device) -> Result<Report, NodeError> {
    let links = Links::new(graph);
    let around = links.around(graph);
    let mut roles = HashMap::new();
    for at in 0..graph.nodes.len() {
        if let Some(unit) = find(&around, at, device) {
            roles.extend(assign(graph, unit));
        }
    }
    if roles.is_empty() {
        return Ok(Report::new());
    }
    let nodes = std::mem::take(&mut graph.nodes);
    let outputs = graph.outputs.clone();
    let mut orders = Orders::new(graph, nodes.len());
    let mut groups = 1;
    for (at, node) in nodes.into_iter().enumerate() {
        match roles.remove(&at) {
            None => orders.other(node, groups),
            Some(Role::Shuffle) => {}
            Some(Role::First(member, outs)) => first(&mut orders, node, &member, &outs),
            Some(Role::Depthwise(member, x, order)) => depthwise(&mut orders, node, &member, x, &order),
            Some(Role::Second(member, ins)) => {
                groups = member.shape.groups;
                second(&mut orders, node, &member, &ins);
            }
        }
    }
    outputs.into_iter().for_each(|id| orders.put_back(id));
    let Orders { nodes, report, .. } = orders;
    graph.nodes = nodes;
    Ok(report)
}

fn assign(graph: &Graph, unit: Unit) -> [(usize, Role); 4] {
    let unshuffled = graph.nodes[unit.first.at].only_output();
    [
        (unit.first.at, Role::First(unit.first, unit.sources)),
        (unit.shuffle, Role::Shuffle),
        (
            unit.depthwise.at,
            Role::Depthwise(unit.depthwise, unshuffled, unit.turns.clone()),
        ),
        (unit.second.at, Role::Second(unit.second, unit.turns)),
    ]
}

fn first(orders: &mut Orders, mut node: Node, member: &Member, outs: &Order) {
    let Some(x) = node.input(0) else { return };
    let (channels, groups) = (member.shape.in_channels, member.shape.groups);
    let take = |order: &[usize]| {
        let mut places = order.iter().enumerate();
        places.all(|(place, channel)| channel / (channels / groups) == place % groups)
    };
    let (x, ins) = orders.in_order(x, take_turns(channels, groups), take);
    node.inputs[0] = Some(x);
    interleave(orders, &mut node, member, &ins, outs);
    orders.nodes.push(node);
}

fn depthwise(orders: &mut Orders, mut node: Node, member: &Member, x: Option<ValueId>, order: &Order) {
    let taps = member.shape.window.kernel.iter().product::<usize>();
    let of_channel = |&channel: &usize| &member.weights[channel * taps..][..taps];
    let weights = order.iter().flat_map(of_channel).copied().collect();
    set_constants(orders.graph, &mut node, weights, member, order);
    node.inputs[0] = x;
    orders.nodes.push(node);
}

fn second(orders: &mut Orders, mut node: Node, member: &Member, ins: &Order) {
    let Some(id) = node.only_output() else { return };
    let outs = take_turns(member.shape.out_channels, member.shape.groups);
    interleave(orders, &mut node, member, ins, &outs);
    if let Some(residual) = node.input(3) {
        let (residual, _) = orders.in_order(residual, outs.clone(), |order| *order == *outs);
        node.inputs[3] = Some(residual);
    }
    orders.add_reordered(node, id, outs);
}

/// Makes a convolution of interleaved groups; the channels of its image and result are in these orders.
fn interleave(orders: &mut Orders, node: &mut Node, member: &Member, ins: &[usize], outs: &[usize]) {
    let shape = &member.shape;
    let each = shape.in_channels / shape.groups;
    let out_groups = groups_of(shape, outs);
    let mut weights = Vec::with_capacity(member.weights.len());
    for (out, group) in outs.iter().zip(&out_groups) {
        let of_group = ins.iter().skip(*group).step_by(shape.groups);
        weights.extend(of_group.map(|channel| member.weights[out * each + channel - group * each]));
    }
    orders
        .report
        .push(format!("the groups of `{}` are interleaved", node.name));
    set_constants(orders.graph, node, weights, member, outs);
    if let Op::Fused(Fused::Convolution(inner)) = &node.op {
        node.op = Op::Fused(Fused::Interleaved(Interleaved {
            inner: inner.clone(),
            out_groups: out_groups.into(),
        }));
    }
}

/// Replaces the weights, and reorders the bias.
fn set_constants(graph: &mut Graph, node: &mut Node, weights: Vec<f32>, member: &Member, order: &[usize]) {
    let shape = node
        .input(1)
        .and_then(|id| graph.shape_of(id))
        .unwrap_or_default();
    let in_order = |bias: &Vec<f32>| order.iter().map(|&channel| bias[channel]).collect::<Vec<f32>>();
    let constants = [
        Tensor::new(&shape, weights).ok(),
        member.bias.as_ref().map(in_order).map(Tensor::vector),
    ];
    for (position, tensor) in (1..).zip(constants) {
        if let Some(tensor) = tensor {
            let id = graph.add_constant(format!("{}.{position}", node.name), tensor);
            node.inputs[position] = Some(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use onnx_model::AttributeValue::{Int, Ints};
    use onnx_tensor::Tensor;

    use super::super::{convolution, dead, epilogue, shuffle};
    use crate::fixture::{Fixture, device, node};

    #[test]
    fn consecutive_units_need_no_shuffle() {
        let groups = |count| [("group", Int(count))];
        let unit = |x: &str, a: &str, y: &str| {
            let name = |part: &str| format!("{a}{part}");
            vec![
                node("Conv", &format!("{x} v"), &name("1"), &groups(2)),
                node("Relu", &name("1"), &name("2"), &[]),
                node("Reshape", &format!("{} split", name("2")), &name("3"), &[]),
                node(
                    "Transpose",
                    &name("3"),
                    &name("4"),
                    &[("perm", Ints(vec![0, 2, 1, 3, 4]))],
                ),
                node("Reshape", &format!("{} whole", name("4")), &name("5"), &[]),
                node("Conv", &format!("{} d", name("5")), &name("6"), &groups(20)),
                node("Conv", &format!("{} w b", name("6")), y, &groups(2)),
            ]
        };
        let mut nodes = unit("x", "p", "p");
        nodes.extend([node("Add", "x p", "q", &[]), node("Relu", "q", "r", &[])]);
        nodes.extend(unit("r", "s", "s"));
        nodes.push(node("Concat", "s r", "y", &[("axis", Int(1))]));
        let fixture = Fixture::new(&[1, 20, 3, 2], nodes)
            .varied("v", &[20, 10, 1, 1])
            .varied("w", &[20, 10, 1, 1])
            .varied("d", &[20, 1, 1, 1])
            .varied("b", &[20])
            .constant("split", Tensor::vector(vec![1_i64, 2, 10, 3, 2]))
            .constant("whole", Tensor::vector(vec![1_i64, 20, 3, 2]));
        let passes = [
            shuffle::run,
            convolution::run,
            epilogue::run,
            dead::run,
            |graph: &mut _| super::run(graph, &device(1)),
        ];
        fixture.check(
            &passes,
            &[
                "Rearrange to 20 channels",
                "Interleaved Conv-11 then Relu",
                "Conv-11 then Identity",
                "Interleaved Conv-11 then Relu",
                "Interleaved Conv-11 then Relu",
                "Conv-11 then Identity",
                "Interleaved Conv-11 then Identity",
                "Rearrange to 40 channels",
                "Rearrange to 40 channels",
            ],
        );
    }
}
