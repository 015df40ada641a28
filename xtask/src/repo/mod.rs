//! `cargo xtask repo`: what holds of the whole repository and no compiler checks.

mod circles;
mod features;
mod layers;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::index;

/// A hand-written file with more lines is probably two ideas.
const MAX_LINES: usize = 500;

/// Text that must stand in no file: the name before it keeps the checker from finding itself.
const FORBIDDEN: [(&str, &[&str]); 5] = [
    ("a package registry's host", &["pypi", ".org"]),
    ("a package registry's host", &["static.crates", ".io"]),
    ("a package registry's host", &["index.crates", ".io"]),
    ("a folder of one machine", &["/ro", "ot/"]),
    ("an unfinished part", &["todo", "!("]),
];

/// Every fault found, one line each; empty if all is well.
pub fn check(root: &Path) -> Result<Vec<String>, String> {
    let files = tracked_files(root)?;
    let mut faults = layers::faults(root)?;
    faults.extend(features::faults(root)?);
    faults.extend(circles::faults(root, &files)?);
    let operators = root.join("reference/operators/src");
    let drifted =
        index::generate(&operators, true).map_err(|error| format!("{}: {error}", operators.display()))?;
    faults.extend(
        drifted
            .iter()
            .map(|file| format!("{}: run `cargo xtask generate index`", file.display())),
    );
    for file in files {
        let Ok(text) = fs::read_to_string(root.join(&file)) else {
            continue;
        };
        faults.extend(text_faults(&file, &text));
    }
    Ok(faults)
}

fn tracked_files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let output = run(Command::new("git").args(["ls-files"]).current_dir(root))?;
    Ok(output.lines().map(PathBuf::from).collect())
}

/// What a command writes to stdout.
fn run(command: &mut Command) -> Result<String, String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "{command:?}: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("{command:?}: {error}"))
}

fn text_faults(file: &Path, text: &str) -> Vec<String> {
    let shown = file.display();
    let mut faults = Vec::new();
    let rust = file.extension().is_some_and(|extension| extension == "rs");
    let generated = file.components().any(|part| part.as_os_str() == "generated");
    let lines = text.lines().count();
    if rust && !generated && lines > MAX_LINES {
        faults.push(format!("{shown}: {lines} lines; {MAX_LINES} are the most"));
    }
    if rust && !generated && !text.starts_with("//!") && !text.starts_with("use ") {
        faults.push(format!("{shown}: a file begins with what it is (`//!`)"));
    }
    for (what, parts) in FORBIDDEN {
        if text.contains(&parts.concat()) {
            faults.push(format!("{shown}: names {what}"));
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_repository_is_in_order() {
        let faults = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
