//! Checks that `cargo xtask` is built with the same features as the workspace. Cargo selects features
//! for the packages of one build: with others, every crate that depends on a difference is built twice
//! on a new machine.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::run;

/// One line for each dependency of `xtask` whose features differ from those in the workspace.
pub fn faults(root: &Path) -> Result<Vec<String>, String> {
    let workspace = tree(root, &["--workspace"])?;
    let xtask = tree(root, &["--package", "xtask"])?;
    Ok(xtask
        .difference(&workspace)
        .map(|line| {
            format!(
                "xtask/Cargo.toml: {line}: the workspace has this crate with other features; name them here"
            )
        })
        .collect())
}

/// Every dependency that is compiled, as `NAME VERSION|FEATURE,FEATURE`.
fn tree(root: &Path, packages: &[&str]) -> Result<BTreeSet<String>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = run(Command::new(cargo)
        // With this setting every command uses the features of the workspace, which would hide
        // differences.
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .args(["tree", "--locked", "--no-dedupe", "--edges", "normal,build"])
        .args(["--prefix", "none", "--format", "{p}|{f}"])
        .args(packages)
        .current_dir(root))?;
    // Some lines have a path or ` (proc-macro)` after the version.
    let plain = |line: &str| {
        let (package, features) = line.split_once('|')?;
        let package = package.split(" (").next()?;
        Some(format!("{package}|{features}"))
    };
    Ok(output.lines().filter_map(plain).collect())
}
