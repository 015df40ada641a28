//! Values, nodes and graphs.

use onnx_tensor::{Tensor, ValueType};

use super::op::Op;

/// The number of a value in its graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ValueId(pub u32);

impl ValueId {
    /// Returns the number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The memory layout of a value's elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Layout {
    /// Row-major order.
    #[default]
    Plain,
    /// Channels (axis 1) in blocks of the vector width, the channels of a block adjacent, the last block
    /// padded with zeros: `[batch][blocks][pixels][width]`.
    Blocked,
    /// Channels (axis 1) last, padded to a multiple of four, as products of bytes read images. Only for
    /// bytes.
    ChannelsLast,
}

/// A value of a graph.
#[derive(Clone, Debug)]
pub struct Value {
    /// The name in the file, or a generated name; for messages and dumps.
    pub name: String,
    /// The type, as far as it is known.
    pub known: Option<ValueType>,
    /// The elements, if the value is a constant.
    pub constant: Option<onnx_tensor::Value>,
    /// The memory layout. The type is that of the plain layout.
    pub layout: Layout,
}

#[derive(Clone, Debug)]
pub struct Node {
    /// The name in the file, or the first output.
    pub name: String,
    /// The operation.
    pub op: Op,
    /// The values that it reads; an omitted optional input is `None`.
    pub inputs: Vec<Option<ValueId>>,
    /// The values that it defines; an unused output is `None`.
    pub outputs: Vec<Option<ValueId>>,
}

/// A graph, or a body.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// All values, including unused ones.
    pub values: Vec<Value>,
    /// The nodes in topological order.
    pub nodes: Vec<Node>,
    /// The inputs, in the order of the file.
    pub inputs: Vec<ValueId>,
    /// The outputs, in the order of the file.
    pub outputs: Vec<ValueId>,
    /// The declared types of a body's outputs. They are the only source of the output shapes of a Loop
    /// without rounds.
    pub declared: Vec<Option<ValueType>>,
}

impl Graph {
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

    /// Returns a value.
    pub fn value(&self, id: ValueId) -> &Value {
        &self.values[id.index()]
    }

    /// Returns the type of a value as far as it is known.
    pub fn known(&self, id: ValueId) -> Option<&ValueType> {
        self.value(id).known.as_ref()
    }

    /// Returns the tensor of a constant value.
    pub fn constant(&self, id: ValueId) -> Option<&Tensor> {
        self.value(id).constant.as_ref()?.as_tensor()
    }

    /// Returns the extents of a value, if all of them are known.
    pub fn shape_of(&self, id: ValueId) -> Option<Vec<usize>> {
        super::fixed_shape(self.known(id))
    }

    /// Makes a value a constant.
    pub fn set_constant(&mut self, id: ValueId, value: onnx_tensor::Value) {
        let slot = &mut self.values[id.index()];
        slot.known = Some(value.value_type());
        slot.constant = Some(value);
    }

    /// Forgets the shape of every value that is neither an input nor a constant.
    pub fn forget_shapes(&mut self) {
        let inputs: std::collections::HashSet<ValueId> = self.inputs.iter().copied().collect();
        for (at, value) in self.values.iter_mut().enumerate() {
            let given = u32::try_from(at).is_ok_and(|at| inputs.contains(&ValueId(at)));
            if let (Some(ValueType::Tensor { shape, .. }), None, false) =
                (&mut value.known, &value.constant, given)
            {
                *shape = None;
            }
        }
    }

    /// Returns the number of reads of each value, including outputs of the graph.
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

    /// Returns the position of the node that defines each value.
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
    /// Returns the input at a position, if it is given.
    pub fn input(&self, position: usize) -> Option<ValueId> {
        self.inputs.get(position).copied().flatten()
    }

    /// Returns the output at a position, if it is used.
    pub fn output(&self, position: usize) -> Option<ValueId> {
        self.outputs.get(position).copied().flatten()
    }

    /// Returns the only output, if the node has exactly one.
    pub fn only_output(&self) -> Option<ValueId> {
        let mut wanted = self.outputs.iter().flatten();
        match (wanted.next(), wanted.next()) {
            (Some(&id), None) if self.output(0).is_some() => Some(id),
            _ => None,
        }
    }
}

/// Counts the nodes visited by walks over whole graphs, on this thread.
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

    /// Returns the count since the last call.
    pub fn take() -> usize {
        NODES.with(Cell::take)
    }
}
