//! Names and their values while a graph runs.

use std::collections::{HashMap, HashSet};

use onnx_bounds::Radius;
use onnx_operators::frame::OpError;
use onnx_tensor::Value;

use crate::limits::Budget;
use crate::origin::Origin;

/// The values of one graph. A body also sees those of the enclosing graphs.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    values: HashMap<String, Value>,
    /// The error radii of values; a value that is not in the map is exact.
    radii: HashMap<String, Radius>,
    /// Values that are not [`Origin::Rounded`].
    origins: HashMap<String, Origin>,
    /// Values of a 16-bit type that stay in float.
    kept: HashSet<String>,
    outer: Option<&'a Scope<'a>>,
    budget: &'a Budget,
    /// Bytes of the values, charged to the budget until the scope ends.
    held: usize,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(outer: Option<&'a Scope<'a>>, budget: &'a Budget) -> Self {
        Scope {
            values: HashMap::new(),
            radii: HashMap::new(),
            origins: HashMap::new(),
            kept: HashSet::new(),
            outer,
            budget,
            held: 0,
        }
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(name).or_else(|| self.outer?.get(name))
    }

    /// Binds a name if the value is within the budget.
    pub(crate) fn set(&mut self, name: &str, value: Value) -> Result<(), OpError> {
        self.budget.admit(&value)?;
        self.drop_value(name);
        let bytes = value.memory();
        self.budget.hold(bytes)?;
        self.held += bytes;
        self.values.insert(name.to_owned(), value);
        Ok(())
    }

    pub(crate) fn radius(&self, name: &str) -> Radius {
        match (self.radii.get(name), self.outer) {
            (Some(radius), _) => radius.clone(),
            // A name of this scope hides one of the enclosing scope.
            (None, Some(outer)) if !self.values.contains_key(name) => outer.radius(name),
            _ => Radius::Exact,
        }
    }

    pub(crate) fn set_radius(&mut self, name: &str, radius: Radius) {
        if !radius.is_exact() {
            self.radii.insert(name.to_owned(), radius);
        }
    }

    pub(crate) fn origin(&self, name: &str) -> Origin {
        match self.outer {
            Some(outer) if !self.values.contains_key(name) => outer.origin(name),
            _ => self.origins.get(name).copied().unwrap_or(Origin::Rounded),
        }
    }

    pub(crate) fn set_origin(&mut self, name: &str, origin: Origin) {
        if origin != Origin::Rounded {
            self.origins.insert(name.to_owned(), origin);
        }
    }

    /// Whether a value is of a 16-bit type and stays in float.
    pub(crate) fn is_kept(&self, name: &str) -> bool {
        match self.outer {
            Some(outer) if !self.values.contains_key(name) => outer.is_kept(name),
            _ => self.kept.contains(name),
        }
    }

    pub(crate) fn set_kept(&mut self, name: &str, is_kept: bool) {
        if is_kept {
            self.kept.insert(name.to_owned());
        }
    }

    pub(crate) fn drop_value(&mut self, name: &str) {
        if let Some(value) = self.values.remove(name) {
            let bytes = value.memory();
            self.budget.release(bytes);
            self.held = self.held.saturating_sub(bytes);
        }
        self.radii.remove(name);
        self.origins.remove(name);
        self.kept.remove(name);
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        self.budget.release(self.held);
    }
}
