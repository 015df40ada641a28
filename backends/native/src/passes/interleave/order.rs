//! Values whose channels are temporarily in another order.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ir::{Fused, Graph, Node, Op, ValueId};
use crate::ops::fast::Fast;
use crate::passes::Report;

/// The channel at each position.
pub type Order = Arc<[usize]>;

/// Returns the order in which equal groups of channels are interleaved.
pub fn take_turns(channels: usize, groups: usize) -> Order {
    let each = channels / groups;
    (0..channels)
        .map(|place| place % groups * each + place / groups)
        .collect()
}

/// Returns the position of each channel in an order.
fn inverse(order: &[usize]) -> Order {
    let mut places = vec![0; order.len()];
    for (place, &channel) in order.iter().enumerate() {
        places[channel] = place;
    }
    places.into()
}

/// A graph during the rewrite.
pub struct Orders<'g> {
    pub graph: &'g mut Graph,
    pub nodes: Vec<Node>,
    pub report: Report,
    /// The reordered form of values, and its order.
    ordered: HashMap<ValueId, (ValueId, Order)>,
    /// The values that exist only in another order.
    only_ordered: HashSet<ValueId>,
}

impl<'g> Orders<'g> {
    /// Starts a rewrite.
    pub fn new(graph: &'g mut Graph, nodes: usize) -> Orders<'g> {
        Orders {
            graph,
            nodes: Vec::with_capacity(nodes),
            report: Report::new(),
            ordered: HashMap::new(),
            only_ordered: HashSet::new(),
        }
    }

    /// Returns a value in an order that `suits` accepts, or else in this one; and its order.
    pub fn in_order(
        &mut self,
        id: ValueId,
        wanted: Order,
        suits: impl Fn(&[usize]) -> bool,
    ) -> (ValueId, Order) {
        if let Some(found) = self.ordered.get(&id).filter(|(_, order)| suits(order)) {
            return found.clone();
        }
        self.put_back(id);
        let reordered = self.rearranged(&[id], id, wanted.clone());
        self.ordered.insert(id, (reordered, wanted.clone()));
        (reordered, wanted)
    }

    /// Ensures that a value exists in its own order.
    pub fn put_back(&mut self, id: ValueId) {
        if !self.only_ordered.remove(&id) {
            return;
        }
        if let Some((reordered, order)) = self.ordered.get(&id).cloned() {
            let name = self.graph.value(id).name.clone();
            self.report.push(format!("`{name}` is restored to its order"));
            self.nodes
                .push(rearrange(name, &[reordered], id, inverse(&order)));
        }
    }

    /// Adds a node whose result `id` exists only in this order.
    pub fn add_reordered(&mut self, mut node: Node, id: ValueId, order: Order) {
        let reordered = self.same_type(id);
        node.outputs = vec![Some(reordered)];
        self.nodes.push(node);
        self.ordered.insert(id, (reordered, order));
        self.only_ordered.insert(id);
    }

    /// Adds a node that belongs to no unit. A node that treats all channels alike keeps their order. A
    /// concatenation writes its result with `groups` interleaved if any of its inputs is in another order.
    pub fn other(&mut self, mut node: Node, groups: usize) {
        if let (Some(id), Some((reordered, order))) = (node.only_output(), self.kept_order(&node)) {
            node.inputs[0] = Some(reordered);
            return self.add_reordered(node, id, order);
        }
        if let Some((id, parts, order)) = self.turns_of_parts(&node, groups) {
            let own = take_turns(order.len(), groups);
            let reordered = self.rearranged(&parts, id, order);
            self.ordered.insert(id, (reordered, own));
            self.only_ordered.insert(id);
            return;
        }
        for id in node.inputs.iter().flatten() {
            self.put_back(*id);
        }
        self.nodes.push(node);
    }

    /// Returns the reordered first input, if it exists only in another order and the node does the same to
    /// every channel.
    fn kept_order(&self, node: &Node) -> Option<(ValueId, Order)> {
        let Op::Plain(operator) = &node.op else {
            return None;
        };
        let x = node.input(0).filter(|id| self.only_ordered.contains(id))?;
        let alone = node.inputs.iter().skip(1).all(Option::is_none);
        let alike = matches!(operator.row.fast, Some(Fast::Pool(_) | Fast::Activation(_)));
        let found = self.ordered.get(&x).filter(|_| alone && alike)?;
        Some(found.clone())
    }

    /// For a concatenation along the channels, returns the result, the inputs in their present form, and for
    /// each position of the interleaved result the position among the inputs.
    fn turns_of_parts(&self, node: &Node, groups: usize) -> Option<(ValueId, Vec<ValueId>, Order)> {
        let axis = node.op.plain("Concat")?.attributes.int("axis").ok()?;
        let output = node.only_output()?;
        let rank = self.graph.shape_of(output)?.len();
        let inputs: Vec<ValueId> = node.inputs.iter().copied().collect::<Option<_>>()?;
        let any = inputs.iter().any(|id| self.only_ordered.contains(id));
        if !any || (axis != 1 && axis != 1 - rank as i64) {
            return None;
        }
        let mut parts = Vec::with_capacity(inputs.len());
        let mut places = Vec::new();
        for id in inputs {
            let channels = *self.graph.shape_of(id)?.get(1)?;
            let (reordered, order) = match self.ordered.get(&id) {
                Some((reordered, order)) if self.only_ordered.contains(&id) => (*reordered, inverse(order)),
                _ => (id, (0..channels).collect()),
            };
            let start = places.len();
            places.extend(order.iter().map(|place| start + place));
            parts.push(reordered);
        }
        let own =
            (groups > 0 && places.len().is_multiple_of(groups)).then(|| take_turns(places.len(), groups))?;
        let order = own.iter().map(|&channel| places[channel]).collect();
        Some((output, parts, order))
    }

    /// Adds a node that gathers channels for `id` in another order; returns its result.
    fn rearranged(&mut self, from: &[ValueId], id: ValueId, sources: Order) -> ValueId {
        let name = self.graph.value(id).name.clone();
        self.report.push(format!("`{name}` is rearranged"));
        let reordered = self.same_type(id);
        self.nodes.push(rearrange(name, from, reordered, sources));
        reordered
    }

    /// Makes a value of the same type.
    fn same_type(&mut self, id: ValueId) -> ValueId {
        let value = self.graph.value(id).clone();
        self.graph.add(value.name, value.known, None)
    }
}

fn rearrange(name: String, from: &[ValueId], to: ValueId, sources: Order) -> Node {
    Node {
        name,
        op: Op::Fused(Fused::Rearrange(sources)),
        inputs: from.iter().copied().map(Some).collect(),
        outputs: vec![Some(to)],
    }
}
