//! The attributes of a node, with references to attributes of the enclosing function resolved by the call.

use std::collections::HashMap;

use onnx_model::{AttributeValue, Function, Node};

/// An attribute, as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Given<'m> {
    /// Its value.
    Value(&'m AttributeValue),
    /// It has a value that only a call determines.
    Open,
}

/// Identifies the value of an attribute by its address in the model; `None` if it is open.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Identity(Option<*const AttributeValue>);

/// The attributes of a node or of a call by name. Omitted attributes are not in the map.
#[derive(Clone, Default, Debug)]
pub(crate) struct Attributes<'m>(HashMap<&'m str, Given<'m>>);

impl<'m> Attributes<'m> {
    /// The attributes of a node. References are resolved in `enclosing`; one to a missing attribute is
    /// removed.
    pub(super) fn of(node: &'m Node, enclosing: Option<&Attributes<'m>>) -> Attributes<'m> {
        let mut known = HashMap::with_capacity(node.attributes.len());
        for attribute in &node.attributes {
            let given = match &attribute.value {
                AttributeValue::Reference(target, _) => enclosing.and_then(|enclosing| enclosing.get(target)),
                value => Some(Given::Value(value)),
            };
            if let Some(given) = given {
                known.insert(attribute.name.as_str(), given);
            }
        }
        Attributes(known)
    }

    /// Attributes that are all known.
    pub(super) fn known(given: impl IntoIterator<Item = (&'m str, &'m AttributeValue)>) -> Attributes<'m> {
        let given = given.into_iter();
        Attributes(given.map(|(name, value)| (name, Given::Value(value))).collect())
    }

    /// The attributes inside a function: those of the call, and the function's defaults for missing ones.
    pub(super) fn inside(mut self, function: &'m Function) -> Attributes<'m> {
        for default in &function.attribute_defaults {
            self.0
                .entry(&default.name)
                .or_insert(Given::Value(&default.value));
        }
        self
    }

    /// The attributes inside a function that is not called.
    pub(super) fn open(function: &'m Function) -> Attributes<'m> {
        let with_default = function.attribute_defaults.iter().map(|default| &default.name);
        let names = function.attributes.iter().chain(with_default);
        Attributes(names.map(|name| (name.as_str(), Given::Open)).collect())
    }

    /// Sorted by name. Equal lists have equal values, but equal values can have different identities.
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

    /// The value, if it is present and known.
    pub(super) fn value(&self, name: &str) -> Option<&'m AttributeValue> {
        match self.get(name)? {
            Given::Value(value) => Some(value),
            Given::Open => None,
        }
    }

    /// Whether the attribute is absent.
    pub(super) fn absent(&self, name: &str) -> bool {
        self.get(name).is_none()
    }
}
