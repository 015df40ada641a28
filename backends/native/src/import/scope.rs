//! Names of one graph, and the way out to the graphs around it.

use std::collections::{BTreeMap, HashMap};

use onnx_tensor::ValueType;

use super::error::ImportError;
use crate::ir::{Graph, Value, ValueId, bounded};

/// Names with what they stand for; `None` is an optional input of a function that its caller leaves out.
pub type Names = HashMap<String, Option<ValueId>>;

/// The names of a graph while it is imported.
pub struct Scope<'a> {
    /// The graph.
    pub graph: &'a mut Graph,
    /// Domain to opset.
    pub imports: BTreeMap<String, i64>,
    names: Names,
    outer: Option<&'a Outer<'a>>,
    /// Names that were found further out, with the inputs they became.
    pub captured: Vec<(String, ValueId)>,
}

/// What a body can see of the graphs around it.
pub struct Outer<'a> {
    graph: &'a Graph,
    names: &'a Names,
    outer: Option<&'a Outer<'a>>,
}

/// What a function's caller gets back when the body is done.
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
    /// A scope without names.
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

    /// What a body inside this graph can see.
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

    /// Gives a value a further name.
    pub fn alias(&mut self, name: &str, id: Option<ValueId>) {
        self.names.insert(name.to_owned(), id);
    }

    /// Goes into the body of a function: nothing but these names can be seen there.
    pub fn enter_function(&mut self, names: Names, imports: BTreeMap<String, i64>) -> Caller<'a> {
        Caller {
            names: std::mem::replace(&mut self.names, names),
            imports: std::mem::replace(&mut self.imports, imports),
            outer: self.outer.take(),
        }
    }

    /// Goes back to the caller of a function.
    pub fn leave_function(&mut self, caller: Caller<'a>) {
        self.names = caller.names;
        self.imports = caller.imports;
        self.outer = caller.outer;
    }

    /// The value of a name, of this graph or captured from around it; `None` for an empty name and for what a caller left
    /// out.
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

    /// The value of a name that must be there.
    pub fn read_present(&mut self, name: &str) -> Result<ValueId, ImportError> {
        let undefined = || ImportError::Undefined {
            name: name.to_owned(),
        };
        self.read(name)?.ok_or_else(undefined)
    }
}
