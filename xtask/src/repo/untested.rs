//! Checks that a target with `test = false` has no test: cargo would never run it.
//!
//! A library or program without tests of its own says so, because cargo would link a program of no tests.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

#[derive(Deserialize)]
struct Manifest {
    lib: Option<Target>,
    #[serde(default)]
    bin: Vec<Target>,
}

#[derive(Deserialize)]
struct Target {
    path: Option<PathBuf>,
    #[serde(default = "tested")]
    test: bool,
}

const fn tested() -> bool {
    true
}

/// One line for each test that is never run.
pub fn faults(root: &Path, files: &[PathBuf]) -> Result<Vec<String>, String> {
    let mut faults = Vec::new();
    for file in files.iter().filter(|file| file.ends_with("Cargo.toml")) {
        let text =
            fs::read_to_string(root.join(file)).map_err(|error| format!("{}: {error}", file.display()))?;
        let untested = untested(&text).map_err(|error| format!("{}: {error}", file.display()))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        for source in untested.iter().map(|source| folder.join(source)) {
            let inside = files.iter().filter(|file| file.starts_with(&source));
            for file in inside.filter(|file| has_test(&root.join(file))) {
                faults.push(format!(
                    "{}: a test, but its target has `test = false` (Cargo.toml)",
                    file.display()
                ));
            }
        }
    }
    Ok(faults)
}

/// The folders and files of the targets of a package that have no tests.
fn untested(manifest: &str) -> Result<Vec<PathBuf>, toml::de::Error> {
    let Manifest { lib, bin } = toml::from_str(manifest)?;
    let source = |target: Target, otherwise: &str| {
        let path = target.path.unwrap_or_else(|| otherwise.into());
        (!target.test).then_some(path)
    };
    let library = lib.and_then(|lib| source(lib, "src"));
    let programs = bin.into_iter().filter_map(|bin| source(bin, "src/main.rs"));
    Ok(library.into_iter().chain(programs).collect())
}

fn has_test(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| text.lines().any(|line| line.trim() == "#[test]"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(manifest: &str, expected: &[&str]) {
        let found = untested(manifest).expect("a manifest");
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
    }

    #[test]
    fn only_targets_without_tests_are_searched() {
        check("[package]", &[]);
        check("[lib]\ntest = true", &[]);
        check("[lib]\ntest = false", &["src"]);
        check(
            "[lib]\ntest = false\n[[bin]]\nname = \"a\"\npath = \"a.rs\"",
            &["src"],
        );
        check(
            "[[bin]]\ntest = false\n[[bin]]\npath = \"b.rs\"\ntest = false",
            &["src/main.rs", "b.rs"],
        );
    }
}
