//! The definition of a fault.

use backend_api::Named;
use harness_compare::Envelope;
use harness_conformance::case::DataSet;
use onnx_model::Model;
use onnx_tensor::{Tensor, Value};
use rand_chacha::ChaCha8Rng;

/// A kind of fault.
#[derive(Clone, Copy)]
pub struct Fault {
    /// Its name in results.
    pub name: &'static str,
    /// What is wrong, for display.
    pub what: &'static str,
    /// How it is planted.
    pub plant: Plant,
}

/// How a fault is planted. Each function returns `None` if the fault does not apply.
#[derive(Clone, Copy)]
pub enum Plant {
    /// Into one tensor of the outputs.
    Tensor(fn(&Leaf<'_>, &mut ChaCha8Rng) -> Option<Tensor>),
    /// Into one output as a whole.
    Value(fn(&Value, &mut ChaCha8Rng) -> Option<Value>),
    /// Into the list of outputs.
    Outputs(fn(&[Named], &mut ChaCha8Rng) -> Option<Vec<Named>>),
    /// Into the model, whose outputs are then faulty.
    Model(fn(&Model, &DataSet) -> Option<Model>),
}

/// A tensor of the outputs with its properties.
pub struct Leaf<'a> {
    /// The correct tensor.
    pub tensor: &'a Tensor,
    /// The bound of rounding errors, if it is known.
    pub envelope: Option<&'a Envelope>,
    /// Whether the model only copies elements, so that the sign of zero counts.
    pub copied: bool,
}
