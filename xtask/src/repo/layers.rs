//! Checks that no crate depends on a layer above its own, and that ARCHITECTURE.md lists the layers.
//!
//! The layers exist once: the members of the workspace in Cargo.toml, from the lowest to the highest.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;

use super::run;

#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
struct Workspace {
    members: Vec<String>,
}

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: String,
    dependencies: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
    kind: Option<String>,
}

/// One line for each dependency on a layer above, and one if the table of ARCHITECTURE.md differs.
pub fn faults(root: &Path) -> Result<Vec<String>, String> {
    let text =
        |file: &str| std::fs::read_to_string(root.join(file)).map_err(|error| format!("{file}: {error}"));
    let manifest: Manifest =
        toml::from_str(&text("Cargo.toml")?).map_err(|error| format!("Cargo.toml: {error}"))?;
    let members = manifest.workspace.members;
    let mut faults = upward(&packages(root)?, &members, root);
    let listed = listed(&text("ARCHITECTURE.md")?);
    if listed != members {
        faults.push(format!(
            "ARCHITECTURE.md: the folders of the table of layers are not the members of Cargo.toml in their \
             order: {}",
            members.join(", ")
        ));
    }
    Ok(faults)
}

fn packages(root: &Path) -> Result<Vec<Package>, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = run(Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(root))?;
    let metadata: Metadata =
        serde_json::from_str(&output).map_err(|error| format!("cargo metadata: {error}"))?;
    Ok(metadata.packages)
}

/// The dependencies on a layer above that of the crate; those of tests are free.
fn upward(packages: &[Package], members: &[String], root: &Path) -> Vec<String> {
    let rank = |package: &Package| {
        let folder = Path::new(&package.manifest_path).parent()?;
        let folder = folder.strip_prefix(root).unwrap_or(folder);
        members.iter().position(|member| Path::new(member) == folder)
    };
    let rank_of = |name: &str| rank(packages.iter().find(|package| package.name == name)?);
    let mut faults = Vec::new();
    for package in packages {
        let own = rank(package);
        for dependency in package
            .dependencies
            .iter()
            .filter(|it| it.kind.as_deref() != Some("dev"))
        {
            let used = rank_of(&dependency.name);
            if used.is_some() && used >= own {
                let (name, used) = (&package.name, &dependency.name);
                faults.push(format!(
                    "{name} depends on {used}, which is a layer above it (Cargo.toml)"
                ));
            }
        }
    }
    faults
}

/// The folders of the table of layers; `backends/{ort,tract}` are two.
fn listed(architecture: &str) -> Vec<String> {
    let table = architecture
        .lines()
        .skip_while(|line| !line.starts_with("| folder | crate |"))
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    table
        .filter_map(|row| row.split('`').nth(1))
        .flat_map(|folder| match folder.split_once('{') {
            Some((before, names)) => names
                .trim_end_matches('}')
                .split(',')
                .map(|name| format!("{before}{name}"))
                .collect(),
            None => vec![folder.to_owned()],
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dependency_on_a_layer_above_is_a_fault() {
        let package = |name: &str, uses: &str, kind: Option<&str>| Package {
            name: name.to_owned(),
            manifest_path: format!("/w/{name}/Cargo.toml"),
            dependencies: vec![Dependency {
                name: uses.to_owned(),
                kind: kind.map(str::to_owned),
            }],
        };
        let members = ["low".to_owned(), "high".to_owned()];
        let check = |packages: &[Package], faults: usize| {
            assert_eq!(upward(packages, &members, Path::new("/w")).len(), faults);
        };
        check(&[package("low", "serde", None), package("high", "low", None)], 0);
        check(&[package("low", "high", None), package("high", "serde", None)], 1);
        check(
            &[
                package("low", "high", Some("dev")),
                package("high", "serde", None),
            ],
            0,
        );
    }

    #[test]
    fn braces_are_several_folders() {
        let table = "| folder | crate |\n| --- | --- |\n| `a` | x |\n| `b/{c,d}` | y |\n\ntext";
        assert_eq!(listed(table), ["a", "b/c", "b/d"]);
    }
}
