//! Values, nodes, and the graph they make.

use onnx_tensor::{Tensor, ValueType};

use super::op::Op;

/// A value of one graph, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// How the elements of a value lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Layout {
    /// Row after row, the last axis running fastest.
    #[default]
    Plain,
    /// Channels (the second axis) in blocks of a vector's width, a block's channels side by side, the last block filled
    /// up with zeros: `[batch][blocks][pixels][width]`.
    Blocked,
    /// Channels (the second axis) last, in whole quads: how products of bytes take images. Bytes only.
    ChannelsLast,
}

/// What is known of a value.
#[derive(Clone, Debug)]
pub struct Value {
    /// The name in the file, or one made up; for messages and dumps.
    pub name: String,
    /// The type as far as it is known.
    pub known: Option<ValueType>,
    /// The elements, if this is a constant.
    pub constant: Option<onnx_tensor::Value>,
    /// How they lie in memory; the type is that of the plain layout.
    pub layout: Layout,
}

/// The use of an operator.
#[derive(Clone, Debug)]
pub struct Node {
    /// The name in the file, or its first output.
    pub name: String,
    /// What it does.
    pub op: Op,
    /// What it reads; an omitted optional input is `None`.
    pub inputs: Vec<Option<ValueId>>,
    /// What it defines; an output that nobody wants is `None`.
    pub outputs: Vec<Option<ValueId>>,
}

/// A graph, or a body.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// Every value, also those that nothing refers to any more.
    pub values: Vec<Value>,
    /// The nodes, each after those that it reads.
    pub nodes: Vec<Node>,
    /// The values to feed, in the order of the file.
    pub inputs: Vec<ValueId>,
    /// The results, in the order of the file.
    pub outputs: Vec<ValueId>,
    /// What a body declares of its results: a Loop that makes no round has nothing else to tell their shapes by.
    pub declared: Vec<Option<ValueType>>,
}

impl Graph {
    /// Adds a value.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        known: Option<ValueType>,
        constant: Option<onnx_tensor::Value>,
    ) -> ValueId {
        let id = ValueId(u32::try_from(self.values.len()).unwrap_or(u32::MAX));
        self.values.push(Value {
            name: name.into(),
            known,
            constant,
            layout: Layout::Plain,
        });
        id
    }

    /// Adds a constant tensor.
    pub fn add_constant(&mut self, name: impl Into<String>, tensor: Tensor) -> ValueId {
        let value = onnx_tensor::Value::Tensor(tensor);
        self.add(name, Some(value.value_type()), Some(value))
    }

    /// A value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// What is known of the type of a value.
    pub fn known(&self, id: ValueId) -> Option<&ValueType> {
        self.value(id).known.as_ref()
    }

    /// The tensor that a value always is, if it is a constant.
    pub fn constant(&self, id: ValueId) -> Option<&Tensor> {
        self.value(id).constant.as_ref()?.as_tensor()
    }

    /// The extents of a value, if all of them are known.
    pub fn shape_of(&self, id: ValueId) -> Option<Vec<usize>> {
        super::fixed_shape(self.known(id))
    }

    /// Makes a value a constant.
    pub fn set_constant(&mut self, id: ValueId, value: onnx_tensor::Value) {
        let slot = &mut self.values[id.index()];
        slot.known = Some(value.value_type());
        slot.constant = Some(value);
    }

    /// How often each value is read, outputs of the graph counted.
    pub fn uses(&self) -> Vec<u32> {
        #[cfg(test)]
        walks::count(self.nodes.len());
        let mut uses = vec![0_u32; self.values.len()];
        let read = self.nodes.iter().flat_map(|node| node.inputs.iter().flatten());
        for id in read.chain(&self.outputs) {
            uses[id.index()] += 1;
        }
        uses
    }

    /// For each value the node that defines it, by position.
    pub fn definitions(&self) -> Vec<Option<usize>> {
        #[cfg(test)]
        walks::count(self.nodes.len());
        let mut definitions = vec![None; self.values.len()];
        for (position, node) in self.nodes.iter().enumerate() {
            for id in node.outputs.iter().flatten() {
                definitions[id.index()] = Some(position);
            }
        }
        definitions
    }
}

impl Node {
    /// The input at a position, if it is given.
    pub fn input(&self, position: usize) -> Option<ValueId> {
        self.inputs.get(position).copied().flatten()
    }

    /// The output at a position, if it is wanted.
    pub fn output(&self, position: usize) -> Option<ValueId> {
        self.outputs.get(position).copied().flatten()
    }

    /// The only output, if it has one and no more.
    pub fn only_output(&self) -> Option<ValueId> {
        let mut wanted = self.outputs.iter().flatten();
        match (wanted.next(), wanted.next()) {
            (Some(&id), None) if self.output(0).is_some() => Some(id),
            _ => None,
        }
    }
}

/// How many nodes were looked at by walks over whole graphs, on this thread.
#[cfg(test)]
pub mod walks {
    use std::cell::Cell;

    thread_local! {
        static NODES: Cell<usize> = const { Cell::new(0) };
    }

    /// Adds one walk.
    pub fn count(nodes: usize) {
        NODES.with(|seen| seen.set(seen.get() + nodes));
    }

    /// What was counted since the last call.
    pub fn take() -> usize {
        NODES.with(Cell::take)
    }
}
