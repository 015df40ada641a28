//! The executable of a backend's worker and its limits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, io};

use super::discover;
use super::remote::{self, Launcher};

/// The number of folders before those of PATH; an error lists them.
const LOCAL_FOLDERS: usize = 2;

/// How the workers of a backend are started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WorkerSpec {
    /// The backend's name in reports.
    pub name: String,
    /// The executable; a name without a slash is searched for in `PATH`.
    pub command: PathBuf,
    /// Its arguments, which precede the options.
    pub args: Vec<String>,
    /// Variables added to the environment of the harness.
    pub env: BTreeMap<String, String>,
    /// Options of the backend, passed as `--opt key=value`.
    pub options: BTreeMap<String, String>,
    /// The transport of its channel.
    pub transport: Transport,
    /// The program that starts it on another machine; `None` on this machine.
    pub launcher: Option<Launcher>,
    /// Whether models are sent once, if the worker has a store for them: true on another machine.
    pub by_digest: bool,
    pub limits: Limits,
}

/// The transport of a worker's channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Transport {
    /// Two separate pipes whose descriptors are in environment variables. Printed output cannot interfere.
    #[default]
    Inherited,
    /// Stdin and stdout, for languages in which a descriptor is not accessible by number.
    Stdio,
}

/// The limits of a worker.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes of private memory (`RLIMIT_DATA`: heap, anonymous mappings, stacks; not mapped files or
    /// reserved address space). Default 8 GiB.
    pub memory: Option<u64>,
    /// Timeout of the handshake. Default 30 s: a large runtime library may be loaded from a cold disk.
    pub start: Duration,
    /// Time from SIGTERM to SIGKILL. Default 100 ms.
    pub grace: Duration,
    /// Maximum bytes of payload of one answer. Default 1 GiB.
    pub answer: u64,
    /// Bytes of stderr that are kept for each request. Default 16 KiB.
    pub stderr: usize,
}

/// The default limit of private memory of a worker in bytes.
pub const DEFAULT_MEMORY: u64 = 8 << 30;

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            memory: Some(DEFAULT_MEMORY),
            start: Duration::from_secs(30),
            grace: Duration::from_millis(100),
            answer: 1 << 30,
            stderr: 16 << 10,
        }
    }
}

/// Why an argument is not a worker.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// There is no executable for a backend of this name.
    #[error(
        "backend `{name}`: there is no executable `{executable}` in {looked} or PATH; `backends list` names the backends that \
         are there; any program that speaks the protocol is a backend as `cmd:./my-worker --flag`"
    )]
    Missing {
        /// The backend.
        name: String,
        /// The name of the executable.
        executable: String,
        /// The searched folders, separated by commas.
        looked: String,
    },
    /// The command is empty or has an open quote.
    #[error("`{0}` is not a command: it is empty, or a quote in it is not closed")]
    Command(String),
    /// A remote worker has no target or no command.
    #[error(
        "`{text}` is not a worker on another machine: write `{scheme}:TARGET:COMMAND`, as in `{scheme}:{example}:./my-worker`"
    )]
    Remote {
        text: String,
        /// The scheme of the connection.
        scheme: &'static str,
        /// An example of a target.
        example: &'static str,
    },
    /// The path of the harness is unknown.
    #[error("cannot determine the path of this program, which is needed to find workers: {0}")]
    CurrentExe(#[source] io::Error),
}

impl WorkerSpec {
    /// A spec without arguments, options and environment, over inherited pipes.
    pub fn new(name: impl Into<String>, command: impl Into<PathBuf>) -> WorkerSpec {
        WorkerSpec {
            name: name.into(),
            command: command.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            options: BTreeMap::new(),
            transport: Transport::default(),
            launcher: None,
            by_digest: false,
            limits: Limits::default(),
        }
    }

