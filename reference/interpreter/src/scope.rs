//! Names and what they stand for while a graph runs.

use std::collections::HashMap;

use onnx_bounds::Radius;
use onnx_tensor::Value;

/// The values of one graph; a body also sees those of the graph around it.
#[derive(Debug, Default)]
pub(crate) struct Scope<'a> {
    values: HashMap<String, Value>,
    /// How far values may be off; what is not listed is exact.
    radii: HashMap<String, Radius>,
    outer: Option<&'a Scope<'a>>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(outer: Option<&'a Scope<'a>>) -> Self {
        Scope {
            values: HashMap::new(),
            radii: HashMap::new(),
            outer,
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).or_else(|| self.outer?.get(name))
    }

    pub(crate) fn set(&mut self, name: &str, value: Value) {
        self.values.insert(name.to_owned(), value);
    }

    pub(crate) fn radius(&self, name: &str) -> Radius {
        match (self.radii.get(name), self.outer) {
            (Some(radius), _) => radius.clone(),
            // A name of this scope hides one of the scope around it.
            (None, Some(outer)) if !self.values.contains_key(name) => outer.radius(name),
            _ => Radius::Exact,
        }
    }

    pub(crate) fn set_radius(&mut self, name: &str, radius: Radius) {
        if !radius.is_exact() {
            self.radii.insert(name.to_owned(), radius);
        }
    }

    pub(crate) fn drop_value(&mut self, name: &str) {
        self.values.remove(name);
        self.radii.remove(name);
    }
}
