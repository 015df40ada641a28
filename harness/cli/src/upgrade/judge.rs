//! Compares converted models with the original, as a table.

use std::path::PathBuf;

use backend_api::protocol::External;
use harness_console::outln;
use harness_investigate::runner::Runner;
use harness_investigate::subject::Subject;
use harness_investigate::upgrade::{Original, UpgradeResult};
use onnx_model::{Bytes, Model};

use crate::columns::columns;
use crate::{CliError, parting};

/// A converted model.
pub(super) struct Candidate {
    /// The converter.
    pub name: String,
    pub bytes: Bytes,
    /// The decoded model.
    pub model: Model,
    pub external: External,
    /// The file to which it is written once it is proven; `None` for the model of another converter.
    pub path: Option<PathBuf>,
}

impl Candidate {
    /// The model of another converter, in a file.
    pub fn of(name: String, file: Subject) -> Candidate {
        Candidate {
            external: file.external,
            ..Candidate::new(&name, file.bytes, file.model)
        }
    }

    pub fn new(name: &str, bytes: Bytes, model: Model) -> Candidate {
        Candidate {
            name: name.to_owned(),
            bytes,
            model,
            external: External::default(),
            path: None,
        }
    }
}

/// One line of the table: a model on the reference and on the backends.
struct Row {
    name: String,
    /// The reference first; `None` for the original, with which all are compared.
    held: Vec<Option<UpgradeResult>>,
}

/// Runs every model on every backend and prints the results; returns for each whether it is right.
pub(super) fn judge(
    original: &mut Original,
    candidates: &[Candidate],
    reference: &mut Runner,
    backends: &mut [Runner],
) -> Result<Vec<bool>, CliError> {
    let mut header = vec!["model".to_owned(), "reference".to_owned()];
    header.extend(backends.iter().map(|backend| backend.name().to_owned()));
    let mut before = vec![None];
    for backend in backends.iter_mut() {
        before.push(Some(original.before(Some(backend), reference)?));
    }
    let mut table = vec![Row {
        name: "original".to_owned(),
        held: before,
    }];
    for candidate in candidates {
        let mut held = vec![Some(original.after(
            None,
            reference,
            &candidate.bytes,
            &candidate.external,
        )?)];
        for backend in backends.iter_mut() {
            held.push(Some(original.after(
                Some(backend),
                reference,
                &candidate.bytes,
                &candidate.external,
            )?));
        }
        table.push(Row {
            name: candidate.name.clone(),
            held,
        });
    }
    tell(&header, &table)?;
    for (candidate, row) in candidates.iter().zip(&table[1..]) {
        if let Some(Some(UpgradeResult::Wrong(_))) = row.held.first() {
            let named = (
                ("original", original.model()),
                (candidate.name.as_str(), &candidate.model),
            );
            for line in parting::lines(named, original.inputs(), reference)? {
                outln(format_args!("{line}"))?;
            }
        }
    }
    Ok(sound(&table))
}

fn tell(header: &[String], table: &[Row]) -> Result<(), CliError> {
    let mut rows = vec![header.to_vec()];
    rows.extend(table.iter().map(|row| {
        let cells = row
            .held
            .iter()
            .map(|held| held.as_ref().map_or("–".to_owned(), UpgradeResult::words));
        std::iter::once(row.name.clone()).chain(cells).collect()
    }));
    for line in columns("  ", &rows) {
        outln(format_args!("{line}"))?;
    }
    for row in table {
        for (backend, held) in header.iter().skip(1).zip(&row.held) {
            if let Some(reason) = held
                .as_ref()
                .map(UpgradeResult::reason)
                .filter(|reason| !reason.is_empty())
            {
                outln(format_args!("  {} on {backend}: {reason}", row.name))?;
            }
        }
    }
    Ok(())
}

/// Whether each converted model is right on the reference, and on every backend that is right on the
/// original.
fn sound(table: &[Row]) -> Vec<bool> {
    let Some((original, converted)) = table.split_first() else {
        return Vec::new();
    };
    let right = |held: &Option<UpgradeResult>| held.as_ref().is_none_or(UpgradeResult::is_right);
    let is_sound = |row: &Row| {
        let mut pairs = original.held.iter().zip(&row.held);
        pairs.all(|(before, after)| !right(before) || right(after))
    };
    converted.iter().map(is_sound).collect()
}
