//! Visits the nodes of a model one by one, each with the inputs that the reference computed.

use std::ops::ControlFlow;

use harness_conformance::judge::Judgement;

use super::ask::Cut;
use super::known;
use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values};
use crate::runner::Runner;
use crate::trial::{Reference, refer};

/// A node alone, with the inputs that the reference computed.
pub(crate) struct Visited<'v> {
    /// The number of the node in topological order, from 0.
    pub index: usize,
    pub cut: Cut<'v>,
    /// Its model without declarations.
    pub part: &'v Part,
    /// The answer of the reference to it.
    pub expected: &'v mut Reference,
}

/// What is done with a node; it may ask the reference further, and ends the walk by a break.
pub(crate) type Visit<'f> =
    &'f mut dyn FnMut(Visited<'_>, &mut Runner) -> Result<ControlFlow<()>, InvestigateError>;

/// Visits every node whose outputs are used, in order. Stores only the values that are live at one cut.
/// Returns the node on which the reference gives no answer, if there is one: those after it are not visited.
pub(crate) fn each_node(
    prepared: &Prepared,
    reference: &mut Runner,
    visit: Visit<'_>,
) -> Result<Option<(usize, Judgement)>, InvestigateError> {
    let last = prepared.last_uses();
    let mut values = Values::new();
    for index in 0..prepared.len() {
        let outputs = prepared.wanted(index);
        if outputs.is_empty() {
            continue;
        }
        let part = prepared.cut(&[index], &outputs, &known(&prepared.inputs, &values));
        let mut expected = match refer(reference, &part)? {
            Ok(expected) => expected,
            Err(judgement) => return Ok(Some((index, judgement))),
        };
        let cut = Cut {
            nodes: &[index],
            outputs: &outputs,
            live: &values,
        };
        let visited = Visited {
            index,
            cut,
            part: &part,
            expected: &mut expected,
        };
        if visit(visited, reference)?.is_break() {
            return Ok(None);
        }
        values.extend(expected.values);
        values.retain(|name, _| last.get(name).is_some_and(|last| *last > index));
    }
    Ok(None)
}
