//! `cargo xtask dist`: builds from a checkout everything that a release publishes.
//!
//! The folder gets a wheel with the program and its workers, a wheel with the library for workers in
//! Python, an archive with the programs, manual pages, completions and licences, and `SHA256SUMS`.

mod archive;
mod glibc;
mod licences;
mod programs;
mod stage;
mod target;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Args;
use harness_console::info;
use harness_corpus::Sha256;

use crate::command::{self, CommandError};
pub use glibc::Glibc;
use stage::{About, Stage};
use target::Target;

/// The list of digests.
const SUMS: &str = "SHA256SUMS";

/// Build what a release publishes: wheels, an archive, digests.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask dist\n  \
    cargo xtask dist --glibc 2.28\n  \
    cargo xtask dist --target x86_64-unknown-linux-musl\n  \
    cargo xtask dist --check-targets\n  \
    cargo xtask dist --profile dev --out target/try\n\n\
    Exit codes: 0 written; 1 a program is missing or failed, or a file cannot be written; 2 usage.")]
pub struct Dist {
    /// Link with this version of glibc, so that older systems can run the programs; needs
    /// `cargo-zigbuild` and `ziglang`. Default: the one of this machine.
    #[arg(long, value_name = "VERSION")]
    glibc: Option<Glibc>,
    /// Build for another Linux, as in aarch64-unknown-linux-gnu; needs `cargo-zigbuild`, `ziglang`, and the
    /// standard library of the target or its sources (component `rust-src`). With musl the programs are
    /// static, and there is no wheel and no worker for ONNX Runtime. The variable
    /// `CARGO_TARGET_<TARGET>_RUNNER` names an emulator, which makes the manual pages.
    #[arg(long, value_name = "TARGET")]
    target: Option<Target>,
    /// Only compile the program and the workers reference and native for Windows and macOS, where nothing
    /// of them is run.
    #[arg(long, conflicts_with_all = ["glibc", "target", "profile", "out"])]
    check_targets: bool,
    /// The profile of cargo. `dev` tries the packaging without another build of everything.
    #[arg(long, default_value = "release")]
    profile: String,
    /// The folder for the artefacts, which is emptied first.
    #[arg(long, value_name = "DIR", default_value = "target/dist")]
    out: PathBuf,
}

/// Why artefacts could not be built.
#[derive(Debug, thiserror::Error)]
pub enum DistError {
    /// A program is missing or failed.
    #[error(transparent)]
    Command(#[from] CommandError),
    /// A file or folder cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The folder has files of somebody else.
    #[error("{} has no {SUMS}, so that an earlier call did not write it: name another folder", .0.display())]
    Foreign(PathBuf),
    /// An answer of cargo, rustc or git lacks something.
    #[error("cargo, rustc or git does not name {0}")]
    Metadata(&'static str),
    /// The programs are linked otherwise than the target says.
    #[error("the programs for {0} name a version of glibc, or none, against what the target says")]
    Linked(String),
    /// There is no standard library for a target.
    #[error(
        "{} has no standard library for {target}, and not its sources either: `rustup target add {target}`, \
         or add the component rust-src", folder.display()
    )]
    NoStd {
        /// The target.
        target: String,
        /// The folder of the compiler.
        folder: PathBuf,
    },
    /// An answer of cargo is not JSON.
    #[error("`cargo metadata`: {0}")]
    Json(#[from] serde_json::Error),
}

impl Dist {
    /// Builds all artefacts of the checkout in `root` and returns their paths.
    ///
    /// # Errors
    /// Cargo, pip or git is missing or fails, or a file cannot be written.
    pub fn execute(&self, root: &Path) -> Result<Vec<PathBuf>, DistError> {
        if self.check_targets {
            return target::check(root);
        }
        let out = root.join(&self.out);
        empty(&out)?;
        let target = match &self.target {
            Some(target) => target.clone(),
            None => Target::host()?,
        };
        let metadata = programs::metadata(root, &target)?;
        let folder = programs::build(root, &metadata, &self.profile, (&target, self.glibc))?;
        let built = programs::paths(&folder, &target);
        let about = About::collect(root, &metadata, target, &built)?;
        let stage = Stage::create(&programs::target_folder(&metadata)?.join("dist-stage"), about)?;
        stage.fill(root, &built, &licences::third_party(&metadata)?)?;
        if stage.about().has_wheel() {
            wheel(stage.folder(), &out, stage.about())?;
        }
        wheel(&stage.sdk(root)?, &out, stage.about())?;
        archive::write(&stage, &out)?;
        sums(&out)?;
        files(&out)
    }
}

/// Builds the wheel of the Python project in `project`.
fn wheel(project: &Path, out: &Path, about: &About) -> Result<(), DistError> {
    info(format_args!("packing {}", project.display()));
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--disable-pip-version-check",
    ])
    .arg("--wheel-dir")
    .arg(out)
    .arg(project)
    .env("SOURCE_DATE_EPOCH", about.time.to_string());
    Ok(command::stream(&mut pip)?)
}

/// Creates the folder, or removes what an earlier call wrote to it.
fn empty(out: &Path) -> Result<(), DistError> {
    fs::create_dir_all(out).map_err(io_at(out))?;
    let old = files(out)?;
    if !old.is_empty() && !out.join(SUMS).is_file() {
        return Err(DistError::Foreign(out.to_owned()));
    }
    old.iter()
        .try_for_each(|file| fs::remove_file(file).map_err(io_at(file)))
}

/// The files of a folder, sorted.
fn files(folder: &Path) -> Result<Vec<PathBuf>, DistError> {
    let entries = fs::read_dir(folder).map_err(io_at(folder))?;
    let paths: Result<Vec<PathBuf>, io::Error> = entries.map(|entry| Ok(entry?.path())).collect();
    let mut paths = paths.map_err(io_at(folder))?;
    paths.sort();
    Ok(paths)
}

/// Writes the digests of all files, in the form of `sha256sum`.
fn sums(out: &Path) -> Result<(), DistError> {
    let mut lines = String::new();
    for file in files(out)? {
        let bytes = fs::read(&file).map_err(io_at(&file))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        lines.push_str(&format!("{}  {name}\n", Sha256::of(&bytes)));
    }
    let path = out.join(SUMS);
    fs::write(&path, lines).map_err(io_at(&path))
}

/// An error at a path.
fn io_at(path: &Path) -> impl FnOnce(io::Error) -> DistError + use<'_> {
    move |source| DistError::Io {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_of_artefacts_is_emptied() {
        let folder = tempfile::tempdir().unwrap();
        empty(folder.path()).unwrap();
        fs::write(folder.path().join("thesis.txt"), "").unwrap();
        let refused = empty(folder.path()).unwrap_err();
        assert!(matches!(refused, DistError::Foreign(_)), "{refused}");
        sums(folder.path()).unwrap();
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        let listed = fs::read_to_string(folder.path().join(SUMS)).unwrap();
        assert_eq!(listed, format!("{digest}  thesis.txt\n"));
        empty(folder.path()).unwrap();
        assert_eq!(files(folder.path()).unwrap(), Vec::<PathBuf>::new());
    }
}
