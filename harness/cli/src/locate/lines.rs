//! The result of a search as text.

use std::iter;

use harness_conformance::judge::Judgement;
use harness_investigate::inputs::shown;
use harness_investigate::locate::{FailingNode, Finding, Local, Location, NodeFault, NodeRun, WholeFile};
use harness_investigate::property;
use run_record::standing::Standing;
use run_record::text::counted;

use super::growth;
use crate::columns::columns;

/// The result as text.
pub(super) fn lines(model: &str, backend: &str, location: &Location) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(apart) = location.difference {
        let difference = match apart {
            apart if apart.is_infinite() => "in type, shape or values that are not finite".to_owned(),
            apart => format!("by {} of the largest element", number(apart)),
        };
        lines.push(format!("{model} on {backend}: the outputs differ {difference}"));
    }
    match &location.finding {
        Finding::Right { standing, largest } => {
            lines.push(match (standing, largest) {
                (Standing::Exact, _) => {
                    "the outputs are equal to the reference's: there is nothing to locate".to_owned()
                }
                (standing, None) => format!(
                    "{}: there is nothing to locate (--scan checks every node)",
                    standing.words()
                ),
                (standing, Some(_)) => format!("{}; every node alone is right", standing.words()),
            });
            lines.extend(nearest(largest));
        }
        Finding::Node(fault) => lines.extend(node(fault)),
        Finding::Together { near, run, largest } => {
            lines.push("no single node is wrong".to_owned());
            lines.extend(nearest(largest));
            lines.extend(together(near.as_deref(), run.as_deref()));
        }
        Finding::Fails(fault) => lines.extend(failing(model, backend, fault)),
        Finding::WholeFile(failure) => lines.extend(whole_file(model, backend, failure)),
    }
    lines.extend(location.notes.iter().map(|note| format!("note: {note}")));
    lines.extend(growth::table(&location.growth));
    lines.push(format!("{} of the backend", counted(location.probes, "run")));
    lines
}

/// Nodes that are wrong together.
fn together(near: Option<&str>, run: Option<&NodeRun>) -> Vec<String> {
    match (near, run) {
        (_, Some(run)) => {
            let mut lines = vec![format!(
                "{} nodes are wrong together on the inputs of the reference: the backend fuses some of them",
                run.nodes.len()
            )];
            lines.extend(
                run.nodes
                    .iter()
                    .map(|(node, operator)| format!("  `{node}` ({operator})")),
            );
            lines.push(format!("  {}", words(&run.local)));
            lines.extend(others(&run.others));
            lines
        }
        (Some(near), None) => vec![format!("  the propagated error is first large after `{near}`")],
        (None, None) => Vec::new(),
    }
}

/// The node with the largest error relative to the limit of its noise.
fn nearest(largest: &Option<(String, f64)>) -> Option<String> {
    let (node, part) = largest.as_ref()?;
    Some(format!(
        "  the largest local error is at `{node}`: {part:.3} of the limit of its noise"
    ))
}

fn node(fault: &NodeFault) -> Vec<String> {
    let mut lines = vec![
        format!("{} is wrong on the inputs of the reference:", fault.label()),
        format!("  {}", words(&fault.local)),
        format!("  {}", fault.local.reason),
    ];
    let inputs = fault
        .part
        .inputs
        .iter()
        .map(|(name, value)| format!("  input {name}: {}", shown(&value.value_type())));
    lines.extend(inputs);
    lines.extend(others(&fault.others));
    lines
}

/// A failure that no model of parts repeats.
fn whole_file(model: &str, backend: &str, failure: &WholeFile) -> Vec<String> {
    let failed = failure.judgement.as_ref().map(|judgement| {
        let kind = judgement.verdict.kind().key();
        format!("{model} on {backend}: {kind}: {}", judgement.reason)
    });
    let needs = format!(
        "the failure needs the whole file: a model of the same nodes does not fail in the same way; {}",
        property::words(&failure.properties)
    );
    failed.into_iter().chain([needs]).collect()
}

fn failing(model: &str, backend: &str, fault: &FailingNode) -> Vec<String> {
    let mut lines = vec![
        format!(
            "{model} on {backend}: {}: {}",
            fault.judgement.verdict.kind().key(),
            fault.judgement.reason
        ),
        format!(
            "it starts at node {} `{}` ({})",
            fault.index, fault.node, fault.operator
        ),
    ];
    if !fault.shorter {
        lines.push("  no shorter part of the model fails in the same way".to_owned());
    }
    lines.push(match fault.alone {
        Some(true) => "  the backend also fails on this node alone".to_owned(),
        Some(false) => {
            "  the backend runs this node alone: it fails only after the nodes before it".to_owned()
        }
        None => {
            "  the reference does not compute the inputs of the node, so that the single node was not tried"
                .to_owned()
        }
    });
    lines.extend(others(&fault.others));
    lines
}

fn others(others: &[(String, Result<Local, Judgement>)]) -> Vec<String> {
    if others.is_empty() {
        return Vec::new();
    }
    let row = |(name, result): &(String, Result<Local, Judgement>)| {
        let text = match result {
            Ok(local) if local.is_wrong() => format!("also wrong: {}", words(local)),
            Ok(local) => format!("{}: {}", local.standing.words(), words(local)),
            Err(judgement) => format!("{}: {}", judgement.verdict.kind().key(), judgement.reason),
        };
        vec![name.clone(), text]
    };
    let rows: Vec<Vec<String>> = others.iter().map(row).collect();
    iter::once("other backends on the same node:".to_owned())
        .chain(columns("  ", &rows))
        .collect()
}

fn words(local: &Local) -> String {
    if local.deviation.is_infinite() {
        return "another type, another shape or values that are not finite".to_owned();
    }
    let limit = match local.of_limit {
        // Values without noise, as integers: it does not say why they are wrong.
        part if part.is_nan() || local.is_wrong() && part <= 1.0 => String::new(),
        part => format!(", {} times the limit of its noise", number(part)),
    };
    format!("error {} of the largest element{limit}", number(local.difference))
}

pub(super) fn number(value: f64) -> String {
    match value {
        0.0 => "0".to_owned(),
        value if (1e-3..1e4).contains(&value) => format!("{value:.4}"),
        value => format!("{value:.2e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_has_a_limit_only_if_that_explains_the_verdict() {
        let limit = |times: &str| format!(", {times} times the limit of its noise");
        for (standing, of_limit, expected) in [
            (Standing::Wrong, 12.5, limit("12.5000")),
            (Standing::WithinNoise, 0.25, limit("0.2500")),
            (Standing::Wrong, 0.0, String::new()),
            (Standing::Wrong, f64::NAN, String::new()),
        ] {
            let local = Local {
                deviation: 1.0,
                difference: 1.0,
                of_limit,
                standing,
                reason: String::new(),
                judged: None,
                remarks: Vec::new(),
                may_hide: false,
            };
            assert_eq!(
                words(&local),
                format!("error 1.0000 of the largest element{expected}")
            );
        }
    }
}
