//! Obtains a pinned file: downloads it from the Python package index or the npm registry with an installed
//! tool, or computes it with a script if the index has only the code that computes it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, io};

use super::artifact::{Artifact, Origin, WheelTags};
use crate::npm::{self, NpmError};
use crate::python::{self, PythonError};

/// Writes the test data of a release whose wheel only has the code that computes it.
const MATERIALISE: &str = include_str!("../../../onnx-tests/scripts/materialise.py");

/// Downloads files into a folder. The caller checks the files.
pub trait Downloader: Send + Sync {
    /// Downloads `artifact` into the existing folder `into`, under the artifact's own file name.
    ///
    /// # Errors
    /// The reason of the failure.
    fn download(&self, artifact: &Artifact, into: &Path) -> Result<(), DownloadError>;
}

/// Why a download failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DownloadError {
    /// None of the tools is installed.
    #[error("neither `python3 -m pip` nor `uv` is installed")]
    NoTool,
    /// A tool did not start or failed.
    #[error(transparent)]
    Python(#[from] PythonError),
    /// npm delivered no package.
    #[error(transparent)]
    Npm(#[from] NpmError),
    /// The script cannot be written.
    #[error("cannot write the script that makes the file: {0}")]
    Script(#[from] io::Error),
}

/// Downloads with pip, either Python's own or that of uv, or with npm. Their usual settings (mirror, proxy)
/// apply.
#[derive(Clone, Copy, Debug, Default)]
pub struct PackageDownloader;

struct Tool {
    /// The command that acts as `pip`.
    pip: &'static [&'static str],
    /// A command that succeeds, without the network, if the tool is installed.
    probe: &'static [&'static str],
}

const TOOLS: [Tool; 3] = [
    Tool {
        pip: &["python3", "-m", "pip"],
        probe: &["python3", "-m", "pip", "--version"],
    },
    Tool {
        pip: &["python", "-m", "pip"],
        probe: &["python", "-m", "pip", "--version"],
    },
    Tool {
        pip: &["uv", "tool", "run", "pip"],
        probe: &["uv", "--version"],
    },
];

impl Downloader for PackageDownloader {
    fn download(&self, artifact: &Artifact, into: &Path) -> Result<(), DownloadError> {
        match &artifact.origin {
            Origin::Wheel(tags) => download_wheel(tags, into),
            Origin::Npm { package, version } => Ok(npm::download(package, version, into).map(drop)?),
            Origin::Materialised { packages } => materialise(packages, &into.join(&artifact.file)),
        }
    }
}

fn download_wheel(tags: &WheelTags, into: &Path) -> Result<(), DownloadError> {
    pip(pip_arguments(tags), into)
}

/// Downloads a wheel of this version for the newest CPython that has one for common Linux machines. Its
/// data equals that of all other wheels. Returns its path below `into`.
pub(super) fn find_wheel(distribution: &str, version: &str, into: &Path) -> Result<PathBuf, DownloadError> {
    const PYTHONS: [&str; 9] = [NEWEST_PYTHON, "313", "312", "311", "310", "39", "38", "37", "36"];
    const PLATFORMS: [&str; 9] = [
        "_2_35", "_2_34", "_2_28", "_2_27", "_2_17", "2014", "_2_12", "2010", "1",
    ];
    let mut outcome = Err(DownloadError::NoTool);
    for python in PYTHONS {
        let mut arguments = PIP.map(String::from).to_vec();
        arguments.push(format!("--python-version={python}"));
        arguments.extend(PLATFORMS.map(|platform| format!("--platform=manylinux{platform}_x86_64")));
        arguments.push(format!("{distribution}=={version}"));
        outcome = pip(arguments, into);
        if !matches!(outcome, Err(DownloadError::Python(PythonError::Failed { .. }))) {
            break;
        }
    }
    outcome?;
    let mut files = fs::read_dir(into)?;
    let first = files
        .next()
        .ok_or_else(|| io::Error::other("pip delivered no file"))?;
    Ok(first?.path())
}

