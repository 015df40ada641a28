//! Values whose channels stand in another order, for as long as nobody minds.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ir::{Fused, Graph, Node, Op, ValueId};
use crate::kernels::{activation_of, pools_images};
use crate::passes::Report;

/// The channel that stands at each place.
pub type Order = Arc<[usize]>;

/// Channels in the order in which equal groups of them take turns.
pub fn take_turns(channels: usize, groups: usize) -> Order {
    let each = channels / groups;
    (0..channels)
        .map(|place| place % groups * each + place / groups)
        .collect()
}

/// The place of each channel in an order.
fn inverse(order: &[usize]) -> Order {
    let mut places = vec![0; order.len()];
    for (place, &channel) in order.iter().enumerate() {
        places[channel] = place;
    }
    places.into()
}

/// A graph on its way from the old nodes to the new.
pub struct Orders<'g> {
    pub graph: &'g mut Graph,
    pub nodes: Vec<Node>,
    pub report: Report,
    /// For values that are there in another order: where, and which.
    ordered: HashMap<ValueId, (ValueId, Order)>,
    /// Those that are not there in their own order yet.
    only_ordered: HashSet<ValueId>,
}

impl<'g> Orders<'g> {
    /// Nothing is rearranged yet.
    pub fn new(graph: &'g mut Graph, nodes: usize) -> Orders<'g> {
        Orders {
            graph,
            nodes: Vec::with_capacity(nodes),
            report: Report::new(),
            ordered: HashMap::new(),
            only_ordered: HashSet::new(),
        }
    }

    /// A value in an order that suits, or else in this one; and the order it is in.
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
        let twin = self.rearranged(&[id], id, wanted.clone());
        self.ordered.insert(id, (twin, wanted.clone()));
        (twin, wanted)
    }

    /// Sees to it that a value is there in its own order.
    pub fn put_back(&mut self, id: ValueId) {
        if !self.only_ordered.remove(&id) {
            return;
        }
        if let Some((twin, order)) = self.ordered.get(&id).cloned() {
            let name = self.graph.value(id).name.clone();
            self.report.push(format!("`{name}` is put back in order"));
            self.nodes.push(rearrange(name, &[twin], id, inverse(&order)));
        }
    }

    /// Adds a node whose result `id` is there in this order only.
    pub fn gives(&mut self, mut node: Node, id: ValueId, order: Order) {
        let twin = self.twin(id);
        node.outputs = vec![Some(twin)];
        self.nodes.push(node);
        self.ordered.insert(id, (twin, order));
        self.only_ordered.insert(id);
    }

    /// Adds a node that belongs to no unit. What treats all channels alike keeps their order; a concatenation gives its
    /// result with `groups` taking turns, if any of its inputs is in another order.
    pub fn other(&mut self, mut node: Node, groups: usize) {
        if let (Some(id), Some((twin, order))) = (node.only_output(), self.kept_order(&node)) {
            node.inputs[0] = Some(twin);
            return self.gives(node, id, order);
        }
        if let Some((id, parts, order)) = self.turns_of_parts(&node, groups) {
            let own = take_turns(order.len(), groups);
            let twin = self.rearranged(&parts, id, order);
            self.ordered.insert(id, (twin, own));
            self.only_ordered.insert(id);
            return;
        }
        for id in node.inputs.iter().flatten() {
            self.put_back(*id);
        }
        self.nodes.push(node);
    }

    /// Where the first input is in another order only, and the node does the same to every channel.
    fn kept_order(&self, node: &Node) -> Option<(ValueId, Order)> {
        let Op::Plain(operator) = &node.op else {
            return None;
        };
        let x = node.input(0).filter(|id| self.only_ordered.contains(id))?;
        let alone = node.inputs.iter().skip(1).all(Option::is_none);
        let alike = operator.schema.domain.is_empty() && pools_images(operator.schema.name)
            || activation_of(operator).is_some();
        let found = self.ordered.get(&x).filter(|_| alone && alike)?;
        Some(found.clone())
    }

    /// Of a concatenation along the channels: the result, the inputs as they are there, and for each place of the result,
    /// its groups taking turns, the place among the inputs.
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
            let (twin, order) = match self.ordered.get(&id) {
                Some((twin, order)) if self.only_ordered.contains(&id) => (*twin, inverse(order)),
                _ => (id, (0..channels).collect()),
            };
            let start = places.len();
            places.extend(order.iter().map(|place| start + place));
            parts.push(twin);
        }
        let own =
            (groups > 0 && places.len().is_multiple_of(groups)).then(|| take_turns(places.len(), groups))?;
        let order = own.iter().map(|&channel| places[channel]).collect();
        Some((output, parts, order))
    }

    /// Adds a node that gathers channels for `id` in another order; gives where they are.
    fn rearranged(&mut self, from: &[ValueId], id: ValueId, sources: Order) -> ValueId {
        let name = self.graph.value(id).name.clone();
        self.report.push(format!("`{name}` is rearranged"));
        let twin = self.twin(id);
        self.nodes.push(rearrange(name, from, twin, sources));
        twin
    }

    /// A value of the same type.
    fn twin(&mut self, id: ValueId) -> ValueId {
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
