//! What failing cases of one operator share, and passing ones lack.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use crate::{Exercise, OperatorVersion};

/// A property of a use of an operator, the most telling kind first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// A type parameter has this type.
    Type(String, String),
    /// A type parameter has another type than these.
    Beyond(String, Vec<String>),
    /// An optional input or output is given.
    Given(String),
    /// It is omitted.
    Omitted(String),
    /// An attribute has this value, given or by default.
    Value(String, String),
    /// An attribute is given, with any value.
    Set(String),
    /// It is not given.
    Unset(String),
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Type(parameter, of) => write!(f, "{parameter} is {of}"),
            Self::Beyond(parameter, types) => write!(f, "{parameter} is not {}", types.join(", ")),
            Self::Given(name) | Self::Set(name) => write!(f, "with {name}"),
            Self::Omitted(name) | Self::Unset(name) => write!(f, "without {name}"),
            Self::Value(name, value) => write!(f, "{name}={value}"),
        }
    }
}

/// A property that only failing cases have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// The property.
    pub property: Property,
    /// The number of failing cases that have it.
    pub cases: usize,
}

/// The probability that a property of failing cases alone is chance, below which it is a limit.
const CHANCE: f64 = 0.05;

/// The properties that explain these failing cases, and the number of those without an explanation. A
/// property explains the failing cases that have it if no passing case has it, and if so many would lack it
/// by chance in less than one case of twenty. The property of most cases is first; where none passes, no
/// property says anything.
pub fn limits(
    version: &OperatorVersion,
    failing: &[&Exercise],
    passing: &[&Exercise],
) -> (Vec<Limit>, usize) {
    if passing.is_empty() {
        return (Vec::new(), failing.len());
    }
    let allowed: BTreeSet<Property> = passing
        .iter()
        .flat_map(|exercise| properties(version, exercise))
        .collect();
    let (count, all) = (failing.len(), failing.len() + passing.len());
    let mut holders: BTreeMap<Property, BTreeSet<usize>> = BTreeMap::new();
    for (place, exercise) in failing.iter().enumerate() {
        for property in properties(version, exercise) {
            if !allowed.contains(&property) {
                holders.entry(property).or_default().insert(place);
            }
        }
    }
    let beyond = beyond(failing, passing, all);
    holders.retain(|_, holders| chance(holders.len(), count, all) < CHANCE);
    holders.extend(beyond);
    let mut left: BTreeSet<usize> = (0..count).collect();
    let mut found = Vec::new();
    loop {
        // Of equal counts, the kind that says most comes first.
        let best = holders
            .iter()
            .map(|(property, holders)| (holders.intersection(&left).count(), property))
            .rev()
            .max_by_key(|(covered, _)| *covered);
        let Some((1.., property)) = best else { break };
        let holding = &holders[property];
        left.retain(|place| !holding.contains(place));
        found.push(Limit {
            property: property.clone(),
            cases: holding.len(),
        });
    }
    (found, left.len())
}

/// For each type parameter the failing cases of the types that no passing case has, if there are several such
/// types, and chance would leave so many out in less than one case of twenty.
fn beyond(failing: &[&Exercise], passing: &[&Exercise], all: usize) -> Vec<(Property, BTreeSet<usize>)> {
    let parameters: BTreeSet<&String> = failing
        .iter()
        .flat_map(|exercise| exercise.types.keys())
        .collect();
    let of = |parameter: &String| {
        let types = |exercise: &&Exercise| exercise.types.get(parameter).cloned().unwrap_or_default();
        let allowed: BTreeSet<String> = passing.iter().flat_map(types).collect();
        let outside = |exercise: &&Exercise| {
            let types = types(exercise);
            !types.is_empty() && types.iter().all(|of| !allowed.contains(of))
        };
        let holders = failing
            .iter()
            .enumerate()
            .filter(|(_, exercise)| outside(exercise));
        let holders: BTreeSet<usize> = holders.map(|(place, _)| place).collect();
        let others: BTreeSet<String> = holders.iter().flat_map(|&place| types(&failing[place])).collect();
        let ways = choices(allowed.len() + others.len(), others.len());
        let is_chance = ways * chance(holders.len(), failing.len(), all) >= CHANCE;
        let found = others.len() > 1 && !allowed.is_empty() && !is_chance;
        found.then(|| {
            (
                Property::Beyond(parameter.clone(), allowed.into_iter().collect()),
                holders,
            )
        })
    };
    parameters.into_iter().filter_map(of).collect()
}

/// The number of ways to choose `some` of `all`.
fn choices(all: usize, some: usize) -> f64 {
    (0..some).map(|at| (all - at) as f64 / (at + 1) as f64).product()
}

/// The probability that `holders` cases, drawn from `all`, are all among the `failing` ones.
fn chance(holders: usize, failing: usize, all: usize) -> f64 {
    let draws = (0..holders).map(|drawn| failing.saturating_sub(drawn) as f64 / (all - drawn) as f64);
    draws.product()
}

/// The properties of a use: its types, which optional parts it has, and its attributes.
fn properties(version: &OperatorVersion, exercise: &Exercise) -> BTreeSet<Property> {
    let types = exercise.types.iter().flat_map(|(parameter, types)| {
        types
            .iter()
            .map(|of| Property::Type(parameter.clone(), of.clone()))
    });
    let given = exercise.optional.iter().cloned().map(Property::Given);
    let omitted = version.optional.iter();
    let omitted = omitted.filter(|name| exercise.optional.binary_search(name).is_err());
    let omitted = omitted.cloned().map(Property::Omitted);
    let mut found: BTreeSet<Property> = types.chain(given).chain(omitted).collect();
    for attribute in &version.attributes {
        let name = &attribute.name;
        let set = exercise.attributes.get(name);
        found.insert(match set {
            Some(_) => Property::Set(name.clone()),
            None => Property::Unset(name.clone()),
        });
        let values = set.or(attribute.default.as_ref()).into_iter().flatten();
        found.extend(values.map(|value| Property::Value(name.clone(), value.clone())));
    }
    found
}
