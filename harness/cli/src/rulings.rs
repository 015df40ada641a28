//! `conformance --generated --rulings`: shows which side is wrong if a backend and the witness disagree.

use std::path::Path;

use harness_conformance::rulings::{Decided, Group, Rulings, decide, page};
use harness_console::{info, note, outln};
use onnx_generator::Case;
use onnx_model::encode_value;
use run_record::{Report, replace_in};

use super::{CliError, Exit};

/// The file and the folder beside the reports.
const PAGE: &str = "rulings.md";
const MODELS: &str = "rulings";

/// Groups the disagreements of a run on generated cases, matches them with the ledger, and writes the
/// page with the smallest models. Fails if a group has no ruling, or a ruling matches no group.
pub(super) fn rule(report: &Report, (seed, most): (u64, usize), out: &Path) -> Result<Exit, CliError> {
    let rulings = Rulings::embedded()?;
    let cases = onnx_generator::cases(seed, most);
    let decided = decide(report, &cases, seed, &rulings);
    let mut folders = Vec::new();
    for (group, _) in &decided.groups {
        if let Some(folder) = write_model(group, &cases, out)? {
            folders.push((group.slug(), folder));
        }
    }
    let folder = |group: &Group| {
        let slug = group.slug();
        let found = folders.iter().find(|(name, _)| *name == slug);
        found.map(|(_, folder)| folder.clone())
    };
    let file = replace_in(out, PAGE, page(&decided, folder).as_bytes())?;
    info(format_args!("wrote {}", file.display()));
    tell(&decided)
}

fn tell(decided: &Decided<'_>) -> Result<Exit, CliError> {
    let unruled: Vec<&Group> = decided
        .groups
        .iter()
        .filter(|(_, ruling)| ruling.is_none())
        .map(|(group, _)| group)
        .collect();
    let followed: u64 = decided.readings.values().sum();
    outln(format_args!(
        "rulings: {} groups, {} ruled, {} not ruled, {} stale; {followed} cases follow another reading",
        decided.groups.len(),
        decided.groups.len() - unruled.len(),
        unruled.len(),
        decided.stale.len()
    ))?;
    for group in &unruled {
        note(format_args!("not ruled: {}", group.title()));
    }
    for ruling in &decided.stale {
        note(format_args!("stale: {}: {} agrees", ruling.title(), ruling.case));
    }
    Ok(if unruled.is_empty() && decided.stale.is_empty() {
        Exit::Passed
    } else {
        Exit::Regression
    })
}

/// Writes the model and the inputs of the group's smallest case; returns the folder.
fn write_model(group: &Group, cases: &[Case], out: &Path) -> Result<Option<String>, CliError> {
    let id = group.cases.first().map(|(id, _)| id.as_str()).unwrap_or_default();
    let name = id.strip_prefix("generated/").unwrap_or(id);
    let Some(case) = cases
        .iter()
        .find(|case| format!("{}/{}", case.suite, case.name) == name)
    else {
        return Ok(None);
    };
    let folder = format!("{MODELS}/{}", group.slug());
    let written = Path::new(&folder);
    replace_in(out, written.join("model.onnx"), &case.model.encode())?;
    for (index, (name, value)) in case.inputs.iter().enumerate() {
        let file = written.join(format!("test_data_set_0/input_{index}.pb"));
        replace_in(out, file, &encode_value(value, name))?;
    }
    Ok(Some(folder))
}