fn pip(arguments: Vec<String>, into: &Path) -> Result<(), DownloadError> {
    let tool = TOOLS
        .iter()
        .find(|tool| tool.is_installed())
        .ok_or(DownloadError::NoTool)?;
    let mut command = tool.pip_command();
    command.args(arguments).arg("--dest").arg(into);
    Ok(python::run(&tool.pip.join(" "), &mut command)?)
}

/// Computes `target` in a temporary environment.
pub(super) fn materialise(packages: &[String], target: &Path) -> Result<(), DownloadError> {
    let scratch = tempfile::tempdir()?;
    let requirements = python::pinned(packages, python::ONNX)?;
    let interpreter = python::environment(&scratch.path().join("venv"), &requirements)?;
    let script = scratch.path().join("materialise.py");
    fs::write(&script, MATERIALISE)?;
    let mut command = Command::new(interpreter);
    command.arg("-W").arg("ignore").arg(script).arg(target);
    Ok(python::run("computing the test data", &mut command)?)
}

impl Tool {
    fn is_installed(&self) -> bool {
        let mut probe = command(self.probe);
        probe
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    fn pip_command(&self) -> Command {
        let mut command = command(self.pip);
        // The download goes to a separate folder and installs nothing, so a rule against installing outside
        // a virtual environment does not apply.
        command.env("PIP_REQUIRE_VIRTUALENV", "0");
        command
    }
}

fn command(words: &[&str]) -> Command {
    let (program, arguments) = words.split_first().unwrap_or((&"", &[]));
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command
}

/// The newest CPython that pip is asked for.
const NEWEST_PYTHON: &str = "314";

/// Only this wheel, and no execution of its code.
const PIP: [&str; 7] = [
    "download",
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--no-deps",
    "--only-binary=:all:",
    "--implementation=cp",
];

/// The arguments for pip to download exactly this wheel, on any machine and with any Python.
fn pip_arguments(tags: &WheelTags) -> Vec<String> {
    let mut arguments = PIP.map(String::from).to_vec();
    let python = match tags.python.as_str() {
        "3" => NEWEST_PYTHON,
        version => version,
    };
    arguments.push(format!("--python-version={python}"));
    arguments.push(format!("--abi={}", tags.abi));
    let platforms = tags.platforms.iter();
    arguments.extend(platforms.map(|platform| format!("--platform={platform}")));
    arguments.push(format!("{}=={}", tags.distribution, tags.version));
    arguments
}

#[cfg(test)]
mod tests {
    use super::super::Lockfile;
    use super::*;

    #[test]
    fn pip_gets_the_pinned_platform() {
        let lock = Lockfile::embedded().unwrap();
        let Origin::Wheel(tags) = &lock.corpus("onnx-1.22.0").unwrap().artifact.origin else {
            panic!("1.22.0 is a wheel");
        };
        let arguments = pip_arguments(tags).join(" ");
        let wanted = "--no-deps --only-binary=:all: --implementation=cp --python-version=311 --abi=cp311 \
                      --platform=manylinux_2_27_x86_64 --platform=manylinux_2_28_x86_64 onnx==1.22.0";
        assert!(arguments.ends_with(wanted), "{arguments}");
    }

    #[test]
    fn a_wheel_for_any_python_3_is_asked_for_a_new_one() {
        let file = "p_q-0.4.0-py3-none-manylinux_2_28_x86_64.whl";
        let artifact = Artifact::new(file, harness_corpus::Sha256::of(b""), &[]).unwrap();
        let Origin::Wheel(tags) = artifact.origin else {
            panic!("it is a wheel");
        };
        let arguments = pip_arguments(&tags).join(" ");
        let wanted = "--python-version=314 --abi=none --platform=manylinux_2_28_x86_64 p_q==0.4.0";
        assert!(arguments.ends_with(wanted), "{arguments}");
    }
}
