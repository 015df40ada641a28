//! `cargo xtask repo`: checks rules of the repository that no compiler checks.

mod circles;
mod features;
mod layers;
mod links;
mod prose;
mod untested;
mod versions;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{SCHEMAS, command, index, schemas};

/// What `cargo xtask generate` writes without other programs: its name, its folder, its function.
const GENERATED: [(&str, &str, Generate); 2] = [
    ("index", "reference/operators/src", index::generate),
    ("schemas", SCHEMAS, schemas::generate),
];

/// Writes files, or only compares; returns those that differ.
type Generate = fn(&Path, bool) -> io::Result<Vec<PathBuf>>;

/// The maximum number of lines of a hand-written file.
const MAX_LINES: usize = 500;

/// Text that no file may contain, in two parts, so that this file does not contain it.
const FORBIDDEN: [(&str, &[&str]); 6] = [
    ("a package registry's host", &["pypi", ".org"]),
    ("a package registry's host", &["static.crates", ".io"]),
    ("a package registry's host", &["index.crates", ".io"]),
    ("a folder of one machine", &["/ro", "ot/"]),
    ("an unfinished part", &["todo", "!("]),
    ("an unfinished merge", &["\n<<<<", "<<< "]),
];

/// Every fault, one line each; empty if there is none.
pub fn check(root: &Path) -> Result<Vec<String>, String> {
    let files = tracked_files(root)?;
    let mut faults = layers::faults(root)?;
    faults.extend(features::faults(root)?);
    faults.extend(circles::faults(root, &files)?);
    faults.extend(untested::faults(root, &files)?);
    faults.extend(versions::faults(root)?);
    faults.extend(links::faults(root, &files));
    for (what, folder, generate) in GENERATED {
        let folder = root.join(folder);
        let drifted = generate(&folder, true).map_err(|error| format!("{}: {error}", folder.display()))?;
        let drifted = drifted.iter();
        faults.extend(drifted.map(|file| format!("{}: run `cargo xtask generate {what}`", file.display())));
    }
    for file in files {
        let Ok(text) = fs::read_to_string(root.join(&file)) else {
            continue;
        };
        faults.extend(text_faults(&file, &text));
        faults.extend(prose::faults(&file, &text));
    }
    Ok(faults)
}

fn tracked_files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let output = run(Command::new("git").args(["ls-files"]).current_dir(root))?;
    Ok(output.lines().map(PathBuf::from).collect())
}

/// The stdout of a command.
fn run(command: &mut Command) -> Result<String, String> {
    command::output(command).map_err(|error| error.to_string())
}

fn text_faults(file: &Path, text: &str) -> Vec<String> {
    let shown = file.display();
    let mut faults = Vec::new();
    let rust = file.extension().is_some_and(|extension| extension == "rs");
    let generated = file.components().any(|part| part.as_os_str() == "generated");
    let lines = text.lines().count();
    if rust && !generated && lines > MAX_LINES {
        faults.push(format!("{shown}: {lines} lines; at most {MAX_LINES} are allowed"));
    }
    if rust && !generated && !text.starts_with("//!") && !text.starts_with("use ") {
        faults.push(format!("{shown}: the first line must be a description (`//!`)"));
    }
    for (what, parts) in FORBIDDEN {
        if text.contains(&parts.concat()) {
            faults.push(format!("{shown}: contains {what}"));
        }
    }
    let workflow = file
        .extension()
        .is_some_and(|extension| extension == "yml" || extension == "md");
    let actions = unpinned_actions(text).filter(|_| workflow);
    faults.extend(actions.map(|action| {
        format!("{shown}: `{action}` is not pinned: name the action by the 40 digits of a commit")
    }));
    faults
}

/// The actions of other repositories that a workflow names by a tag or a branch, which can be moved.
/// `COMMIT` stands for a commit in a document.
fn unpinned_actions(text: &str) -> impl Iterator<Item = &str> {
    let is_commit = |name: &str| name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    let lines = text
        .lines()
        .map(|line| line.trim_start().trim_start_matches("- "));
    let used = lines.filter_map(|line| line.strip_prefix("uses: ")?.split_whitespace().next());
    used.filter(move |action| {
        let version = action.rsplit_once('@').map_or("", |(_, version)| version);
        !action.starts_with("./") && !is_commit(version) && version != "COMMIT"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_named_by_commits() {
        let commit = "5a3ec84eff668545956fd18022155c47e93e2684";
        let text = format!(
            "steps:\n  - uses: a/b@{commit} # v4\n  - uses: ./local\n  - uses: a/b@v4\n    uses: c/d/e@main\n  - uses: f/g\n  - uses: h/i@COMMIT\n"
        );
        let found: Vec<&str> = unpinned_actions(&text).collect();
        assert_eq!(found, ["a/b@v4", "c/d/e@main", "f/g"]);
    }

    #[test]
    fn the_repository_has_no_faults() {
        let faults = check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
        assert!(faults.is_empty(), "{}", faults.join("\n"));
    }
}
