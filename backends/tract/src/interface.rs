//! The inputs and outputs of a loaded model: fed inputs, constants, and their checks in a run.

use std::collections::BTreeMap;

use backend_api::{BackendError, Named};
use onnx_tensor::Value;
use tract_onnx::prelude::{TValue, Tensor};

use crate::value::{from_tract, to_tract};

/// The inputs and outputs of a loaded model.
#[derive(Debug, Default)]
pub struct Interface {
    /// The names of the inputs to feed, in the order of tract.
    pub fed: Vec<String>,
    /// The inputs that became constants at load, with their values.
    pub constants: BTreeMap<String, Value>,
    /// The inputs with an initializer, with its value; tract never allows to feed them.
    pub initialized: BTreeMap<String, Value>,
    /// The names of the outputs, in the order of the file.
    pub outputs: Vec<String>,
}

impl Interface {
    /// Returns the tensors to feed. Values for constants must equal the constants.
    pub fn feed(&self, inputs: &[Named]) -> Result<Vec<Tensor>, BackendError> {
        for (name, value) in inputs {
            self.check(name, value)?;
        }
        let tensors = self
            .fed
            .iter()
            .map(|wanted| match inputs.iter().find(|(name, _)| name == wanted) {
                Some((name, value)) => to_tract(name, value),
                None => Err(BackendError::run(format!("input `{wanted}` is missing"))),
            });
        tensors.collect()
    }

    /// Returns the outputs with their names.
    pub fn fetch(&self, outputs: &[TValue]) -> Result<Vec<Named>, BackendError> {
        let named = self.outputs.iter().zip(outputs);
        named
            .map(|(name, output)| Ok((name.clone(), from_tract(name, output)?)))
            .collect()
    }

    fn check(&self, name: &String, value: &Value) -> Result<(), BackendError> {
        let changed = |constant: Option<&Value>| constant.is_some_and(|constant| !is_same(constant, value));
        let message = if changed(self.constants.get(name)) {
            format!(
                "input `{name}` became a constant when the model was loaded and now has another value; \
                 load the model again with this value, or set the option constants=none"
            )
        } else if changed(self.initialized.get(name)) {
            format!("input `{name}` has an initializer, and tract cannot override it with another value")
        } else if self.is_known(name) {
            return Ok(());
        } else {
            format!("the model has no input `{name}`")
        };
        Err(BackendError::run(message))
    }

    fn is_known(&self, name: &String) -> bool {
        self.fed.contains(name) || self.constants.contains_key(name) || self.initialized.contains_key(name)
    }
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a.as_tensor(), b.as_tensor()) {
        (Some(a), Some(b)) => a.same_bits(b),
        _ => false,
    }
}
