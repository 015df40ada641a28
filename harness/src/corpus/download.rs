//! Downloading a pinned file from the Python package index, with whichever of the usual tools is there.

use std::io;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::lockfile::{Artifact, ArtifactKind};

/// Brings files into a folder. It need not check them: whoever calls it does.
pub trait Downloader: Send + Sync {
    /// Downloads `artifact` into the existing folder `into`, under the artifact's own file name.
    ///
    /// # Errors
    /// What kept it from doing so.
    fn download(&self, artifact: &Artifact, into: &Path) -> Result<(), DownloadError>;
}

/// Why a download did not happen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DownloadError {
    /// None of the tools is installed.
    #[error("neither `python3 -m pip` nor `uv` is installed")]
    NoTool,
    /// The tool was found but could not be run.
    #[error("`{tool}` does not start: {source}")]
    Start {
        /// The command.
        tool: String,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The tool ran and gave up.
    #[error("`{tool}` failed ({status}): {message}")]
    Failed {
        /// The command.
        tool: String,
        /// How it ended.
        status: String,
        /// The end of what it wrote to stderr.
        message: String,
    },
}

/// Downloads with pip, be it Python's own or the one that uv runs. pip's usual settings (mirror, proxy) apply.
#[derive(Clone, Copy, Debug, Default)]
pub struct PipDownloader;

struct Tool {
    /// The command that acts as `pip`.
    pip: &'static [&'static str],
    /// A command that succeeds, without the network, where the tool is installed.
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

impl Downloader for PipDownloader {
    fn download(&self, artifact: &Artifact, into: &Path) -> Result<(), DownloadError> {
        let tool = TOOLS
            .iter()
            .find(|tool| tool.is_installed())
            .ok_or(DownloadError::NoTool)?;
        let mut command = tool.pip_command();
        command.args(pip_arguments(artifact)).arg("--dest").arg(into);
        let name = tool.pip.join(" ");
        match command.output() {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => Err(DownloadError::Failed {
                tool: name,
                status: output.status.to_string(),
                message: last_words(&output),
            }),
            Err(source) => Err(DownloadError::Start { tool: name, source }),
        }
    }
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
        // The download goes to a folder of ours and installs nothing, so a rule against installing outside a virtual
        // environment does not apply.
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

/// The arguments by which pip brings this very file, whatever machine and Python it runs on.
fn pip_arguments(artifact: &Artifact) -> Vec<String> {
    let mut arguments: Vec<String> = [
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-input",
        "--no-deps",
    ]
    .map(String::from)
    .into();
    match artifact.kind {
        ArtifactKind::Wheel => {
            arguments.extend(["--only-binary=:all:", "--implementation=cp"].map(String::from));
            arguments.push(format!("--python-version={}", artifact.python));
            arguments.extend(
                artifact
                    .platforms
                    .iter()
                    .map(|platform| format!("--platform={platform}")),
            );
        }
    }
    arguments.push(format!("{}=={}", artifact.distribution, artifact.version));
    arguments
}

/// The last lines of stderr: the reason stands at the end, after the retries.
fn last_words(output: &Output) -> String {
    const LINES: usize = 8;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<_> = stderr
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines
        .iter()
        .skip(lines.len().saturating_sub(LINES))
        .copied()
        .collect::<Vec<_>>()
        .join(" | ")
}

#[cfg(test)]
mod tests {
    use super::super::Lockfile;
    use super::*;

    #[test]
    fn pip_is_asked_for_the_pinned_platform() {
        let lock = Lockfile::embedded().unwrap();
        let arguments = pip_arguments(&lock.corpus("onnx-1.22.0").unwrap().artifact).join(" ");
        let wanted = "--no-deps --only-binary=:all: --implementation=cp --python-version=311 \
                      --platform=manylinux_2_27_x86_64 --platform=manylinux_2_28_x86_64 onnx==1.22.0";
        assert!(arguments.ends_with(wanted), "{arguments}");
    }
}
