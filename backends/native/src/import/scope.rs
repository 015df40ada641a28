//! The names of one graph, and access to those of outer graphs.

use std::collections::{BTreeMap, HashMap};

use onnx_tensor::ValueType;

use super::error::ImportError;
use crate::ir::{Graph, Value, ValueId, bounded};

/// The values of names; `None` is an optional input of a function that its caller omits.
pub type Names = HashMap<String, Option<ValueId>>;

/// The names of a graph during import.
pub struct Scope<'a> {
    pub graph: &'a mut Graph,
    /// The opset of each domain.
    pub imports: BTreeMap<String, i64>,
    names: Names,
    outer: Option<&'a Outer<'a>>,
    /// The captured names, with the inputs that they became.
    pub captured: Vec<(String, ValueId)>,
}

/// The names of outer graphs that a body can read.
pub struct Outer<'a> {
    graph: &'a Graph,
    names: &'a Names,
    outer: Option<&'a Outer<'a>>,
}

/// The state of a function's caller, restored after its body.
pub struct Caller<'a> {
    names: Names,
    imports: BTreeMap<String, i64>,
    outer: Option<&'a Outer<'a>>,
}

impl Outer<'_> {
    fn find(&self, name: &str) -> Option<Option<&Value>> {
        match self.names.get(name) {
            Some(found) => Some(found.map(|id| self.graph.value(id))),
            None => self.outer?.find(name),
        }
    }
}

impl<'a> Scope<'a> {
    /// Makes a scope without names.
    pub fn new(
        graph: &'a mut Graph,
        outer: Option<&'a Outer<'a>>,
        imports: BTreeMap<String, i64>,
    ) -> Scope<'a> {
        Scope {
            graph,
            imports,
            names: Names::new(),
            outer,
            captured: Vec::new(),
        }
    }

    /// Returns the names that a body of this graph can read.
    pub fn as_outer(&self) -> Outer<'_> {
        Outer {
            graph: self.graph,
            names: &self.names,
            outer: self.outer,
        }
    }

    /// Defines a name.
    pub fn define(&mut self, name: &str, known: Option<ValueType>) -> ValueId {
        let id = self.graph.add(name, known.map(bounded), None);
        self.alias(name, Some(id));
        id
    }

    /// Defines a name as a constant.
    pub fn define_constant(&mut self, name: &str, value: onnx_tensor::Value) {
        let id = self.graph.add(name, Some(value.value_type()), Some(value));
        self.alias(name, Some(id));
    }

    /// Adds another name for a value.
    pub fn alias(&mut self, name: &str, id: Option<ValueId>) {
        self.names.insert(name.to_owned(), id);
    }

    /// Enters the body of a function, in which only these names are visible.
    pub fn enter_function(&mut self, names: Names, imports: BTreeMap<String, i64>) -> Caller<'a> {
        Caller {
            names: std::mem::replace(&mut self.names, names),
            imports: std::mem::replace(&mut self.imports, imports),
            outer: self.outer.take(),
        }
    }

    /// Returns to the caller of a function.
    pub fn leave_function(&mut self, caller: Caller<'a>) {
        self.names = caller.names;
        self.imports = caller.imports;
        self.outer = caller.outer;
    }

    /// Returns the value of a name of this graph or captured from an outer one; `None` for an empty name and
    /// for an input that the caller omits.
    pub fn read(&mut self, name: &str) -> Result<Option<ValueId>, ImportError> {
        if name.is_empty() {
            return Ok(None);
        }
        if let Some(&found) = self.names.get(name) {
            return Ok(found);
        }
        let undefined = || ImportError::Undefined {
            name: name.to_owned(),
        };
        let found = self
            .outer
            .and_then(|outer| outer.find(name))
            .ok_or_else(undefined)?;
        let Some(Value { known, constant, .. }) = found.cloned() else {
            return Ok(None);
        };
        let captured = constant.is_none();
        let id = self.graph.add(name, known, constant);
        self.alias(name, Some(id));
        if captured {
            self.captured.push((name.to_owned(), id));
        }
        Ok(Some(id))
    }

    /// Returns the value of a required name.
    pub fn read_required(&mut self, name: &str) -> Result<ValueId, ImportError> {
        let undefined = || ImportError::Undefined {
            name: name.to_owned(),
        };
        self.read(name)?.ok_or_else(undefined)
    }
}
