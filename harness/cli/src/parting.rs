//! Where two models part, in words.

use backend_api::Named;
use harness_console::outln;
use harness_investigate::cut::Prepared;
use harness_investigate::parting::{Parting, parting};
use harness_investigate::runner::Runner;
use onnx_model::Model;

use crate::CliError;

/// Finds the nodes of `second` whose result differs from that of `first` on the reference, and prints them.
///
/// # Errors
/// A worker does not start, the command is interrupted, or nothing can be written.
pub(crate) fn tell(
    (first, second): ((&str, &Model), (&str, &Model)),
    inputs: &[Named],
    reference: &mut Runner,
) -> Result<(), CliError> {
    let models = [first, second].map(|(_, model)| Prepared::new(model, inputs));
    match parting([&models[0], &models[1]], reference)? {
        Some(found) => print(&found, [first.0, second.0]),
        None => outln(format_args!(
            "  they have no tensor of one name before the outputs that differs"
        )),
    }
}

fn print(found: &Parting, names: [&str; 2]) -> Result<(), CliError> {
    let after = match &found.before {
        Some(before) => format!(", after `{before}`, which agrees"),
        None => String::new(),
    };
    outln(format_args!(
        "  they part at `{}`{after}: {}",
        found.tensor, found.reason
    ))?;
    for (name, group) in names.iter().zip(&found.groups) {
        outln(format_args!("    computed by {} in {name}", shown(group)))?;
    }
    if !found.is_local {
        outln(format_args!(
            "    these nodes alone agree on the same values: the difference grows before them"
        ))?;
    }
    Ok(())
}

/// Nodes, the last eight.
fn shown(group: &[String]) -> String {
    const SHOWN: usize = 8;
    match group.len().checked_sub(SHOWN) {
        None | Some(0) => group.join(", "),
        Some(more) => format!("{more} nodes and {}", group[more..].join(", ")),
    }
}