    /// Parses the argument of `--backend`: a backend name (`ort`, whose worker `onnx-worker-ort` is next to
    /// this program), or a command line with shell quoting, `cmd:./my-worker --flag`; `stdio:` instead of
    /// `cmd:` for a worker that uses stdin and stdout. A prefix `ssh:HOST:`, `docker:IMAGE:`,
    /// `kubectl:POD:` or `adb:SERIAL:` before a command line starts the worker there.
    pub fn parse(text: &str) -> Result<WorkerSpec, SpecError> {
        let connected = text.split_once(':').and_then(|(scheme, rest)| match scheme {
            "cmd" => Some(WorkerSpec::from_command_line(text, rest, Transport::Inherited)),
            "stdio" => Some(WorkerSpec::from_command_line(text, rest, Transport::Stdio)),
            _ => remote::parse(scheme, rest),
        });
        connected.unwrap_or_else(|| {
            let program = env::current_exe().map_err(SpecError::CurrentExe)?;
            WorkerSpec::installed(text, &discover::folders(&program))
        })
    }

    /// The program on this machine that starts the worker, and its arguments, with the options as the
    /// worker takes them.
    pub fn command_line(&self) -> (PathBuf, Vec<String>) {
        let mut words = self.args.clone();
        for (key, value) in &self.options {
            words.extend(["--opt".to_owned(), format!("{key}={value}")]);
        }
        match &self.launcher {
            None => (self.command.clone(), words),
            Some(launcher) => {
                let command = self.command.display().to_string();
                let mut all: Vec<String> = Some(command)
                    .filter(|word| !word.is_empty())
                    .into_iter()
                    .collect();
                all.extend(words);
                (PathBuf::from(launcher.program), launcher.arguments(&all))
            }
        }
    }

    fn from_command_line(text: &str, line: &str, transport: Transport) -> Result<WorkerSpec, SpecError> {
        let malformed = || SpecError::Command(text.to_owned());
        let mut words = shlex::split(line).ok_or_else(malformed)?.into_iter();
        let command = words
            .next()
            .filter(|word| !word.is_empty())
            .ok_or_else(malformed)?;
        let name = Path::new(&command)
            .file_stem()
            .map_or_else(|| command.clone(), |stem| stem.display().to_string());
        Ok(WorkerSpec {
            args: words.collect(),
            transport,
            ..WorkerSpec::new(name, command)
        })
    }

    /// The worker in the first of these folders that contains it.
    fn installed(name: &str, folders: &[PathBuf]) -> Result<WorkerSpec, SpecError> {
        let executable = discover::executable(name);
        // A name with a slash would select an arbitrary path.
        let found = folders
            .iter()
            .map(|folder| folder.join(&executable))
            .find(|path| path.is_file());
        match found.filter(|_| !name.contains('/')) {
            Some(path) => Ok(WorkerSpec::new(name, path)),
            None => Err(SpecError::Missing {
                name: name.to_owned(),
                executable,
                looked: folders
                    .iter()
                    .take(LOCAL_FOLDERS)
                    .map(|folder| folder.display().to_string())
                    .collect::<Vec<_>>()
                    .join(", "),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_is_split_as_a_shell_would() {
        let spec = WorkerSpec::parse("cmd:./my-worker.py --flag 'a b'").expect("a command");
        assert_eq!(
            (spec.name.as_str(), spec.command.as_path()),
            ("my-worker", Path::new("./my-worker.py"))
        );
        assert_eq!(
            (spec.args, spec.transport),
            (vec!["--flag".into(), "a b".into()], Transport::Inherited)
        );
        assert_eq!(
            WorkerSpec::parse("stdio:w").expect("a command").transport,
            Transport::Stdio
        );
    }

    #[test]
    fn invalid_workers_are_errors() {
        for (text, expected) in [
            ("cmd:", "`cmd:` is not a command"),
            ("cmd:a 'b", "`cmd:a 'b` is not a command"),
            (
                "nowhere",
                "backend `nowhere`: there is no executable `onnx-worker-nowhere",
            ),
        ] {
            let error = WorkerSpec::parse(text).expect_err(expected).to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn workers_are_found_next_to_the_program_and_above_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let worker = folder
            .path()
            .join(format!("onnx-worker-x{}", env::consts::EXE_SUFFIX));
        std::fs::write(&worker, "").expect("a file");
        for program in ["program", "deps/test-1234"] {
            let folders = discover::folders(&folder.path().join(program));
            let spec = WorkerSpec::installed("x", &folders).expect("it is there");
            assert_eq!(spec.command, worker);
        }
        let folders = discover::folders(&folder.path().join("a/b/program"));
        assert!(WorkerSpec::installed("x", &folders).is_err());
    }
}
