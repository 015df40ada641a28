//! The licences of the crates that the programs contain.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::programs::PACKAGES;
use super::{DistError, io_at};

/// How the names of files with licences and notices begin.
const NAMES: [&str; 6] = ["licen", "copying", "copyright", "notice", "unlicense", "authors"];

/// The licences of all crates from a registry that the programs link: each text once, below the names
/// of its crates.
pub fn third_party(metadata: &Value) -> Result<String, DistError> {
    let mut crates = Vec::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in linked(metadata)? {
        let text = |key: &str| package.get(key).and_then(Value::as_str).unwrap_or_default();
        let name = format!("{} {}", text("name"), text("version"));
        crates.push(format!("{name}: {}", text("license")));
        let folder = Path::new(text("manifest_path")).parent().unwrap_or(Path::new(""));
        for file in licence_files(folder)? {
            let bytes = fs::read(&file).map_err(io_at(&file))?;
            let licence = String::from_utf8_lossy(&bytes).trim().to_owned();
            texts.entry(licence).or_default().insert(name.clone());
        }
    }
    crates.sort();
    let mut document = String::from(
        "The programs contain these crates. A crate without a text below is used under the text of its licence\n\
         in this folder.\n\n",
    );
    document.push_str(&crates.join("\n"));
    document.push('\n');
    for (licence, names) in texts {
        let names: Vec<String> = names.into_iter().collect();
        document.push_str(&format!(
            "\n{}\n{}\n\n{licence}\n",
            "=".repeat(80),
            names.join(", ")
        ));
    }
    Ok(document)
}

/// The packages from a registry that the programs reach by dependencies that are linked or run while
/// they are built, in the resolved graph.
fn linked(metadata: &Value) -> Result<Vec<&Value>, DistError> {
    let list = |path: &str, what| {
        let found = metadata.pointer(path).and_then(Value::as_array);
        found.ok_or(DistError::Metadata(what))
    };
    let packages = list("/packages", "packages")?;
    let nodes = list("/resolve/nodes", "the resolved graph")?;
    let id = |value: &Value, key: &str| {
        value
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    let graph: BTreeMap<String, Vec<String>> = nodes
        .iter()
        .map(|node| (id(node, "id"), dependencies(node)))
        .collect();
    let is_root = |package: &&Value| {
        let name = package.get("name").and_then(Value::as_str).unwrap_or_default();
        package.get("source").is_none_or(Value::is_null) && PACKAGES.contains(&name)
    };
    let mut open: Vec<String> = packages
        .iter()
        .filter(is_root)
        .map(|package| id(package, "id"))
        .collect();
    let mut reached = BTreeSet::new();
    while let Some(next) = open.pop() {
        if reached.insert(next.clone()) {
            open.extend(graph.get(&next).into_iter().flatten().cloned());
        }
    }
    let is_foreign = |package: &&Value| package.get("source").is_some_and(Value::is_string);
    let is_reached = |package: &&Value| reached.contains(&id(package, "id"));
    Ok(packages.iter().filter(is_foreign).filter(is_reached).collect())
}

/// The packages that a node of the resolved graph depends on other than for its tests.
fn dependencies(node: &Value) -> Vec<String> {
    let is_used = |dependency: &&Value| {
        let kinds = dependency.get("dep_kinds").and_then(Value::as_array);
        kinds.is_some_and(|kinds| {
            kinds
                .iter()
                .any(|kind| kind.get("kind").and_then(Value::as_str) != Some("dev"))
        })
    };
    let all = node.get("deps").and_then(Value::as_array).into_iter().flatten();
    all.filter(is_used)
        .filter_map(|dependency| Some(dependency.get("pkg")?.as_str()?.to_owned()))
        .collect()
}

/// The files with licences in the folder of a crate.
fn licence_files(folder: &Path) -> Result<Vec<PathBuf>, DistError> {
    let is_licence = |path: &PathBuf| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        path.is_file() && !name.ends_with(".rs") && NAMES.iter().any(|start| name.starts_with(start))
    };
    Ok(super::files(folder)?.into_iter().filter(is_licence).collect())
}

#[cfg(test)]
mod tests {
    use super::super::target::Target;
    use super::*;

    #[test]
    fn each_text_stands_once_below_its_crates() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let metadata = super::super::programs::metadata(&root, &Target::host().unwrap()).unwrap();
        let document = third_party(&metadata).unwrap();
        let lines: BTreeSet<&str> = document.lines().collect();
        let starts = |name: &str| lines.iter().any(|line| line.starts_with(name));
        // Linked by the program, by a worker; used by tests alone; our own.
        assert!(starts("clap 4.") && starts("tract-onnx 0.") && starts("rten 0."));
        assert!(!starts("libtest-mimic ") && !starts("harness-cli "));
        let parts: Vec<&str> = document.split(&"=".repeat(80)).collect();
        let distinct: BTreeSet<&str> = parts
            .iter()
            .map(|part| part.split_once("\n\n").unwrap_or_default().1)
            .collect();
        assert_eq!(parts.len(), distinct.len());
    }
}
