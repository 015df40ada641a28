//! Where two models part: an optimizer keeps the names of most tensors, so that the tensors of one name show
//! the group of nodes whose replacement changes the result.
//!
//! 1. The tensors that nodes of both models compute under one name, in the order of the first model. The
//!    search bisects them: both models compute a tensor from the inputs, and the noise of the first model is
//!    the measure. A tensor with another type or shape is another tensor, and is left out.
//! 2. The group of a tensor are the nodes that compute it from tensors that both models have. The groups of
//!    both models get the same values, those of the first model.

use std::collections::HashSet;

use backend_api::Named;
use onnx_model::Node;
use onnx_tensor::ValueType;

use crate::InvestigateError;
use crate::cut::{Part, Prepared, Values, bare, operator};
use crate::graphs::defines;
use crate::locate::{known, refer_plain};
use crate::runner::Runner;
use crate::trial::{refer_to_model, request};

/// The first tensor in which two models differ, and the nodes that make it.
#[derive(Clone, PartialEq, Debug)]
pub struct Parting {
    /// The tensor; both models compute it.
    pub tensor: String,
    /// The last tensor before it that is equal, or differs by rounding alone.
    pub before: Option<String>,
    /// The nodes of each model that compute it from tensors of both, as ``Conv-11 `conv1` ``.
    pub groups: [Vec<String>; 2],
    /// Whether the groups alone give other results for the same values. If not, or if they could not be run,
    /// the difference grows through several groups.
    pub is_local: bool,
    /// How the tensor differs.
    pub reason: String,
}

/// Finds the first tensor in which two models with the same inputs differ, whose outputs differ.
///
/// # Errors
/// The worker of the reference cannot be started again, or the command is interrupted.
pub fn parting(pair: [&Prepared; 2], reference: &mut Runner) -> Result<Option<Parting>, InvestigateError> {
    let mut common = common(pair);
    // All before `equal` are taken for equal, and what `differs` is different.
    let (mut equal, mut differs, mut reason) = (0, common.len(), String::new());
    while equal < differs {
        let middle = equal.midpoint(differs);
        match differ(pair, &common[middle], reference)? {
            None => {
                common.remove(middle);
                differs -= 1;
            }
            Some(found) if found.is_empty() => equal = middle + 1,
            Some(found) => (differs, reason) = (middle, found),
        }
    }
    let Some(tensor) = common.get(differs).cloned() else {
        return Ok(None);
    };
    let names: HashSet<&str> = common.iter().map(String::as_str).collect();
    let groups = pair.map(|model| group(model, &tensor, &names));
    let alone = alone(pair, &groups, &tensor, reference)?;
    let words = |place: usize| {
        let nodes = groups[place].iter().filter_map(|index| pair[place].node(*index));
        nodes.map(|node| words(pair[place], node)).collect()
    };
    Ok(Some(Parting {
        before: differs
            .checked_sub(1)
            .and_then(|before| common.get(before).cloned()),
        groups: [words(0), words(1)],
        is_local: alone.is_some(),
        reason: alone.unwrap_or(reason),
        tensor,
    }))
}

/// The tensors that nodes of both models compute, in the order of the first.
fn common([first, second]: [&Prepared; 2]) -> Vec<String> {
    let made: HashSet<&String> = second.model.graph.nodes.iter().flat_map(defines).collect();
    let names = first.model.graph.nodes.iter().flat_map(defines);
    names.filter(|name| made.contains(name)).cloned().collect()
}

/// How a tensor of the second model differs from that of the first; empty if it does not. `None` if it is
/// another tensor, or one of both is not computed.
fn differ(
    pair: [&Prepared; 2],
    tensor: &String,
    reference: &mut Runner,
) -> Result<Option<String>, InvestigateError> {
    let parts = pair.map(|model| {
        let all: Vec<usize> = (0..model.len()).collect();
        let live = Values::new();
        model.cut(&all, std::slice::from_ref(tensor), &known(&model.inputs, &live))
    });
    held(parts, reference)
}

/// The answer of the second part held against the first, as [`differ`] says it.
fn held(parts: [Part; 2], reference: &mut Runner) -> Result<Option<String>, InvestigateError> {
    let [first, second] = parts;
    let Ok(mut expected) = refer_to_model(reference, &request(&bare(&first)))? else {
        return Ok(None);
    };
    let Ok(observed) = refer_plain(reference, &second)? else {
        return Ok(None);
    };
    let types =
        |values: &[Named]| -> Vec<ValueType> { values.iter().map(|(_, value)| value.value_type()).collect() };
    if types(&expected.values) != types(&observed) {
        return Ok(None);
    }
    let local = expected.local_of_reference(&first.model, &observed, reference)?;
    Ok(Some(if local.is_wrong() {
        local.reason
    } else {
        String::new()
    }))
}

/// The nodes that compute a tensor from tensors of both models, inputs and constants, in ascending order.
fn group(model: &Prepared, tensor: &str, common: &HashSet<&str>) -> Vec<usize> {
    let mut wanted: HashSet<&str> = HashSet::from([tensor]);
    let mut found: Vec<usize> = Vec::new();
    for index in (0..model.len()).rev() {
        let makes = |node: &Node| defines(node).any(|name| wanted.contains(name.as_str()));
        if model.node(index).is_some_and(makes) {
            let inner = model.reads(index).iter().map(String::as_str);
            wanted.extend(inner.filter(|name| !common.contains(name)));
            found.push(index);
        }
    }
    found.reverse();
    found
}

/// How the results of the groups differ for the same values; `None` if they do not, or cannot be run.
fn alone(
    pair: [&Prepared; 2],
    groups: &[Vec<usize>; 2],
    tensor: &String,
    reference: &mut Runner,
) -> Result<Option<String>, InvestigateError> {
    let first = pair[0];
    let made: HashSet<&String> = first.model.graph.nodes.iter().flat_map(defines).collect();
    let mut read: Vec<String> = Vec::new();
    for (model, group) in pair.iter().zip(groups) {
        let nodes = || group.iter().filter_map(|index| model.node(*index));
        let own: HashSet<&String> = nodes().flat_map(defines).collect();
        let names = group.iter().flat_map(|index| model.reads(*index));
        for name in names.filter(|name| !own.contains(name) && made.contains(name)) {
            if !read.contains(name) {
                read.push(name.clone());
            }
        }
    }
    let mut live = Values::new();
    if !read.is_empty() {
        let all: Vec<usize> = (0..first.len()).collect();
        let fed = first.cut(&all, &read, &known(&first.inputs, &live));
        match refer_plain(reference, &fed)? {
            Ok(values) => live.extend(values),
            Err(_) => return Ok(None),
        }
    }
    let value = known(&first.inputs, &live);
    let part = |place: usize| pair[place].cut(&groups[place], std::slice::from_ref(tensor), &value);
    let found = held([part(0), part(1)], reference)?;
    Ok(found.filter(|reason| !reason.is_empty()))
}

fn words(model: &Prepared, node: &Node) -> String {
    format!("{} `{}`", operator(&model.model, node), node.label())
}
