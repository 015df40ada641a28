//! `cargo xtask repo`: what holds of the whole repository and no compiler checks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::index;

/// The crates from the lowest to the highest; each may use only those before it (ARCHITECTURE.md, "Layers").
const LAYERS: [&str; 32] = [
    "onnx-tensor",
    "onnx-model",
    "onnx-schema",
    "onnx-checker",
    "onnx-generator",
    "onnx-rejections",
    "onnx-randomness",
    "onnx-exact",
    "onnx-operators",
    "onnx-bounds",
    "onnx-interpreter",
    "native-kernels",
    "backend-api",
    "backend-native",
    "backend-reference",
    "backend-ort",
    "backend-rten",
    "backend-tract",
    "reports",
    "harness-console",
    "harness-corpus",
    "harness-worker",
    "harness-compare",
    "harness-conformance",
    "harness-mutate",
    "harness-bench",
    "harness-exhaustive",
    "harness-investigate",
    "harness-cli",
    "onnx-tests",
    "onnx-fuzz",
    "xtask",
];

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
    let mut faults = layers(root)?;
    let operators = root.join("reference/operators/src");
    let drifted =
        index::generate(&operators, true).map_err(|error| format!("{}: {error}", operators.display()))?;
    faults.extend(
        drifted
            .iter()
            .map(|file| format!("{}: run `cargo xtask generate index`", file.display())),
    );
    for file in tracked_files(root)? {
        let Ok(text) = fs::read_to_string(root.join(&file)) else {
            continue;
        };
        faults.extend(text_faults(&file, &text));
    }
    Ok(faults)
}

fn layers(root: &Path) -> Result<Vec<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = run(Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root))?;
    let metadata: Value =
        serde_json::from_str(&output).map_err(|error| format!("cargo metadata: {error}"))?;
    let list = |value: &Value, key: &str| {
        value
            .get(key)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    let text = |value: &Value, key: &str| {
        value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let rank = |name: &str| LAYERS.iter().position(|layer| *layer == name);
    let mut faults = Vec::new();
    for package in list(&metadata, "packages") {
        let name = text(&package, "name");
        let Some(own) = rank(&name) else {
            faults.push(format!(
                "{name}: the crate is missing in the list of layers (xtask/src/repo.rs)"
            ));
            continue;
        };
        for dependency in list(&package, "dependencies") {
            let used = text(&dependency, "name");
            if text(&dependency, "kind") != "dev" && rank(&used).is_some_and(|used| used >= own) {
                faults.push(format!("{name} uses {used}, which is a layer above it"));
            }
        }
    }
    Ok(faults)
}

fn tracked_files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let output = run(Command::new("git").args(["ls-files"]).current_dir(root))?;
    Ok(output.lines().map(PathBuf::from).collect())
}

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
