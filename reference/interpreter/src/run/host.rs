//! The interpreter's services for operators: bodies, the budget, the enclosing graph.

use std::cell::RefCell;

use onnx_bounds::{Bodies, Radius};
use onnx_model::Graph;
use onnx_operators::frame::{Deviation, Enclosing, Host, OpError, Outputs, Reading, Unspecified};
use onnx_tensor::{DType, Value};

use super::Frame;
use crate::noise::Noise;
use crate::scope::Scope;
use crate::wide::Kept;

/// The interpreter's services for one node.
pub(crate) struct BodyHost<'a> {
    pub(crate) frame: &'a Frame<'a>,
    pub(crate) scope: &'a Scope<'a>,
    /// The index of the node in its graph or function.
    pub(crate) index: usize,
    /// The maximum bytes of text of one string of an output ([`text::longest`](crate::text::longest)).
    pub(crate) text: usize,
    /// Whether the node runs one of its bodies once. If so, the radii of its outputs are those of the body.
    pub(crate) branches: bool,
    /// Whether the node computes with values of a 16-bit type that stay in float: so do its bodies.
    pub(crate) kept: Kept,
    /// The inputs of the bodies that ran, if radii are requested.
    pub(crate) ran: RefCell<Vec<Vec<Option<Value>>>>,
    /// The error radii of the outputs of the last body.
    pub(crate) radii: RefCell<Vec<Radius>>,
}

impl Bodies for BodyHost<'_> {
    fn ran(&self) -> Vec<Vec<Option<Value>>> {
        self.ran.borrow().clone()
    }

    fn run(
        &self,
        body: &Graph,
        inputs: Vec<Option<Value>>,
        radii: Vec<Radius>,
    ) -> Result<(Outputs, Vec<Radius>), OpError> {
        let results = self
            .frame
            .body(body, inputs, radii, self.kept, self.scope)
            .map_err(|error| OpError::Body(Box::new(error)))?;
        Ok((results.outputs, results.radii))
    }
}

impl Host for BodyHost<'_> {
    fn run_body(&self, body: &Graph, inputs: Vec<Option<Value>>) -> Result<Outputs, OpError> {
        let collections = inputs
            .iter()
            .flatten()
            .filter(|value| value.as_tensor().is_none());
        for value in collections {
            self.frame.budget.read(value)?;
        }
        if self.frame.bounded {
            self.ran.borrow_mut().push(inputs.clone());
        }
        // The radii of a body that runs repeatedly depend on those of the previous iteration.
        let frame = Frame {
            bounded: self.frame.bounded && self.branches,
            ..*self.frame
        };
        let results = frame
            .body(body, inputs, Vec::new(), self.kept, self.scope)
            .map_err(|error| OpError::Body(Box::new(error)))?;
        self.radii.replace(results.radii);
        Ok(results.outputs)
    }

    fn reserve(&self, shape: &[usize], dtype: DType) -> Result<(), OpError> {
        match dtype {
            DType::String => self.frame.budget.reserve_text(shape, self.text),
            _ => self.frame.budget.reserve(shape, dtype),
        }
    }

    fn step(&self) -> Result<(), OpError> {
        self.frame.budget.step()
    }

    fn work(&self, operations: u64) -> Result<(), OpError> {
        self.frame.budget.work(operations)
    }

    fn tolerates(&self, _: Deviation) -> bool {
        !self.frame.budget.limits.strict
    }

    fn takes(&self, reading: Reading) -> bool {
        self.frame.budget.limits.readings.has(reading)
    }

    fn unspecified(&self) -> Unspecified {
        self.frame.budget.limits.unspecified
    }

    fn rounding_seed(&self) -> Option<u64> {
        self.frame.budget.noise.as_ref().map(Noise::seed)
    }

    fn enclosing(&self) -> Option<Enclosing<'_>> {
        // Inside a function, attributes may refer to those of the caller.
        let graph = self.frame.graph.filter(|_| self.frame.attributes.is_none())?;
        Some(Enclosing {
            imports: self.frame.imports,
            nodes: graph.nodes.get(..self.index)?,
            initializers: &graph.initializers,
        })
    }

    fn draw_seed(&self) -> u64 {
        self.frame.budget.draw_seed()
    }
}
