//! The folder that the archive contains, and from which the wheel of the program is built.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::programs::{PACKAGES, of_rustc};
use super::target::Target;
use super::{DistError, Glibc, io_at};
use crate::command;

/// Where the programs of a release come from, and what they need: the file `VERSION`.
#[derive(Debug)]
pub struct About {
    /// The version of the workspace.
    pub version: String,
    /// The commit, with `-dirty` if files differ from it.
    commit: String,
    /// The time of the commit in seconds since 1970, which all artefacts carry.
    pub time: u64,
    /// The target, `x86_64-unknown-linux-gnu`.
    pub target: Target,
    rustc: String,
    /// The version that the programs need; `None` if they are static.
    glibc: Option<Glibc>,
}

impl About {
    /// Asks git, rustc, cargo and the programs.
    pub fn collect(
        root: &Path,
        metadata: &Value,
        target: Target,
        programs: &[PathBuf],
    ) -> Result<About, DistError> {
        let mut glibc = None;
        for program in programs {
            let bytes = fs::read(program).map_err(io_at(program))?;
            glibc = glibc.max(Glibc::needed(&bytes));
        }
        if glibc.is_none() != target.is_static() {
            return Err(DistError::Linked(target.to_string()));
        }
        let git = |arguments: &[&str]| -> Result<String, DistError> {
            let said = command::output(Command::new("git").args(arguments).current_dir(root))?;
            Ok(said.trim().to_owned())
        };
        let time = git(&["log", "-1", "--format=%ct"])?;
        Ok(About {
            version: version(metadata)?,
            commit: git(&["describe", "--always", "--dirty", "--abbrev=40", "--match="])?,
            time: time
                .parse()
                .map_err(|_| DistError::Metadata("the time of a commit"))?,
            target,
            rustc: of_rustc("release: ")?,
            glibc,
        })
    }

    /// Whether there is a wheel: its platform is a version of glibc.
    pub fn has_wheel(&self) -> bool {
        self.glibc.is_some()
    }
}

impl fmt::Display for About {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "version {}", self.version)?;
        writeln!(f, "commit {}", self.commit)?;
        writeln!(f, "target {}", self.target)?;
        if let Some(glibc) = self.glibc {
            writeln!(f, "platform {}", glibc.platform(self.target.architecture()))?;
            writeln!(f, "glibc {glibc}")?;
        }
        writeln!(f, "rustc {}", self.rustc)
    }
}

/// The version of the program in the answer of `cargo metadata`.
fn version(metadata: &Value) -> Result<String, DistError> {
    let packages = metadata.get("packages").and_then(Value::as_array);
    let of_program = |package: &&Value| package.get("name").and_then(Value::as_str) == Some(PACKAGES[0]);
    let package = packages.and_then(|packages| packages.iter().find(of_program));
    let version = package.and_then(|package| package.get("version")?.as_str());
    version
        .map(str::to_owned)
        .ok_or(DistError::Metadata("the version of the program"))
}

/// A folder with everything that is installed.
#[derive(Debug)]
pub struct Stage {
    folder: PathBuf,
    about: About,
}

impl Stage {
    /// An empty folder.
    pub fn create(folder: &Path, about: About) -> Result<Stage, DistError> {
        if folder.exists() {
            fs::remove_dir_all(folder).map_err(io_at(folder))?;
        }
        fs::create_dir_all(folder).map_err(io_at(folder))?;
        Ok(Stage {
            folder: folder.to_owned(),
            about,
        })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where its programs come from.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// Fills it: programs, licences, manual pages, completions, and the project of the wheel.
    pub fn fill(&self, root: &Path, programs: &[PathBuf], third_party: &str) -> Result<(), DistError> {
        for program in programs {
            let name = program.file_name().unwrap_or_default();
            self.copy(program, &Path::new("bin").join(name))?;
        }
        for file in ["README.md", "pyproject.toml", "hatch_build.py"] {
            self.copy(&root.join("packaging/wheel").join(file), Path::new(file))?;
        }
        for file in ["LICENSES/MIT.txt", "LICENSES/Apache-2.0.txt"] {
            self.copy(&root.join(file), Path::new(file))?;
        }
        self.write("LICENSES/THIRD-PARTY.txt", third_party)?;
        self.write("VERSION", &self.about.to_string())?;
        self.describe()
    }

    /// Copies the project of the library for workers in Python, without what earlier builds left in it.
    pub fn sdk(&self, root: &Path) -> Result<PathBuf, DistError> {
        let mut git = Command::new("git");
        git.args(["ls-files", "-z", "backends/python"]).current_dir(root);
        for file in command::output(&mut git)?.split_terminator('\0') {
            self.copy(&root.join(file), Path::new(file))?;
        }
        Ok(self.folder.join("backends/python"))
    }

    /// Lets the program write its manual pages and completions.
    fn describe(&self) -> Result<(), DistError> {
        let program = self.folder.join("bin/onnx-conformance");
        let pages = self.folder.join("share/man/man1");
        fs::create_dir_all(&pages).map_err(io_at(&pages))?;
        command::output(self.about.target.command(&program).arg("man").arg(&pages))?;
        for (shell, file) in [
            ("bash", "share/bash-completion/completions/onnx-conformance"),
            ("fish", "share/fish/vendor_completions.d/onnx-conformance.fish"),
            ("zsh", "share/zsh/site-functions/_onnx-conformance"),
        ] {
            let mut write = self.about.target.command(&program);
            let script = command::output(write.args(["completions", shell]))?;
            self.write(file, &script)?;
        }
        Ok(())
    }

    fn copy(&self, from: &Path, to: &Path) -> Result<(), DistError> {
        let to = self.place(to)?;
        fs::copy(from, to).map_err(io_at(from))?;
        Ok(())
    }

    fn write(&self, to: &str, text: &str) -> Result<(), DistError> {
        let to = self.place(Path::new(to))?;
        fs::write(&to, text).map_err(io_at(&to))
    }

    /// The path of a file, whose folder exists.
    fn place(&self, file: &Path) -> Result<PathBuf, DistError> {
        let path = self.folder.join(file);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(io_at(parent))?;
        }
        Ok(path)
    }
}
