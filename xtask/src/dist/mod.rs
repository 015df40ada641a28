//! `cargo xtask dist`: builds from a checkout everything that a release publishes.
//!
//! The folder gets a wheel with the program and its workers, a wheel with the library for workers in
//! Python, an archive with the programs, manual pages, completions and licences, and `SHA256SUMS`.

mod archive;
mod glibc;
mod licences;
mod programs;
mod stage;

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

/// The list of digests.
const SUMS: &str = "SHA256SUMS";

/// Build what a release publishes: wheels, an archive, digests.
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  \
    cargo xtask dist\n  \
    cargo xtask dist --glibc 2.28\n  \
    cargo xtask dist --profile dev --out target/try\n\n\
    Exit codes: 0 written; 1 a program is missing or failed, or a file cannot be written; 2 usage.")]
pub struct Dist {
    /// Link with this version of glibc, so that older systems can run the programs; needs
    /// `cargo-zigbuild` and `ziglang`. Default: the one of this machine.
    #[arg(long, value_name = "VERSION")]
    glibc: Option<Glibc>,
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
    /// The programs are not those of Linux with glibc.
    #[error("no program names a version of glibc: only programs for Linux with glibc are packed")]
    NoGlibc,
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
        let out = root.join(&self.out);
        empty(&out)?;
        let metadata = programs::metadata(root)?;
        let folder = programs::build(root, &metadata, &self.profile, self.glibc)?;
        let about = About::collect(root, &metadata, &programs::paths(&folder))?;
        let stage = Stage::create(&programs::target_folder(&metadata)?.join("dist-stage"), about)?;
        stage.fill(
            root,
            &programs::paths(&folder),
            &licences::third_party(&metadata)?,
        )?;
        wheel(stage.folder(), &out, stage.about())?;
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
