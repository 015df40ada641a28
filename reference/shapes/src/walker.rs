//! The state of a walk through a model: the values of graphs, what was found, and what may still be visited.

use std::collections::{HashMap, HashSet};

use onnx_checker::{Functions, Imports, NodePlace};
use onnx_model::{Function, Model};

use crate::call::Attributes;
use crate::constraint::State;
use crate::fact::Entry;
use crate::finding::{Finding, Rule};
use crate::limits::Limits;

/// The values of a graph, with those of the enclosing graphs.
pub(crate) struct Scope<'m, 's> {
    outer: Option<&'s Scope<'m, 's>>,
    pub values: HashMap<&'m str, Entry>,
}

impl<'m, 's> Scope<'m, 's> {
    pub fn new(outer: Option<&'s Scope<'m, 's>>) -> Scope<'m, 's> {
        Scope {
            outer,
            values: HashMap::new(),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Entry> {
        let mut scope = Some(self);
        while let Some(known) = scope {
            if let Some(entry) = known.values.get(name) {
                return Some(entry);
            }
            scope = known.outer;
        }
        None
    }
}

/// The context of nodes: the graph or function, its imports, the attributes of the call.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'a, 'm> {
    pub place: &'a str,
    pub imports: &'m Imports,
    pub attributes: Option<&'a Attributes<'m>>,
    pub depth: usize,
    /// Whether it is the main graph, whose names of extents hold everywhere.
    pub main: bool,
}

pub(crate) struct Walker<'m> {
    pub functions: Functions<'m>,
    pub state: State,
    pub findings: Vec<Finding>,
    reported: HashSet<String>,
    pub limits: Limits,
    /// The nodes that may still be visited.
    budget: usize,
    pub active: Vec<*const Function>,
}

impl<'m> Walker<'m> {
    pub fn new(model: &'m Model, limits: Limits) -> Walker<'m> {
        Walker {
            functions: Functions::new(model),
            state: State::default(),
            findings: Vec::new(),
            reported: HashSet::new(),
            limits,
            budget: limits.nodes,
            active: Vec::new(),
        }
    }

    pub fn report(&mut self, frame: Frame<'_, 'm>, node: Option<NodePlace>, rule: Rule, message: String) {
        let finding = Finding {
            graph: frame.place.to_owned(),
            node,
            rule,
            message,
        };
        if self.findings.len() < self.limits.findings && self.reported.insert(finding.to_string()) {
            self.findings.push(finding);
        }
    }

    /// Counts a node; false if there were too many.
    pub fn spend(&mut self) -> bool {
        match self.budget.checked_sub(1) {
            Some(left) => {
                self.budget = left;
                true
            }
            None => false,
        }
    }

    /// Whether bodies and functions at this place are not entered.
    pub fn is_too_deep(&self, frame: Frame<'_, 'm>) -> bool {
        frame.depth >= self.limits.depth
    }
}
