//! Names and what they stand for while a graph runs.

use std::collections::HashMap;

use onnx_tensor::Value;

/// The values of one graph; a body also sees those of the graph around it.
#[derive(Debug, Default)]
pub(crate) struct Scope<'a> {
    values: HashMap<String, Value>,
    outer: Option<&'a Scope<'a>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(outer: Option<&'a Scope<'a>>) -> Self {
        Scope {
            values: HashMap::new(),
            outer,
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).or_else(|| self.outer?.get(name))
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    pub(crate) fn drop_value(&mut self, name: &str) {
        self.values.remove(name);
    }
}
