//! The plan of a version's cases: every type, every option, every combination of types, pairs of
//! options.
//!
//! The list of a version is one sequence that depends only on its seed; a shorter list is a prefix of
//! it.

use std::collections::{BTreeMap, BTreeSet};

use onnx_schema::OperatorSchema;

use crate::cells::{Parameter, combination, combinations, label, parameters, short};
use crate::draft::{Choices, Decision, Draft, Reject, Types};
use crate::operators::Declaration;
use crate::{Case, Draws};

/// The maximum number of attempts for a combination that the declaration rejects.
const ATTEMPTS: u32 = 60;

/// The maximum number of enumerated combinations of types; of more, some are drawn.
const MAX_COMBINATIONS: usize = 2500;

/// Why a case is in the list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Phase {
    /// It has a new type.
    Type,
    /// It has a new option.
    Option,
    /// It has a new combination of types.
    Combination,
    /// It has a new pair of options.
    Pair,
    /// It is another draw of types and options ([`Plan::draw`]).
    Draw,
}

/// The cases of a version, as a list that is extended on demand.
#[derive(Debug)]
pub struct Plan {
    schema: &'static OperatorSchema,
    declaration: &'static Declaration,
    seed: u64,
    parameters: Vec<Parameter>,
    /// Number of cases by the name of their combination of types.
    numbers: BTreeMap<String, usize>,
    tries: u64,
    /// Options that occur in cases.
    options: BTreeMap<String, Vec<String>>,
    singles: BTreeSet<Label>,
    pairs: BTreeSet<(Label, Label)>,
    /// The number of rejections by reason.
    rejects: BTreeMap<&'static str, usize>,
    cases: Vec<(Phase, Case)>,
}

/// A decision and its option, or a parameter and its type.
type Label = (String, String);

impl Plan {
    /// The empty list of a version.
    pub fn new(schema: &'static OperatorSchema, declaration: &'static Declaration, seed: u64) -> Plan {
        Plan {
            schema,
            declaration,
            seed,
            parameters: parameters(schema),
            numbers: BTreeMap::new(),
            tries: 0,
            options: BTreeMap::new(),
            singles: BTreeSet::new(),
            pairs: BTreeSet::new(),
            rejects: BTreeMap::new(),
            cases: Vec::new(),
        }
    }

    /// Adds the cases up to a phase, but at most `most` in all.
    pub fn extend(&mut self, phase: Phase, most: usize) {
        self.types(most);
        if phase >= Phase::Option {
            self.every_option(most);
        }
        if phase >= Phase::Combination {
            self.every_combination(most);
        }
        if phase >= Phase::Pair {
            self.every_pair(most);
        }
    }

    /// Adds further draws of the types and options so far, until there are `most` cases, or the
    /// declaration accepts no more.
    pub fn draw(&mut self, most: usize) {
        let mut refused = 0;
        while self.cases.len() < most && !self.cases.is_empty() && refused < ATTEMPTS {
            let types = self.known_types();
            refused = if self.add(Phase::Draw, &types, &Choices::new(), &[]) {
                0
            } else {
                refused + 1
            };
        }
    }

    /// The cases so far.
    pub fn into_cases(self) -> Vec<(Phase, Case)> {
        self.cases
    }

    /// The cases so far.
    pub fn cases(&self) -> impl Iterator<Item = &Case> {
        self.cases.iter().map(|(_, case)| case)
    }

    /// The reasons for rejections, the most frequent first.
    pub fn reasons(&self) -> String {
        let mut reasons: Vec<_> = self.rejects.iter().collect();
        reasons.sort_by_key(|(reason, times)| (std::cmp::Reverse(**times), **reason));
        let texts: Vec<&str> = reasons.into_iter().map(|(reason, _)| *reason).collect();
        if texts.is_empty() {
            "no choice produces it".to_owned()
        } else {
            texts.join("; ")
        }
    }

    fn types(&mut self, most: usize) {
        for position in 0..self.parameters.len() {
            let Parameter { name, types } = self.parameters[position];
            for of in types {
                if self.cases.len() >= most {
                    return;
                }
                let wanted = [(name.to_owned(), short(of))];
                if self.singles.contains(&wanted[0]) {
                    continue;
                }
                // Often only a few of many combinations are valid: a type of S may not fit that of T.
                for attempt in 0..64 {
                    let mut types = self.drawn_types(attempt);
                    types.insert(name, *of);
                    if attempt % 2 == 0 {
                        follow(&mut types, name, &self.parameters, attempt % 4 == 0);
                    }
                    if self.add(Phase::Type, &types, &Choices::new(), &wanted) {
                        break;
                    }
                }
            }
        }
        if self.parameters.is_empty() {
            self.add(Phase::Type, &Types::new(), &Choices::new(), &[]);
        }
    }

    /// Draws types for all parameters; in later attempts more of them are compatible.
    fn drawn_types(&mut self, attempt: u32) -> Types {
        self.tries += 1;
        let mut draws = Draws::new(
            self.seed,
            &format!("{} types {} {attempt}", self.schema, self.tries),
        );
        combination(
            &self.parameters,
            (draws.bits() >> 1) as usize % combinations(&self.parameters).max(1),
        )
    }

    fn every_option(&mut self, most: usize) {
        let mut tried: BTreeMap<Label, u32> = BTreeMap::new();
        loop {
            let missing = self.options.iter().flat_map(|(point, options)| {
                options.iter().map(move |option| (point.clone(), option.clone()))
            });
            let missing: Vec<Label> = missing
                .filter(|label| !self.singles.contains(label))
                .filter(|label| tried.get(label).copied().unwrap_or(0) < ATTEMPTS)
                .collect();
            if missing.is_empty() || self.cases.len() >= most {
                return;
            }
            for label in missing {
                *tried.entry(label.clone()).or_default() += 1;
                if !self.singles.contains(&label) && self.cases.len() < most {
                    let types = self.known_types();
                    self.add(Phase::Option, &types, &Choices::from([label.clone()]), &[label]);
                }
            }
        }
    }

