//! The `mod.rs` of each chapter of operators: a list of its files, so that adding an operator is
//! adding a file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Marks a file that defines an operator; other files are shared by operators.
const MARK: &str = "pub const OP: OpDef";

/// The line between what is written by hand (documentation, items that other crates use) and the list.
const BOUNDARY: &str = "// The rest of this file is written by `cargo xtask generate index`.";

/// Folders beside the chapters without operators.
const NOT_CHAPTERS: [&str; 2] = ["frame", "shared"];

/// Writes the `mod.rs` of every chapter in `operators` (the crate's `src`), or with `check` only
/// compares. Returns the files that differ.
pub fn generate(operators: &Path, check: bool) -> io::Result<Vec<PathBuf>> {
    let mut drifted = Vec::new();
    for chapter in chapters(operators)? {
        let path = chapter.join("mod.rs");
        let current = fs::read_to_string(&path)?;
        let wanted = module(&chapter, &current)?;
        if wanted != current {
            if !check {
                run_record::replace(&path, wanted.as_bytes()).map_err(|error| error.source)?;
            }
            drifted.push(path);
        }
    }
    Ok(drifted)
}

fn chapters(operators: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(operators)? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.file_type()?.is_dir() && !NOT_CHAPTERS.iter().any(|other| name == *other) {
            found.push(entry.path());
        }
    }
    found.sort();
    Ok(found)
}

/// The text of a chapter's `mod.rs`; what is written by hand is kept.
fn module(chapter: &Path, current: &str) -> io::Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(chapter)? {
        let path = entry?.path();
        let stem = path
            .file_stem()
            .and_then(|stem| stem.to_str())
            .unwrap_or_default()
            .to_owned();
        if path.is_dir() {
            names.push((stem, false));
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "mod" {
            names.push((stem, fs::read_to_string(&path)?.contains(MARK)));
        }
    }
    names.sort();
    // The parts of a module are in a folder beside its file.
    names.dedup_by(|next, known| {
        let same = next.0 == known.0;
        known.1 |= same && next.1;
        same
    });
    let written_by_hand: String = current
        .split_inclusive('\n')
        .take_while(|line| !line.starts_with(BOUNDARY))
        .collect();
    let modules: String = names
        .iter()
        .map(|(name, _)| format!("mod {};\n", identifier(name)))
        .collect();
    let operators: Vec<String> = names
        .iter()
        .filter(|(_, operator)| *operator)
        .map(|(name, _)| format!("&{}::OP", identifier(name)))
        .collect();
    let list = match operators.as_slice() {
        [] => "&[]".to_owned(),
        entries => format!(
            "&[\n{}]",
            entries
                .iter()
                .map(|entry| format!("    {entry},\n"))
                .collect::<String>()
        ),
    };
    let sections = [
        format!("{}\n", written_by_hand.trim_end()),
        format!("{BOUNDARY}\n"),
        modules,
        "use crate::frame::OpDef;\n".to_owned(),
        format!("#[rustfmt::skip]\npub(crate) const OPERATORS: &[&OpDef] = {list};\n"),
    ];
    Ok(sections
        .into_iter()
        .filter(|section| !section.is_empty())
        .collect::<Vec<_>>()
        .join("\n"))
}

/// A file's name as a module: keywords need the raw form.
fn identifier(name: &str) -> String {
    match name {
        "if" | "loop" | "where" => format!("r#{name}"),
        _ => name.to_owned(),
    }
}
