//! The executables of a release, built by cargo.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::target::{Target, cross};
use super::{DistError, Glibc};
use crate::command;

/// The program and its workers.
const PROGRAMS: [&str; 6] = [
    "onnx-conformance",
    "onnx-worker-native",
    "onnx-worker-ort",
    "onnx-worker-reference",
    "onnx-worker-rten",
    "onnx-worker-tract",
];

/// The packages with these programs.
pub const PACKAGES: [&str; 6] = [
    "harness-cli",
    "backend-native",
    "backend-ort",
    "backend-reference",
    "backend-rten",
    "backend-tract",
];

/// The answer of `cargo metadata` for a target.
pub fn metadata(root: &Path, target: &Target) -> Result<Value, DistError> {
    let mut cargo = cargo();
    cargo
        .args([
            "metadata",
            "--format-version",
            "1",
            "--locked",
            "--filter-platform",
        ])
        .arg(target.to_string())
        .current_dir(root);
    Ok(serde_json::from_str(&command::output(&mut cargo)?)?)
}

/// The target of this machine, `x86_64-unknown-linux-gnu`.
pub fn triple() -> Result<String, DistError> {
    of_rustc("host: ")
}

/// The folder of the compiler.
pub fn sysroot() -> Result<PathBuf, DistError> {
    let folder = command::output(Command::new("rustc").args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(folder.trim()))
}

/// What `rustc --version --verbose` says on the line that begins with `key`.
pub fn of_rustc(key: &str) -> Result<String, DistError> {
    let about = command::output(Command::new("rustc").arg("-vV"))?;
    let found = about.lines().find_map(|line| line.strip_prefix(key));
    found
        .map(str::to_owned)
        .ok_or(DistError::Metadata("the target of rustc"))
}

/// Cargo's target folder.
pub fn target_folder(metadata: &Value) -> Result<PathBuf, DistError> {
    let folder = metadata.get("target_directory").and_then(Value::as_str);
    folder
        .map(PathBuf::from)
        .ok_or(DistError::Metadata("a target folder"))
}

/// Builds the programs and returns their folder.
///
/// Features of dependencies are selected as in `cargo build --workspace`, as for all other builds.
pub fn build(
    root: &Path,
    metadata: &Value,
    profile: &str,
    (target, glibc): (&Target, Option<Glibc>),
) -> Result<PathBuf, DistError> {
    let mut folder = target_folder(metadata)?;
    let mut build = if glibc.is_none() && *target == Target::host()? {
        let mut build = cargo();
        build.arg("build");
        build
    } else {
        let (build, built) = cross("zigbuild", &target.to_string(), glibc, &folder)?;
        folder = built;
        build
    };
    build.args(["--workspace", "--locked", "--profile", profile]);
    programs(target).for_each(|program| {
        build.args(["--bin", program]);
    });
    command::stream(build.current_dir(root))?;
    // Cargo calls the folder of `dev` otherwise.
    folder.push(if profile == "dev" { "debug" } else { profile });
    Ok(folder)
}

/// The programs that work on a target.
fn programs(target: &Target) -> impl Iterator<Item = &'static str> {
    PROGRAMS.into_iter().filter(|program| target.has(program))
}

/// The paths of the programs in their folder.
pub fn paths(folder: &Path, target: &Target) -> Vec<PathBuf> {
    programs(target).map(|program| folder.join(program)).collect()
}

fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}
