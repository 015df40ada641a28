//! Checks that all parts of a release have one version.

use std::fs;
use std::path::Path;

use regex::Regex;

/// The file with the version of the workspace.
const WORKSPACE: &str = "Cargo.toml";

/// The files that repeat it, each with the pattern of its line.
const REPEATED: [(&str, &str); 4] = [
    (
        "backends/python/src/onnx_conformance/__init__.py",
        r#"(?m)^__version__ = "(.+)"$"#,
    ),
    (
        "backends/javascript/package.json",
        r#"(?m)^  "version": "(.+)",?$"#,
    ),
    (
        "harness/action/action.yml",
        r"(?m)^    default: onnx-conformance==(.+)$",
    ),
    ("packaging/conda/recipe.yaml", r"(?m)^  version: (.+)$"),
];

/// One line for each file with another version than the workspace, or without one.
pub fn faults(root: &Path) -> Result<Vec<String>, String> {
    let expected = read(root, WORKSPACE, r#"(?m)^version = "(.+)"$"#)?;
    let mut faults = Vec::new();
    for (file, pattern) in REPEATED {
        let found = read(root, file, pattern)?;
        if found != expected {
            faults.push(format!(
                "{file}: version `{found}`; that of {WORKSPACE} is {expected}"
            ));
        }
    }
    let notes = read_text(root, "CHANGELOG.md")?;
    if !notes.contains(&format!("\n## {expected} ")) {
        faults.push(format!("CHANGELOG.md: no section of version {expected}"));
    }
    Ok(faults)
}

/// What the pattern finds in a file; empty if it finds nothing.
fn read(root: &Path, file: &str, pattern: &str) -> Result<String, String> {
    let pattern = Regex::new(pattern).map_err(|error| error.to_string())?;
    let text = read_text(root, file)?;
    let found = pattern.captures(&text).map(|found| found[1].to_owned());
    Ok(found.unwrap_or_default())
}

fn read_text(root: &Path, file: &str) -> Result<String, String> {
    fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the faults of a repository with version 1.2.0, whose other files have these lines.
    #[track_caller]
    fn check(lines: [&str; 4], notes: &str, expected: &[&str]) {
        let root = tempfile::tempdir().unwrap();
        let write = |file: &str, text: String| {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(WORKSPACE, "[workspace.package]\nversion = \"1.2.0\"\n".to_owned());
        write("CHANGELOG.md", format!("# Changes\n\n## {notes} (2026-12-01)\n"));
        for ((file, _), line) in REPEATED.iter().zip(lines) {
            write(file, format!("first\n{line}\nlast\n"));
        }
        let found = faults(root.path()).unwrap();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (fault, file) in found.iter().zip(expected) {
            assert!(fault.starts_with(file), "{fault}");
        }
    }

    #[test]
    fn other_versions_are_found() {
        let right = [
            "__version__ = \"1.2.0\"",
            "  \"version\": \"1.2.0\",",
            "    default: onnx-conformance==1.2.0",
            "  version: 1.2.0",
        ];
        check(right, "1.2.0", &[]);
        check(right, "1.1.0", &["CHANGELOG.md"]);
        for (at, (file, _)) in REPEATED.iter().enumerate() {
            let older = right[at].replace("1.2.0", "1.1.0");
            for line in [older.as_str(), ""] {
                let mut lines = right;
                lines[at] = line;
                check(lines, "1.2.0", &[file]);
            }
        }
    }
}
