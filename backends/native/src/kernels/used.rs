//! A node with the known properties of its inputs and outputs.

use native_kernels::half::Half;
use onnx_tensor::{DType, Tensor};

use super::{Device, recurrent, words};
use crate::error::Problem;
use crate::ir::{Graph, Layout, Node, Op, ValueId, dtype};
use crate::ops::call::int64s;
use crate::ops::fast::Fast;
use crate::ops::numbers::slice;

/// An input with a known shape.
#[derive(Clone, Debug)]
pub struct Operand<'a> {
    /// The element type.
    pub dtype: DType,
    /// The extents in the plain layout.
    pub shape: Vec<usize>,
    /// The memory layout.
    pub layout: Layout,
    /// The elements, if they are constant.
    pub constant: Option<&'a Tensor>,
}

/// A node whose outputs are tensors with known shapes, of types that the arena holds.
pub struct Use<'a> {
    /// The operation.
    pub op: &'a Op,
    /// The inputs by position; `None` if an input is omitted or its shape is unknown.
    pub inputs: Vec<Option<Operand<'a>>>,
    /// Whether each input is given.
    given: Vec<bool>,
    /// The number of outputs that the node lists, used or not.
    pub listed: usize,
    /// The positions of the used outputs.
    pub positions: Vec<usize>,
    /// The shapes of the used outputs.
    pub outputs: Vec<Vec<usize>>,
    /// The element types of the used outputs.
    pub dtypes: Vec<DType>,
    /// The memory layout of the outputs.
    pub layout: Layout,
    /// The half type of the operands and results, if they are converted from and to it.
    pub narrow: Option<Half>,
}

impl<'a> Use<'a> {
    /// Returns the node, if every used output has a known shape and a type that the arena holds, and no
    /// output before it is unused. The kernels of recurrent operators read [`Use::positions`], so any of
    /// their outputs may be unused.
    pub fn of(graph: &'a Graph, node: &'a Node) -> Option<Use<'a>> {
        let wanted: Vec<ValueId> = node.outputs.iter().flatten().copied().collect();
        let used = |(position, output): (usize, &Option<ValueId>)| output.map(|_| position);
        let positions: Vec<usize> = node.outputs.iter().enumerate().filter_map(used).collect();
        let leading = positions.iter().copied().eq(0..wanted.len()) || recurrent::is_recurrent(&node.op);
        let settled = |&id: &ValueId| {
            let dtype = dtype(graph.known(id)).filter(|&dtype| words(dtype, 0).is_some())?;
            Some((graph.shape_of(id)?, dtype))
        };
        let outputs = wanted
            .iter()
            .map(settled)
            .collect::<Option<Vec<_>>>()
            .filter(|_| leading)?;
        let (outputs, dtypes) = outputs.into_iter().unzip();
        let operand = |id: ValueId| {
            Some(Operand {
                dtype: dtype(graph.known(id))?,
                shape: graph.shape_of(id)?,
                layout: graph.value(id).layout,
                constant: graph.constant(id),
            })
        };
        Some(Use {
            op: &node.op,
            inputs: node.inputs.iter().map(|input| input.and_then(operand)).collect(),
            given: node.inputs.iter().map(Option::is_some).collect(),
            layout: graph.value(*wanted.first()?).layout,
            listed: node.outputs.len(),
            positions,
            outputs,
            dtypes,
            narrow: None,
        })
    }

    /// Returns the kernel that the row of the operator names; `None` for a fused node.
    pub fn kernel(&self) -> Option<Fast> {
        match self.op {
            Op::Plain(operator) => operator.row.fast,
            Op::Fused(_) | Op::If { .. } | Op::Repeat { .. } => None,
        }
    }

    /// Whether all outputs are of f32.
    pub fn has_float_outputs(&self) -> bool {
        self.dtypes.iter().all(|dtype| *dtype == DType::Float)
    }

    /// Returns a constant input of any type.
    pub fn constant(&self, position: usize) -> Option<&'a Tensor> {
        self.inputs.get(position)?.as_ref()?.constant
    }

    /// Returns the node with f32 outputs and these inputs, which are converted from halves.
    pub fn as_floats<'b>(&'b self, inputs: Vec<Option<Operand<'b>>>, narrow: Half) -> Use<'b> {
        Use {
            narrow: Some(narrow),
            ..self.with_float_outputs(inputs)
        }
    }

    /// Returns the node with these inputs, as if its outputs were f32.
    pub fn with_float_outputs<'b>(&'b self, inputs: Vec<Option<Operand<'b>>>) -> Use<'b> {
        Use {
            op: self.op,
            inputs,
            given: self.given.clone(),
            listed: self.listed,
            positions: self.positions.clone(),
            outputs: self.outputs.clone(),
            dtypes: vec![DType::Float; self.dtypes.len()],
            layout: self.layout,
            narrow: None,
        }
    }

    /// Whether an input is given.
    pub fn has(&self, position: usize) -> bool {
        self.given.get(position).copied().unwrap_or(false)
    }

    /// Returns an f32 input with a known shape.
    pub fn float(&self, position: usize) -> Option<&Operand<'a>> {
        let operand = self.inputs.get(position)?.as_ref()?;
        (operand.dtype == DType::Float).then_some(operand)
    }

    /// Returns the elements of a constant f32 input.
    pub fn floats(&self, position: usize) -> Option<&'a [f32]> {
        slice::<f32>(self.float(position)?.constant?).ok()
    }

    /// Returns the elements of a constant integer input.
    pub fn ints(&self, position: usize) -> Option<Vec<i64>> {
        int64s(self.inputs.get(position)?.as_ref()?.constant?).ok()
    }

    /// The number of elements of each used output in its layout.
    pub fn lengths(&self, device: &Device) -> Vec<usize> {
        let length = |shape: &Vec<usize>| match self.layout {
            Layout::Plain => shape.iter().product(),
            Layout::Blocked => device.blocked_len(shape),
            Layout::ChannelsLast => channels_last_len(shape),
        };
        self.outputs.iter().map(length).collect()
    }

    /// Whether all f32 operands and the outputs have the plain layout.
    pub fn is_plain(&self) -> bool {
        let plain = |operand: &Operand| operand.layout == Layout::Plain;
        self.layout == Layout::Plain && self.inputs.iter().flatten().all(plain)
    }
}

/// The number of elements of a tensor with channels last, padded to a multiple of four.
fn channels_last_len(shape: &[usize]) -> usize {
    let quads = |(at, &extent): (usize, &usize)| {
        if at == 1 {
            extent.next_multiple_of(4)
        } else {
            extent
        }
    };
    shape.iter().enumerate().map(quads).product()
}

/// Copies an input for a kernel that keeps it.
pub fn kept(values: Option<&[f32]>) -> Result<Vec<f32>, Problem> {
    let missing = || Problem::Invalid("a constant is missing".to_owned());
    values.map(<[f32]>::to_vec).ok_or_else(missing)
}
