//! What the specification allows and no case exercises.

use std::collections::BTreeSet;

use super::{VersionCoverage, in_effect};
use crate::{AttributeDomain, TypeParameter};

/// A gap: the specification allows it, and no case has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gap<'a> {
    /// The complete version; no other gaps of it are listed.
    Version,
    /// A type of a parameter.
    Type {
        /// The parameter.
        parameter: &'a str,
        /// The type.
        of: &'a str,
    },
    /// An attribute that no node gives.
    Attribute {
        /// The attribute.
        name: &'a str,
    },
    /// A value of an attribute whose values the specification enumerates.
    Value {
        /// The attribute.
        attribute: &'a str,
        /// The value.
        value: &'a str,
    },
    /// A type and an enumerated value that both occur, but not in one node.
    Combination {
        /// The parameter.
        parameter: &'a str,
        /// The type.
        of: &'a str,
        /// The attribute.
        attribute: &'a str,
        /// The value.
        value: &'a str,
    },
}

impl Gap<'_> {
    /// The kind of gap, in one word: `version`, `type`, `attribute`, `value`, `combination`.
    pub fn kind(&self) -> &'static str {
        match self {
            Gap::Version => "version",
            Gap::Type { .. } => "type",
            Gap::Attribute { .. } => "attribute",
            Gap::Value { .. } => "value",
            Gap::Combination { .. } => "combination",
        }
    }
}

impl<'a> VersionCoverage<'a> {
    /// The gaps of a version: types, attributes, values, then combinations; each in the order of the
    /// specification.
    pub fn gaps(&self) -> Vec<Gap<'a>> {
        if self.uses.is_empty() {
            return vec![Gap::Version];
        }
        let version = self.version;
        let mut gaps = Vec::new();
        for parameter in &version.parameters {
            let seen = self.types(parameter);
            let missing = parameter
                .types
                .iter()
                .filter(|of| !seen.contains_key(of.as_str()));
            gaps.extend(missing.map(|of| Gap::Type {
                parameter: &parameter.name,
                of,
            }));
        }
        let silent = version
            .attributes
            .iter()
            .filter(|attribute| self.given(attribute) == 0);
        gaps.extend(silent.map(|attribute| Gap::Attribute {
            name: &attribute.name,
        }));
        for attribute in &version.attributes {
            let seen = self.values(attribute);
            let missing = attribute
                .values
                .iter()
                .filter(|value| !seen.contains_key(value.as_str()));
            gaps.extend(missing.map(|value| Gap::Value {
                attribute: &attribute.name,
                value,
            }));
        }
        for attribute in version
            .attributes
            .iter()
            .filter(|attribute| attribute.values.len() > 1)
        {
            for parameter in version
                .parameters
                .iter()
                .filter(|parameter| parameter.types.len() > 1)
            {
                gaps.extend(self.apart(parameter, attribute));
            }
        }
        gaps
    }

    /// The pairs of a type and a value that occur, but never together.
    fn apart(&self, parameter: &'a TypeParameter, attribute: &'a AttributeDomain) -> Vec<Gap<'a>> {
        let (mut types, mut values, mut pairs) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for exercise in self.uses.keys() {
            let bound = exercise.types.get(&parameter.name).map_or(&[][..], Vec::as_slice);
            let effective = in_effect(exercise, attribute);
            types.extend(bound.iter().map(String::as_str));
            values.extend(effective.iter().map(String::as_str));
            pairs.extend(
                bound
                    .iter()
                    .flat_map(|of| effective.iter().map(move |value| (of.as_str(), value.as_str()))),
            );
        }
        let values = attribute
            .values
            .iter()
            .map(String::as_str)
            .filter(|value| values.contains(value));
        let types: Vec<&str> = parameter
            .types
            .iter()
            .map(String::as_str)
            .filter(|of| types.contains(of))
            .collect();
        let apart = values.flat_map(|value| {
            let alone = types.iter().filter(|of| !pairs.contains(&(**of, value)));
            alone
                .map(|of| Gap::Combination {
                    parameter: &parameter.name,
                    of,
                    attribute: &attribute.name,
                    value,
                })
                .collect::<Vec<_>>()
        });
        apart.collect()
    }
}
