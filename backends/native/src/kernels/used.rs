//! A node with what is settled about its inputs and outputs.

use onnx_tensor::{DType, Tensor};

use super::{Device, words};
use crate::error::Problem;
use crate::ir::{Graph, Layout, Node, Op, ValueId, dtype};
use crate::ops::call::int64s;
use crate::ops::numbers::slice;

/// An input whose shape is settled.
#[derive(Clone, Debug)]
pub struct Operand<'a> {
    /// Element type.
    pub dtype: DType,
    /// Extents in the plain layout.
    pub shape: Vec<usize>,
    /// How the elements lie.
    pub layout: Layout,
    /// The elements, if they are known.
    pub constant: Option<&'a Tensor>,
}

/// A node whose outputs are tensors with settled shapes, of types that the arena holds.
pub struct Use<'a> {
    /// What it does.
    pub op: &'a Op,
    /// Inputs by position; `None` where there is none, or nothing is settled.
    pub inputs: Vec<Option<Operand<'a>>>,
    /// Which inputs there are.
    given: Vec<bool>,
    /// Shapes of the outputs that are wanted.
    pub outputs: Vec<Vec<usize>>,
    /// Their element types.
    pub dtypes: Vec<DType>,
    /// How the outputs lie.
    pub layout: Layout,
}

impl<'a> Use<'a> {
    /// The node, if every wanted output is settled, of a type that the arena holds, and none before it is unwanted.
    pub fn of(graph: &'a Graph, node: &'a Node) -> Option<Use<'a>> {
        let wanted: Vec<ValueId> = node.outputs.iter().flatten().copied().collect();
        let leading = node.outputs.iter().take(wanted.len()).all(Option::is_some);
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
            outputs,
            dtypes,
        })
    }

    /// Whether all outputs are of f32.
    pub fn gives_floats(&self) -> bool {
        self.dtypes.iter().all(|dtype| *dtype == DType::Float)
    }

    /// A constant input of any type.
    pub fn constant(&self, position: usize) -> Option<&'a Tensor> {
        self.inputs.get(position)?.as_ref()?.constant
    }

    /// The node as if it gave f32, and its inputs were these.
    pub fn as_floats<'b>(&'b self, inputs: Vec<Option<Operand<'b>>>) -> Use<'b> {
        Use {
            op: self.op,
            inputs,
            given: self.given.clone(),
            outputs: self.outputs.clone(),
            dtypes: vec![DType::Float; self.dtypes.len()],
            layout: self.layout,
        }
    }

    /// Whether an input is given.
    pub fn has(&self, position: usize) -> bool {
        self.given.get(position).copied().unwrap_or(false)
    }

    /// An input of f32 with a settled shape.
    pub fn float(&self, position: usize) -> Option<&Operand<'a>> {
        let operand = self.inputs.get(position)?.as_ref()?;
        (operand.dtype == DType::Float).then_some(operand)
    }

    /// The elements of a constant input of f32.
    pub fn floats(&self, position: usize) -> Option<&'a [f32]> {
        slice::<f32>(self.float(position)?.constant?).ok()
    }

    /// The elements of a constant input of integers.
    pub fn ints(&self, position: usize) -> Option<Vec<i64>> {
        int64s(self.inputs.get(position)?.as_ref()?.constant?).ok()
    }

    /// Elements of each wanted output in its layout.
    pub fn lengths(&self, device: &Device) -> Vec<usize> {
        let length = |shape: &Vec<usize>| match self.layout {
            Layout::Plain => shape.iter().product(),
            Layout::Blocked => device.blocked_len(shape),
            Layout::ChannelsLast => channels_last_len(shape),
        };
        self.outputs.iter().map(length).collect()
    }

    /// Whether all operands of f32 are in the plain layout, and the outputs too.
    pub fn is_plain(&self) -> bool {
        let plain = |operand: &Operand| operand.layout == Layout::Plain;
        self.layout == Layout::Plain && self.inputs.iter().flatten().all(plain)
    }
}

/// Elements of a tensor with its channels last, in whole quads.
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
