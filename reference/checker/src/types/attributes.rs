//! The attributes of a node, with references to those of the function around replaced by what the call gives.

use std::collections::HashMap;

use onnx_model::{AttributeValue, Function, Node};

/// An attribute as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'m> {
    /// Its value.
    Value(&'m AttributeValue),
    /// It has a value that only a call would tell.
    Open,
}

/// Which value an attribute has: its address in the model, `None` while it is open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Identity(Option<*const AttributeValue>);

/// The attributes of a node or of a call by name; what is omitted is not there.
#[derive(Clone, Default, Debug)]
pub(crate) struct Attributes<'m>(HashMap<&'m str, Given<'m>>);

impl<'m> Attributes<'m> {
    /// Those of a node; a reference is followed into `around`, and left out if nothing is given there.
    pub(super) fn of(node: &'m Node, around: Option<&Attributes<'m>>) -> Attributes<'m> {
        let mut known = HashMap::with_capacity(node.attributes.len());
        for attribute in &node.attributes {
            let given = match &attribute.value {
                AttributeValue::Reference(target) => around.and_then(|around| around.get(target)),
                value => Some(Given::Value(value)),
            };
            if let Some(given) = given {
                known.insert(attribute.name.as_str(), given);
            }
        }
        Attributes(known)
    }

    /// Those that hold inside a function: of the call, with the function's defaults for what the call does not give.
    pub(super) fn inside(mut self, function: &'m Function) -> Attributes<'m> {
        for default in &function.attribute_defaults {
            self.0
                .entry(&default.name)
                .or_insert(Given::Value(&default.value));
        }
        self
    }

    /// Those inside a function that nobody calls.
    pub(super) fn open(function: &'m Function) -> Attributes<'m> {
        let with_default = function.attribute_defaults.iter().map(|default| &default.name);
        let names = function.attributes.iter().chain(with_default);
        Attributes(names.map(|name| (name.as_str(), Given::Open)).collect())
    }

    /// By name, sorted; equal lists have equal values, but equal values can have different identities.
    pub(super) fn identities(&self) -> Vec<(&'m str, Identity)> {
        let identity = |(&name, given): (&&'m str, &Given<'m>)| match given {
            Given::Value(value) => (name, Identity(Some(std::ptr::from_ref(*value)))),
            Given::Open => (name, Identity(None)),
        };
        let mut identities: Vec<_> = self.0.iter().map(identity).collect();
        identities.sort_unstable_by_key(|&(name, _)| name);
        identities
    }

    pub(crate) fn get(&self, name: &str) -> Option<Given<'m>> {
        self.0.get(name).copied()
    }

    /// The value, if it is there and known.
    pub(super) fn value(&self, name: &str) -> Option<&'m AttributeValue> {
        match self.get(name)? {
            Given::Value(value) => Some(value),
            Given::Open => None,
        }
    }

    /// Whether the attribute is not given at all.
    pub(super) fn absent(&self, name: &str) -> bool {
        self.get(name).is_none()
    }
}
