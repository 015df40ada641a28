//! Names and their types.

use std::collections::{HashMap, HashSet};

use onnx_tensor::ValueType;

use super::Kind;

/// The values of one graph. A body also sees those of the enclosing graphs.
pub(super) struct Scope<'m, 's> {
    kinds: HashMap<&'m str, Kind>,
    /// The inputs of a function that its call omits.
    absent: HashSet<&'m str>,
    outer: Option<&'s Scope<'m, 's>>,
}

impl<'m, 's> Scope<'m, 's> {
    pub(super) fn new(outer: Option<&'s Scope<'m, 's>>) -> Scope<'m, 's> {
        Scope {
            kinds: HashMap::new(),
            absent: HashSet::new(),
            outer,
        }
    }

    /// Whether the call of the function omits the input of this name; an empty name is omitted too.
    pub(super) fn is_absent(&self, name: &str) -> bool {
        let outer = || self.outer.is_some_and(|outer| outer.is_absent(name));
        name.is_empty() || self.absent.contains(name) || outer()
    }

    pub(super) fn set_absent(&mut self, name: &'m str) {
        self.absent.insert(name);
    }

    /// The type of a name; unknown for an undefined name, which another rule reports.
    pub(super) fn kind(&self, name: &str) -> Kind {
        match self.kinds.get(name) {
            Some(kind) => kind.clone(),
            None => self.outer.and_then(|outer| outer.kind(name)),
        }
    }

    /// Sets the type of a name of this graph unless it is already known.
    pub(super) fn set_default(&mut self, name: &'m str, kind: ValueType) {
        self.kinds.entry(name).or_default().get_or_insert(kind);
    }

    pub(super) fn set(&mut self, name: &'m str, kind: Kind) {
        if !name.is_empty() {
            self.kinds.insert(name, kind);
        }
    }
}
