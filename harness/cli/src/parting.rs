//! Where two models part, in words.

use backend_api::Named;
use harness_investigate::InvestigateError;
use harness_investigate::cut::Prepared;
use harness_investigate::parting::{Parting, parting};
use harness_investigate::runner::Runner;
use onnx_model::Model;

/// Finds the nodes of `second` whose result differs from that of `first` on the reference, and describes them
/// in lines.
///
/// # Errors
/// A worker does not start, or the command is interrupted.
pub(crate) fn lines(
    (first, second): ((&str, &Model), (&str, &Model)),
    inputs: &[Named],
    reference: &mut Runner,
) -> Result<Vec<String>, InvestigateError> {
    let models = [first, second].map(|(_, model)| Prepared::new(model, inputs));
    let found = parting([&models[0], &models[1]], reference)?;
    Ok(found.map_or_else(
        || vec!["  no tensor of both that is computed before the outputs differs".to_owned()],
        |found| described(&found, [first.0, second.0]),
    ))
}

fn described(found: &Parting, names: [&str; 2]) -> Vec<String> {
    let after = match &found.before {
        Some(before) => format!(", after `{before}`, which agrees"),
        None => String::new(),
    };
    let mut lines = vec![format!(
        "  they part at `{}`{after}: {}",
        found.tensor, found.reason
    )];
    for (name, group) in names.iter().zip(&found.groups) {
        lines.push(format!("    computed by {} in {name}", shown(group)));
    }
    if !found.is_local {
        let grown = "    these nodes alone agree on the same values: the difference grows before them";
        lines.push(grown.to_owned());
    }
    lines
}

/// Nodes, the last eight of many.
pub(crate) fn shown(group: &[String]) -> String {
    const SHOWN: usize = 8;
    match group.len().checked_sub(SHOWN) {
        None | Some(0) => group.join(", "),
        Some(more) => format!("{more} others and {}", group[more..].join(", ")),
    }
}
