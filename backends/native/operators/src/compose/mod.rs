//! Operators that are compositions of others.
//!
//! The row of such an operator names a function that writes its nodes, from the types of the operands and,
//! where it needs them, their shapes or elements. A pass writes them into a graph (`passes::compositions`);
//! here they are computed as they are written, over whole values.

mod nodes;
mod now;

use onnx_model::AttributeValue;
use onnx_tensor::{DType, Dim, Tensor, TensorError};

use crate::attributes::Attributes;
use crate::error::Problem;

pub use now::run;

/// Writes the nodes of an operator.
pub type Compose = fn(&mut Composition<'_>) -> Composed;

/// Whether the nodes are written.
pub type Composed<T = ()> = Result<T, Halt>;

/// The attributes of a node.
pub type Given<'a> = &'a [(&'a str, AttributeValue)];

/// The number of a value of a writer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Id(pub u32);

/// Why nodes are not written.
#[derive(Debug)]
pub enum Halt {
    /// A shape or an element is not known yet.
    Unknown,
    /// The node is invalid or not implemented.
    Problem(Problem),
}

impl From<Problem> for Halt {
    fn from(problem: Problem) -> Halt {
        Halt::Problem(problem)
    }
}

impl From<TensorError> for Halt {
    fn from(error: TensorError) -> Halt {
        Halt::Problem(error.into())
    }
}

/// Where nodes are written.
pub trait Writer {
    /// Returns the element type of a value, if it is known.
    fn dtype(&self, id: Id) -> Option<DType>;
    /// Returns the extents of a value, if at least its rank is known.
    fn dims(&self, id: Id) -> Option<Vec<Dim>>;
    /// Returns the elements of a value, if they are known.
    fn elements(&self, id: Id) -> Option<&Tensor>;
    /// Adds a constant.
    fn constant(&mut self, tensor: Tensor) -> Id;
    /// Adds a node of `ai.onnx`, of the version that an opset has; returns its results.
    ///
    /// # Errors
    /// The operator is not implemented, or its operands are invalid.
    fn node(
        &mut self,
        operator: (&str, u32),
        inputs: &[Option<Id>],
        attributes: Given<'_>,
        results: usize,
    ) -> Result<Vec<Id>, Problem>;
}

/// The nodes of an operator while they are written.
pub struct Composition<'g> {
    writer: &'g mut dyn Writer,
    attributes: &'g Attributes,
    inputs: Vec<Option<Id>>,
    wanted: Vec<bool>,
    results: Vec<Option<Id>>,
}

impl<'g> Composition<'g> {
    /// Starts the nodes of an operator with these attributes and inputs; `wanted` says which outputs are
    /// used.
    pub fn new(
        writer: &'g mut dyn Writer,
        attributes: &'g Attributes,
        inputs: Vec<Option<Id>>,
        wanted: Vec<bool>,
    ) -> Composition<'g> {
        let results = vec![None; wanted.len()];
        Composition {
            writer,
            attributes,
            inputs,
            wanted,
            results,
        }
    }

    /// Writes the nodes; returns the value of each output that is used.
    ///
    /// # Errors
    /// Those of the operator.
    pub fn written(mut self, compose: Compose) -> Composed<Vec<Option<Id>>> {
        compose(&mut self)?;
        let missing = |position: usize| self.wanted[position] && self.results[position].is_none();
        if let Some(position) = (0..self.wanted.len()).find(|&position| missing(position)) {
            let text = format!("output {position} is not implemented");
            return Err(Problem::Unsupported(text).into());
        }
        let results = self.results.iter().zip(&self.wanted);
        Ok(results
            .map(|(result, wanted)| result.filter(|_| *wanted))
            .collect())
    }

    /// Returns the attributes with defaults.
    pub fn attributes(&self) -> &'g Attributes {
        self.attributes
    }

    /// Returns an input, if it is given.
    pub fn find(&self, position: usize) -> Option<Id> {
        self.inputs.get(position).copied().flatten()
    }

    /// Returns a required input.
    pub fn input(&self, position: usize) -> Composed<Id> {
        let missing = || Problem::Invalid(format!("input {position} is missing"));
        Ok(self.find(position).ok_or_else(missing)?)
    }

    /// The number of inputs, including omitted ones.
    pub fn inputs(&self) -> usize {
        self.inputs.len()
    }

    /// Whether an output is used.
    pub fn wants(&self, position: usize) -> bool {
        self.wanted.get(position) == Some(&true)
    }

    /// Returns the element type of a value.
    pub fn dtype(&self, id: Id) -> Composed<DType> {
        self.writer.dtype(id).ok_or(Halt::Unknown)
    }

    /// Returns the number of axes of a value.
    pub fn rank(&self, id: Id) -> Composed<usize> {
        self.writer.dims(id).map(|dims| dims.len()).ok_or(Halt::Unknown)
    }

    /// Returns the extents of a value.
    pub fn shape(&self, id: Id) -> Composed<Vec<usize>> {
        let fixed = |dim: &Dim| match dim {
            Dim::Fixed(extent) => Some(*extent),
            Dim::Named(_) | Dim::Unknown => None,
        };
        let dims = self.writer.dims(id).ok_or(Halt::Unknown)?;
        dims.iter().map(fixed).collect::<Option<_>>().ok_or(Halt::Unknown)
    }

    /// Returns the elements of a constant.
    pub fn elements(&self, id: Id) -> Composed<Tensor> {
        self.writer.elements(id).cloned().ok_or(Halt::Unknown)
    }

    /// Adds a constant.
    pub fn constant(&mut self, tensor: Tensor) -> Id {
        self.writer.constant(tensor)
    }

    /// States the result at a position.
    pub fn give(&mut self, position: usize, result: Id) {
        if let Some(slot) = self.results.get_mut(position) {
            *slot = Some(result);
        }
    }

    /// Adds a node of `ai.onnx`, of the version that an opset has; returns its results.
    pub fn apply_each(
        &mut self,
        operator: (&str, u32),
        inputs: &[Option<Id>],
        attributes: Given<'_>,
        results: usize,
    ) -> Composed<Vec<Id>> {
        Ok(self.writer.node(operator, inputs, attributes, results)?)
    }
}
