//! What programs are built for, and how: this machine, an older glibc, or another system.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use harness_console::info;

use super::programs::{metadata, sysroot, target_folder, triple};
use super::{DistError, Glibc};
use crate::command;

/// The targets that are compiled by `--check-targets`, and run by nobody here.
const CHECKED: [&str; 2] = ["x86_64-pc-windows-gnu", "aarch64-apple-darwin"];

/// The programs of [`CHECKED`]: those without a library of C++ or of another system.
const CHECKED_PROGRAMS: [&str; 3] = ["onnx-conformance", "onnx-worker-native", "onnx-worker-reference"];

/// The worker that loads a shared library, which a static program cannot.
const LOADS_A_LIBRARY: &str = "onnx-worker-ort";

/// The sources of the standard library below the folder of the compiler, as the component `rust-src` has
/// them.
const SOURCES: &str = "lib/rustlib/src/rust/library/std";

/// The folder for builds with the standard library, below cargo's target folder.
const WITH_STD: &str = "build-std";

/// A target of rustc, `aarch64-unknown-linux-gnu`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Target(String);

/// A text is no target.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is no target of rustc for Linux, as in aarch64-unknown-linux-gnu or x86_64-unknown-linux-musl"
)]
pub struct NoTarget(String);

impl FromStr for Target {
    type Err = NoTarget;

    fn from_str(text: &str) -> Result<Target, NoTarget> {
        let parts: Vec<&str> = text.split('-').collect();
        match parts.as_slice() {
            [_, _, "linux", "gnu" | "musl"] => Ok(Target(text.to_owned())),
            _ => Err(NoTarget(text.to_owned())),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Target {
    /// The target of this machine.
    ///
    /// # Errors
    /// rustc is missing or does not say.
    pub fn host() -> Result<Target, DistError> {
        Ok(Target(triple()?))
    }

    /// The processor, `x86_64`.
    pub fn architecture(&self) -> &str {
        self.0.split('-').next().unwrap_or_default()
    }

    /// Whether programs are linked with musl, and are static.
    pub fn is_static(&self) -> bool {
        self.0.ends_with("-musl")
    }

    /// Whether this program can be built for the target and works there.
    pub fn has(&self, program: &str) -> bool {
        !self.is_static() || program != LOADS_A_LIBRARY
    }

    /// Runs a program of the target: by the variable `CARGO_TARGET_<TARGET>_RUNNER` of cargo, or directly.
    pub fn command(&self, program: &Path) -> Command {
        let name = self.0.to_uppercase().replace('-', "_");
        let runner = std::env::var(format!("CARGO_TARGET_{name}_RUNNER")).unwrap_or_default();
        let mut words = runner.split_whitespace();
        match words.next() {
            Some(first) => {
                let mut command = Command::new(first);
                command.args(words).arg(program);
                command
            }
            None => Command::new(program),
        }
    }
}

/// The command of cargo that links for another machine or glibc; `which` is `zigbuild` or `check`. Without a
/// built standard library of the target it builds that one too. The folder is cargo's target folder, below
/// which the command builds into the returned one.
///
/// # Errors
/// There is neither a standard library nor its sources, or rustc is missing.
pub fn cross(
    which: &str,
    target: &str,
    glibc: Option<Glibc>,
    folder: &Path,
) -> Result<(Command, PathBuf), DistError> {
    let sysroot = sysroot()?;
    let mut folder = folder.to_owned();
    let name = glibc.map_or_else(|| target.to_owned(), |version| format!("{target}.{version}"));
    // Cargo has its own `check`.
    let mut command = Command::new("cargo-zigbuild");
    command.arg(which);
    command.args(["--target", &name]);
    if !has_std(&sysroot.join("lib/rustlib").join(target).join("lib"))? {
        if !sysroot.join(SOURCES).is_dir() {
            return Err(DistError::NoStd {
                target: target.to_owned(),
                folder: sysroot,
            });
        }
        // The option of the stable compiler that a distribution's own builds use.
        command.arg("-Zbuild-std").env("RUSTC_BOOTSTRAP", "1");
        // The variable changes what build scripts find. In one folder, each of two builds in turn would
        // compile nearly everything again.
        folder.push(WITH_STD);
        command.env("CARGO_TARGET_DIR", &folder);
    }
    folder.push(target);
    Ok((command, folder))
}

/// Whether a folder has a built standard library. The folder may have other files of the target.
fn has_std(folder: &Path) -> Result<bool, DistError> {
    if !folder.is_dir() {
        return Ok(false);
    }
    let is_std = |file: &PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("libstd-") && name.ends_with(".rlib")
    };
    Ok(super::files(folder)?.iter().any(is_std))
}

/// Compiles the programs for the systems on which nothing is run.
///
/// # Errors
/// A program does not compile, or a tool is missing.
pub fn check(root: &Path) -> Result<Vec<PathBuf>, DistError> {
    for target in CHECKED {
        info(format_args!("compiling for {target}"));
        let folder = target_folder(&metadata(root, &Target(target.to_owned()))?)?;
        let (mut check, _) = cross("check", target, None, &folder)?;
        check.args(["--workspace", "--locked"]);
        CHECKED_PROGRAMS.iter().for_each(|program| {
            check.args(["--bin", program]);
        });
        command::stream(check.current_dir(root))?;
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_files_alone_are_no_standard_library() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("lib");
        assert!(!has_std(&library).unwrap());
        std::fs::create_dir_all(library.join("self-contained")).unwrap();
        assert!(!has_std(&library).unwrap());
        std::fs::write(library.join("libstd-0123456789abcdef.rlib"), "").unwrap();
        assert!(has_std(&library).unwrap());
    }

    #[test]
    fn a_target_of_linux_says_what_it_has() {
        for (text, expected) in [
            ("aarch64-unknown-linux-gnu", Some(("aarch64", false, true))),
            ("x86_64-unknown-linux-musl", Some(("x86_64", true, false))),
            ("x86_64-pc-windows-gnu", None),
            ("linux", None),
            ("", None),
        ] {
            let target = text.parse::<Target>().ok();
            let found = target.as_ref().map(|target| {
                (
                    target.architecture(),
                    target.is_static(),
                    target.has(LOADS_A_LIBRARY),
                )
            });
            assert_eq!(found, expected, "{text}");
        }
    }
}