    /// Types of an earlier case: the declaration accepts them.
    fn known_types(&mut self) -> Types {
        self.tries += 1;
        let mut draws = Draws::new(self.seed, &format!("{} known {}", self.schema, self.tries));
        draws
            .one_of(&self.cases)
            .map(|(_, case)| case.assigned.clone())
            .unwrap_or_default()
    }

    fn every_combination(&mut self, most: usize) {
        let count = combinations(&self.parameters);
        if self
            .parameters
            .iter()
            .filter(|parameter| parameter.types.len() > 1)
            .count()
            < 2
        {
            return;
        }
        for number in 0..count.min(MAX_COMBINATIONS) {
            if self.cases.len() >= most {
                return;
            }
            let types = if count <= MAX_COMBINATIONS {
                combination(&self.parameters, number)
            } else {
                self.drawn_types(0)
            };
            if !self.numbers.contains_key(&label(&self.parameters, &types)) {
                let _ = (0..3).any(|_| self.add(Phase::Combination, &types, &Choices::new(), &[]));
            }
        }
    }

    fn every_pair(&mut self, most: usize) {
        let labels: Vec<Label> = self.singles.iter().cloned().collect();
        for (index, first) in labels.iter().enumerate() {
            for second in labels.iter().skip(index + 1) {
                if self.cases.len() >= most {
                    return;
                }
                if first.0 == second.0 || self.pairs.contains(&(first.clone(), second.clone())) {
                    continue;
                }
                let choices = Choices::from([first.clone(), second.clone()]);
                let mut types = self.known_types();
                for parameter in &self.parameters {
                    if let Some(wanted) = choices.get(parameter.name)
                        && let Some(of) = parameter.types.iter().find(|of| short(of) == *wanted)
                    {
                        types.insert(parameter.name, *of);
                    }
                }
                let wanted = [first.clone(), second.clone()];
                // A pair that a declaration rarely produces has few attempts.
                let _ = (0..2).any(|_| self.add(Phase::Pair, &types, &choices, &wanted));
            }
        }
    }

    /// Makes a case and keeps it if it has the wanted labels.
    fn add(&mut self, phase: Phase, types: &Types, choices: &Choices, wanted: &[Label]) -> bool {
        self.tries += 1;
        let draws = Draws::new(self.seed, &format!("{} {}", self.schema, self.tries));
        let mut draft = Draft::new(self.schema, types, choices, draws);
        let cell = label(&self.parameters, types);
        let number = self.numbers.get(&cell).copied().unwrap_or(0);
        let made =
            (self.declaration.build)(&mut draft).and_then(|()| draft.finish(format!("{cell}-{number}")));
        match made {
            Ok(case) => self.keep(phase, cell, case, wanted),
            Err(Reject(reason)) => {
                *self.rejects.entry(reason).or_default() += 1;
                false
            }
        }
    }

    fn keep(&mut self, phase: Phase, cell: String, case: Case, wanted: &[Label]) -> bool {
        for Decision { point, options, .. } in &case.decisions {
            let known = self.options.entry(point.clone()).or_default();
            let new = options
                .iter()
                .filter(|option| !known.contains(option))
                .cloned()
                .collect::<Vec<_>>();
            known.extend(new);
        }
        let labels = labels(&self.parameters, &case);
        if !wanted.iter().all(|label| labels.contains(label)) {
            return false;
        }
        self.singles.extend(labels.iter().cloned());
        for (index, first) in labels.iter().enumerate() {
            self.pairs.extend(
                labels[index + 1..]
                    .iter()
                    .map(|second| (first.clone(), second.clone())),
            );
        }
        *self.numbers.entry(cell).or_default() += 1;
        self.cases.push((phase, case));
        true
    }
}

/// The decisions and types of a case, sorted.
fn labels(parameters: &[Parameter], case: &Case) -> Vec<Label> {
    let several = parameters.iter().filter(|parameter| !parameter.types.is_empty());
    let types = several
        .filter_map(|parameter| Some((parameter.name.to_owned(), short(case.types.get(parameter.name)?))));
    let decisions = case
        .decisions
        .iter()
        .map(|decision| (decision.point.clone(), decision.taken.clone()));
    let labels: BTreeSet<Label> = types.chain(decisions).collect();
    labels.into_iter().collect()
}

/// Gives the other parameters the type of one, or the element type if that is a sequence or optional, if
/// they permit it. `equal` decides which of both is tried first.
fn follow(types: &mut Types, leader: &'static str, parameters: &[Parameter], equal: bool) {
    let wanted = types.get(leader).copied();
    let holds = |of: onnx_schema::SchemaType| match of {
        onnx_schema::SchemaType::Sequence(inside) | onnx_schema::SchemaType::Optional(inside) => {
            Some(*inside)
        }
        _ => None,
    };
    let Some(wanted) = wanted else { return };
    let close = if equal {
        [Some(wanted), holds(wanted)]
    } else {
        [holds(wanted), Some(wanted)]
    };
    for parameter in parameters.iter().filter(|parameter| parameter.name != leader) {
        let fitting = close.iter().flatten().find(|of| parameter.types.contains(of));
        // A parameter of sequences or optionals gets the matching type.
        let around = parameter.types.iter().find(|of| holds(**of) == Some(wanted));
        if let Some(of) = fitting.or(around) {
            types.insert(parameter.name, *of);
        }
    }
}
